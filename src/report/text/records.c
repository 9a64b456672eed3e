/* See records.h. */
#include "report/text/records.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "grown.h"
#include "lacking.h"
#include "report/text/analysis.h"
#include "report/text/plot.h"
#include "result/summary/kanata.h"
#include "stats/series/changepoint.h"

/* ---- pictures -------------------------------------------------------------------------------------- */

struct values {
	double *y;                      /* of one operation, unit of the result */
	size_t count;
	bool cut;                       /* some found no memory: a program that ends would show nothing */
};

static void append(struct values *values, double value)
{
	if (KB_GROW(values->y, values->count))
		values->y[values->count++] = value;
	else
		values->cut = true;
}

struct picture {
	struct values order, single;    /* samples of the largest n; single operations */
	unsigned processes;
	double n, quantum;              /* of `order`: operations; one clock step in the unit of y */
};

/* Samples of one n only: a fixed cost of the sample would put steps into a mixture. All processes have the same n. */
static void add_process(struct picture *picture, const struct kb_samples *samples, const struct kb_result *result)
{
	double scale = result->ticks_per_ns > 0 ? 1 / result->ticks_per_ns : 1;

	if (samples->state != KB_RECORD_WHOLE || samples->outcome[0])
		return;
	picture->processes++;
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

void kb_records_plot(const struct kb_result *result, const struct kb_process_text *texts, size_t count)
{
	const char *unit = kb_time_unit(result);
	unsigned width = kb_plot_width(stdout);
	bool utf8 = kb_style_here(false).utf8;
	struct kb_changes changes = { .count = 0 };
	struct picture picture = { 0 };

	for (size_t i = 0; i < count; i++) {
		struct kb_samples samples;

		if (texts[i].process == 0)
			continue;
		if (kb_samples_load(&samples, &texts[i]) == 0)
			add_process(&picture, &samples, result);
		else
			picture.order.cut = true;
		kb_samples_free(&samples);
	}
	/* Without memory, or with values that no search can take, there are no marks. */
	if (picture.order.count >= KB_CHANGES_SERIES_MIN &&
	    kb_changes_find(picture.order.y, picture.order.count, picture.quantum, 0, &changes))
		changes.count = 0;
	printf("\n%s %s\n%zu samples of %.0f, %s a %s, in run order; processes: %u\n", result->benchmark, result->params,
	       picture.order.count, picture.n, unit, result->per, picture.processes);
	if (picture.order.cut || picture.single.cut)
		printf("some are left out: %s\n", kb_lack(ENOMEM));
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

bool kb_kanata_table(FILE *out, const struct kb_samples *samples)
{
	struct kb_kanata_group *groups = calloc(samples->op.count + 1, sizeof *groups);
	size_t count = groups ? kb_kanata_groups(&samples->op, groups, samples->op.count) : 0;
	double delta = count > 1 ? groups[1].n - groups[0].n : 1; /* a single group has no step */
	bool whole = samples->state == KB_RECORD_WHOLE && count > 0 && delta >= 0;

	/* A table has columns of one length, and test sizes that grow by one step. */
	for (size_t i = 1; i < count; i++)
		whole &= groups[i].count == groups[0].count && groups[i].n - groups[i - 1].n == delta;
	if (whole) {
		fprintf(out, "Initial Test size: %.0f\nDelta: %.0f\n", groups[0].n, delta);
		fprintf(out, "Number of Tests / Sample size of Accumulated latency: %zu\nNumber of Groups: %zu\n", groups[0].count, count);
		fputs("Accumulated latencies (clock cycles): \n", out);
	}
	for (size_t k = 0; whole && k < groups[0].count; k++) {
		for (size_t j = 0; j < count; j++)
			fprintf(out, "%" PRIu64 " ", (uint64_t)samples->op.ticks[groups[j].first + k]);
		fputc('\n', out);
	}
	fputs(whole ? "\nDone!\n" : "", out);
	free(groups);
	return whole;
}

/* The statistics are those of `kbench analyze` of the printed table. */
static int print_statistics(const struct kb_samples *samples, double half_width)
{
	const struct kb_analysis_options options = {
		.confidence = samples->confidence > 0 ? samples->confidence : KB_KANATA_CONFIDENCE, .half_width = half_width,
	};
	const char *unit = kb_tick_unit(samples->clock);
	struct kb_style style = kb_style_here(true);
	struct kb_kanata_analysis analysis = { 0 };
	struct kb_import import = { .form = KB_IMPORT_GROUPS, .unit = unit };
	int error = kb_import_groups(&import, &samples->op) ?: kb_kanata_add(&analysis, &import, &options);

	if (!error) {
		struct kb_across across = kb_across_groups(&analysis, &options);

		kb_analysis_print_groups(stdout, &analysis, unit, &options, &style);
		kb_analysis_print_across(stdout, &analysis, &across, unit, &options, &style);
	}
	kb_kanata_free(&analysis);
	kb_import_free(&import);
	return error;
}

static int print_process(const struct kb_result *result, const struct kb_process_text *process, double half_width, bool statistics)
{
	struct kb_samples samples;
	char name[KB_ROW_NAME], *text = NULL;
	size_t length = 0;
	FILE *memory = open_memstream(&text, &length);
	int error = memory ? kb_samples_load(&samples, process) : -ENOMEM;

	if (error)
		return error;

	bool whole = kb_kanata_table(memory, &samples);

	fclose(memory);
	printf("\n%s, process %u, clock %s%s\n\n%s", kb_row_name(name, result), process->process, samples.clock,
	       whole ? "" : ": no whole table", text);
	if (whole && statistics)
		error = print_statistics(&samples, half_width);
	kb_samples_free(&samples);
	free(text);
	return error;
}

int kb_records_tables(const struct kb_result *result, const struct kb_process_text *texts, size_t count, double half_width, bool all,
		      struct kb_failure *failure)
{
	char name[KB_ROW_NAME];
	int error = 0;

	for (size_t i = 0; result->method == KB_METHOD_KANATA && i < count && !error; i++) {
		if (texts[i].process > 0 && (all || i + 1 == count))
			error = print_process(result, &texts[i], half_width, i + 1 == count);
	}
	if (error == -E2BIG)
		return kb_refuse(failure, KB_EXIT_USAGE, "%s: more than %d groups", kb_row_name(name, result), KB_GROUPS_MAX);
	return error ? kb_refuse_memory(failure) : 0;
}
