/* See alongside.h. */
#include "report/text/alongside.h"

#include "report/text/columns.h"
#include "report/text/number_format.h"

static void print_cost(FILE *out, const struct kb_result *result, const struct kb_estimate *estimate)
{
	char name[KB_ROW_NAME], text[KB_NUMBER_ROOM], percent[KB_NUMBER_ROOM];
	struct kb_scale scale = kb_scale_of(result);

	kb_format_number(text, estimate, scale.factor, 3, 5);
	kb_format_percent(percent, kb_quality(estimate));
	fprintf(out, "%s\t%s\t%s\t%s\t", kb_row_name(name, result), estimate->known ? text : "-", scale.unit, percent);
}

static void print_ratio(FILE *out, const struct kb_alongside *row)
{
	const struct kb_estimate *ratio = &row->ratio;

	if (!ratio->known)
		fprintf(out, "-\t\t");
	else if (ratio->bounded)
		fprintf(out, "%.3g%s\t%.3g to %.3g\t", ratio->value, row->by_byte ? " by byte" : "", ratio->low, ratio->high);
	else
		fprintf(out, "%.3g%s\tno CI\t", ratio->value, row->by_byte ? " by byte" : "");
}

void kb_alongside_print(FILE *out, const struct kb_alongside_list *found, const struct kb_style *style)
{
	struct kb_columns columns = { .align = "lrurlrurrll", .indent = 2, .utf8 = style->utf8 };
	FILE *cells;

	if (found->count == 0)
		return;
	fprintf(out, "\nalongside ours, observed (neighbours included)\n");
	cells = kb_columns_open(&columns, out);
	fprintf(cells, "theirs\tcost\t\t%s\tours\tobserved\t\t%s\ttheirs/ours\t95 %% CI\tverdicts\n", style->utf8 ? "±95 %" : "+-95 %",
		style->utf8 ? "±95 %" : "+-95 %");
	for (size_t i = 0; i < found->count; i++) {
		const struct kb_alongside *row = &found->rows[i];

		print_cost(cells, row->theirs, &row->theirs->estimate);
		print_cost(cells, row->ours, &row->ours->observed);
		print_ratio(cells, row);
		fprintf(cells, "%s, %s\n", kb_status_name(row->theirs->verdict.status), kb_status_name(row->ours->verdict.status));
	}
	kb_columns_print(&columns, out);
}
