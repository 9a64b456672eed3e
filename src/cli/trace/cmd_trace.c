/* kbench trace: finds the verb and lets it run. Each verb has a file and options of its own. */
#include "cli/trace/trace.h"

/* Add a command, its lines in the text below, and the verb to kbench.1. */
static const struct kb_command *const verbs[] = {
	&kb_trace_overhead_verb, &kb_trace_analyze_verb, &kb_trace_func_verb, &kb_trace_entries_verb, &kb_trace_util_verb, NULL,
};

static const struct kb_option options[] = { { 0 } };

static int trace_main(const struct kb_command *command, int argc, char **argv)
{
	/* An option before the verb can only be --help, which ends the program. */
	if (argc > 1 && argv[1][0] == '-')
		kb_read_options(command, argc, argv, NULL);

	const struct kb_command *verb = kb_find_verb(command, argc > 1 ? argv[1] : NULL);

	return verb->main(verb, argc - 1, argv + 1);
}

const struct kb_command kb_command_trace = {
	.name = "trace",
	.arguments = "VERB [OPTION...] ...",
	.summary = "Trace functions of the kernel and points of a program, and measure what tracing costs",
	.text = "func FUNCTION [-- CMD]: latencies of a function of the kernel while CMD runs\n"
		"entries -- CMD: system calls, interrupts and page faults of CMD, and how long they took\n"
		"util -- CMD: who had the CPUs while CMD ran, from switch to switch\n"
		"overhead: nested pairs of trace points here, with ordered and with light stamps\n"
		"analyze LOG: what kb_trace_dump() wrote, with the cost of the trace points subtracted\n"
		"'kbench trace VERB --help', doc/trace.md and doc/trace-kernel.md have more.\n",
	.options = options,
	.examples = "  kbench trace func vfs_read -- cat /etc/passwd\n"
		    "  kbench trace entries -- ls /\n"
		    "  kbench trace util -- make\n"
		    "  kbench trace overhead\n"
		    "  kbench trace analyze program.log\n",
	.exits = "  0 done; 2 usage; those of the verb\n",
	.main = trace_main,
	.verbs = verbs,
};
