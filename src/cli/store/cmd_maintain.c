/* kbench maintain: results of stored runs, made again from their records with the statistics of this version. */
#include <getopt.h>

#include "cli/cli.h"
#include "workflow/records.h"

struct asked { const char *store; bool json; };

#define INTO(kind, ...) KB_OPTION(kind, struct asked, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 0, "store", "FILE", "where runs are kept", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, store) },
	{ 0, "json", NULL, "print kbench-maintain/1", NULL, INTO(FLAG, json) },
	{ 0 }
};

static void print(const json_t *run)
{
	json_int_t rows = json_integer_value(json_object_get(run, "rows"));

	printf("run %s: %lld result%s%s\n", json_string_value(json_object_get(run, "id")), rows, rows == 1 ? "" : "s",
	       json_is_true(json_object_get(run, "kept")) ? " kept as they are: it has no records" : "");
}

static int maintain_main(const struct kb_command *command, int argc, char **argv)
{
	struct asked asked = { .store = NULL };
	json_t *done = json_array(), *run;
	struct kb_notes notes = kb_notes_of(command);
	struct kb_failure failure;
	size_t i;
	int code;

	kb_read_options(command, argc, argv, &asked);

	const char *name = optind < argc ? argv[optind++] : NULL;

	kb_no_more(command, argc, argv);
	code = kb_rebuild_runs(asked.store, name, done, &notes, &failure);
	json_array_foreach(done, i, run) {
		if (!asked.json)
			print(run);
	}
	kb_die_if(command, code, &failure);
	if (asked.json)
		kb_print_json(json_pack("{s:s, s:O}", "schema", "kbench-maintain/1", "runs", done));
	json_decref(done);
	return KB_EXIT_DONE;
}

const struct kb_command kb_command_maintain = {
	.name = "maintain",
	.arguments = "[RUN]",
	.summary = "Make the results of stored runs again from their records",
	.text = "RUN is as for 'kbench show'; without it all runs. The statistics are those of this version: after an update of kbench\n"
		"older runs get what it knows more. A run without records keeps its results. An error leaves a run as it was.\n"
		"It also looks for damage. Without RUN the whole file is read, and its indexes are made again where they do not fit.\n"
		"A damaged comparison of 'kbench ab' is dropped, which is printed.\n",
	.options = options,
	.examples = "  kbench maintain\n"
		    "  kbench maintain last\n",
	.exits = "  0 done; 2 usage, unknown run, unreadable, damaged or unwritable store, unwritable output\n",
	.main = maintain_main,
};
