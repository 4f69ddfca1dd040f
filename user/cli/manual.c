// SPDX-License-Identifier: Apache-2.0
/* manual: the pages, from the tables, the schema, and the daemon's own help. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/model/schema_table.h"
#include "cli/frame/call.h"
#include "cli/frame/page.h"
#include "nouns.h"

static void manual_holdfast(const struct program *program)
{
	page_title("HOLDFAST", "8", "operates a Holdfast load balancer");
	puts(".SH SYNOPSIS\n.B holdfast\n[\\fIOPTIONS\\fR] \\fINOUN\\fR \\fIVERB\\fR \\fIARGUMENTS\\fR\n.SH "
	     "DESCRIPTION");
	page_line("Asks and changes one instance of holdfastd, through its socket. A service is named as "
		  "PROTO VIP:PORT, with IPv6 in brackets, a backend as POOL/NAME. Words may be shortened as "
		  "long as they stay unambiguous. A refused change changes nothing.");
	page_commands(program);
	puts(".SH EXIT STATUS\n.TP\n.B 0\nDone.\n.TP\n.B 1\nRefused, or a check found a fault.\n.TP\n.B 2\n"
	     "The command line is wrong; nothing was sent.\n.TP\n.B 3\nA wait timed out.\n.TP\n.B 4\nThe "
	     "daemon cannot be reached, or does not answer.");
	puts(".SH FILES\n.TP\n.I /run/holdfast/INSTANCE.sock\nThe daemon\\(aqs socket: the group holdfast "
	     "may look, root may change.\n.TP\n.I /sys/fs/bpf/holdfast/INSTANCE/\nThe pins of what is "
	     "loaded.\n.TP\n.I /var/lib/holdfast/INSTANCE.db\nThe daemon\\(aqs database, read for names by "
	     "\\-\\-offline.");
	page_see_also(".BR holdfastd (8),\n.BR holdfast.yaml (5),\n.BR holdfast\\-placement (1)");
}

/* Lines of "  --name VALUE   what it does", as holdfastd prints them. */
static void put_daemon_option(char *line)
{
	char *help = strstr(line, "  ");

	if (!help)
		return;
	*help = '\0';
	help += 1 + strspn(help + 1, " ");
	help[strcspn(help, "\n")] = '\0';
	puts(".TP");
	page_request(".B", line);
	page_sentence(help);
}

static void manual_holdfastd(void)
{
	char line[512];

	page_title("HOLDFASTD", "8", "serves one instance of a Holdfast load balancer");
	puts(".SH SYNOPSIS\n.B holdfastd\n[\\fIOPTIONS\\fR]\n.SH DESCRIPTION");
	page_line("Keeps the desired state of one instance in its database, builds the tables from it and "
		  "loads them into the kernel, follows next hops, and answers holdfast on a Unix socket. It "
		  "runs in the foreground. The data plane needs no daemon: stopped or killed, traffic goes "
		  "on as it was; started again, it adopts what is pinned and changes nothing that is right. "
		  "After a reboot it rebuilds everything from its database before it attaches. SIGTERM ends "
		  "it; SIGHUP applies its configuration file again.");
	puts(".SH OPTIONS");
	while (fgets(line, sizeof line, stdin)) {
		if (!strncmp(line, "  --", 4))
			put_daemon_option(line + 2);
	}
	puts(".SH EXIT STATUS\n.TP\n.B 0\nStopped by a signal.\n.TP\n.B 1\nIt could not start.\n.TP\n.B 2\n"
	     "A mistake in the options.\n.TP\n.B 3\nThe pins serve what the database does not know: restore "
	     "the database, or see \\-\\-fresh. Packets go on.");
	puts(".SH FILES\n.TP\n.I /etc/holdfast/holdfast.yaml\nThe configuration.\n.TP\n.I "
	     "/run/holdfast/INSTANCE.sock\nThe socket.\n.TP\n.I /var/lib/holdfast/INSTANCE.db\nGenerations "
	     "and numbers, in SQLite.\n.TP\n.I /sys/fs/bpf/holdfast/INSTANCE/\nPrograms, maps and "
	     "attachments.");
	page_see_also(".BR holdfast (8),\n.BR holdfast.yaml (5)");
}

static void put_key(const struct schema_key *key)
{
	char text[512];

	puts(".TP");
	page_request(".B", key->name);
	if (key->scheme)
		printf("Scheme %s: %c", key->scheme, tolower((unsigned char)key->help[0]));
	page_line(key->help + !!key->scheme);
	if (key->type != SCHEMA_LIST) {
		schema_describe(key, text, sizeof text);
		printf("Takes ");
		page_put(text);
		puts(".");
	}
	if (key->flags & SCHEMA_REQUIRED)
		page_line("Required.");
	if (key->standard) {
		printf("Default: ");
		page_put(key->standard);
		puts(".");
	}
}

static void put_schema(const struct schema *schema, const char *title)
{
	page_request(".SS", title);
	for (const struct schema_key *key = schema->keys; key->name; key++)
		put_key(key);
	for (const struct schema_key *key = schema->keys; key->name; key++) {
		if (key->type == SCHEMA_LIST)
			put_schema(key->items, key->name);
	}
}

static const char example[] = "version: 1\n"
			      "seed: \"6f1c9a3e5b7d2048\"\n"
			      "interfaces:\n"
			      "  - name: eth0\n"
			      "pools:\n"
			      "  - name: db\n"
			      "    backends:\n"
			      "      - {name: db1, address: 10.0.0.11}\n"
			      "      - {name: db2, address: 10.0.0.12, weight: 200}\n"
			      "services:\n"
			      "  - {listen: \"tcp 203.0.113.10:5432\", pool: db}\n";

static void manual_configuration(void)
{
	page_title("HOLDFAST.YAML", "5", "the desired state of a Holdfast load balancer");
	puts(".SH DESCRIPTION");
	page_line("A YAML file that states interfaces, pools with their backends, and services. `holdfast "
		  "apply -f` makes all of it the desired state, or refuses it with line and column and "
		  "changes nothing; `holdfast plan -f` shows what it would change. Lists hold things with "
		  "names. Every key that is not required has a default. Durations are written like 30s, 5m, "
		  "2h or 1h30m. Anchors and aliases are refused.");
	puts(".SH EXAMPLE\n.EX");
	page_line(example);
	puts(".EE\n.SH KEYS");
	put_schema(&schema_root, "the file");
	page_see_also(".BR holdfast (8),\n.BR holdfastd (8)");
}

static enum exit_status run_manual(const struct call *call)
{
	if (!strcmp(call->words[0], "holdfast.8"))
		manual_holdfast(call->program);
	else if (!strcmp(call->words[0], "holdfastd.8"))
		manual_holdfastd();
	else
		manual_configuration();
	return STATUS_DONE;
}

/* clang-format off */
const struct noun manual_noun = {"manual", NULL, .verbs = VERBS(
	{"",
	 .arguments = ARGUMENTS(ARGUMENT("PAGE", VALUE_WORD, NULL, .choices = "holdfast.8 holdfastd.8 holdfast.yaml.5")),
	 .help = "print a manual page; holdfastd.8 reads what `holdfastd --help` says from standard input",
	 .example = "holdfast.8",
	 .run = run_manual})};
/* clang-format on */
