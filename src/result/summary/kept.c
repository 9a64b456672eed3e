/* What a kernel of seL4 that counts, or logs its entries, left in the record of a process. */
#include "result/summary/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/sel4/log.h"

static void take_shares(const struct kb_sel4_shares *shares, struct kb_result_kept *kept)
{
	double total = (double)shares->total;

	if (!kb_sel4_shares_credible(shares))
		return;
	kept->tests = shares->tests;
	kept->low = (double)shares->use[0] / total;
	kept->high = (double)shares->use[1] / total;
	kept->init = (double)shares->use[2] / total;
	kept->idle = (double)shares->use[3] / total;
	kept->kernel = (double)shares->kernel / total;
}

static void take_rows(const struct kb_sel4_log *log, struct kb_result_kept *kept)
{
	size_t count;
	struct kb_sel4_row *rows = kb_sel4_log_rows(log, &count);

	for (size_t i = 0; rows && i < count && kept->row_count < KB_KEPT_ROWS; i++) {
		struct kb_kept_row *to = &kept->rows[kept->row_count++];
		char name[32];

		kb_sel4_row_name(log, &rows[i], name, sizeof name);
		snprintf(to->name, sizeof to->name, "%s %s", kb_sel4_path_names[rows[i].of.path % KB_SEL4_PATHS], name);
		to->count = rows[i].count;
		to->total = rows[i].total;
		to->min = rows[i].min;
		to->median = rows[i].median.value;
		to->max = rows[i].max;
	}
	free(rows);
}

/* Not of the proof: what that runs on may be another kernel. Other targets keep nothing, and their records are long. */
void kb_summary_kept(const struct kb_process_text *processes, size_t count, struct kb_result *result)
{
	const struct kb_process_text *process = processes, *behind = processes + count;
	struct kb_result_kept *kept = &result->kept;
	struct kb_sel4_log log;
	char error[160];

	while (process < behind && process->process == 0)
		process++;
	if (process == behind || strncmp(result->benchmark, "sel4.", 5) != 0)
		return;
	if (kb_sel4_log_read(&log, process->record, process->length, error) == 0) {
		if (log.shares_known)
			take_shares(&log.shares, kept);
		if (log.entries) {
			kept->entries = kb_sel4_log_count(&log);
			kept->lost = kb_sel4_log_lost(&log);
			kept->operations = log.operations;
			kept->log_tests = log.tests;
			kept->last = log.last;
			take_rows(&log, kept);
		}
	}
	kb_sel4_log_free(&log);
}
