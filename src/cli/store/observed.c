/* See observed.h. */
#include "cli/store/observed.h"

#include "cli/store/records.h"
#include "result/summary/summary.h"
#include "run/run.h"

bool kb_observed_needed(const struct kb_result *a, const struct kb_result *b)
{
	return a->process_cost_count > 0 && b->process_cost_count > 0 && a->headline != b->headline;
}

bool kb_observed_make(const struct kb_command *command, struct kb_store *store, const char *run_id, struct kb_result *result)
{
	/* The usual precision: it judges the verdict, and no number. */
	const struct kb_summary_rules rules = { .planned = result->processes_planned, .precision = 0.01 };
	struct kb_environment environment = result->environment;
	struct kb_records records;

	kb_records_load(command, store, run_id, result, &records);

	bool made = records.count > 0;

	if (made)
		kb_summarise(records.texts, records.count, &rules, result);
	result->environment = environment;
	kb_records_free(&records);
	return made;
}
