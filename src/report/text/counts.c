/* See comparison.h: what `insn` prints. */
#include "report/text/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/text/columns.h"
#include "report/text/number_format.h"
#include "report/text/table_cells.h"

static const char *const words[KB_COUNT_FINDINGS] = {
	[KB_COUNT_SAME] = "same", [KB_COUNT_MORE] = "more", [KB_COUNT_FEWER] = "fewer", [KB_COUNT_ABSENT] = "skipped",
	[KB_COUNT_UNEQUAL] = "boots differ", [KB_COUNT_FAILED] = "invalid",
};

enum kb_count_finding kb_count_find(const struct kb_counts *counts, size_t row)
{
	const struct kb_comparison *c = &counts->compared->rows[row];

	if (c->status[0] == KB_SKIPPED && c->status[1] == KB_SKIPPED)
		return KB_COUNT_ABSENT;
	/* Measured on one side only: a gate that knows nothing must not pass. */
	if (c->invalid || c->status[0] == KB_SKIPPED || c->status[1] == KB_SKIPPED || kb_verdict_has(&c->verdict, KB_CODE_env_mismatch))
		return KB_COUNT_FAILED;
	if (!c->exact || c->processes < counts->boots)
		return KB_COUNT_UNEQUAL;
	return c->decision == KB_SLOWER ? KB_COUNT_MORE : c->decision == KB_FASTER ? KB_COUNT_FEWER : KB_COUNT_SAME;
}

/* ---- a line a result --------------------------------------------------------------------------------------- */

static void format_count(char text[KB_NUMBER_ROOM], const struct kb_estimate *count)
{
	if (count->known)
		kb_format_exact(text, count->value);
	else
		snprintf(text, KB_NUMBER_ROOM, "-");
}

static const struct kb_result *result_of(const struct kb_compared_side *side, const char *key)
{
	for (size_t i = 0; i < side->count; i++) {
		if (strcmp(side->items[i].row.row, key) == 0)
			return side->items[i].result;
	}
	return NULL;
}

/* Why there is no count: of the side that has the worse verdict. */
static void put_reason(FILE *cells, const struct kb_counts *counts, const struct kb_comparison *c, const struct kb_style *style)
{
	unsigned side = c->status[0] > c->status[1] ? 0 : 1;
	const struct kb_result *result = result_of(&counts->compared->side[side], side == 0 ? c->key : c->key_b);
	char reason[KB_CELL_ROOM] = "";

	if (result && c->status[side] > KB_UNVERIFIED)
		kb_cells_reason(reason, result, style);
	else if (c->verdict.count > 0)
		snprintf(reason, sizeof reason, "%s", c->verdict.reasons[0].detail);
	if (reason[0])
		fprintf(cells, ": %s", reason);
}

/* With the parameters in which results of one benchmark differ. */
static void put_name(FILE *cells, const struct kb_counts *counts, const struct kb_table *table, size_t row)
{
	const struct kb_result *result = result_of(&counts->compared->side[1], counts->compared->rows[row].key_b);
	char name[KB_CELL_ROOM];

	if (result)
		kb_cells_name(name, table, result);
	fputs(result ? name : counts->compared->rows[row].key_b, cells);
}

static void put_row(FILE *cells, const struct kb_counts *counts, const struct kb_table *table, size_t row, const struct kb_style *style)
{
	const struct kb_comparison *c = &counts->compared->rows[row];
	enum kb_count_finding finding = kb_count_find(counts, row);
	const char *begin = counts->markdown ? "| " : "", *next = counts->markdown ? " | " : "\t", *end = counts->markdown ? " |\n" : "\n";
	char of[2][KB_NUMBER_ROOM], change[2 * KB_NUMBER_ROOM] = "", percent[KB_NUMBER_ROOM];
	double difference = c->b.value - c->a.value;

	format_count(of[0], &c->a);
	format_count(of[1], &c->b);
	if (finding == KB_COUNT_MORE || finding == KB_COUNT_FEWER) {
		kb_format_percent(percent, 100 * fabs(difference / c->a.value));
		snprintf(change, sizeof change, "%+.10g (%s)", rint(1e3 * difference) / 1e3, percent);
	}
	fputs(begin, cells);
	put_name(cells, counts, table, row);
	fputs(next, cells);
	if (counts->names[0])
		fprintf(cells, "%s%s%s%s%s%s", of[0], next, of[1], next, change, next);
	else
		fprintf(cells, "%s%s", of[1], next);
	fputs(counts->names[0] || finding >= KB_COUNT_ABSENT ? words[finding] : "exact", cells);
	if (finding >= KB_COUNT_ABSENT)
		put_reason(cells, counts, c, style);
	fputs(end, cells);
}

static void put_heading(FILE *cells, const struct kb_counts *counts)
{
	if (counts->markdown)
		fputs(counts->names[0] ? "| benchmark | base, insn | new, insn | change | finding |\n|---|---:|---:|---:|---|\n"
				       : "| benchmark | insn | finding |\n|---|---:|---|\n", cells);
	else
		fputs(counts->names[0] ? "benchmark\tbase\tnew\tchange\tfinding\n" : "benchmark\tinsn\tfinding\n", cells);
}

/* ---- the whole ----------------------------------------------------------------------------------------------- */

static void put_names(FILE *out, const struct kb_counts *counts)
{
	static const char *const titles[] = { "base", "new" };

	for (unsigned side = 0; side < 2; side++) {
		const char *title = counts->names[0] ? titles[side] : "kernel";

		if (counts->names[side])
			fprintf(out, counts->markdown ? "%s `%s`  \n" : "%-6s %s\n", title, counts->names[side]);
	}
	fprintf(out, "%sinstructions of the guest per operation, counted in %u boots%s\n\n", counts->markdown ? "" : "unit   ", counts->boots,
		counts->names[0] ? " of each kernel" : "");
}

static void put_totals(FILE *out, const struct kb_counts *counts)
{
	static const char *const totals[KB_COUNT_FINDINGS] = {
		"the same", "more", "fewer", "skipped", "with boots that differ", "invalid",
	};
	static const enum kb_count_finding order[] = {
		KB_COUNT_MORE, KB_COUNT_FEWER, KB_COUNT_SAME, KB_COUNT_ABSENT, KB_COUNT_UNEQUAL, KB_COUNT_FAILED,
	};
	size_t found[KB_COUNT_FINDINGS] = { 0 }, count = counts->compared->count;
	const char *separator = ": ";

	for (size_t i = 0; i < count; i++)
		found[kb_count_find(counts, i)]++;
	fprintf(out, "%s%zu result%s", counts->markdown ? "\n" : "", count, count == 1 ? "" : "s");
	for (size_t i = 0; i < KB_COUNT_FINDINGS; i++) {
		const char *total = order[i] == KB_COUNT_SAME && !counts->names[0] ? "exact" : totals[order[i]];

		if (found[order[i]] > 0) {
			fprintf(out, "%s%zu %s", separator, found[order[i]], total);
			separator = ", ";
		}
	}
	fputc('\n', out);
}

void kb_counts_print(FILE *out, const struct kb_counts *counts, const struct kb_style *style)
{
	struct kb_columns columns = { .align = counts->names[0] ? "lrrrl" : "lrl", .first_most = 46 };
	FILE *cells = counts->markdown ? out : kb_columns_open(&columns, out);
	const struct kb_compared_side *new = &counts->compared->side[1];
	const struct kb_result **results = calloc(new->count + 1, sizeof *results);
	struct kb_table table = { .results = results, .count = results ? new->count : 0, .style = style };

	for (size_t i = 0; i < table.count; i++)
		results[i] = new->items[i].result;
	put_names(out, counts);
	put_heading(cells, counts);
	for (size_t i = 0; i < counts->compared->count; i++)
		put_row(cells, counts, &table, i, style);
	free(results);
	if (!counts->markdown)
		kb_columns_print(&columns, out);
	put_totals(out, counts);
}
