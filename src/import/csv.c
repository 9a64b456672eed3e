/*
 * CSV files: what a header or the first row says about the columns, and then every row against it. Their values need not be whole numbers,
 * nor belong to a benchmark, so they become series and no record.
 *
 *	groups      a column s, which counts, and one column a test size
 *	points      two columns: n and ticks, in run order
 *	list        one column of values; a column s alongside it counts them
 *	lines       three columns: a label, x and y
 *	printed     a label and columns slope_printed, intercept_printed, r2_printed
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "import/reader.h"
#include "result/samples.h"

/* Whole numbers up to this are exact as double. */
#define WHOLE_MAX 9007199254740992.0

#define PRINTED 3
static const char *const printed_names[PRINTED] = { "slope_printed", "intercept_printed", "r2_printed" };

struct sheet {
	struct kb_import_reader *reader;
	struct kb_import *import;
	char separator;
	struct kb_span *cells;          /* of the row at hand */
	size_t columns, rows;
	bool counted;                   /* the first column is s */
	double first_s;                 /* 0 or 1, as the first row has it */
	size_t printed[PRINTED];        /* columns */
};

/* Cells of the line, blanks and a pair of quotes taken off each. Returns how many there are, also beyond room. */
static size_t split_cells(const struct sheet *t, struct kb_span *cells, size_t room)
{
	struct kb_span line = t->reader->line;
	size_t count = 0, begin = 0;

	for (size_t i = 0; i <= line.length; i++) {
		if (i < line.length && line.at[i] != t->separator)
			continue;

		struct kb_span cell = kb_import_trimmed((struct kb_span){ line.at + begin, i - begin });

		if (cell.length >= 2 && cell.at[0] == '"' && cell.at[cell.length - 1] == '"')
			cell = (struct kb_span){ cell.at + 1, cell.length - 2 };
		if (count < room)
			cells[count] = cell;
		count++;
		begin = i + 1;
	}
	return count;
}

/* The whole number at the end of a column's name: test_size_30, "Test size: 30". 0: none. */
static double number_at_end(struct kb_span name)
{
	size_t begin = name.length;
	uint64_t n;

	while (begin > 0 && name.at[begin - 1] >= '0' && name.at[begin - 1] <= '9')
		begin--;
	/* All of it would be a value in a table without header. */
	if (begin == 0 || !kb_span_u64((struct kb_span){ name.at + begin, name.length - begin }, &n) || (double)n > WHOLE_MAX)
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

/* ---- cells ------------------------------------------------------------------------------------------ */

static int read_number(struct sheet *t, size_t column, double *value)
{
	struct kb_span cell = t->cells[column];
	char copy[64] = "", *end;

	if (cell.length == 0)
		return kb_import_refuse(t->reader, "column %zu is empty", column + 1);
	if (cell.length < sizeof copy)
		memcpy(copy, cell.at, cell.length);
	*value = strtod(copy, &end);
	/* strtod knows nan, inf and hexadecimal; a table of measurements has none of them. */
	if (!copy[0] || *end || strspn(copy, "0123456789+-.eE") != cell.length || !(fabs(*value) < 1e100))
		return kb_import_refuse(t->reader, "'%.*s' in column %zu is not a number below 1e100", KB_SHOWN(cell), column + 1);
	return 0;
}

static int read_time(struct sheet *t, size_t column, double *value)
{
	int result = read_number(t, column, value);

	if (result == 0 && *value < 0)
		return kb_import_refuse(t->reader, "%.15g in column %zu: a time cannot be negative", *value, column + 1);
	return result;
}

/* Tests count from 1, or from 0; a gap means a lost row. */
static int check_count(struct sheet *t)
{
	double s, expected;
	int result = read_number(t, 0, &s);

	if (result)
		return result;
	if (t->rows == 1)
		t->first_s = s > 0 ? 1 : 0;
	expected = t->first_s + (double)t->rows - 1;
	if (fabs(s - expected) > 0)
		return kb_import_refuse(t->reader, "test %.15g where test %.0f should stand: a line is missing or twice", s, expected);
	return 0;
}

static int append(struct kb_import_series *series, double x, double y)
{
	return kb_samples_append(&series->x, &(size_t){ series->count }, x) ?: kb_samples_append(&series->y, &series->count, y);
}

/* The series of the row's label, made if there is none. */
static int find_label(struct sheet *t, struct kb_import_series **series)
{
	struct kb_import *import = t->import;
	struct kb_span label = t->cells[0];

	if (label.length == 0)
		return kb_import_refuse(t->reader, "a point without a name");
	if (label.length >= sizeof (*series)->label)
		return kb_import_refuse(t->reader, "the name '%.*s...' is too long", KB_SHOWN(label));
	/* Replaced, two names could become one. */
	if (!kb_span_is_visible(label))
		return kb_import_refuse(t->reader, "the name '%.*s' holds control characters, or is no UTF-8: write it without",
					KB_SHOWN(label));
	for (size_t i = 0; i < import->count; i++) {
		*series = &import->series[i];
		if (kb_span_is(label, (*series)->label))
			return 0;
	}
	if (import->count > KB_CELLS_MAX)
		return kb_import_refuse(t->reader, "more than %d names", KB_CELLS_MAX);
	*series = kb_import_add_series(import, 0);
	if (!*series)
		return -ENOMEM;
	memcpy((*series)->label, label.at, label.length);
	return 0;
}

/* ---- rows ------------------------------------------------------------------------------------------- */

/* Of groups, and of lists, which are one group of single operations. */
static int take_group_row(struct sheet *t)
{
	int result = t->counted ? check_count(t) : 0;

	for (size_t c = t->counted; result == 0 && c < t->columns; c++) {
		struct kb_import_series *series = &t->import->series[c - t->counted];
		double a;

		result = read_time(t, c, &a) ?: kb_samples_append(&series->y, &series->count, a);
	}
	return result;
}

static int take_point(struct sheet *t)
{
	double n, ticks;
	int result = read_number(t, 0, &n) ?: read_time(t, 1, &ticks);

	if (result)
		return result;
	if (!(n >= 1) || n > WHOLE_MAX || fabs(n - floor(n)) > 0)
		return kb_import_refuse(t->reader, "n = %.15g: must be a whole number of operations from 1 to 2^53", n);
	return append(&t->import->series[0], n, ticks);
}

static int take_line(struct sheet *t)
{
	struct kb_import_series *series;
	double x, y;

	return find_label(t, &series) ?: read_number(t, 1, &x) ?: read_number(t, 2, &y) ?: append(series, x, y);
}

static int take_printed(struct sheet *t)
{
	struct kb_import_series *series;
	int result = find_label(t, &series);

	for (int i = 0; i < PRINTED && result == 0; i++) {
		struct kb_span cell = t->cells[t->printed[i]];
		double ignored;

		result = read_number(t, t->printed[i], &ignored);
		if (result == 0 && cell.length >= sizeof series->printed[i])
			result = kb_import_refuse(t->reader, "column %zu has too many digits", t->printed[i] + 1);
		if (result == 0)
			snprintf(series->printed[i], sizeof series->printed[i], "%.*s", (int)cell.length, cell.at);
	}
	return result;
}

/* From the line at hand on, or behind it if that is a header. */
static int take_rows(struct sheet *t, enum kb_import_form form, bool header, int (*take)(struct sheet *))
{
	bool more = header ? kb_import_next_line(t->reader) : true;
	int result = 0;

	t->import->form = form;
	for (; more && result == 0; more = kb_import_next_line(t->reader)) {
		size_t count = split_cells(t, t->cells, t->columns);

		if (count != t->columns)
			return kb_import_refuse(t->reader, "%zu columns where there should be %zu", count, t->columns);
		t->rows++;
		result = take(t);
	}
	if (result == 0 && t->rows == 0)
		return kb_import_refuse_at(t->reader, 0, "a header and no measurement");
	return result;
}

/* A grid of more n than this is none; the limit keeps a file in which no n comes twice from taking hours. */
#define GRID_MAX 1000

/* A block is a pass over the grid: it ends where an n comes again. */
static int number_blocks(struct kb_import_series *series)
{
	uint32_t *block = calloc(series->count + 1, sizeof *block);

	series->block = block;
	for (size_t i = 1, first = 0; block && i < series->count; i++) {
		bool again = i - first > GRID_MAX;

		for (size_t k = first; k < i && !again; k++)
			again = !(fabs(series->x[k] - series->x[i]) > 0);
		block[i] = block[i - 1] + again;
		first = again ? i : first;
	}
	return block ? 0 : -ENOMEM;
}

/* ---- the header ------------------------------------------------------------------------------------- */

static bool finds_column(const struct sheet *t, const char *name, size_t *column)
{
	for (*column = 0; *column < t->columns; ++*column) {
		if (kb_span_is(t->cells[*column], name))
			return true;
	}
	return false;
}

/* One group for every column behind s. */
static int read_groups(struct sheet *t)
{
	struct kb_import *import = t->import;

	import->unit = "cycles";
	for (size_t c = t->counted; c < t->columns; c++) {
		double n = number_at_end(t->cells[c]);

		if (!(n > 0))
			return kb_import_refuse(t->reader, "the name '%.*s' of column %zu does not end with a test size",
						KB_SHOWN(t->cells[c]), c + 1);
		for (size_t i = 0; i < import->count; i++) {
			if (!(fabs(import->series[i].n - n) > 0))
				return kb_import_refuse(t->reader, "two columns with test size %.0f", n);
		}
		if (!kb_import_add_series(import, n))
			return -ENOMEM;
	}
	return take_rows(t, KB_IMPORT_GROUPS, true, take_group_row);
}

/* The shape of the first row decides. */
static int read_shape(struct sheet *t)
{
	bool header = is_word(t->cells[t->columns - 1]), list;

	if (header && finds_column(t, printed_names[0], &t->printed[0])) {
		t->import->unit = "";
		for (int i = 1; i < PRINTED; i++) {
			if (!finds_column(t, printed_names[i], &t->printed[i]))
				return kb_import_refuse(t->reader, "no column %s", printed_names[i]);
		}
		return take_rows(t, KB_IMPORT_PRINTED, true, take_printed);
	}
	t->counted = header && t->columns > 1 && (kb_span_is(t->cells[0], "s") || kb_span_is(t->cells[0], "S"));
	if (t->counted && (t->columns > 2 || number_at_end(t->cells[1]) > 0))
		return read_groups(t);
	list = t->columns == 1 || t->counted;
	if (list || t->columns == 2) {
		if (!kb_import_add_series(t->import, list ? 1 : 0))
			return -ENOMEM;
		if (list)
			return take_rows(t, KB_IMPORT_LIST, header, take_group_row);
		return take_rows(t, KB_IMPORT_POINTS, header, take_point) ?: number_blocks(t->import->series);
	}
	t->import->unit = "";
	if (t->columns == 3 && header)
		return take_rows(t, KB_IMPORT_LINES, true, take_line);
	return kb_import_refuse(t->reader, "%zu columns: known are one (values), two (n, ticks), s and one a test size, or a name with x "
				"and y", t->columns);
}

static int read_sheet(struct kb_import_reader *reader)
{
	static const char separators[] = ",;\t";
	struct sheet t = { .reader = reader, .import = reader->import, .separator = ',' };
	int result;

	if (reader->text.length > 0 && memchr(reader->text.at, '\0', reader->text.length))
		return kb_import_refuse_at(reader, 0, "not a text");
	if (!kb_import_next_line(reader))
		return kb_import_refuse_at(reader, 0, "empty: no measurement in it");
	for (const char *s = separators; *s; s++) {
		if (memchr(reader->line.at, *s, reader->line.length)) {
			t.separator = *s;
			break;
		}
	}
	t.columns = split_cells(&t, NULL, 0);
	if (t.columns > KB_CELLS_MAX)
		return kb_import_refuse(reader, "%zu columns, at most %d are read", t.columns, KB_CELLS_MAX);
	t.cells = calloc(t.columns, sizeof *t.cells);
	if (!t.cells)
		return -ENOMEM;
	split_cells(&t, t.cells, t.columns);
	result = read_shape(&t);
	free(t.cells);
	return result;
}

const struct kb_import_kind kb_import_csv = { "CSV", false, NULL, read_sheet, false };
