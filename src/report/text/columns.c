/* See columns.h. */
#define _GNU_SOURCE
#include "report/text/columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define GAP 2

/* ---- text --------------------------------------------------------------------------------------------- */

/* Bytes of a colour, as in "\033[32m"; 0: there is none. */
static size_t colour_at(struct kb_span text)
{
	const char *end = text.length > 0 && text.at[0] == '\033' ? memchr(text.at, 'm', text.length) : NULL;

	return end ? (size_t)(end - text.at) + 1 : 0;
}

/* Bytes up to that many columns. Continuation bytes of UTF-8 take no column. */
static size_t bytes_of(struct kb_span text, unsigned columns, unsigned *taken)
{
	size_t at = 0;

	for (*taken = 0; at < text.length;) {
		size_t colour = colour_at((struct kb_span){ text.at + at, text.length - at });
		bool counts = !colour && ((unsigned char)text.at[at] & 0xc0) != 0x80;

		if (counts && *taken == columns)
			break;
		*taken += counts;
		at += colour ? colour : 1;
	}
	return at;
}

static unsigned width_of(struct kb_span text)
{
	unsigned width;

	bytes_of(text, UINT32_MAX, &width);
	return width;
}

unsigned kb_text_width(const char *text)
{
	return width_of((struct kb_span){ text, strlen(text) });
}

/* Colours that were cut off are printed: one of them ends the colour. */
static unsigned put_cut(FILE *out, struct kb_span text, unsigned room, bool utf8)
{
	unsigned mark = utf8 ? 1 : 3, taken, width = width_of(text);
	size_t kept = bytes_of(text, width <= room ? width : room > mark ? room - mark : 0, &taken);

	while (width > room && kept > 0 && (text.at[kept - 1] == ' ' || text.at[kept - 1] == ',')) {
		kept--;
		taken--;
	}
	fprintf(out, "%.*s%s", (int)kept, text.at, width <= room ? "" : utf8 ? "\u2026" : "...");
	for (size_t at = kept; at < text.length; at++) {
		size_t colour = colour_at((struct kb_span){ text.at + at, text.length - at });

		fwrite(text.at + at, 1, colour, out);
	}
	return width <= room ? width : taken + mark;
}

unsigned kb_text_cut(FILE *out, const char *text, unsigned width, bool utf8)
{
	return put_cut(out, (struct kb_span){ text, strlen(text) }, width, utf8);
}

/* ---- widths ------------------------------------------------------------------------------------------- */

/* What stands before the mark, or all; the rest begins behind it. */
static struct kb_span cut_off(struct kb_span *rest, char mark)
{
	const char *end = memchr(rest->at, mark, rest->length);
	struct kb_span part = { rest->at, end ? (size_t)(end - rest->at) : rest->length };
	size_t used = part.length + (end != NULL);

	*rest = (struct kb_span){ rest->at + used, rest->length - used };
	return part;
}

static bool has_cell(struct kb_span line)
{
	return memchr(line.at, '\t', line.length) != NULL;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned most(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static unsigned gap_of(const struct kb_columns *columns, unsigned i)
{
	return i == 0 ? columns->indent : columns->align[i] == 'u' ? 1 : GAP;
}

static void widen(struct kb_columns *columns)
{
	struct kb_span rest = { columns->text, columns->length };
	size_t count = strlen(columns->align);

	while (rest.length > 0) {
		struct kb_span line = cut_off(&rest, '\n');
		unsigned i = 0, *width = columns->width;

		for (; i < count && has_cell(line); i++)
			width[i] = most(width[i], width_of(cut_off(&line, '\t')));
		/* Text before the end of its row is a sentence in place of the other cells. */
		if (i > 0 && i + 1 == count)
			width[i] = most(width[i], width_of(line));
	}
}

/* Cells in the middle have the width of their longest; the first and the last share what is left. */
static void fit(struct kb_columns *columns)
{
	unsigned count = (unsigned)strlen(columns->align), *width = columns->width, taken = gap_of(columns, 0) + GAP, left;
	unsigned name = least(width[0], columns->first_wanted), end = least(width[count - 1], columns->last_wanted);

	for (unsigned i = 1; i + 1 < count; i++)
		taken += width[i] > 0 ? width[i] + gap_of(columns, i) : 0;
	for (const char *drop = columns->drop; *drop && taken + name + end > columns->room; drop++) {
		unsigned i = (unsigned)(*drop - '0');

		taken -= width[i] + (width[i] > 0 ? gap_of(columns, i) : 0);
		width[i] = 0;
	}
	left = columns->room > taken ? columns->room - taken : 0;
	width[0] = least(width[0], most(left > end ? left - end : 0, columns->first_least));
}

/* ---- lines -------------------------------------------------------------------------------------------- */

/* Blanks wait for the text behind them: none stand at the end of a line, where they would break the comparison of two tables and wrap
   on narrow terminals. */
struct pen { FILE *out; unsigned column, waiting; };

static void put(struct pen *pen, struct kb_span text, unsigned width, bool right)
{
	unsigned used = width_of(text), pad = width > used ? width - used : 0;

	pen->waiting += right ? pad : 0;
	if (text.length > 0) {
		fprintf(pen->out, "%*s%.*s", (int)pen->waiting, "", (int)text.length, text.at);
		pen->column += pen->waiting + used;
		pen->waiting = 0;
	}
	pen->waiting += right ? 0 : pad;
}

/* The first word gives way, for it is the others that tell two lines apart. What cannot be shortened has a line of its own. */
static void put_first(struct pen *pen, const struct kb_columns *columns, struct kb_span cell)
{
	unsigned width = columns->width[0], all = width_of(cell);
	const char *blank = memchr(cell.at, ' ', cell.length);
	size_t word = blank ? (size_t)(blank - cell.at) : cell.length;
	struct kb_span rest = { cell.at + word, cell.length - word };

	if (all <= width) {
		put(pen, cell, width, columns->align[0] == 'r');
		return;
	}
	fprintf(pen->out, "%*s", (int)pen->waiting, "");
	if (columns->room > 0 && width >= width_of(rest) + columns->first_least / 2) {
		unsigned used = put_cut(pen->out, (struct kb_span){ cell.at, word }, width - width_of(rest), columns->utf8) + width_of(rest);

		fprintf(pen->out, "%.*s", (int)rest.length, rest.at);
		pen->column = pen->waiting + used;
		pen->waiting = width - used;
		return;
	}
	put_cut(pen->out, cell, columns->room > 0 ? columns->room - columns->indent : all, columns->utf8);
	fputc('\n', pen->out);
	pen->waiting += width;
}

static void print_line(FILE *out, const struct kb_columns *columns, struct kb_span line)
{
	struct pen pen = { .out = out };
	size_t count = strlen(columns->align);
	unsigned i = 0, room = UINT32_MAX;

	for (; i < count && has_cell(line); i++) {
		struct kb_span cell = cut_off(&line, '\t');

		pen.waiting += i == 0 || columns->width[i] > 0 ? gap_of(columns, i) : 0;
		if (i == 0)
			put_first(&pen, columns, cell);
		else if (columns->width[i] > 0)
			put(&pen, cell, columns->width[i], columns->align[i] == 'r');
	}
	if (line.length > 0) {
		pen.waiting += i > 0 ? GAP : 0;
		if (i > 0 && columns->room > 0)
			room = columns->room - least(columns->room, pen.column + pen.waiting);
		fprintf(out, "%*s", (int)pen.waiting, "");
		put_cut(out, line, room, columns->utf8);
	}
	fputc('\n', out);
}

FILE *kb_columns_open(struct kb_columns *columns, FILE *out)
{
	columns->cells = open_memstream(&columns->text, &columns->length);
	return columns->cells ? columns->cells : out;
}

void kb_columns_print(struct kb_columns *columns, FILE *out)
{
	struct kb_span rest = { 0 };

	if (columns->cells && !fclose(columns->cells)) {
		widen(columns);
		if (columns->first_most > 0)
			columns->width[0] = least(columns->width[0], columns->first_most);
		if (columns->room > 0)
			fit(columns);
		rest = (struct kb_span){ columns->text, columns->length };
	}
	while (rest.length > 0)
		print_line(out, columns, cut_off(&rest, '\n'));
	free(columns->text);
}
