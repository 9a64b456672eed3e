/* See compare_fleets.h. */
#include "cli/store/compare_fleets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/files.h"
#include "cli/store/saved.h"
#include "report/export/junit.h"
#include "report/fleet/fleet.h"
#include "workflow/exit.h"

/* Words at the front that are fleets, at most two. Of one it is the base, and of none the newest fleet is compared with one before it. */
static void take_fleets(const struct kb_command *command, struct kb_store *store, int words, char **argv, struct kb_fleets_wanted *wanted)
{
	char ids[2][37];
	int fleets = 0, result = 0;

	while (fleets < 2 && fleets < words && (result = kb_store_find_fleet(store, argv[fleets], ids[fleets])) == 0)
		wanted->fleets[fleets] = argv[fleets], fleets++;
	/* "last~3" can be no result; its own message is the better one. */
	if (result && (result != -ENOENT || strncmp(argv[fleets], "last", 4) == 0))
		kb_saved_check(command, store, result);
	wanted->patterns = (const char *const *)argv + fleets;
	wanted->pattern_count = (size_t)(words - fleets);
	if (fleets < 2)
		wanted->fleets[1] = "last";
	if (fleets == 1)
		kb_saved_check(command, store, kb_store_find_fleet(store, "last", ids[1]));
	if (fleets == 1 && strcmp(ids[0], ids[1]) == 0)
		kb_usage(command, "'%.64s' is the newest fleet: name another one to compare it with", argv[0]);
	if (fleets == 2 && strcmp(ids[0], ids[1]) == 0)
		kb_usage(command, "'%.64s' and '%.64s' are one fleet", argv[0], argv[1]);
}

static _Noreturn void refuse_error(const struct kb_command *command, struct kb_store *store, const struct kb_compared_fleets *fleets, int error)
{
	if (error == -ENOENT && fleets->side[1].id[0] && !fleets->side[0].id[0])
		kb_die(command, KB_EXIT_USAGE, "fleet %s is the first one of its nodes in %s: there is none before it to compare with", fleets->side[1].id,
		       kb_store_path(store));
	kb_saved_check(command, store, error);
	abort(); /* it does not return */
}

/* A comparison of nothing tells nothing, and a gate without a result must not pass. */
static _Noreturn void refuse_nothing(const struct kb_command *command, const struct kb_compared_fleets *fleets)
{
	const char *base = fleets->side[0].id, *new = fleets->side[1].id;

	for (size_t i = 0; i < fleets->node_count; i++) {
		const struct kb_fleets_node *node = &fleets->nodes[i];

		if (node->environment[0][0] && node->environment[1][0])
			kb_die(command, KB_EXIT_USAGE, "nothing to compare: the environment IDs of the nodes of fleets %s and %s differ (%s: %s and %s), so the numbers "
			       "measure different things; --any-env prints them side by side", base, new, node->name, node->environment[0],
			       node->environment[1]);
	}
	kb_die(command, KB_EXIT_USAGE, "nothing to compare: fleets %s (%zu node%s) and %s (%zu node%s) have no result of one environment ID in common", base,
	       fleets->side[0].nodes, fleets->side[0].nodes == 1 ? "" : "s", new, fleets->side[1].nodes, fleets->side[1].nodes == 1 ? "" : "s");
}

static const char *title_of(const struct kb_compared_fleet *fleet)
{
	return fleet->label[0] ? fleet->label : fleet->id;
}

static void write_junit(const struct kb_command *command, const char *path, const struct kb_compared_fleets *fleets, const struct kb_comparison *rows)
{
	struct kb_output output;

	kb_export_junit_comparisons(kb_output_begin(command, &output), &(struct kb_junit_comparisons){
		.base = title_of(&fleets->side[0]), .new = title_of(&fleets->side[1]), .started = fleets->side[1].started, .rows = rows,
		.count = fleets->count,
	});
	kb_output_put(command, path, &output);
}

int kb_compare_fleets(const struct kb_command *command, struct kb_store *store, int words, char **argv, struct kb_fleets_request *request)
{
	bool junit_only = request->junit && strcmp(request->junit, "-") == 0;
	struct kb_compared_fleets fleets;
	struct kb_comparison *rows;
	int error, code;

	take_fleets(command, store, words, argv, &request->wanted);
	error = kb_fleets_compare(store, &request->wanted, &fleets);
	if (error)
		refuse_error(command, store, &fleets, error);
	if (fleets.unmatched)
		kb_die(command, KB_EXIT_USAGE, "'%.64s' is neither a result of fleet %s or %s nor a fleet", fleets.unmatched, fleets.side[0].id,
		       fleets.side[1].id);
	if (fleets.count == 0)
		refuse_nothing(command, &fleets);
	rows = kb_need_memory(command, kb_fleets_comparisons(&fleets));
	code = kb_gate_exit(rows, fleets.count, request->gate);
	if (request->junit)
		write_junit(command, request->junit, &fleets, rows);
	if (request->json) {
		kb_print_json(kb_fleets_to_json(&fleets, code));
	} else if (!junit_only) {
		const struct kb_style style = kb_style_here(request->verbose);

		kb_fleets_print(stdout, &fleets, &style);
	}
	free(rows);
	kb_fleets_release(&fleets);
	return code;
}
