/* See observed.h. */
#include "cli/store/observed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/store/records.h"
#include "cli/store/saved.h"
#include "result/summary/summary.h"
#include "run/run.h"

bool kb_observed_needed(const struct kb_result *a, const struct kb_result *b)
{
	return a->process_cost_count > 0 && b->process_cost_count > 0 && a->headline != b->headline;
}

struct search {
	const struct kb_observed *wanted;
	struct kb_records *records;     /* of each */
	size_t count;
};

static int take_launch(void *context, const struct kb_stored_launch *launch)
{
	struct search *search = context;

	for (size_t i = 0; i < search->count; i++) {
		if (!strcmp(search->wanted[i].key, launch->row))
			return kb_records_keep(&search->records[i], launch);
	}
	return 0;
}

/* The usual precision: it judges the verdict, and no number. */
static void make(struct kb_observed *wanted, const struct kb_records *records)
{
	const struct kb_summary_rules rules = { .planned = wanted->result->processes_planned, .precision = 0.01 };

	wanted->made = records->count > 0;
	if (wanted->made)
		kb_summarise(records->texts, records->count, &rules, wanted->result);
}

void kb_observed_make(const struct kb_command *command, struct kb_store *store, const char *run_id, struct kb_observed *wanted, size_t count)
{
	struct search search = { .wanted = wanted, .records = calloc(count + 1, sizeof *search.records), .count = count };
	int error = search.records ? kb_store_each_launch(store, run_id, take_launch, &search) : -ENOMEM;

	if (error == -ENOMEM)
		kb_no_memory(command);
	kb_saved_check(command, store, error);
	for (size_t i = 0; i < count; i++) {
		make(&wanted[i], &search.records[i]);
		kb_records_free(&search.records[i]);
	}
	free(search.records);
}
