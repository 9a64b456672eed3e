/* See records.h. Pictures show everything that was measured, disturbed intervals too: why they are there is their use. */
#include "cli/store/records.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print.h"
#include "cli/store/saved.h"
#include "report/text/analysis.h"
#include "report/text/plot.h"
#include "report/text/table.h"
#include "result/samples.h"
#include "result/summary/kanata.h"
#include "stats/series/changepoint.h"

/* ---- loading --------------------------------------------------------------------------------------- */

static int take_launch(void *records, const struct kb_stored_launch *launch)
{
	return kb_records_keep(records, launch);
}

void kb_records_load(const struct kb_command *command, struct kb_store *store, const char *run_id,
		     const struct kb_result *result, struct kb_records *records)
{
	char row[KB_ROW_NAME];

	*records = (struct kb_records){ 0 };

	int error = kb_store_each_process(store, run_id, kb_row_name(row, result), take_launch, records);

	if (error == -ENOMEM)
		kb_no_memory(command);
	kb_saved_check(command, store, error);
}

/* ---- pictures -------------------------------------------------------------------------------------- */

struct values {
	double *y;                      /* of one operation, unit of the result */
	size_t count, room;
};

static void append(struct values *values, double value)
{
	if (values->count == values->room) {
		size_t room = values->room ? 2 * values->room : 1024;
		double *y = reallocarray(values->y, room, sizeof *y);

		if (!y)
			return; /* the plot has a part less; a program that ends shows nothing */
		values->y = y;
		values->room = room;
	}
	values->y[values->count++] = value;
}

struct picture {
	struct values order, single;    /* samples of the largest n; single operations */
	unsigned launches;
	double n, quantum;              /* of `order`: operations; one clock step in the unit of y */
};

/* Samples of one n only: a fixed cost of the sample would put steps into a mixture. All processes have the same n. */
static void add_launch(struct picture *picture, const struct kb_samples *samples, const struct kb_result *result)
{
	double scale = result->ticks_per_ns > 0 ? 1 / result->ticks_per_ns : 1;

	if (samples->state != KB_RECORD_WHOLE || samples->outcome[0])
		return;
	picture->launches++;
	for (size_t i = 0; i < samples->op.count; i++)
		picture->n = fmax(picture->n, samples->op.n[i]);
	picture->quantum = (double)samples->quantum * scale / picture->n;
	for (size_t i = 0; i < samples->op.count; i++) {
		if (samples->op.n[i] == picture->n)
			append(&picture->order, samples->op.ticks[i] * scale / picture->n);
	}
	for (size_t i = 0; i < samples->single.count; i++)
		append(&picture->single, samples->single.ticks[i] * scale);
}

void kb_records_plot(const struct kb_result *result, const struct kb_launch_text *texts, size_t count)
{
	const char *unit = kb_time_unit(result);
	unsigned width = kb_plot_width(stdout);
	bool utf8 = kb_style_here(false).utf8;
	struct kb_changes changes = { .count = 0 };
	struct picture picture = { 0 };

	for (size_t i = 0; i < count; i++) {
		struct kb_samples samples;

		if (texts[i].launch == 0)
			continue;
		if (kb_samples_load(&samples, &texts[i]) == 0)
			add_launch(&picture, &samples, result);
		kb_samples_free(&samples);
	}
	/* Without memory, or with values that no search can take, there are no marks. */
	if (picture.order.count >= KB_CHANGES_SERIES_MIN &&
	    kb_changes_find(picture.order.y, picture.order.count, picture.quantum, 0, &changes))
		changes.count = 0;
	printf("\n%s %s\n%zu samples of %.0f, %s a %s, in run order; processes: %u\n", result->benchmark, result->params,
	       picture.order.count, picture.n, unit, result->per, picture.launches);
	kb_plot_series(stdout, picture.order.y, picture.order.count, changes.at, changes.count, width, utf8);

	const struct values *values = picture.single.count > 0 ? &picture.single : &picture.order;

	printf("\n%zu %s, %s\n", values->count, values == &picture.single ? "single operations, clock reading included" :
	       "samples of the same", unit);
	kb_plot_histogram(stdout, values->y, values->count, width, utf8);
	putchar('\n');
	kb_plot_quantiles(stdout, values->y, values->count, utf8);
	free(picture.order.y);
	free(picture.single.y);
}

/* ---- tables ---------------------------------------------------------------------------------------- */

static void print_launch(const struct kb_command *command, const struct kb_result *result,
			 const struct kb_launch_text *launch, double half_width, bool statistics)
{
	struct kb_samples samples;
	char name[KB_ROW_NAME], *text = NULL;
	size_t length = 0;
	FILE *memory = open_memstream(&text, &length);

	if (!memory || kb_samples_load(&samples, launch))
		kb_no_memory(command);

	struct kb_analysis_options options = { .confidence = samples.confidence > 0 ? samples.confidence : KB_KANATA_CONFIDENCE,
					       .half_width = half_width };
	struct kb_style style = kb_style_here(true);
	struct kb_kanata_analysis analysis = { 0 };
	struct kb_import import = { .form = KB_IMPORT_GROUPS };
	const char *unit = kb_tick_unit(samples.clock);
	bool whole = kb_kanata_table(memory, &samples);

	fclose(memory);
	printf("\n%s, process %u, clock %s%s\n\n%s", kb_row_name(name, result), launch->launch, samples.clock,
	       whole ? "" : ": no whole table", text);
	/* The statistics are those of `kbench analyze` of the printed table. */
	if (whole && statistics) {
		int error = kb_import_groups(&import, &samples.op) ?: kb_kanata_add(&analysis, &import, &options);

		if (error == -E2BIG)
			kb_die(command, KB_EXIT_USAGE, "%s: more than %d groups", name, KB_GROUPS_MAX);
		if (error)
			kb_no_memory(command);

		struct kb_across across = kb_across_groups(&analysis, &options);

		kb_analysis_print_groups(stdout, &analysis, unit, &options, &style);
		kb_analysis_print_across(stdout, &analysis, &across, unit, &options, &style);
		kb_kanata_free(&analysis);
		kb_import_free(&import);
	}
	kb_samples_free(&samples);
	free(text);
}

void kb_records_tables(const struct kb_command *command, const struct kb_result *result, const struct kb_launch_text *texts,
		       size_t count, double half_width, bool all)
{
	if (result->method != KB_METHOD_KANATA)
		return;
	for (size_t i = 0; i < count; i++) {
		if (texts[i].launch > 0 && (all || i + 1 == count))
			print_launch(command, result, &texts[i], half_width, i + 1 == count);
	}
}
