/* SPDX-License-Identifier: Apache-2.0 */
#include "recovery.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "core/adoption/adoption.h"
#include "core/operation/operation.h"
#include "daemon/base/clock.h"
#include "configuration.h"
#include "daemon/base/event_log.h"
#include "kern/instance/lifecycle.h"

/* Refusing --------------------------------------------------------------------- */

static bool serves(const struct served *served)
{
	return served->services || served->pools || served->interfaces;
}

static int refuse_lost(const struct options *options, const char *path, struct refusal *refusal)
{
	refusal_where(refusal, "%s", path);
	refusal_right(refusal,
		      "packets are left as they are; restore the database, or start `holdfastd --fresh "
		      "--config %s` once, which makes the pins what that file says",
		      options->config ? options->config : "FILE");
	return -ENOTRECOVERABLE;
}

int recovery_check_lost(const struct options *options, const char *path, struct refusal *refusal)
{
	struct served served;
	int error = dataplane_served(options->instance, &served, refusal);

	if (error || !serves(&served))
		return error;
	refuse(refusal, 0,
	       "the database is lost or new, but the pins of instance %s serve: services %u, pools %u, "
	       "interfaces %u",
	       options->instance, served.services, served.pools, served.interfaces);
	return refuse_lost(options, path, refusal);
}

int recovery_check_numbers(const struct instance *instance, const char *path, const struct image *loaded,
			   struct refusal *refusal)
{
	int error = ledger_knows(instance->ledger, loaded, refusal);

	return error == -ENOTRECOVERABLE ? refuse_lost(instance->options, path, refusal) : error;
}

/* Beginning again --------------------------------------------------------------- */

static int read_configuration(const struct options *options, struct model **ret, struct refusal *refusal)
{
	json_t *configuration = NULL, *arguments = NULL;
	struct model *empty = NULL;
	int error = configuration_read(options->config, &configuration, refusal);

	if (!error) {
		empty = model_new(1);
		arguments = json_pack("{s:O}", "configuration", configuration);
		error = empty && arguments
				? operation_apply(empty, "model.apply", arguments, clock_unix(), ret, refusal)
				: -ENOMEM;
	}
	if (error && !refusal->where[0])
		refusal_where(refusal, "%s", options->config);
	model_free(empty);
	json_decref(arguments);
	json_decref(configuration);
	return error;
}

/* Pins that cannot be read whole give no numbers: what they serve is placed anew. */
static int adopt_numbers(struct instance *instance)
{
	struct dataplane *pins = NULL;
	struct image *loaded = NULL;
	int error = dataplane_inspect(instance->options->instance, &pins, NULL);

	if (!error)
		error = dataplane_read(pins, &loaded);
	if (!error)
		error = ledger_adopt(loaded, instance->model, &instance->ledger);
	else if (error != -ENOMEM)
		error = (instance->ledger = ledger_new()) ? 0 : -ENOMEM;
	image_free(loaded);
	dataplane_close(pins);
	return error;
}

int recovery_begin(struct instance *instance, struct refusal *refusal)
{
	const struct options *options = instance->options;
	struct served served;
	int error = dataplane_served(options->instance, &served, refusal);

	if (!error && !options->config) {
		refuse(refusal, 0, "--fresh needs to know what to serve");
		refusal_right(refusal, "--fresh --config FILE");
		error = -ENOTRECOVERABLE;
	}
	if (!error)
		error = read_configuration(options, &instance->model, refusal);
	if (!error)
		error = adopt_numbers(instance);
	if (error)
		return error;
	instance->generation = (struct generation){.number = served.generation + 1, .time = clock_unix()};
	strcpy(instance->generation.author, "holdfastd");
	snprintf(instance->generation.cause, sizeof instance->generation.cause, "fresh start with %.160s",
		 options->config);
	return 0;
}

/* Setting aside ----------------------------------------------------------------- */

/* Gives path the suffix of this moment: "default.db.20261130T033357Z". */
static int aside_path(const char *path, char aside[PATH_MAX])
{
	time_t now = time(NULL);
	struct tm tm;
	char moment[32];

	strftime(moment, sizeof moment, "%Y%m%dT%H%M%SZ", gmtime_r(&now, &tm));
	return snprintf(aside, PATH_MAX, "%s.%s", path, moment) >= PATH_MAX ? -ENAMETOOLONG : 0;
}

static int rename_part(const char *path, const char *aside, const char *suffix)
{
	char from[PATH_MAX + 8], to[PATH_MAX + 8];

	snprintf(from, sizeof from, "%s%s", path, suffix);
	snprintf(to, sizeof to, "%s%s", aside, suffix);
	return rename(from, to) && errno != ENOENT ? -errno : 0;
}

/* The log first: a new database beside an old log would take the log away. */
int recovery_set_aside(const char *path, struct refusal *refusal)
{
	char aside[PATH_MAX];
	struct stat status;
	int error = aside_path(path, aside);

	if (!error && lstat(path, &status))
		return errno == ENOENT
			       ? 0
			       : refuse(refusal, -errno, "cannot look at %s: %s", path, strerror(errno));
	if (!error && !lstat(aside, &status))
		error = -EEXIST;
	if (!error)
		error = rename_part(path, aside, "-wal");
	if (!error)
		error = rename_part(path, aside, "-shm");
	if (!error)
		error = rename_part(path, aside, "");
	if (error)
		return refuse(refusal, error, "cannot set %s aside: %s", path, strerror(-error));
	event_note(LOG_LEVEL_NOTICE, "database", "", "set aside as %s", aside);
	return 0;
}
