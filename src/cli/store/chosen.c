/* See chosen.h. */
#include "cli/store/chosen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/store/saved.h"
#include "grown.h"
#include "result/json/json.h"
#include "suite/select.h"

struct search {
	const struct kb_command *command;
	struct kb_chosen *chosen;
	char **patterns;
	size_t pattern_count;
	bool *matched;                  /* by pattern */
};

/* Every pattern is tried, also after a match: each must have matched something in the end. */
static bool wanted(struct search *search, const char *row, const char *benchmark)
{
	bool any = search->pattern_count == 0;

	for (size_t i = 0; i < search->pattern_count; i++) {
		if (kb_result_matches(search->patterns[i], benchmark, row))
			any = search->matched[i] = true;
	}
	return any;
}

/* Results stay until all are there: a table's widths come from all of them. */
static void keep(struct search *search, const struct kb_result *result)
{
	struct kb_chosen *chosen = search->chosen;

	chosen->results = kb_need_memory(search->command, kb_grown(chosen->results, chosen->count, sizeof result));
	chosen->results[chosen->count++] = result;
}

static struct search begin(const struct kb_command *command, char **patterns, size_t count)
{
	struct search search = { .command = command, .patterns = patterns, .pattern_count = count };

	search.matched = kb_need_memory(command, calloc(count + 1, sizeof *search.matched));
	return search;
}

/* Rows of the run whose id is in `chosen`. */
static void load(struct search *search, struct kb_store *store, struct kb_chosen *chosen)
{
	const struct kb_command *command = search->command;
	struct kb_stored_result row;
	struct kb_query *query;
	bool empty = true;
	json_t *json;

	search->chosen = chosen;
	chosen->json = kb_need_memory(command, json_array());
	kb_saved_check(command, store, kb_store_results(store, chosen->run_id, &query));
	while (kb_saved_next(command, store, query, &row)) {
		empty = false;
		if (!wanted(search, row.row, row.benchmark))
			continue;
		keep(search, kb_saved_result(command, store, &row, &json));
		json_array_append_new(chosen->json, json);
	}
	if (empty)
		kb_die(command, KB_EXIT_USAGE, "run %s has no results yet; 'kbench maintain %s' makes them from its records",
		       chosen->run_id, chosen->run_id);
}

/* A pattern without a row is an error, never an empty table: a script would take it for success. runs: 1 has this id. */
static void end(struct search *search, struct kb_store *store, unsigned runs, const char *id)
{
	for (size_t i = 0; i < search->pattern_count; i++) {
		const char *pattern = search->patterns[i];
		char other[37];

		if (!search->matched[i] && runs > 1)
			kb_die(search->command, KB_EXIT_USAGE, "none of these %u runs has a result called '%.64s', nor is it a run "
			       "(see 'kbench runs')", runs, pattern);
		if (!search->matched[i] && kb_store_find_run(store, pattern, other) == 0)
			kb_usage(search->command, "'%.64s' is a run: only one can be named", pattern);
		if (!search->matched[i])
			kb_die(search->command, KB_EXIT_USAGE, "no run and no result of run %s is called '%.64s' (see "
			       "'kbench runs')", id, pattern);
	}
	free(search->matched);
}

/* Returns the words it took. */
static int find_run(const struct kb_command *command, struct kb_store *store, int words, char **argv, char id[37])
{
	int result = words > 0 ? kb_store_find_run(store, argv[0], id) : -ENOENT;

	if (result == 0)
		return 1;
	/* "last~3" and ids can be no rows; their own message is the better one. */
	if (result != -ENOENT || (words > 0 && strncmp(argv[0], "last", 4) == 0))
		kb_saved_check(command, store, result);
	kb_saved_check(command, store, kb_store_find_run(store, "last", id));
	return 0;
}

void kb_chosen_load(const struct kb_command *command, struct kb_store *store, int words, char **argv,
		    struct kb_chosen *chosen)
{
	*chosen = (struct kb_chosen){ 0 };

	int taken = find_run(command, store, words, argv, chosen->run_id);
	struct search search = begin(command, argv + taken, (size_t)(words - taken));

	load(&search, store, chosen);
	end(&search, store, 1, chosen->run_id);
}

unsigned kb_chosen_load_runs(const struct kb_command *command, struct kb_store *store, int words, char **argv,
			     struct kb_chosen *list, unsigned most)
{
	unsigned runs = 0;
	int result = 0;
	char id[37];

	for (; (int)runs < words && (result = kb_store_find_run(store, argv[runs], id)) == 0; runs++) {
		if (runs == most)
			kb_usage(command, "more than %u runs", most);
		list[runs] = (struct kb_chosen){ 0 };
		memcpy(list[runs].run_id, id, sizeof id);
	}
	if (result != -ENOENT)
		kb_saved_check(command, store, result);
	if (runs < 2)
		return runs;

	struct search search = begin(command, argv + runs, (size_t)words - runs);

	for (unsigned i = 0; i < runs; i++)
		load(&search, store, &list[i]);
	end(&search, store, runs, NULL);
	return runs;
}

void kb_chosen_free(struct kb_chosen *chosen)
{
	for (size_t i = 0; i < chosen->count; i++)
		free((void *)(uintptr_t)chosen->results[i]);
	free(chosen->results);
	json_decref(chosen->json);
}
