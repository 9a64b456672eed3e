/* See gate.h. */
#include "cli/gate.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/saved.h"
#include "report/json.h"

#define RUNS_MAX 20     /* self-tests that the floor looks back on */

enum kb_gate kb_gate_of(const struct kb_command *command, const char *value)
{
	if (!value)
		return KB_GATE_REGRESSION;
	if (strcmp(value, "strict") != 0)
		kb_usage(command, "--gate '%.40s': must be strict, or nothing", value);
	return KB_GATE_STRICT;
}

/* The smaller the worse. */
static int rank(int code)
{
	static const int order[] = { KB_EXIT_USAGE, KB_EXIT_SIGNAL, KB_EXIT_FAILED, KB_EXIT_UNFIT, KB_EXIT_REGRESSION,
				     KB_EXIT_INCONCLUSIVE, KB_EXIT_DONE };

	for (int i = 0; i < (int)(sizeof order / sizeof order[0]); i++) {
		if (order[i] == code || (order[i] == KB_EXIT_SIGNAL && code > KB_EXIT_SIGNAL))
			return i;
	}
	return 0;
}

int kb_worse_exit(int a, int b)
{
	return rank(a) <= rank(b) ? a : b;
}

int kb_gate_exit(const struct kb_comparison *rows, size_t count, enum kb_gate gate)
{
	int code = KB_EXIT_DONE;

	for (size_t i = 0; i < count; i++) {
		if (rows[i].invalid)
			code = kb_worse_exit(code, KB_EXIT_FAILED);
		if (gate != KB_GATE_NONE && rows[i].regression)
			code = kb_worse_exit(code, KB_EXIT_REGRESSION);
		/* Slower, but not surely enough for a gate: that is not settled, either. */
		if (gate == KB_GATE_STRICT && rows[i].counts && !rows[i].regression &&
		    (rows[i].decision == KB_INCONCLUSIVE || rows[i].decision == KB_SLOWER))
			code = kb_worse_exit(code, KB_EXIT_INCONCLUSIVE);
	}
	return code;
}

/* ---- floors ---------------------------------------------------------------------------------------------- */

struct floor_row { char *row; double differences[RUNS_MAX]; size_t count; };

struct kb_floors {
	const struct kb_command *command;
	const char *env_class;
	char ids[RUNS_MAX][37];
	size_t run_count;               /* found so far, also those that newer ones replaced */
	struct floor_row *rows;
	size_t count;
};

/* The store hands out the oldest first: a ring keeps the newest. */
static int take_run(void *context, const struct kb_stored_run *run)
{
	struct kb_floors *floors = context;

	if (strcmp(run->env_class, floors->env_class) != 0 || !strstr(run->settings, "\"side\":\"self\""))
		return 0;
	snprintf(floors->ids[floors->run_count++ % RUNS_MAX], sizeof floors->ids[0], "%s", run->id);
	return 0;
}

static struct floor_row *row_of(struct kb_floors *floors, const char *name)
{
	for (size_t i = 0; i < floors->count; i++) {
		if (strcmp(floors->rows[i].row, name) == 0)
			return &floors->rows[i];
	}

	struct floor_row *grown = realloc(floors->rows, (floors->count + 1) * sizeof *grown);
	char *copy = strdup(name);

	if (!grown || !copy)
		kb_no_memory(floors->command);
	floors->rows = grown;
	floors->rows[floors->count] = (struct floor_row){ .row = copy };
	return &floors->rows[floors->count++];
}

/* A result that cannot be read tells nothing about noise; who shows it gets the message. */
static int take_row(void *context, const char *name, const char *text)
{
	struct kb_floors *floors = context;
	struct kb_result *result = malloc(sizeof *result);
	json_t *json = json_loads(text, 0, NULL);
	double difference;

	if (!result)
		kb_no_memory(floors->command);
	if (kb_result_from_json(result, json) == 0 && kb_self_difference(result, &difference)) {
		struct floor_row *row = row_of(floors, name);

		if (row->count < RUNS_MAX)
			row->differences[row->count++] = difference;
	}
	json_decref(json);
	free(result);
	return 0;
}

struct kb_floors *kb_floors_load(const struct kb_command *command, struct kb_store *store, const char *env_class)
{
	struct kb_floors *floors = calloc(1, sizeof *floors);

	if (!floors)
		kb_no_memory(command);
	floors->command = command;
	floors->env_class = env_class;
	kb_saved_check(command, store, kb_store_each_run(store, take_run, floors));
	for (size_t i = 0; i < floors->run_count && i < RUNS_MAX; i++)
		kb_saved_check(command, store, kb_store_each_summary(store, floors->ids[i], take_row, floors));
	return floors;
}

size_t kb_floors_of(const struct kb_floors *floors, const char *row, const double **differences)
{
	for (size_t i = 0; floors && i < floors->count; i++) {
		if (strcmp(floors->rows[i].row, row) == 0) {
			*differences = floors->rows[i].differences;
			return floors->rows[i].count;
		}
	}
	*differences = NULL;
	return 0;
}

void kb_floors_free(struct kb_floors *floors)
{
	for (size_t i = 0; floors && i < floors->count; i++)
		free(floors->rows[i].row);
	if (floors)
		free(floors->rows);
	free(floors);
}
