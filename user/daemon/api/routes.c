/* SPDX-License-Identifier: Apache-2.0 */
#include "routes.h"

#include <errno.h>
#include <string.h>

#include "daemon/handler/operate.h"
#include "daemon/handler/views.h"

const struct route routes[] = {
	{"GET", "/v1/version", ACCESS_READ, .view = view_version},
	{"GET", "/v1/status", ACCESS_READ, .view = view_status},
	{"GET", "/v1/interfaces", ACCESS_READ, .view = view_interfaces},
	{"GET", "/v1/pools", ACCESS_READ, .view = view_pools},
	{"GET", "/v1/pools/{pool}", ACCESS_READ, .handler = view_pool},
	{"GET", "/v1/pools/{pool}/slots", ACCESS_READ, .handler = view_slots},
	{"GET", "/v1/services", ACCESS_READ, .view = view_services},
	{"GET", "/v1/services/{proto}/{listen}", ACCESS_READ, .handler = view_service},
	{"GET", "/v1/backends", ACCESS_READ, .handler = view_backends},
	{"GET", "/v1/backends/{pool}", ACCESS_READ, .handler = view_backends},
	{"GET", "/v1/backends/{pool}/{name}", ACCESS_READ, .handler = view_backend},
	{"GET", "/v1/counters", ACCESS_READ, .view = view_counters},
	{"GET", "/v1/why", ACCESS_READ, .handler = view_why},
	{"GET", "/v1/generations", ACCESS_READ, .handler = view_generations},
	{"GET", "/v1/generations/{number}", ACCESS_READ, .handler = view_generation},
	{"GET", "/v1/generations/{number}/diff", ACCESS_READ, .handler = view_difference},
	{"GET", "/v1/export", ACCESS_READ, .handler = view_export},
	{"GET", "/v1/events", ACCESS_READ, .handler = view_events},
	{"GET", "/v1/operations", ACCESS_READ, .view = view_operations},
	{"POST", "/v1/operations", ACCESS_CHANGE, .handler = operate},
	{"POST", "/v1/rollback", ACCESS_CHANGE, .handler = roll_back},
	{"POST", "/v1/upgrade", ACCESS_CHANGE, .handler = upgrade},
	{0},
};

/* Matches one part of the path after another; notes where parameters begin. */
static bool match_path(const char *pattern, char *path, const char *parameters[PATH_PARAMETERS])
{
	int count = 0;

	while (*pattern) {
		size_t length = strcspn(pattern + 1, "/"), given;

		if (*path != '/')
			return false;
		path++;
		pattern++;
		given = strcspn(path, "/");
		if (!given)
			return false;
		if (*pattern == '{') {
			parameters[count++] = path;
		} else if (given != length || strncmp(path, pattern, length)) {
			return false;
		}
		path += given;
		pattern += length;
	}
	return !*path;
}

static void cut_parameters(struct request *request)
{
	for (int i = 0; i < PATH_PARAMETERS && request->parameters[i]; i++)
		((char *)request->parameters[i])[strcspn(request->parameters[i], "/")] = '\0';
}

const struct route *route_find(const char *method, const char *path, struct request *request,
			       bool *ret_other_method)
{
	*ret_other_method = false;
	if (strlen(path) >= PATH_ROOM)
		return NULL;
	for (const struct route *route = routes; route->method; route++) {
		memset(request->parameters, 0, sizeof request->parameters);
		strcpy(request->path, path);
		if (!match_path(route->path, request->path, request->parameters))
			continue;
		if (strcmp(route->method, method)) {
			*ret_other_method = true;
			continue;
		}
		cut_parameters(request);
		return route;
	}
	return NULL;
}

int route_answer(const struct route *route, struct instance *instance, const struct request *request,
		 json_t **ret, struct refusal *refusal)
{
	if (!route->view)
		return route->handler(instance, request, ret, refusal);
	*ret = route->view(instance);
	return *ret ? 0 : -ENOMEM;
}
