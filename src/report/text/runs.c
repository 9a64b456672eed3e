/* See table.h. */
#include "report/text/table.h"

#include <string.h>

#include "base/verdict.h"
#include "report/text/columns.h"
#include "report/text/number_format.h"

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
	char figure[KB_NUMBER_ROOM];

	if (!result) {
		fputs("\t-", cells);
		return;
	}

	struct kb_scale scale = kb_scale_of(result);

	kb_format_estimate(figure, &result->estimate, scale.factor, style->utf8);
	fprintf(cells, "\t%s%s%s  %s", figure, result->estimate.known ? " " : "", result->estimate.known ? scale.unit : "",
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
