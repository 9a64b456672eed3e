/* See comparison.h. */
#include "report/text/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/verdict.h"
#include "report/text/columns.h"
#include "report/text/number_format.h"
#include "report/text/style.h"
#include "report/text/table.h"
#include "result/json/comparison.h"
#include "run/variants.h"

static double percent(double ln)
{
	return 100 * expm1(ln);
}

static struct kb_scale scale_of(const char *unit, const struct kb_estimate *estimate)
{
	struct kb_result like = { .estimate = *estimate, .ticks_per_ns = 1 };

	return strcmp(unit, "ns") ? (struct kb_scale){ unit, 1 } : kb_scale_of(&like);
}

static void print_row(FILE *cells, const struct kb_comparison *row, const struct kb_style *style)
{
	/* Both sides in the unit that fits the first, unless they have no common one. */
	struct kb_scale scale = scale_of(row->unit, row->a.known ? &row->a : &row->b);
	struct kb_scale of_b = row->unit_b ? scale_of(row->unit_b, &row->b) : scale;
	const struct kb_interval *ln = &row->difference.ln;
	char a[KB_NUMBER_ROOM], b[KB_NUMBER_ROOM];

	if (row->exact) {
		kb_format_exact(a, row->a.value);
		kb_format_exact(b, row->b.value);
	} else {
		kb_format_estimate(a, &row->a, scale.factor, style->utf8);
		kb_format_estimate(b, &row->b, of_b.factor, style->utf8);
	}
	fprintf(cells, "%s\t%s\t%s\t%s%s%s\t", row->key, a, b, scale.unit, row->unit_b ? ", " : "", row->unit_b ? of_b.unit : "");
	if (row->processes > 0 && (ln->known || row->processes == 1))
		fprintf(cells, "%.4f\t", exp(ln->value));
	else
		fputs("-\t", cells);
	if (row->exact)
		fprintf(cells, "exact, %+.6g", rint(1e3 * (row->b.value - row->a.value)) / 1e3);
	else if (ln->known)
		fprintf(cells, "%.4f..%.4f", exp(ln->low), exp(ln->high));
	fputc('\t', cells);
	if (isfinite(row->difference.detectable))
		fprintf(cells, "%.2g %%", percent(row->difference.detectable));
	fputc('\t', cells);
	if (row->processes > 0)
		fprintf(cells, "%+.2f", row->delta);
	fprintf(cells, "\t%s%s\t%s, %s\n", kb_decision_name(row->decision), row->regression ? " !" : "", kb_status_name(row->status[0]),
		kb_status_name(row->status[1]));
}

/* ---- below a comparison, with --verbose ----------------------------------------------------------------- */

/* Only this shows a tail that grows while the median stays. */
static void print_shift(FILE *out, const struct kb_comparison *row, const struct kb_style *style)
{
	char text[600];
	size_t used = (size_t)snprintf(text, sizeof text, "ratio at deciles:");

	for (unsigned k = 0; k < KB_DECILES && used < sizeof text; k++) {
		const struct kb_interval *ln = &row->shift[k];

		used += (size_t)snprintf(text + used, sizeof text - used, "%s %u %% %.4f (%.4f..%.4f)", k > 0 ? "," : "",
					 10 * (k + 1), exp(ln->value), exp(ln->low), exp(ln->high));
	}
	kb_print_wrapped(out, style, 4, text);
}

static void print_detail(FILE *out, const struct kb_comparison *row, const struct kb_style *style)
{
	const struct kb_levels *levels = &row->levels;
	char runs[60] = "as is usual";

	if (row->exact) {
		kb_print_sentence(out, style, 4, "margin %.2g %%; all processes of a side count the same number, so nothing is estimated",
				  percent(row->margin));
		return;
	}
	kb_print_sentence(out, style, 4, "margin %.2g %%, %u processes %s; one-sided p of slower %.3g, after Holm %.3g; q of any difference "
			  "%.3g", percent(row->margin), row->processes, row->paired ? "in pairs" : "a side", row->difference.p_slower,
			  row->p_holm, row->q);
	if (row->occasion.runs > 0)
		snprintf(runs, sizeof runs, "by %u runs in the store", row->occasion.runs);
	if (!row->paired)
		kb_print_sentence(out, style, 4, "Brunner-Munzel p %.3g; occasions differ by %.2g %% (sd, %s)", row->p_rank,
				  percent(row->occasion.sd), runs);
	if (row->shifted)
		print_shift(out, row, style);
	if (row->split)
		kb_print_sentence(out, style, 4, "variance of ln ratio: T1^2 %.3g of blocks, T2^2 %.3g of processes%s; %.0f blocks in a "
				  "process, %.0f processes", levels->t2[0], levels->t2[1],
				  levels->t2[1] <= 0 ? " (they add nothing)" : "", levels->repeats[0], levels->repeats[1]);
}

void kb_comparison_print(FILE *out, const struct kb_comparison *rows, size_t count, const struct kb_style *style)
{
	struct kb_columns columns = { .align = "lrrlrlrrll", .first_most = 46 };
	FILE *cells = kb_columns_open(&columns, out);

	fputs("benchmark\tbase\tnew\tunit\tratio\t95 % CI\tfinds\tdelta\tdecision\tbase, new\n", cells);
	for (size_t i = 0; i < count; i++) {
		print_row(cells, &rows[i], style);
		kb_print_reasons(cells, style, &rows[i].verdict);
		if (style->notes)
			print_detail(cells, &rows[i], style);
	}
	kb_columns_print(&columns, out);
}

/* That of a mixture of benchmarks says little: the sum of the times follows it. */
static void print_mean(FILE *out, const struct kb_comparison *rows, size_t count)
{
	struct kb_ratio_mean mean = kb_compared_mean(rows, count);
	struct kb_scale scale = scale_of("ns", &(struct kb_estimate){ .value = mean.ns[0], .known = true });

	if (!mean.spread.known)
		return;
	fprintf(out, "geometric mean of %zu ratios %.4f, spread over results [%.4f, %.4f]", mean.rows, mean.spread.value, mean.spread.low,
		mean.spread.high);
	if (mean.ns[0] > 0 && mean.ns[1] > 0)
		fprintf(out, "; one operation of each result in ns takes %.4g (base) and %.4g %s (new) together", mean.ns[0] * scale.factor,
			mean.ns[1] * scale.factor, scale.unit);
	fputc('\n', out);
}

void kb_mix_print(FILE *out, const struct kb_mix_cost *mix, const struct kb_style *style)
{
	struct kb_scale scale = scale_of("ns", &mix->ns[0]);
	size_t rows = mix->count - mix->left_out;
	char base[KB_NUMBER_ROOM], new[KB_NUMBER_ROOM], sides[200], verdict[60] = "";

	kb_format_estimate(base, &mix->ns[0], scale.factor, style->utf8);
	kb_format_estimate(new, &mix->ns[1], scale.factor, style->utf8);
	if (mix->sides == 1)
		snprintf(sides, sizeof sides, "%s %s%s", base, scale.unit, mix->ns[0].bounded ? " (95 % CI)" : ", without a CI: some results have none");
	else if (mix->ratio.bounded)
		snprintf(sides, sizeof sides, "%s (base) and %s %s (new): ratio %.4f, 95 %% CI [%.4f, %.4f]", base, new, scale.unit,
			 mix->ratio.value, mix->ratio.low, mix->ratio.high);
	else
		snprintf(sides, sizeof sides, "%s (base) and %s %s (new): ratio %.4f, without a CI: some results have none", base, new, scale.unit,
			 mix->ratio.value);
	if (mix->status > KB_OK)
		snprintf(verdict, sizeof verdict, "; worst verdict: %s", kb_status_name(mix->status));
	kb_print_sentence(out, style, 0, "the mix of %zu result%s takes %s%s", rows, rows == 1 ? "" : "s", sides, verdict);
	for (size_t i = 0; i < mix->count; i++) {
		if (mix->parts[i].left_out)
			kb_print_sentence(out, style, 0, "not in the mix: %s, %s", mix->parts[i].key, mix->parts[i].left_out);
	}
}

void kb_comparison_count(FILE *out, const struct kb_comparison *rows, size_t count)
{
	static const struct { const char *by, *words; } kinds[] = {
		{ "ratio", "the ratio to their twin: what a change does to both is not in it" },
		{ "observed", "the observed cost, neighbours included: an uncontended one of both sides is missing" },
	};
	static const enum kb_decision order[] = { KB_SLOWER, KB_FASTER, KB_EQUIVALENT, KB_INCONCLUSIVE };
	size_t counts[KB_DECISIONS] = { 0 }, regressions = 0;
	const char *separator = ": ";

	for (size_t i = 0; i < count; i++) {
		counts[rows[i].decision]++;
		regressions += rows[i].regression;
	}
	fprintf(out, "%zu result%s", count, count == 1 ? "" : "s");
	for (size_t i = 0; i < KB_DECISIONS; i++) {
		if (counts[order[i]] == 0)
			continue;
		fprintf(out, "%s%zu %s", separator, counts[order[i]], kb_decision_name(order[i]));
		if (order[i] == KB_SLOWER)
			fprintf(out, " (%zu after Holm, marked !)", regressions);
		separator = ", ";
	}
	fputc('\n', out);
	/* How many were not compared by their headlines, and what by instead. */
	for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
		size_t seen = 0;

		for (size_t i = 0; i < count; i++)
			seen += rows[i].compared && !strcmp(rows[i].compared, kinds[kind].by);
		if (seen > 0)
			fprintf(out, "%zu compared by %s\n", seen, kinds[kind].words);
	}
	print_mean(out, rows, count);
}

/* ---- variants: a ratio here is of processes of one number, which followed each other in time ----------- */

static const struct view {
	const char *variant, *base, *member, *title;
} views[] = {
	{ KB_VARIANT_INTERFERENCE, "nothing", "interference",
	  "under interference (new) against the same benchmark without (base), processes in turn" },
	{ KB_VARIANT_COPIES, "1", "scaling",
	  "cost of one copy of several (new) against one copy alone (base), processes in turn" },
};

#define VIEWS (sizeof views / sizeof views[0])

static size_t compare_variants(const struct view *view, const struct kb_result *const *results, size_t count,
		      struct kb_comparison **rows)
{
	*rows = calloc(count + 1, sizeof **rows);
	return *rows ? kb_variants_compare(results, count, view->variant, view->base, *rows) : 0;
}

void kb_variants_print(FILE *out, const struct kb_result *const *results, size_t count, const struct kb_style *style)
{
	for (size_t i = 0; i < VIEWS; i++) {
		struct kb_comparison *rows;
		size_t found = compare_variants(&views[i], results, count, &rows);

		if (found > 0) {
			fprintf(out, "%s\n", views[i].title);
			kb_comparison_print(out, rows, found, style);
			fputc('\n', out);
		}
		free(rows);
	}
}

void kb_variants_add(json_t *document, const struct kb_result *const *results, size_t count)
{
	for (size_t i = 0; i < VIEWS && document; i++) {
		struct kb_comparison *rows;
		size_t found = compare_variants(&views[i], results, count, &rows);
		json_t *array = json_array();

		for (size_t k = 0; k < found; k++)
			json_array_append_new(array, kb_comparison_to_json(&rows[k]));
		if (found > 0)
			json_object_set(document, views[i].member, array);
		json_decref(array);
		free(rows);
	}
}

/* ---- several runs -------------------------------------------------------------------------------------- */

static const struct kb_result *find(const struct kb_run_column *column, const struct kb_result *like)
{
	for (size_t i = 0; i < column->count; i++) {
		if (!strcmp(column->results[i]->benchmark, like->benchmark) && !strcmp(column->results[i]->params, like->params))
			return column->results[i];
	}
	return NULL;
}

/* A unit of its own: two machines may differ by a thousand, and one of them may have no rate of its clock. */
static void print_cell(FILE *cells, const struct kb_result *result, const struct kb_style *style)
{
	char number[KB_NUMBER_ROOM];

	if (!result) {
		fputs("\t-", cells);
		return;
	}

	struct kb_scale scale = kb_scale_of(result);

	kb_format_estimate(number, &result->estimate, scale.factor, style->utf8);
	fprintf(cells, "\t%s%s%s  %s", number, result->estimate.known ? " " : "", result->estimate.known ? scale.unit : "",
		kb_status_name(result->verdict.status));
}

void kb_runs_print(FILE *out, const struct kb_run_column *sides, unsigned count, const struct kb_style *style)
{
	struct kb_columns columns = { .align = "lrrrrrrrr" };
	FILE *cells = kb_columns_open(&columns, out);
	char name[KB_ROW_NAME];

	fputs("benchmark", cells);
	for (unsigned i = 0; i < count; i++)
		fprintf(cells, "\t%s", sides[i].heading);
	fputs("\t\n", cells);
	for (unsigned side = 0; side < count; side++) {
		for (size_t r = 0; r < sides[side].count; r++) {
			const struct kb_result *result = sides[side].results[r];
			unsigned first = 0;

			while (!find(&sides[first], result))
				first++;
			if (first < side)
				continue;
			fputs(kb_row_name(name, result), cells);
			for (unsigned i = 0; i < count; i++)
				print_cell(cells, find(&sides[i], result), style);
			fputs("\t\n", cells);
		}
	}
	kb_columns_print(&columns, out);
}
