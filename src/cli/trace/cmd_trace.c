/* kbench trace: finds the verb and lets it run. Each verb has a file and options of its own; here it has one row. */
#include "cli/cli.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/trace/trace.h"
#include "suite/nearest.h"

struct verb { const char *name; const struct kb_command *command; };

/* Add a row, its lines in the text below, and the verb to kbench.1 and kbench.bash. */
static const struct verb verbs[] = {
	{ "overhead", &kb_trace_overhead_verb },
	{ "analyze", &kb_trace_analyze_verb },
	{ "func", &kb_trace_func_verb },
	{ "entries", &kb_trace_entries_verb },
	{ "util", &kb_trace_util_verb },
};

#define VERBS (sizeof verbs / sizeof verbs[0])

static const struct kb_option options[] = { { 0 } };

static const struct kb_command *find(const char *name)
{
	for (size_t i = 0; i < VERBS; i++) {
		if (strcmp(verbs[i].name, name) == 0)
			return verbs[i].command;
	}
	return NULL;
}

/* Which there are, "a, b or c", and the likely one. */
static _Noreturn void which(const struct kb_command *command, const char *typed)
{
	struct kb_nearest nearest = { .typed = typed ? typed : "" };
	char names[200];
	size_t used = 0;

	for (size_t i = 0; i < VERBS; i++) {
		used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : i + 1 < VERBS ? ", " : " or ",
					 verbs[i].name);
		kb_nearest_offer(&nearest, verbs[i].name);
	}
	if (!typed)
		kb_usage(command, "%s?", names);
	if (nearest.best)
		kb_usage(command, "no verb '%.60s', did you mean %s?", typed, nearest.best);
	kb_usage(command, "'%.60s' is none of %s", typed, names);
}

static int trace_main(const struct kb_command *command, int argc, char **argv)
{
	const struct kb_command *verb = argc > 1 ? find(argv[1]) : NULL;

	if (verb)
		return verb->main(verb, argc - 1, argv + 1);
	/* Its only option is --help, which ends the program. */
	kb_read_options(command, argc, argv, NULL);
	which(command, optind < argc ? argv[optind] : NULL);
}

const struct kb_command kb_command_trace = {
	.name = "trace",
	.arguments = "VERB [OPTION...] ...",
	.summary = "Trace functions of the kernel and points of a program, and tell what tracing costs",
	.text = "func FUNCTION [-- CMD]: latencies of a function of the kernel while CMD runs\n"
		"entries -- CMD: system calls, interrupts and page faults of CMD, and how long they took\n"
		"util -- CMD: who had the CPUs while CMD ran, from switch to switch\n"
		"overhead: nested pairs of trace points here, with ordered and with light stamps\n"
		"analyze LOG: what kb_trace_dump() wrote, with the cost of the trace points taken off\n"
		"'kbench trace VERB --help' says more; so do doc/trace.md and doc/trace-kernel.md.\n",
	.options = options,
	.examples = "  kbench trace func vfs_read -- cat /etc/passwd\n"
		    "  kbench trace entries -- ls /\n"
		    "  kbench trace util -- make\n"
		    "  kbench trace overhead\n"
		    "  kbench trace analyze program.log\n",
	.exits = "  0 done; 2 usage, and what the verb says\n",
	.main = trace_main,
};
