/* SPDX-License-Identifier: Apache-2.0 */
#include "interfaces.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/event_log.h"
#include "kern/instance/attach.h"
#include "kern/instance/attachments.h"

struct interfaces {
	struct dataplane *const *dataplane; /* of the instance, which may open it anew */
	json_t *problems;                   /* name -> sentence */
	json_t *attached;                   /* name -> ifindex where the program was attached last */
};

int interfaces_open(struct dataplane *const *dataplane, struct interfaces **ret)
{
	struct interfaces *interfaces = calloc(1, sizeof *interfaces);

	if (!interfaces)
		return -ENOMEM;
	interfaces->dataplane = dataplane;
	interfaces->problems = json_object();
	interfaces->attached = json_object();
	*ret = interfaces;
	return 0;
}

void interfaces_close(struct interfaces *interfaces)
{
	if (!interfaces)
		return;
	json_decref(interfaces->problems);
	json_decref(interfaces->attached);
	free(interfaces);
}

const char *interfaces_problem(const struct interfaces *interfaces, const char *name)
{
	return json_string_value(json_object_get(interfaces->problems, name));
}

static bool wants_same(const struct interface *a, const struct interface *b)
{
	return a && b && a->mode == b->mode && a->share == b->share;
}

static int attach_interface(struct interfaces *interfaces, const struct interface *interface,
			    struct refusal *refusal)
{
	int error;

	*refusal = (struct refusal){0};
	error = dataplane_attach(*interfaces->dataplane, interface->name, interface->mode, interface->share,
				 refusal);
	if (error && !refusal->what[0])
		refuse(refusal, error, "cannot attach to %s: %s", interface->name, strerror(-error));
	if (!error)
		json_object_set_new(interfaces->attached, interface->name,
				    json_integer(if_nametoindex(interface->name)));
	return error;
}

/* 0 also where it was not attached; then there is nothing to tell. */
static int detach_interface(struct interfaces *interfaces, const char *name, struct refusal *refusal)
{
	int error = dataplane_detach(*interfaces->dataplane, name, refusal);

	if (!error)
		event_note(LOG_LEVEL_NOTICE, "interface", name, "detached");
	else if (error == -ENOENT)
		*refusal = (struct refusal){0};
	else
		return error;
	json_object_del(interfaces->attached, name);
	return 0;
}

static void try_detach(struct interfaces *interfaces, const char *name)
{
	struct refusal refusal = {0};

	if (detach_interface(interfaces, name, &refusal))
		log_refusal(LOG_LEVEL_ERROR, "detach", &refusal);
}

void interfaces_undo(struct interfaces *interfaces, const struct model *before, const struct model *after)
{
	struct refusal refusal;

	for (size_t i = 0; i < before->interface_count; i++)
		if (!model_interface(after, before->interfaces[i].name) &&
		    attach_interface(interfaces, &before->interfaces[i], &refusal))
			log_refusal(LOG_LEVEL_ERROR, "attach again", &refusal);
	for (size_t i = 0; i < after->interface_count; i++) {
		const struct interface *now = &after->interfaces[i],
				       *was = model_interface(before, now->name);

		if (wants_same(was, now))
			continue;
		try_detach(interfaces, now->name);
		if (was && attach_interface(interfaces, was, &refusal))
			log_refusal(LOG_LEVEL_ERROR, "attach again", &refusal);
	}
}

/* A detach that fails is a change that is refused: packets would go on being balanced. */
static int detach_unnamed(struct interfaces *interfaces, const struct model *before,
			  const struct model *after, struct refusal *refusal)
{
	int error = 0;

	for (size_t i = 0; !error && i < before->interface_count; i++)
		if (!model_interface(after, before->interfaces[i].name))
			error = detach_interface(interfaces, before->interfaces[i].name, refusal);
	return error;
}

int interfaces_check(struct interfaces *interfaces, const struct model *before, const struct model *after,
		     bool missing_ok, struct refusal *refusal)
{
	for (size_t i = 0; i < after->interface_count; i++) {
		const struct interface *now = &after->interfaces[i];
		struct refusal found = {0};
		int error;

		if (wants_same(model_interface(before, now->name), now))
			continue;
		error = dataplane_check_attach(*interfaces->dataplane, now->name, now->mode, now->share,
					       &found);
		if (!error || (missing_ok && error == -ENODEV))
			continue;
		*refusal = found;
		return error;
	}
	return 0;
}

int interfaces_change(struct interfaces *interfaces, const struct model *before, const struct model *after,
		      bool missing_ok, struct refusal *refusal)
{
	int failed = interfaces_check(interfaces, before, after, missing_ok, refusal);

	if (failed)
		return failed;
	failed = detach_unnamed(interfaces, before, after, refusal);
	if (failed) {
		interfaces_undo(interfaces, before, after);
		return failed;
	}
	for (size_t i = 0; i < after->interface_count; i++) {
		const struct interface *now = &after->interfaces[i],
				       *was = model_interface(before, now->name);
		int error;

		if (wants_same(was, now))
			continue;
		error = was ? detach_interface(interfaces, now->name, refusal) : 0;
		if (!error)
			error = attach_interface(interfaces, now, refusal);
		if (error && !(missing_ok && error == -ENODEV)) {
			interfaces_undo(interfaces, before, after);
			return error;
		}
	}
	return 0;
}

struct search {
	const char *name;
	struct attachment *found;
};

static int match_attachment(const struct attachment *attachment, void *context)
{
	struct search *search = context;

	if (!attachment_answers_to(attachment, search->name))
		return 0;
	*search->found = *attachment;
	return 1;
}

bool interfaces_attachment(struct interfaces *interfaces, const char *name, struct attachment *ret)
{
	struct search search = {name, ret};

	return dataplane_attachments(*interfaces->dataplane, match_attachment, &search) == 1;
}

/* The program was attached to this very interface, and somebody took it away: `holdfast --offline interface
 * detach`, say, which means what it does. An interface that went and came back has another index. */
static bool was_let_go(struct interfaces *interfaces, const char *name)
{
	json_int_t ifindex = json_integer_value(json_object_get(interfaces->attached, name));
	struct attachment attachment;

	return ifindex && ifindex == if_nametoindex(name) &&
	       !interfaces_attachment(interfaces, name, &attachment);
}

bool interfaces_wanted(struct interfaces *interfaces, const struct model *model)
{
	for (size_t i = 0; i < model->interface_count; i++) {
		if (!was_let_go(interfaces, model->interfaces[i].name))
			return true;
	}
	return false;
}

static void leave_alone(struct interfaces *interfaces, const char *name)
{
	if (interfaces_problem(interfaces, name))
		return;
	event_note(LOG_LEVEL_WARNING, "interface", name, "detached by somebody else, and left so");
	json_object_set_new(
		interfaces->problems, name,
		json_sprintf("detached by somebody else: `holdfast interface attach %s` attaches it again",
			     name));
}

int interfaces_attach_again(struct interfaces *interfaces, const struct interface *interface,
			    struct refusal *refusal)
{
	struct attachment attachment;
	int error;

	if (interfaces_attachment(interfaces, interface->name, &attachment))
		return -EEXIST;
	error = attach_interface(interfaces, interface, refusal);
	if (error)
		return error;
	json_object_del(interfaces->problems, interface->name);
	event_note(LOG_LEVEL_NOTICE, "interface", interface->name, "attached again");
	return 0;
}

static void note_problem(struct interfaces *interfaces, const char *name, const char *problem)
{
	const char *known = interfaces_problem(interfaces, name);

	if (!known || strcmp(known, problem))
		event_note(LOG_LEVEL_WARNING, "interface", name, "%s", problem);
	json_object_set_new(interfaces->problems, name, json_string(problem));
}

/* One that was renamed or moved goes on as it is, for its connections' sake. Returns whether it was. */
static bool was_moved(struct interfaces *interfaces, const char *name)
{
	struct attachment at;
	char problem[256];

	if (!interfaces_attachment(interfaces, name, &at) || (!at.elsewhere && !strcmp(at.interface, name)))
		return false;
	if (at.elsewhere)
		snprintf(problem, sizeof problem,
			 "it is in another network namespace, and still attached there: `holdfast interface "
			 "detach %s` lets go of it",
			 name);
	else
		snprintf(
			problem, sizeof problem,
			"it is called %s now, and its packets are still balanced: rename it back, or name %s "
			"in the configuration",
			at.interface, at.interface);
	note_problem(interfaces, name, problem);
	return true;
}

static void attach_wanted(struct interfaces *interfaces, const struct interface *interface)
{
	const char *known = interfaces_problem(interfaces, interface->name);
	struct refusal refusal;
	char problem[sizeof refusal.what + sizeof refusal.right + 32];

	if (was_moved(interfaces, interface->name))
		return;
	if (was_let_go(interfaces, interface->name)) {
		leave_alone(interfaces, interface->name);
		return;
	}
	if (!attach_interface(interfaces, interface, &refusal)) {
		if (known)
			event_note(LOG_LEVEL_NOTICE, "interface", interface->name, "attached");
		json_object_del(interfaces->problems, interface->name);
		return;
	}
	snprintf(problem, sizeof problem, "not attached: %s%s%s", refusal.what, refusal.right[0] ? ": " : "",
		 refusal.right);
	note_problem(interfaces, interface->name, problem);
}

struct unwanted {
	const struct model *model;
	char names[HF_MAX_LINKS][INTERFACE_SIZE];
	size_t count;
};

static bool is_wanted(const struct model *model, const struct attachment *attachment)
{
	for (size_t i = 0; i < model->interface_count; i++)
		if (attachment_answers_to(attachment, model->interfaces[i].name))
			return true;
	return false;
}

static int note_unwanted(const struct attachment *attachment, void *context)
{
	struct unwanted *unwanted = context;

	if (!is_wanted(unwanted->model, attachment) && unwanted->count < HF_MAX_LINKS)
		memcpy(unwanted->names[unwanted->count++], attachment->interface, INTERFACE_SIZE);
	return 0;
}

static void forget_problems(struct interfaces *interfaces, const struct model *model)
{
	const char *name;
	json_t *problem;
	void *next;

	json_object_foreach_safe(interfaces->problems, next, name, problem)
	{
		if (!model_interface(model, name))
			json_object_del(interfaces->problems, name);
	}
}

void interfaces_settle(struct interfaces *interfaces, const struct model *model)
{
	struct unwanted unwanted = {.model = model};

	for (size_t i = 0; i < model->interface_count; i++)
		attach_wanted(interfaces, &model->interfaces[i]);
	dataplane_attachments(*interfaces->dataplane, note_unwanted, &unwanted);
	for (size_t i = 0; i < unwanted.count; i++)
		try_detach(interfaces, unwanted.names[i]);
	forget_problems(interfaces, model);
}

void interfaces_retry(struct interfaces *interfaces, const struct model *model)
{
	struct attachment attachment;

	for (size_t i = 0; i < model->interface_count; i++) {
		const struct interface *interface = &model->interfaces[i];

		/* One that was attached and is not any more was taken away and may come back under its name.
		 */
		if (interfaces_problem(interfaces, interface->name) ||
		    !interfaces_attachment(interfaces, interface->name, &attachment) ||
		    attachment.elsewhere || strcmp(attachment.interface, interface->name))
			attach_wanted(interfaces, interface);
	}
}
