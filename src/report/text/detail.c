/* See table.h: what stands behind one result. Exact ends of intervals stand here, the table has only their half-width. */
#include "report/text/table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/text/style.h"
#include "stamp.h"
#include "evidence/working_set.h"
#include "report/text/columns.h"
#include "report/text/number_format.h"
#include "result/blocks.h"
#include "result/json/json.h"
#include "result/samples.h"
#include "run/method.h"

/* Two more than the table, to calculate with. */
#define DIGITS 6
#define LABEL "    %-11s"

/* What is not known has no line: a dash here would only hide what is. */
static void range(FILE *out, const char *label, const struct kb_estimate *estimate, struct kb_scale scale)
{
	char value[KB_NUMBER_ROOM], low[KB_NUMBER_ROOM], high[KB_NUMBER_ROOM];

	if (!estimate->known)
		return;
	kb_format_value(value, estimate->value * scale.factor, DIGITS);
	kb_format_value(low, estimate->low * scale.factor, DIGITS);
	kb_format_value(high, estimate->high * scale.factor, DIGITS);
	/* Equal ends of an interval would look like certainty about what was estimated: only counts have none to estimate. */
	if (estimate->bounded && strcmp(scale.unit, "insn") == 0 && !(estimate->high > estimate->low))
		fprintf(out, LABEL " %s %s, exact\n", label, value, scale.unit);
	else if (estimate->bounded)
		fprintf(out, LABEL " %s [%s, %s] %s\n", label, value, low, high, scale.unit);
	else
		fprintf(out, LABEL " %s %s, no interval\n", label, value, scale.unit);
}

/* What a reader needs to judge the number before believing it: method, clock, and how much data stands behind it. */
static void how(FILE *out, const struct kb_result *result)
{
	if (result->arch[0] && strcmp(result->arch, KB_ARCH_NAME))
		fprintf(out, LABEL " %s\n", "platform", result->arch);
	fprintf(out, LABEL " method %s, clock %s", "measured", result->method ? kb_methods[result->method].name : "none",
		result->clock[0] ? result->clock : "unknown");
	if (result->ticks_per_ns > 0)
		fprintf(out, " (%.4g ticks/ns)", result->ticks_per_ns);
	if (result->n_max > 0)
		fprintf(out, ", n %" PRIu64 "..%" PRIu64, result->n_min, result->n_max);
	fprintf(out, "\n" LABEL " %u used, %u planned", "processes", result->processes, result->processes_planned);
	if (result->processes_contended > 0)
		fprintf(out, ", %u with too little uncontended time", result->processes_contended);
	if (result->processes_failed > 0)
		fprintf(out, ", %u failed", result->processes_failed);
	fprintf(out, "\n" LABEL " %" PRIu64 " used, %" PRIu64 " disturbed and excluded, effective sample size %.0f\n", "samples",
		result->observations, result->disturbed, result->n_eff);
}

/* Marks of all samples, also of those that were excluded: they tell what kind of disturbance it was. */
static void flags(FILE *out, const struct kb_result *result)
{
	const char *separator = "";

	for (int i = 0; i < KB_FLAGS; i++) {
		if (result->flags[i] == 0)
			continue;
		if (!separator[0])
			fprintf(out, LABEL " ", "flags");
		fprintf(out, "%s%s %" PRIu64, separator, kb_flag_names[i], result->flags[i]);
		separator = ", ";
	}
	if (separator[0])
		fputc('\n', out);
}

#define WAITED_SHOWN .05        /* of the time */

/* What the cost is of: two results of one benchmark may differ in it. */
static void headline(FILE *out, const struct kb_result *result)
{
	static const char *const words[] = {
		[KB_HEADLINE_UNCONTENDED] = "uncontended: contended samples are excluded",
		[KB_HEADLINE_OBSERVED] = "observed: neighbours on the core are included",
		[KB_HEADLINE_TYPICAL] = "typical, of a stored run of version 1: the robust slope of all samples",
	};
	static const char *const by[] = {
		[KB_BY_MEDIAN] = "the median of what is uncontended",
		[KB_BY_QUARTILE] = "the lower quartile of what is uncontended at both ends: samples are longer than 100 us",
		[KB_BY_PARTS] = "the sum of the medians of the parts of an operation, each uncontended at both ends",
	};

	if (result->estimate.known)
		fprintf(out, LABEL " %s\n", "cost", words[result->headline]);
	if (result->estimate.known && result->headline == KB_HEADLINE_UNCONTENDED)
		fprintf(out, LABEL " %s\n", "taken", by[result->uncontended_by]);
	if (kb_is_exact(result))
		fprintf(out, LABEL " each of %u processes counted the same number of instructions\n", "exact", result->process_cost_count);
	if (result->waited_share >= WAITED_SHOWN)
		fprintf(out, LABEL " %.0f %% of the time for a CPU that other processes of this machine had\n", "waited", 100 * result->waited_share);
	if (isnan(result->clean_share))
		return;
	fprintf(out, LABEL " %.1f %% of the samples ran on an uncontended core\n", "contention", 100 * result->clean_share);
	fprintf(out, LABEL " at most %u blocks of samples a process, %u where uncontended time is missing\n", "limit", KB_BLOCKS_MAX,
	        KB_EXTENDED * KB_BLOCKS_MAX);
}

/* Of more processes the store has the rest. */
#define PROCESSES_SHOWN 12

/* What each process found, in the order in which they ran. */
static void processes(FILE *out, const struct kb_result *result, struct kb_scale scale)
{
	bool cycles = result->estimate_cycles.known;
	char number[KB_NUMBER_ROOM];

	if (result->process_cost_count == 0)
		return;
	fprintf(out, LABEL, "each");
	for (unsigned i = 0; i < result->process_cost_count && i < PROCESSES_SHOWN; i++) {
		const struct kb_process_cost *at = &result->process_costs[i];

		kb_format_value(number, cycles ? at->cycles : at->cost * scale.factor, KB_NUMBER_DIGITS);
		fprintf(out, " %s", number);
	}
	fprintf(out, " %s%s\n", cycles ? "cycles" : scale.unit,
		result->process_cost_count > PROCESSES_SHOWN ? " and more" : "");
}

/* Of a result that memory bounds: what others leave of it differs from process to process, and how much of it a cache holds, too. */
static void memory(FILE *out, const struct kb_result *result, struct kb_scale scale)
{
	const struct kb_result_found *found = &result->found;
	char low_text[KB_NUMBER_ROOM], high_text[KB_NUMBER_ROOM];
	double low, high;

	if (kb_result_range(result, &low, &high)) {
		kb_format_value(low_text, low * scale.factor, KB_NUMBER_DIGITS);
		kb_format_value(high_text, high * scale.factor, KB_NUMBER_DIGITS);
		fprintf(out, LABEL " %s to %s %s over %u processes\n", "range", low_text, high_text, scale.unit, result->process_cost_count);
	}
	if (result->twin[0]) {
		range(out, "ratio", &result->ratio, (struct kb_scale){ "of the twin", 1 });
		fprintf(out, LABEL " %s, measured by turns with the operation\n", "twin", result->twin);
	}
	if (found->loads == 0)
		return;
	fprintf(out, LABEL " %s: %.0f %% of %" PRIu64 " single loads came from a cache", "found", kb_found_level(found), 100 * found->share,
		found->loads);
	if (!isnan(found->cache))
		fprintf(out, " (%.0f ns)", found->cache);
	fputs(", the others from memory", out);
	if (!isnan(found->memory))
		fprintf(out, " (%.0f ns)", found->memory);
	fputs("\n", out);
}

/* What the series of a result is made of. */
static const char *one_of(const struct kb_result *result)
{
	return result->method == KB_METHOD_PAIRED ? "pair" : kb_methods[result->method].one_by_one ? "sample" : "block";
}

/* A variance below zero means that nothing was seen of that level. */
static void level(FILE *out, const char *what, double variance, const char *unit)
{
	if (variance > 0)
		fprintf(out, "%s add %.3g %s", what, sqrt(variance), unit);
	else
		fprintf(out, "%s add nothing seen", what);
}

/* Modes: one of them is what the numbers above already say. The sd of one operation by lengths of the sample and over time: equal where
   nothing depends on its neighbours. Then where it comes from. */
static void series(FILE *out, const struct kb_result *result)
{
	const struct kb_result_spread *spread = &result->spread;
	const struct kb_result_levels *levels = &result->levels;
	const char *unit = kb_series_unit(result);
	char what[16];

	for (unsigned i = 0; result->mode_count > 1 && i < result->mode_count; i++)
		fprintf(out, "%s%.6g (%.0f %%)", i ? ", " : "    modes       ", result->modes[i].location,
			100 * result->modes[i].weight);
	if (result->mode_count > 1)
		fprintf(out, " %s%s\n", unit, result->modes_clustered ? ", in clusters" : "");
	if (spread->operation_short > 0 && spread->operation_long > 0)
		fprintf(out, LABEL " sd of one operation %.3g %s by samples of %" PRIu64 ", %.3g %s by samples of %" PRIu64 "\n",
			"spread", spread->operation_short, unit, result->n_min, spread->operation_long, unit, result->n_max);
	if (spread->block > 0 && spread->long_run > 0 && !kb_is_exact(result))
		fprintf(out, LABEL " sd of one %s %.3g %s by neighbours, %.3g %s in the long run\n", "spread",
			one_of(result), spread->block, unit, spread->long_run, unit);
	if (!levels->known || kb_is_exact(result))
		return;
	fprintf(out, LABEL " sd: ", "levels");
	snprintf(what, sizeof what, "%ss", one_of(result));
	level(out, what, levels->split.t2[0], unit);
	level(out, ", processes", levels->split.t2[1], unit);
	fprintf(out, "; %.0f in each of %.0f", levels->split.repeats[0], levels->split.repeats[1]);
	if (levels->plan[0] > 0)
		fprintf(out, "; then planned %u blocks in each of %u", levels->plan[0], levels->plan[1]);
	fputc('\n', out);
}

/* The counted number and the expected one: "holds" alone is no proof. */
static void evidence(FILE *out, const struct kb_result *result, const struct kb_style *style)
{
	for (unsigned i = 0; i < result->evidence_count && i < KB_EVIDENCE_MAX; i++) {
		const struct kb_finding_evidence *found = &result->evidence[i];
		const char *verdict = !found->known ? "unknown" : found->ok ? "holds" : "contradicted";
		char seen[KB_MEMORY_WORDS], claimed[KB_MEMORY_WORDS];

		/* A number of bytes a process, not an operation. */
		if (!strcmp(found->counter, KB_WORKING_SET)) {
			fprintf(out, LABEL " working set: touched %s of %s: %s\n", "evidence",
				found->known ? kb_memory_words(seen, found->per_op) : "an unknown part",
				kb_memory_words(claimed, found->expected), verdict);
			continue;
		}
		fprintf(out, LABEL " %s of %s: ", "evidence", found->counter, found->who);
		if (found->asked) {
			fprintf(out, "%.6g per operation\n", found->per_op);
			continue;
		}
		if (found->known)
			fprintf(out, "%.6g", found->per_op);
		else
			fputs("cannot be read here", out);
		fprintf(out, ", expected %.6g %s%.3g per operation: %s%s\n", found->expected,
			style->utf8 ? "\u00b1" : "+-", found->tolerance, verdict, found->elsewhere ? ", on the kernel that counts" : "");
	}
	if (result->code[0])
		fprintf(out, LABEL " machine code with hash %s\n", "evidence", result->code);
}

/* What a kernel of seL4 kept of the tests. */
static void kept(FILE *out, const struct kb_result *result)
{
	const struct kb_result_kept *of = &result->kept;

	if (of->tests > 0)
		fprintf(out, LABEL " Low %.1f %%, High %.1f %%, init %.1f %%, idle %.1f %%; in the kernel %.1f %% (%" PRIu64 " tests)\n", "utilisation",
			100 * of->low, 100 * of->high, 100 * of->init, 100 * of->idle, 100 * of->kernel, of->tests);
	if (of->entries > 0)
		fprintf(out, LABEL " %" PRIu64 " entries of %" PRIu64 " operations in %" PRIu64 " test%s%s, %" PRIu64 " lost\n", "kernel log", of->entries,
			of->operations, of->log_tests, of->log_tests == 1 ? "" : "s", of->last ? ", the last of a plan" : "", of->lost);
	for (unsigned i = 0; i < of->row_count && i < KB_KEPT_ROWS; i++)
		fprintf(out, LABEL "   %-28s %" PRIu64 ", each %.0f to %.0f, median %.0f, all %.0f %s\n", "", of->rows[i].name, of->rows[i].count,
			of->rows[i].min, of->rows[i].max, of->rows[i].median, of->rows[i].total, kb_tick_unit(result->clock));
}

/* What the benchmark itself counted with its observations. */
static void covariates(FILE *out, const struct kb_result *result)
{
	for (unsigned i = 0; i < result->covariate_count && i < KB_COVARIATES; i++) {
		const struct kb_result_covariate *at = &result->covariates[i];

		fprintf(out, LABEL " %s: median %.6g, from %.6g to %.6g, of %" PRIu64 " samples\n", "covariate", at->name, at->median,
			at->min, at->max, at->count);
	}
}

void kb_detail_print(FILE *out, const struct kb_result *result, const struct kb_style *style)
{
	struct kb_scale scale = kb_scale_of(result);
	struct kb_scale cycles = { "cycles", 1 }, mhz = { "MHz", 1 };
	char label[16];

	how(out, result);
	headline(out, result);
	range(out, kb_headline_name(result->headline), &result->estimate, scale);
	if (result->headline == KB_HEADLINE_UNCONTENDED)
		range(out, "observed", &result->observed, scale);
	range(out, "quiet", &result->quiet, scale);
	range(out, "mean", &result->mean, scale);
	range(out, "fixed", &result->fixed, scale);
	range(out, kb_headline_name(result->headline), &result->estimate_cycles, cycles);
	if (result->headline == KB_HEADLINE_UNCONTENDED)
		range(out, "observed", &result->observed_cycles, cycles);
	range(out, "quiet", &result->quiet_cycles, cycles);
	processes(out, result, scale);
	memory(out, result, scale);
	range(out, "core clock", &result->core_mhz, mhz);
	/* All five, with their intervals, which are wide: they come from single operations. */
	for (int i = 0; i < KB_QUANTILES; i++)
		range(out, kb_json_quantiles[i], &result->quantile[i], scale);
	for (unsigned i = 0; i < result->parallel.copies; i++) {
		snprintf(label, sizeof label, "copy %u", i + 1);
		range(out, label, &result->parallel.copy[i], scale);
	}
	series(out, result);
	flags(out, result);
	covariates(out, result);
	kept(out, result);
	evidence(out, result, style);
}

/* ---- copies ---------------------------------------------------------------------------------------- */

#define RATES 4

/* Rates are shown in the largest of these in which they are at least 1: of bytes where an operation moves some. */
static const struct kb_scale operations[RATES] = {
	{ "G op/s", 1e-9 }, { "M op/s", 1e-6 }, { "K op/s", 1e-3 }, { "op/s", 1 },
};
static const struct kb_scale bytes[RATES] = {
	{ "GB/s", 1e-9 }, { "MB/s", 1e-6 }, { "KB/s", 1e-3 }, { "B/s", 1 },
};

static struct kb_scale scale_of(const struct kb_result *result)
{
	const struct kb_scale *rates = result->bytes_per_op > 0 ? bytes : operations;
	double each = result->bytes_per_op > 0 ? (double)result->bytes_per_op : 1;
	size_t i = 0;

	while (i < RATES - 1 && result->parallel.aggregate.value * each * rates[i].factor < 1)
		i++;
	return (struct kb_scale){ rates[i].unit, each * rates[i].factor };
}

/* The cheapest and the dearest copy: a difference is a CPU that is not like the others, or was not alone. */
static void copies_range(const struct kb_result *result, char *text, size_t room)
{
	const struct kb_result_parallel *parallel = &result->parallel;
	double low = INFINITY, high = -INFINITY, factor = kb_scale_of(result).factor;
	char from[KB_NUMBER_ROOM], to[KB_NUMBER_ROOM];

	for (unsigned i = 0; i < parallel->copies; i++) {
		if (!parallel->copy[i].known)
			continue;
		low = fmin(low, parallel->copy[i].value * factor);
		high = fmax(high, parallel->copy[i].value * factor);
	}
	if (low > high) {
		snprintf(text, room, "-");
		return;
	}
	kb_format_value(from, low, KB_NUMBER_DIGITS);
	kb_format_value(to, high, KB_NUMBER_DIGITS);
	snprintf(text, room, parallel->copies > 1 ? "%s to %s %s" : "%s%.0s %s", from, to, kb_scale_of(result).unit);
}

static void print_copies(FILE *cells, const struct kb_result *result, const struct kb_style *style)
{
	const struct kb_result_parallel *parallel = &result->parallel;
	struct kb_scale scale = scale_of(result);
	char name[KB_ROW_NAME], rate[KB_NUMBER_ROOM], range[3 * KB_NUMBER_ROOM], overlap[24] = "-";

	kb_format_estimate(rate, &parallel->aggregate, scale.factor, style->utf8);
	copies_range(result, range, sizeof range);
	if (!isnan(parallel->overlap))
		snprintf(overlap, sizeof overlap, "%.1f %%", 100 * parallel->overlap);
	fprintf(cells, "%s\nx%u\t%s\t%s\tside by side %s\tper copy %s\n", kb_row_name(name, result), parallel->copies, rate,
		parallel->aggregate.known ? scale.unit : "", overlap, range);
}

void kb_parallel_print(FILE *out, const struct kb_result *const *results, size_t count, const struct kb_style *style)
{
	struct kb_columns columns = { .align = "lrull", .indent = 4 };
	FILE *cells = kb_columns_open(&columns, out);
	size_t rows = 0;

	for (size_t i = 0; i < count; i++) {
		if (results[i]->parallel.copies == 0)
			continue;
		if (rows++ == 0)
			fprintf(cells, "copies: operations of all together, time side by side, cheapest and dearest copy\n");
		print_copies(cells, results[i], style);
	}
	if (rows > 0)
		fputc('\n', cells);
	kb_columns_print(&columns, out);
}
