/* CSV files: what a header or the first row says about the columns, and then every row against it. */
#include "import/parse.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Whole numbers up to this are exact as double. */
#define WHOLE_MAX 9007199254740992.0

struct table {
	struct kb_parse *parse;
	char separator;
	struct kb_span *cells;          /* of the row at hand */
	size_t columns;
	bool counted;                   /* the first column is s */
	double first_s;                 /* 0 or 1, as the first row has it */
	size_t rows;
};

static char separator_of(struct kb_span line)
{
	static const char separators[] = ",;\t";

	for (const char *s = separators; *s; s++) {
		if (memchr(line.at, *s, line.length))
			return *s;
	}
	return ',';
}

/* The whole number at the end of a column's name: test_size_30, "Test size: 30". 0: none. */
static double number_at_end(struct kb_span name)
{
	size_t begin = name.length;
	uint64_t n;

	while (begin > 0 && name.at[begin - 1] >= '0' && name.at[begin - 1] <= '9')
		begin--;
	/* All of it would be a value in a table without header. */
	if (begin == 0 || !kb_span_u64((struct kb_span){ name.at + begin, name.length - begin }, &n) ||
	    (double)n > WHOLE_MAX)
		return 0;
	return (double)n;
}

/* A name of a column. What spreadsheets and programs print for a missing number is none. */
static bool is_word(struct kb_span cell)
{
	static const char *const missing[] = { "nan", "inf", "infinity", "null", "na", "n/a" };

	for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
		if (cell.length == strlen(missing[i]) && strncasecmp(cell.at, missing[i], cell.length) == 0)
			return false;
	}
	return cell.length > 0 && strchr("0123456789+-.", cell.at[0]) == NULL;
}

/* ---- rows ------------------------------------------------------------------------------------------ */

static int row_cells(struct table *t)
{
	size_t count = kb_parse_cells(t->parse->line, t->separator, t->cells, t->columns);

	if (count != t->columns)
		return kb_parse_wrong(t->parse, "%zu columns where there should be %zu", count, t->columns);
	t->rows++;
	return 0;
}

static int number(struct table *t, size_t column, double *value)
{
	struct kb_span cell = t->cells[column];

	if (cell.length == 0)
		return kb_parse_wrong(t->parse, "column %zu is empty", column + 1);
	if (!kb_parse_decimal(cell, value))
		return kb_parse_wrong(t->parse, "'%.*s' in column %zu is not a number below 1e100", KB_SHOWN(cell),
		                      column + 1);
	return 0;
}

static int latency(struct table *t, size_t column, double *value)
{
	int result = number(t, column, value);

	if (result == 0 && *value < 0)
		return kb_parse_wrong(t->parse, "%.15g in column %zu: a time cannot be negative", *value, column + 1);
	return result;
}

/* Tests count from 1, or from 0; a gap means a lost row. */
static int check_count(struct table *t)
{
	double s, expected;
	int result = number(t, 0, &s);

	if (result)
		return result;
	if (t->rows == 1)
		t->first_s = s > 0 ? 1 : 0;
	expected = t->first_s + (double)t->rows - 1;
	if (fabs(s - expected) > 0)
		return kb_parse_wrong(t->parse, "test %.15g where test %.0f should stand: a row is missing or twice", s,
		                      expected);
	return 0;
}

static int group_row(struct table *t)
{
	int result = row_cells(t);

	if (result == 0 && t->counted)
		result = check_count(t);
	for (size_t c = t->counted; result == 0 && c < t->columns; c++) {
		double a;

		result = latency(t, c, &a);
		if (result == 0)
			result = kb_import_append(&t->parse->import->series[c - t->counted], false, 0, a);
	}
	return result;
}

/* A grid of more n than this is none; the limit keeps a file in which no n comes twice from taking hours. */
#define GRID_MAX 1000

/* A block is a pass over the grid: it ends where an n comes again. */
static uint32_t block_of(const struct kb_import_series *series)
{
	size_t i = series->count - 1;
	uint32_t block = i > 0 ? series->block[i - 1] : 0;

	for (size_t k = i; k > 0 && series->block[k - 1] == block; k--) {
		if (!(fabs(series->x[k - 1] - series->x[i]) > 0) || i - k == GRID_MAX)
			return block + 1;
	}
	return block;
}

static int point_row(struct table *t)
{
	struct kb_import_series *series = &t->parse->import->series[0];
	double n, ticks;
	int result = row_cells(t);

	if (result == 0)
		result = number(t, 0, &n);
	if (result == 0)
		result = latency(t, 1, &ticks);
	if (result)
		return result;
	if (!(n >= 1) || n > WHOLE_MAX || fabs(n - floor(n)) > 0)
		return kb_parse_wrong(t->parse, "n = %.15g: must be a whole number of operations from 1 to 2^53", n);
	result = kb_import_append(series, true, n, ticks);
	if (result == 0)
		series->block[series->count - 1] = block_of(series);
	return result;
}

static struct kb_import_series *labelled(struct kb_import *import, struct kb_span label)
{
	struct kb_import_series *series;

	for (size_t i = 0; i < import->count; i++) {
		if (kb_span_is(label, import->series[i].label))
			return &import->series[i];
	}
	series = kb_import_add(import, 0);
	if (series)
		memcpy(series->label, label.at, label.length);
	return series;
}

static int check_label(struct table *t)
{
	struct kb_span label = t->cells[0];

	if (label.length == 0)
		return kb_parse_wrong(t->parse, "a point without a name");
	if (label.length >= sizeof t->parse->import->series->label)
		return kb_parse_wrong(t->parse, "the name '%.*s...' is too long", KB_SHOWN(label));
	/* Replaced, two names could become one. */
	if (!kb_span_is_visible(label))
		return kb_parse_wrong(t->parse, "the name '%.*s' holds control characters, or is no UTF-8: write it without", KB_SHOWN(label));
	if (t->parse->import->count > KB_CELLS_MAX)
		return kb_parse_wrong(t->parse, "more than %d names", KB_CELLS_MAX);
	return 0;
}

static int line_row(struct table *t)
{
	struct kb_import_series *series;
	double x, y;
	int result = row_cells(t);

	if (result == 0)
		result = check_label(t);
	if (result == 0)
		result = number(t, 1, &x);
	if (result == 0)
		result = number(t, 2, &y);
	if (result)
		return result;
	series = labelled(t->parse->import, t->cells[0]);
	return series ? kb_import_append(series, true, x, y) : -ENOMEM;
}

static const char *const printed_names[3] = { "slope_printed", "intercept_printed", "r2_printed" };

/* ---- the header ------------------------------------------------------------------------------------ */

static bool finds_column(const struct kb_span *header, size_t columns, const char *name, size_t *column)
{
	for (*column = 0; *column < columns; ++*column) {
		if (kb_span_is(header[*column], name))
			return true;
	}
	return false;
}

static bool is_count(struct kb_span cell)
{
	return kb_span_is(cell, "s") || kb_span_is(cell, "S");
}

/* One group for every column behind s. */
static int group_header(struct table *t)
{
	struct kb_import *import = t->parse->import;

	for (size_t c = t->counted; c < t->columns; c++) {
		double n = number_at_end(t->cells[c]);

		if (!(n > 0))
			return kb_parse_wrong(t->parse, "the name '%.*s' of column %zu does not end with a test size",
			                      KB_SHOWN(t->cells[c]), c + 1);
		for (size_t i = 0; i < import->count; i++) {
			if (!(fabs(import->series[i].n - n) > 0))
				return kb_parse_wrong(t->parse, "two columns with test size %.0f", n);
		}
		if (!kb_import_add(import, n))
			return -ENOMEM;
	}
	import->kind = KB_IMPORT_GROUPS;
	import->unit = "cycles";
	return 0;
}

static int each_row(struct table *t, int (*take)(struct table *))
{
	int result = 0;

	while (result == 0 && kb_parse_line(t->parse))
		result = take(t);
	if (result == 0 && t->rows == 0)
		return kb_parse_wrong_file(t->parse, "a header and no measurement");
	return result;
}

static int printed_rows(struct table *t)
{
	struct kb_import *import = t->parse->import;
	size_t column[3];
	int result = 0;

	for (int i = 0; i < 3; i++) {
		if (!finds_column(t->cells, t->columns, printed_names[i], &column[i]))
			return kb_parse_wrong(t->parse, "no column %s", printed_names[i]);
	}
	import->kind = KB_IMPORT_PRINTED;
	while (result == 0 && kb_parse_line(t->parse)) {
		struct kb_import_series *series;

		result = row_cells(t);
		if (result == 0)
			result = check_label(t);
		for (int i = 0; i < 3 && result == 0; i++) {
			double ignored;

			result = number(t, column[i], &ignored);
			if (result == 0 && t->cells[column[i]].length >= sizeof series->printed[i])
				result = kb_parse_wrong(t->parse, "column %zu has too many digits", column[i] + 1);
		}
		if (result)
			break;
		series = labelled(import, t->cells[0]);
		if (!series)
			return -ENOMEM;
		for (int i = 0; i < 3; i++)
			memcpy(series->printed[i], t->cells[column[i]].at, t->cells[column[i]].length);
	}
	return result;
}

static int with_columns(struct table *t, enum kb_import_kind kind, bool header, int (*take)(struct table *))
{
	struct kb_import *import = t->parse->import;
	int result = 0;

	import->kind = kind;
	import->unit = kind == KB_IMPORT_LINES ? "" : "ticks";
	if (kind != KB_IMPORT_LINES && !kb_import_add(import, kind == KB_IMPORT_LIST ? 1 : 0))
		return -ENOMEM;
	if (!header)
		result = take(t);
	return result ? result : each_row(t, take);
}

/* The shape of the first row decides. */
static int by_shape(struct table *t)
{
	bool header = is_word(t->cells[t->columns - 1]);
	size_t ignored;

	if (header && finds_column(t->cells, t->columns, printed_names[0], &ignored))
		return printed_rows(t);
	t->counted = header && t->columns > 1 && is_count(t->cells[0]);
	if (t->counted && (t->columns > 2 || number_at_end(t->cells[1]) > 0)) {
		int result = group_header(t);

		return result ? result : each_row(t, group_row);
	}
	if (t->columns == 1 || t->counted)
		return with_columns(t, KB_IMPORT_LIST, header, group_row);
	if (t->columns == 2)
		return with_columns(t, KB_IMPORT_POINTS, header, point_row);
	if (t->columns == 3 && header)
		return with_columns(t, KB_IMPORT_LINES, header, line_row);
	return kb_parse_wrong(t->parse,
	                      "%zu columns: known are one (values), two (n, ticks), s and one a test size, or a "
	                      "name with x and y", t->columns);
}

int kb_import_csv(struct kb_parse *parse)
{
	struct table t = { .parse = parse };
	int result;

	if (!kb_parse_line(parse))
		return kb_parse_wrong_file(parse, "empty: no measurement in it");
	t.separator = separator_of(parse->line);
	t.columns = kb_parse_cells(parse->line, t.separator, NULL, 0);
	if (t.columns > KB_CELLS_MAX)
		return kb_parse_wrong(parse, "%zu columns, at most %d are read", t.columns, KB_CELLS_MAX);
	t.cells = calloc(t.columns, sizeof *t.cells);
	if (!t.cells)
		return -ENOMEM;
	kb_parse_cells(parse->line, t.separator, t.cells, t.columns);
	result = by_shape(&t);
	free(t.cells);
	return result;
}
