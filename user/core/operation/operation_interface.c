/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "core/model/model_edit.h"
#include "core/value/nearest.h"
#include "operation_argument.h"

int interface_attach(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	struct interface interface;
	int error;

	(void)now;
	schema_defaults(&schema_interface, &interface);
	error = arguments_read(&schema_interface, &interface, arguments, refusal);
	if (error == 0)
		error = model_insert(model, &schema_interface, &interface);
	if (error == -EEXIST) {
		refuse(refusal, -EEXIST, "interface %s is attached already", interface.name);
		refusal_right(refusal, "`holdfast interface detach %s` first, to attach it in another way",
			      interface.name);
	}
	return error;
}

int interface_detach(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	const char *name = argument_text(arguments, "name");
	struct interface *interface = model_interface(model, name);
	struct nearest nearest = nearest_to(name);

	(void)now;
	if (interface) {
		model_remove(model, &schema_interface, interface);
		return 0;
	}
	for (size_t i = 0; i < model->interface_count; i++)
		nearest_offer(&nearest, model->interfaces[i].name);
	refuse(refusal, -ENOENT, "interface %.15s is not attached", name);
	nearest_right(&nearest, refusal, "an attached interface; `holdfast interface list` shows them");
	return -ENOENT;
}
