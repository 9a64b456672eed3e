/* See beside.h. */
#include "report/text/beside.h"

#include <string.h>

#include "base/verdict.h"
#include "report/text/columns.h"
#include "report/text/figure.h"

#define CELL_ROOM (KB_FIGURE_ROOM + 32)

static const struct kb_result *find(const struct kb_beside *column, const struct kb_result *like)
{
	for (size_t i = 0; i < column->count; i++) {
		if (!strcmp(column->results[i]->benchmark, like->benchmark) && !strcmp(column->results[i]->params, like->params))
			return column->results[i];
	}
	return NULL;
}

/* A row of a later column that an earlier one has was printed with it. */
static bool is_first(const struct kb_beside *columns, unsigned column, const struct kb_result *result)
{
	for (unsigned i = 0; i < column; i++) {
		if (find(&columns[i], result))
			return false;
	}
	return true;
}

/* A unit of its own: two machines may differ by a thousand, and one of them may have no rate of its clock. */
static void fill(char cell[CELL_ROOM], const struct kb_result *result, const struct kb_look *look)
{
	char figure[KB_FIGURE_ROOM];

	if (!result) {
		snprintf(cell, CELL_ROOM, "-");
		return;
	}

	struct kb_scale scale = kb_scale_of(result);

	kb_figure_estimate(figure, &result->estimate, scale.factor, look->utf8);
	snprintf(cell, CELL_ROOM, "%s%s%s  %s", figure, result->estimate.known ? " " : "", result->estimate.known ? scale.unit : "",
		 kb_status_name(result->verdict.status));
}

/* Calls visit for each row with its cells; visit prints or measures widths. */
static void each_row(const struct kb_beside *columns, unsigned count, const struct kb_look *look,
		     void (*visit)(void *context, const char *name, char cells[][CELL_ROOM], unsigned count), void *context)
{
	for (unsigned c = 0; c < count; c++) {
		for (size_t r = 0; r < columns[c].count; r++) {
			const struct kb_result *result = columns[c].results[r];
			char name[KB_ROW_NAME], cells[KB_BESIDE_MAX][CELL_ROOM];

			if (!is_first(columns, c, result))
				continue;
			kb_row_name(name, result);
			for (unsigned i = 0; i < count; i++)
				fill(cells[i], find(&columns[i], result), look);
			visit(context, name, cells, count);
		}
	}
}

struct widths {
	FILE *out;
	unsigned name, cell[KB_BESIDE_MAX];
};

static void widen(void *context, const char *name, char cells[][CELL_ROOM], unsigned count)
{
	struct widths *widths = context;

	if (kb_text_width(name) > widths->name)
		widths->name = kb_text_width(name);
	for (unsigned i = 0; i < count; i++) {
		if (kb_text_width(cells[i]) > widths->cell[i])
			widths->cell[i] = kb_text_width(cells[i]);
	}
}

/* Padded by what the terminal shows, as printf counts bytes. */
static void print(void *context, const char *name, char cells[][CELL_ROOM], unsigned count)
{
	const struct widths *widths = context;

	fprintf(widths->out, "%s%*s", name, (int)(widths->name - kb_text_width(name)), "");
	for (unsigned i = 0; i < count; i++)
		fprintf(widths->out, "  %*s%s", (int)(widths->cell[i] - kb_text_width(cells[i])), "", cells[i]);
	fputc('\n', widths->out);
}

void kb_beside_print(FILE *out, const struct kb_beside *columns, unsigned count, const struct kb_look *look)
{
	struct widths widths = { .out = out };
	char headings[KB_BESIDE_MAX][CELL_ROOM];

	for (unsigned i = 0; i < count; i++)
		snprintf(headings[i], CELL_ROOM, "%s", columns[i].heading);
	widen(&widths, "benchmark", headings, count);
	each_row(columns, count, look, widen, &widths);
	print(&widths, "benchmark", headings, count);
	each_row(columns, count, look, print, &widths);
}
