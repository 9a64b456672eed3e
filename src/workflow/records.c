/* See records.h. */
#include "workflow/records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "workflow/workflow.h"

int kb_records_keep(struct kb_records *records, const struct kb_stored_launch *launch)
{
	struct kb_launch_text *texts = reallocarray(records->texts, records->count + 1, sizeof *texts);
	char **rows = reallocarray(records->rows, records->count + 1, sizeof *rows);

	records->texts = texts ? texts : records->texts;
	records->rows = rows ? rows : records->rows;
	if (!texts || !rows)
		return -ENOMEM;

	char *row = strdup(launch->row), *outcome = strdup(launch->outcome), *record = malloc(launch->record_length + 1);

	rows[records->count] = row;
	texts[records->count++] = (struct kb_launch_text){ launch->launch, outcome, record, launch->record_length };
	if (!row || !outcome || !record)
		return -ENOMEM;
	/* Records may hold any bytes; with a null byte behind them they can be used as text, too. */
	memcpy(record, launch->record, launch->record_length);
	record[launch->record_length] = '\0';
	return 0;
}

void kb_records_free(struct kb_records *records)
{
	for (size_t i = 0; i < records->count; i++) {
		free(records->rows[i]);
		free((void *)(uintptr_t)records->texts[i].outcome);
		free((void *)(uintptr_t)records->texts[i].record);
	}
	free(records->texts);
	free(records->rows);
}

static int keep(void *records, const struct kb_stored_launch *process)
{
	return kb_records_keep(records, process);
}

int kb_records_load(struct kb_records *records, struct kb_store *store, const char *run_id, const struct kb_result *result)
{
	char row[KB_ROW_NAME];

	*records = (struct kb_records){ 0 };
	return kb_store_each_process(store, run_id, kb_row_name(row, result), keep, records);
}

int kb_records_observed(struct kb_store *store, const char *run_id, struct kb_result *result)
{
	/* The usual precision: it judges the verdict, and no number. */
	const struct kb_summary_rules rules = { .planned = result->processes_planned, .precision = 0.01 };
	struct kb_records records;
	int error = kb_records_load(&records, store, run_id, result);

	if (!error && records.count == 0)
		error = -ENOENT;
	if (!error)
		kb_summarise(records.texts, records.count, &rules, result);
	kb_records_free(&records);
	return error;
}

int kb_records_summarise(const struct kb_records *records, const char *row, struct kb_summary_rules rules, struct kb_result *result)
{
	struct kb_launch_text *same = calloc(records->count + 1, sizeof *same);
	unsigned count = 0;

	if (!same)
		return -ENOMEM;
	for (size_t i = 0; i < records->count; i++) {
		if (strcmp(records->rows[i], row) == 0)
			same[count++] = records->texts[i];
	}
	rules.planned = rules.planned ? rules.planned : count;
	*result = (struct kb_result){ .benchmark = "" };
	if (count > 0)
		kb_summarise(same, count, &rules, result);
	kb_settle_result(result, row, rules.planned);
	free(same);
	return 0;
}
