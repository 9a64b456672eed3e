/* kbench fleet report: the stored runs of a fleet, over its nodes. */
#include "cli/fleet/fleet.h"

#include <errno.h>
#include <getopt.h>

#include "analysis/fleet.h"
#include "cli/files.h"
#include "cli/store/saved.h"
#include "report/fleet/fleet.h"
#include "report/html/document.h"
#include "report/html/template.h"

struct request {
	struct kb_fleet_wanted wanted;
	const char *page, *store;
	bool json;
};

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 0, "label", "PATTERN", "only runs with such a label, a name or a shell glob", NULL, INTO(WORD, wanted.label) },
	{ 0, "since", "DATE", "only runs that began then or later: 2026-11-28 or 2026-11-28T12:00, UTC", NULL, INTO(WORD, wanted.since) },
	{ 0, "margin", "PERCENT", "smaller deviations do not matter", "1%", INTO(MARGIN, wanted.margin) },
	{ 0, "page", "FILE", "also a page for a browser, with a map of nodes and results", NULL, INTO(WORD, page) },
	{ 0, "store", "FILE", "where runs are kept", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, store) },
	{ 0, "json", NULL, "print kbench-fleet/1", NULL, INTO(FLAG, json) },
	{ 0 }
};

static _Noreturn void refuse(const struct kb_command *command, struct kb_store *store, const struct kb_fleet_wanted *wanted, int error)
{
	if (error != -ENOENT)
		kb_saved_check(command, store, error);
	if (wanted->fleet || (!wanted->label && !wanted->since))
		kb_die(command, KB_EXIT_USAGE, "%s has no run of %s%.60s; 'kbench fleet report --label PATTERN' takes any runs", kb_store_path(store),
		       wanted->fleet ? "fleet " : "a fleet", wanted->fleet ? wanted->fleet : "");
	kb_die(command, KB_EXIT_USAGE, "%s has no run with such a label or time", kb_store_path(store));
}

static void write_page(const struct kb_command *command, const char *path, const struct kb_fleet_report *fleet)
{
	json_t *document = kb_need_memory(command, kb_fleet_report_to_json(fleet, "kbench " KB_VERSION, KB_FLEET_PAGE_CELLS));
	struct kb_output output;
	FILE *memory = kb_output_begin(command, &output);

	if (kb_page_print(memory, kb_page_template, document))
		kb_no_memory(command);
	kb_output_put(command, path, &output);
	json_decref(document);
}

static int report_main(const struct kb_command *command, int argc, char **argv)
{
	struct request request = { .wanted.margin = .01 };
	struct kb_fleet_report fleet;
	struct kb_store *store;
	int error;

	kb_read_options(command, argc, argv, &request);
	if (optind < argc)
		request.wanted.fleet = argv[optind++];
	kb_no_more(command, argc, argv);
	store = kb_saved_open(command, request.store, KB_STORE_READ);
	error = kb_fleet_load(store, &request.wanted, &fleet);
	if (error)
		refuse(command, store, &request.wanted, error);
	if (request.page)
		write_page(command, request.page, &fleet);
	if (request.json) {
		kb_print_json(kb_need_memory(command, kb_fleet_report_to_json(&fleet, "kbench " KB_VERSION, KB_FLEET_ALL_CELLS)));
	} else {
		const struct kb_style style = kb_style_here(false);

		kb_fleet_print(stdout, &fleet, &style);
	}
	kb_fleet_free(&fleet);
	kb_store_close(store);
	return KB_EXIT_DONE;
}

const struct kb_command kb_fleet_report_verb = {
	.name = "fleet report",
	.arguments = "[FLEET]",
	.summary = "Costs over the nodes of a fleet, the spread between them, and the nodes that deviate",
	.text = "FLEET is the id of a fleet, or its beginning; 'last' and nothing are the newest one. With --label or --since alone, the\n"
		"runs that fit are the fleet. Nodes of one environment ID are held against each other, three or more of them. Of all\n"
		"that is named, 5 % is chance at the most (false discovery rate, FDR): doc/fleet-report.md.\n",
	.options = options,
	.examples = "  kbench fleet report\n"
		    "  kbench fleet report last --margin 2% --page fleet.html\n"
		    "  kbench fleet report --label 'nightly*' --since 2026-11-01\n"
		    "  kbench fleet report --json | jq -r '.nodes[] | select(.deviates != []) | .node'\n",
	.exits = "  0 done, whatever was found; 2 usage, unknown fleet, unreadable store, unwritable output\n",
	.main = report_main,
};
