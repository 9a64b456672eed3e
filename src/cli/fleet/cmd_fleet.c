/* kbench fleet: which fleets are still to be gathered, and their gathering. */
#include <getopt.h>
#include <string.h>

#include "cli/fleet/fleet.h"
#include "report/text/columns.h"
#include "result/json/json.h"

struct asked {
	const char *store;
	bool json, quiet;
};

#define INTO(kind, ...) KB_OPTION(kind, struct asked, __VA_ARGS__)

/* ---- gather ------------------------------------------------------------------------------------------------------ */

static const struct kb_option gather_options[] = {
	{ 0, "store", "FILE", "where the runs of all nodes are kept", "the one that the fleet was started with", INTO(WORD, store) },
	{ 0, "json", NULL, "print kbench-fleet-run/1 instead of the table", NULL, INTO(FLAG, json) },
	{ 0, "quiet", NULL, "print nothing before the end", NULL, INTO(FLAG, quiet) },
	{ 0 }
};

static int gather_main(const struct kb_command *command, int argc, char **argv)
{
	struct asked asked = { .store = NULL };
	struct kb_fleet_observer observer;
	struct kb_fleet_show show;
	struct kb_failure failure;
	struct kb_fleet fleet;
	const char *name;
	int failed;

	kb_read_options(command, argc, argv, &asked);
	if (optind == argc)
		kb_usage(command, "which fleet? 'kbench fleet' lists them");
	name = argv[optind++];
	kb_no_more(command, argc, argv);
	observer = kb_fleet_watch(&show, command, asked.quiet);
	failed = kb_fleet_gather(name, asked.store, &observer, &fleet, &failure);
	return kb_fleet_end(command, &show, &fleet, failed, &failure, asked.json);
}

const struct kb_command kb_fleet_gather_verb = {
	.name = "fleet gather",
	.arguments = "FLEET",
	.summary = "Wait for the nodes of a fleet whose kbench was killed, and bring what they measured",
	.text = "FLEET is the id of a fleet, or its beginning, as 'kbench fleet' lists them. Nodes that still measure are waited for.\n"
		"What is in the store already stays as it is, so that it may be done twice.\n",
	.options = gather_options,
	.examples = "  kbench fleet gather 01935a00\n"
		    "  kbench fleet gather 01935a00 --store ./all.db --json\n",
	.exits = "  as of 'kbench fleet run'\n",
	.main = gather_main,
};

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static const struct kb_option options[] = {
	{ 0, "json", NULL, "print kbench-fleets/1", NULL, INTO(FLAG, json) },
	{ 0 }
};

static void print_list(const json_t *fleets)
{
	struct kb_columns columns = { .align = "llllr" };
	FILE *out = kb_columns_open(&columns, stdout);
	const json_t *fleet;
	size_t i;

	fputs("fleet\tstarted\tvia\tjob\tnodes\n", out);
	json_array_foreach(fleets, i, fleet)
		fprintf(out, "%s\t%s\t%s\t%s\t%lld\n", kb_json_string_of(fleet, "id"), kb_json_string_of(fleet, "started"), kb_json_string_of(fleet, "via"),
			kb_json_string_of(fleet, "job")[0] ? kb_json_string_of(fleet, "job") : "-",
			(long long)json_integer_value(json_object_get(fleet, "nodes")));
	kb_columns_print(&columns, stdout);
}

static const struct kb_command *const verbs[] = { &kb_fleet_run_verb, &kb_fleet_gather_verb, &kb_fleet_report_verb, NULL };

static int fleet_main(const struct kb_command *command, int argc, char **argv)
{
	struct asked asked = { .store = NULL };
	json_t *fleets;

	if (argc > 1 && argv[1][0] != '-') {
		const struct kb_command *verb = kb_find_verb(command, argv[1]);

		return verb->main(verb, argc - 1, argv + 1);
	}
	kb_read_options(command, argc, argv, &asked);
	kb_no_more(command, argc, argv);
	fleets = kb_json_visible(kb_need_memory(command, kb_fleet_states()));
	if (asked.json) {
		kb_print_json(json_pack("{s:s, s:O}", "schema", "kbench-fleets/1", "fleets", fleets));
	} else if (json_array_size(fleets) == 0) {
		puts("no fleet is to be gathered");
	} else {
		print_list(fleets);
	}
	json_decref(fleets);
	return KB_EXIT_DONE;
}

const struct kb_command kb_command_fleet = {
	.name = "fleet",
	.arguments = "[VERB ...]",
	.summary = "Measure on many machines, and find those that deviate",
	.text = "Without a verb it lists the fleets that are still to be gathered.\n"
		"run: measure the same on many machines\n"
		"gather FLEET: bring what the nodes of a fleet measured whose kbench was killed\n"
		"report [FLEET]: costs over the nodes of a fleet, the spread between them, and the nodes that deviate\n"
		"'kbench fleet VERB --help' has more.\n",
	.options = options,
	.examples = "  kbench fleet\n"
		    "  kbench fleet run --via ssh --hosts a,b,c -- sys.null\n"
		    "  kbench fleet report\n"
		    "  kbench fleet gather 01935a00\n",
	.exits = "  0 done; those of the verb\n",
	.main = fleet_main,
	.verbs = verbs,
};
