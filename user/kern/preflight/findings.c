// SPDX-License-Identifier: Apache-2.0
#include "checks.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/value/list.h"

int findings_new(struct findings **ret)
{
	struct findings *findings = calloc(1, sizeof *findings);

	if (!findings)
		return -ENOMEM;
	*ret = findings;
	return 0;
}

void findings_free(struct findings *findings)
{
	if (!findings)
		return;
	free(findings->list);
	free(findings);
}

const char *severity_name(enum finding_severity severity)
{
	static const char *const names[] = {"ok", "note", "warn", "fault"};

	return names[severity];
}

enum finding_severity findings_worst(const struct findings *findings)
{
	enum finding_severity worst = FINDING_OK;

	for (size_t i = 0; i < findings->count; i++) {
		if (findings->list[i].severity > worst)
			worst = findings->list[i].severity;
	}
	return worst;
}

void findings_about(struct findings *findings, const char *subject, ...)
{
	va_list args;

	va_start(args, subject);
	vsnprintf(findings->subject, sizeof findings->subject, subject, args);
	va_end(args);
}

void finding_add(struct findings *findings, enum finding_severity severity, const char *text, ...)
{
	struct finding *finding, *list = NULL;
	char both[1024];
	int what;
	va_list args;

	if (findings->count <= findings->room)
		list = list_grow(findings->list, findings->count, &findings->room, sizeof *list);
	findings->count++; /* beyond room: lost */
	if (!list)
		return;
	findings->list = list;
	va_start(args, text);
	vsnprintf(both, sizeof both, text, args);
	va_end(args);
	what = (int)strcspn(both, "\n");
	finding = &findings->list[findings->count - 1];
	*finding = (struct finding){.severity = severity};
	memcpy(finding->subject, findings->subject, sizeof finding->subject);
	snprintf(finding->what, sizeof finding->what, "%.*s", what, both);
	snprintf(finding->right, sizeof finding->right, "%s", both[what] ? &both[what + 1] : "");
}

int findings_finish(struct findings *findings, int error, struct findings **ret)
{
	if (!error && findings->count > findings->room)
		error = -ENOMEM;
	if (error)
		findings_free(findings);
	else
		*ret = findings;
	return error;
}

long number_read(const char *path, ...)
{
	char text[160];
	long number;
	va_list args;
	FILE *file;

	va_start(args, path);
	vsnprintf(text, sizeof text, path, args);
	va_end(args);
	file = fopen(text, "re");
	if (!file)
		return -1;
	if (fscanf(file, "%ld", &number) != 1)
		number = -1;
	fclose(file);
	return number;
}

long conf_read(const char *interface, const char *name)
{
	long all = number_read("/proc/sys/net/ipv4/conf/all/%s", name);
	long own = number_read("/proc/sys/net/ipv4/conf/%s/%s", interface, name);

	return all > own ? all : own;
}
