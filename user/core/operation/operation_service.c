/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>

#include "core/model/model_edit.h"
#include "operation_argument.h"

/* Arguments name a service in two words, the configuration in one. */
static int read_listen(const json_t *arguments, struct service *service, char text[LISTEN_TEXT],
		       struct refusal *refusal)
{
	const struct schema_key *key = schema_find(&schema_service, "listen");
	json_t *value;
	int error;

	snprintf(text, LISTEN_TEXT, "%.8s %.*s", argument_text(arguments, "proto"), ENDPOINT_TEXT - 1,
		 argument_text(arguments, "listen"));
	value = json_string(text);
	error = schema_read(key, service, value, refusal);
	json_decref(value);
	return error;
}

/* Every argument but the two that name the service. */
static int read_rest(const json_t *arguments, struct service *service, const char *text,
		     struct refusal *refusal)
{
	int error = arguments_read(&schema_service, service, arguments, refusal);

	if (error < 0)
		refusal_where(refusal, "service %s", text);
	return error;
}

static struct service *named_service(const struct model *model, const json_t *arguments,
				     char text[LISTEN_TEXT], struct refusal *refusal, int *ret_error)
{
	struct service key = {0}, *service;

	*ret_error = read_listen(arguments, &key, text, refusal);
	if (*ret_error < 0)
		return NULL;
	service = model_service(model, key.proto, &key.vip, key.port_low, key.port_high);
	if (service)
		return service;
	refuse(refusal, -ENOENT, "there is no service %s", text);
	refusal_right(refusal, "a service with just these ports; `holdfast service list` shows them");
	*ret_error = -ENOENT;
	return NULL;
}

int service_add(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	struct service service;
	char text[LISTEN_TEXT];
	int error;

	(void)now;
	schema_defaults(&schema_service, &service);
	error = read_listen(arguments, &service, text, refusal);
	if (error == 0)
		error = read_rest(arguments, &service, text, refusal);
	if (error < 0)
		return error;
	error = model_insert(model, &schema_service, &service);
	if (error == -EEXIST) {
		refuse(refusal, -EEXIST, "service %s is there already", text);
		refusal_right(refusal, "another address or port, or `holdfast service set` to change it");
	}
	return error;
}

int service_set(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	char text[LISTEN_TEXT];
	int error;
	struct service *service = named_service(model, arguments, text, refusal, &error);

	(void)now;
	return service ? read_rest(arguments, service, text, refusal) : error;
}

int service_remove(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	char text[LISTEN_TEXT];
	int error;
	struct service *service = named_service(model, arguments, text, refusal, &error);

	(void)now;
	if (!service)
		return error;
	model_remove(model, &schema_service, service);
	return 0;
}
