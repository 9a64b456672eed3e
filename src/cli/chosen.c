/* See chosen.h. */
#include "cli/chosen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/saved.h"
#include "report/json.h"
#include "suite/select.h"

struct search {
	const struct kb_command *command;
	struct kb_chosen *chosen;
	char **patterns;
	size_t pattern_count;
	bool *matched;                  /* by pattern */
	size_t seen;                    /* also those that no pattern wanted */
	bool some;                      /* another run may have what this one lacks */
};

static _Noreturn void no_memory(const struct kb_command *command)
{
	kb_die(command, KB_EXIT_USAGE, "out of memory");
}

/* Every pattern is tried, also after a match: each must have matched something in the end. */
static bool wanted(struct search *search, const char *row, const char *benchmark)
{
	bool any = search->pattern_count == 0;

	for (size_t i = 0; i < search->pattern_count; i++) {
		if (kb_pattern_match(search->patterns[i], benchmark) || kb_pattern_match(search->patterns[i], row))
			any = search->matched[i] = true;
	}
	return any;
}

/* Results stay until all are there: a table's widths come from all of them. */
static void keep(struct search *search, const struct kb_result *result)
{
	struct kb_chosen *chosen = search->chosen;

	if (chosen->count == chosen->room) {
		size_t room = chosen->room ? 2 * chosen->room : 16;
		const struct kb_result **results = realloc(chosen->results, room * sizeof *results);

		if (!results)
			no_memory(search->command);
		chosen->results = results;
		chosen->room = room;
	}
	chosen->results[chosen->count++] = result;
}

static int take_row(void *context, const char *row, const char *text)
{
	struct search *search = context;
	struct kb_result *result = malloc(sizeof *result);
	json_t *json = json_loads(text, 0, NULL);

	if (!result)
		no_memory(search->command);
	search->seen++;
	if (kb_result_from_json(result, json)) {
		kb_die(search->command, KB_EXIT_USAGE, "the result of '%s' is damaged; 'kbench analyze --rebuild %s' "
		       "makes it again from its records", row, search->chosen->run_id);
	}
	if (wanted(search, row, result->benchmark)) {
		keep(search, result);
		json_array_append(search->chosen->json, json);
	} else {
		free(result);
	}
	json_decref(json);
	return 0;
}

/* Nothing to show is an error, never an empty table: a script would take it for success. */
static void take_rows(struct search *search, struct kb_store *store)
{
	const char *id = search->chosen->run_id;
	int result = kb_store_each_summary(store, id, take_row, search);

	kb_saved_check(search->command, store, result);
	if (search->seen == 0) {
		kb_die(search->command, KB_EXIT_USAGE, "run %s has no results yet; 'kbench analyze --rebuild %s' makes "
		       "them from its records", id, id);
	}
	for (size_t i = 0; i < search->pattern_count && !search->some; i++) {
		if (!search->matched[i]) {
			kb_die(search->command, KB_EXIT_USAGE, "no run and no row of run %s is called '%.64s' (see "
			       "'kbench show --runs')", id, search->patterns[i]);
		}
	}
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

/* Rows of the run whose id is in `chosen`. */
static void load(struct search *search, struct kb_store *store, char **patterns, size_t count)
{
	struct kb_chosen *chosen = search->chosen;

	chosen->json = json_array();
	search->matched = calloc(count + 1, sizeof *search->matched);
	if (!search->matched || !chosen->json)
		no_memory(search->command);
	search->patterns = patterns;
	search->pattern_count = count;
	take_rows(search, store);
	free(search->matched);
}

void kb_chosen_load(const struct kb_command *command, struct kb_store *store, int words, char **argv,
		    struct kb_chosen *chosen)
{
	struct search search = { .command = command, .chosen = chosen };

	*chosen = (struct kb_chosen){ 0 };

	int taken = find_run(command, store, words, argv, chosen->run_id);

	load(&search, store, argv + taken, (size_t)(words - taken));
}

unsigned kb_chosen_load_runs(const struct kb_command *command, struct kb_store *store, int words, char **argv,
			     struct kb_chosen *list)
{
	unsigned runs = 0;
	size_t rows = 0;

	while ((int)runs < words && runs < KB_CHOSEN_MAX) {
		struct kb_chosen *chosen = &list[runs];

		*chosen = (struct kb_chosen){ 0 };
		if (kb_store_find_run(store, argv[runs], chosen->run_id))
			break;
		runs++;
	}
	for (unsigned i = 0; runs > 1 && i < runs; i++) {
		struct search search = { .command = command, .chosen = &list[i], .some = true };

		load(&search, store, argv + runs, (size_t)words - runs);
		rows += list[i].count;
	}
	if (runs > 1 && rows == 0)
		kb_die(command, KB_EXIT_USAGE, "none of these %u runs has such a row (see 'kbench show RUN')", runs);
	return runs;
}

void kb_chosen_free(struct kb_chosen *chosen)
{
	for (size_t i = 0; i < chosen->count; i++)
		free((void *)(uintptr_t)chosen->results[i]);
	free(chosen->results);
	json_decref(chosen->json);
}
