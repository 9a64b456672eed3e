/*
 * See table.h. Cells are made twice, once to learn the widths and once to print: no line is kept, so a table of any
 * length needs no memory.
 */
#include "report/text/table.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/text/figure.h"
#include "report/text/groups.h"
#include "report/text/table_cells.h"
#include "report/text/words.h"

#define INDENT 2
#define GAP 2
/* What names and causes get before a column of numbers is left out for them. */
#define NAME_WISH 28
#define CAUSES_WISH 9
#define NAME_LEAST 16

static const struct { const char *title, *ascii; bool right; } columns[KB_COLUMNS] = {
	[KB_COLUMN_NAME] = { "", NULL, false },
	[KB_COLUMN_COST] = { "cost", NULL, true },
	[KB_COLUMN_UNIT] = { "", NULL, false },
	[KB_COLUMN_QUALITY] = { "\u00b195 %", "+-95 %", true },
	[KB_COLUMN_OBSERVED] = { "observed", NULL, true },
	[KB_COLUMN_P99] = { "p99", NULL, true },
	[KB_COLUMN_PROCESSES] = { "processes", NULL, false },
	[KB_COLUMN_VERDICT] = { "verdict", NULL, false },
	[KB_COLUMN_CAUSES] = { "causes", NULL, false },
};

struct layout {
	unsigned width[KB_COLUMNS];     /* 0: the column is left out */
	unsigned room;
};

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* ---- pen ----------------------------------------------------------------------------------------- */

/* Writes a line from left to right. Blanks wait for the text behind them: none stand at the end of a line, where they would
   break the comparison of two tables and wrap on narrow terminals. */
struct pen { FILE *out; unsigned waiting; };

static void put(struct pen *pen, const char *text, unsigned width, bool right)
{
	/* printf counts bytes for its widths, and a terminal characters. */
	unsigned used = kb_figure_width(text), pad = width > used ? width - used : 0;

	if (right)
		pen->waiting += pad;
	if (text[0]) {
		fprintf(pen->out, "%*s%s", (int)pen->waiting, "", text);
		pen->waiting = 0;
	}
	if (!right)
		pen->waiting += pad;
}

static void end_line(struct pen *pen)
{
	fputc('\n', pen->out);
	pen->waiting = 0;
}

/* Cuts text to that many columns and marks that something is missing. */
static void cut(char *text, unsigned width, bool utf8)
{
	const char *mark = utf8 ? "\u2026" : "...";
	unsigned keep = kb_figure_width(mark), kept = 0;
	size_t at = 0;

	if (kb_figure_width(text) <= width)
		return;
	keep = width > keep ? width - keep : 0;
	while (text[at] && (((unsigned char)text[at] & 0xc0) == 0x80 || kept < keep))
		kept += ((unsigned char)text[at++] & 0xc0) != 0x80;
	while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == ','))
		at--;
	if (strlen(text) >= at + strlen(mark))
		memcpy(text + at, mark, strlen(mark) + 1);
}

/* ---- one line ------------------------------------------------------------------------------------ */

static void put_verdict(struct pen *pen, const struct kb_result *result, unsigned width, const struct kb_look *look)
{
	static const char *const colours[KB_STATUSES] = {
		[KB_OK] = "32", [KB_NOISY] = "33", [KB_UNVERIFIED] = "33", [KB_INVALID] = "31", [KB_SKIPPED] = "2",
	};
	const char *name = kb_status_name(result->verdict.status);

	if (!look->colour) {
		put(pen, name, width, false);
		return;
	}
	fprintf(pen->out, "%*s\033[%sm%s\033[0m", (int)pen->waiting, "", colours[result->verdict.status], name);
	pen->waiting = width > strlen(name) ? width - (unsigned)strlen(name) : 0;
}

/* The benchmark's part gives way, for it is the parameters that tell two lines apart. false: then too little of it is left. */
static bool shorten(char name[KB_CELL_ROOM], unsigned width, bool utf8)
{
	char params[KB_CELL_ROOM];
	size_t end = strcspn(name, " ");
	unsigned of_params;

	if (kb_figure_width(name) <= width)
		return true;
	snprintf(params, sizeof params, "%s", name + end);
	of_params = kb_figure_width(params);
	if (width < of_params + NAME_LEAST / 2)
		return false;
	name[end] = '\0';
	cut(name, width - of_params, utf8);
	end = strlen(name);
	snprintf(name + end, KB_CELL_ROOM - end, "%.*s", (int)(KB_CELL_ROOM - 1 - end), params);
	return true;
}

static void put_name(struct pen *pen, char name[KB_CELL_ROOM], const struct layout *layout, bool utf8)
{
	pen->waiting = INDENT;
	if (!shorten(name, layout->width[KB_COLUMN_NAME], utf8)) {
		cut(name, layout->room - INDENT, utf8);
		put(pen, name, 0, false);
		end_line(pen);
		name[0] = '\0';
		pen->waiting = INDENT;
	}
	put(pen, name, layout->width[KB_COLUMN_NAME], false);
}

/* Without number the reason takes the place of the other numbers: it is what is to be known. */
static void put_reason(struct pen *pen, const struct layout *layout, const struct kb_result *result, const struct kb_look *look)
{
	unsigned used = INDENT + layout->width[KB_COLUMN_NAME] + GAP + layout->width[KB_COLUMN_COST] + 1 + layout->width[KB_COLUMN_UNIT];
	unsigned status = (unsigned)strlen(kb_status_name(result->verdict.status));
	char reason[KB_CELL_ROOM];

	pen->waiting += 1 + layout->width[KB_COLUMN_UNIT] + GAP;
	put_verdict(pen, result, 0, look);
	used += 2 * GAP + status;
	kb_cells_reason(reason, result, look);
	cut(reason, layout->room > used ? layout->room - used : 0, look->utf8);
	pen->waiting = GAP;
	put(pen, reason, 0, false);
}

static void print_line(FILE *out, const struct layout *layout, struct kb_cells *cells, const struct kb_result *result,
		       const struct kb_look *look)
{
	struct pen pen = { .out = out };

	put_name(&pen, cells->text[KB_COLUMN_NAME], layout, look->utf8);
	pen.waiting += GAP;
	put(&pen, cells->text[KB_COLUMN_COST], layout->width[KB_COLUMN_COST], true);
	if (result && !result->estimate.known) {
		put_reason(&pen, layout, result, look);
		end_line(&pen);
		return;
	}
	cut(cells->text[KB_COLUMN_CAUSES], layout->width[KB_COLUMN_CAUSES], look->utf8);
	for (int i = KB_COLUMN_UNIT; i < KB_COLUMNS; i++) {
		if (layout->width[i] == 0)
			continue;
		pen.waiting += i == KB_COLUMN_UNIT ? 1 : GAP;
		if (i == KB_COLUMN_VERDICT && result)
			put_verdict(&pen, result, layout->width[i], look);
		else
			put(&pen, cells->text[i], layout->width[i], columns[i].right);
	}
	end_line(&pen);
}

static void print_titles(FILE *out, const struct layout *layout, const struct kb_look *look)
{
	struct kb_cells cells;

	for (int i = 0; i < KB_COLUMNS; i++)
		snprintf(cells.text[i], KB_CELL_ROOM, "%s", !look->utf8 && columns[i].ascii ? columns[i].ascii : columns[i].title);
	print_line(out, layout, &cells, NULL, look);
}

/* ---- widths -------------------------------------------------------------------------------------- */

static void widen(struct layout *layout, const struct kb_cells *cells, bool number)
{
	for (int i = 0; i < KB_COLUMNS; i++) {
		unsigned width = kb_figure_width(cells->text[i]);

		if ((number || i == KB_COLUMN_NAME) && width > layout->width[i])
			layout->width[i] = width;
	}
}

/* Columns that all but names and causes take. */
static unsigned taken(const struct layout *layout)
{
	unsigned sum = INDENT + 1 + GAP;

	for (int i = KB_COLUMN_COST; i < KB_COLUMN_CAUSES; i++)
		sum += layout->width[i] + (layout->width[i] > 0 && i != KB_COLUMN_UNIT ? GAP : 0);
	return sum;
}

/* Numbers have the width of their longest; names and causes share what is left. */
static void fit(struct layout *layout)
{
	static const enum kb_column spare[] = { KB_COLUMN_P99, KB_COLUMN_PROCESSES, KB_COLUMN_OBSERVED };
	unsigned name = layout->width[KB_COLUMN_NAME], causes = least(layout->width[KB_COLUMN_CAUSES], CAUSES_WISH);

	for (size_t i = 0; i < sizeof spare / sizeof spare[0] && taken(layout) + least(name, NAME_WISH) + causes > layout->room; i++)
		layout->width[spare[i]] = 0;

	unsigned left = layout->room > taken(layout) ? layout->room - taken(layout) : 0;
	unsigned most = left > causes + NAME_LEAST ? left - causes : NAME_LEAST;

	layout->width[KB_COLUMN_NAME] = least(name, most);
	layout->width[KB_COLUMN_CAUSES] = left > layout->width[KB_COLUMN_NAME] ? left - layout->width[KB_COLUMN_NAME] : 0;
}

static struct layout lay_out(const struct kb_table *table)
{
	struct layout layout = { .room = table->look->width };
	struct kb_cells cells;

	for (int i = KB_COLUMN_COST; i < KB_COLUMNS; i++) {
		const char *title = !table->look->utf8 && columns[i].ascii ? columns[i].ascii : columns[i].title;

		layout.width[i] = kb_figure_width(title);
	}
	for (size_t i = 0; i < table->count; i++) {
		if (kb_is_self_test(table->results[i]->benchmark))
			continue;
		kb_cells_make(&cells, table, table->results[i]);
		widen(&layout, &cells, table->results[i]->estimate.known);
	}
	fit(&layout);
	return layout;
}

/* ---- warning ------------------------------------------------------------------------------------- */

/* Learns what concerns all results. */
static void survey(struct kb_table *table)
{
	double contended = 0;
	size_t probed = 0, not_excluded = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct kb_result *result = table->results[i];

		if (isnan(result->clean_share) || kb_is_self_test(result->benchmark))
			continue;
		probed++;
		contended += 1 - result->clean_share;
		not_excluded += kb_verdict_has(&result->verdict, KB_CODE_contention_not_excluded) ||
				kb_verdict_has(&result->verdict, KB_CODE_partner_not_probed);
	}
	table->contended = probed > 0 && contended / (double)probed >= KB_CONTENDED_LEAST ? contended / (double)probed : NAN;
	table->not_excluded = probed > 1 && not_excluded == probed;
}

/* The detail that all results share which were not freed of contention; NULL: they differ. */
static const char *shared_detail(const struct kb_table *table)
{
	const char *shared = NULL;

	for (size_t i = 0; i < table->count; i++) {
		const struct kb_verdict *verdict = &table->results[i]->verdict;

		for (unsigned r = 0; r < verdict->count && r < KB_REASONS_MAX; r++) {
			if (verdict->reasons[r].code != KB_CODE_contention_not_excluded)
				continue;
			if (shared && strcmp(shared, verdict->reasons[r].detail) != 0)
				return NULL;
			shared = verdict->reasons[r].detail;
		}
	}
	return shared && shared[0] ? shared : NULL;
}

static void print_warning(FILE *out, const struct kb_table *table, bool shared_host)
{
	const char *detail = shared_detail(table);
	char text[400];

	if (table->not_excluded) {
		snprintf(text, sizeof text, "contention not excluded: %s; costs include it", detail ? detail : "");
		/* One line, or without the detail. */
		if (!detail || kb_figure_width(text) > table->look->width)
			snprintf(text, sizeof text, "contention is not excluded, which makes results noisy; costs include it");
	} else if (!isnan(table->contended)) {
		snprintf(text, sizeof text, "shared %s: the core was contended %.0f %% of the time: costs exclude it, 'observed' includes it",
			 shared_host ? "host" : "core", 100 * table->contended);
	} else {
		return;
	}
	kb_words_plain(text, table->look);
	kb_words_wrap(out, table->look, 0, text);
}

/* ---- groups -------------------------------------------------------------------------------------- */

/* More kinds of operation than this make no heading any more. */
#define KINDS_MAX 3

/* Which operations the costs of a group are of, each once; a bandwidth has no such word. Returns how many; more are not kept. */
static unsigned operations(const struct kb_table *table, unsigned group, const char *kinds[KINDS_MAX + 1])
{
	unsigned count = 0;

	for (size_t i = 0; i < table->count && count <= KINDS_MAX; i++) {
		const struct kb_result *result = table->results[i];
		bool known = !result->per[0] || result->bytes_per_op > 0 || kb_group_of(result->benchmark) != group;

		for (unsigned k = 0; k < count; k++)
			known |= strcmp(kinds[k], result->per) == 0;
		if (!known)
			kinds[count++] = result->per;
	}
	return count;
}

/* "IPC, per round-trip or request": a time there cannot be taken for one way. */
static void print_group(FILE *out, const struct kb_table *table, unsigned group)
{
	const char *kinds[KINDS_MAX + 1];
	unsigned count = operations(table, group, kinds);

	fputs(kb_group_heading(group), out);
	for (unsigned i = 0; count <= KINDS_MAX && i < count; i++)
		fprintf(out, "%s%s", i == 0 ? ", per " : i + 1 == count ? " or " : ", ", kinds[i]);
	fputc('\n', out);
}

static void print_rows(FILE *out, const struct kb_table *table, const struct layout *layout, unsigned group)
{
	bool headed = false;

	for (size_t i = 0; i < table->count; i++) {
		const struct kb_result *result = table->results[i];
		struct kb_cells cells;

		if (kb_group_of(result->benchmark) != group)
			continue;
		if (!headed)
			print_group(out, table, group);
		headed = true;
		kb_cells_make(&cells, table, result);
		print_line(out, layout, &cells, result, table->look);
	}
}

/* ---- self-tests ---------------------------------------------------------------------------------- */

/* Two decimals: what is below a hundredth of a nanosecond is nothing. */
static void nothing(char number[KB_FIGURE_ROOM], const struct kb_estimate *estimate, double factor, bool utf8)
{
	double value = round(100 * estimate->value * factor) / 100 + 0.0;
	double half = fmax(estimate->high - estimate->value, estimate->value - estimate->low) * factor;

	if (estimate->known && estimate->bounded)
		snprintf(number, KB_FIGURE_ROOM, "%.2f %s%.2f", value, utf8 ? "\u00b1" : "+-", fmax(1, ceil(100 * half)) / 100);
	else
		snprintf(number, KB_FIGURE_ROOM, estimate->known ? "%.2f" : "-", value);
}

/* A test of the tool itself, not a cost of the machine: its number must be what it is known to be. */
static void print_self_test(FILE *out, const struct kb_table *table, const struct kb_result *result)
{
	bool empty = result->bound == KB_NOTHING;
	struct kb_scale scale = kb_scale_of(result);
	char number[KB_FIGURE_ROOM], reason[KB_CELL_ROOM], line[3 * KB_CELL_ROOM];
	struct kb_cells cells;

	if (empty)
		nothing(number, &result->estimate, scale.factor, table->look->utf8);
	else
		kb_figure_estimate(number, &result->estimate, scale.factor, table->look->utf8);
	kb_cells_make(&cells, table, result);
	kb_cells_reason(reason, result, table->look);
	snprintf(line, sizeof line, "self-test (%s): %s%s%s, %s%s%s", empty ? "an empty loop" : cells.text[KB_COLUMN_NAME], number,
		 result->estimate.known ? " " : "", result->estimate.known ? scale.unit : "",
		 result->verdict.status == KB_OK ? "passed" : kb_status_name(result->verdict.status), reason[0] ? ": " : "", reason);
	cut(line, table->look->width, table->look->utf8);
	fprintf(out, "%s\n", line);
}

/* ---- all ----------------------------------------------------------------------------------------- */

void kb_table_print(FILE *out, const struct kb_result *const *results, size_t count, bool shared_host, const struct kb_look *look)
{
	struct kb_look page = *look;
	struct kb_table table = { results, count, &page, NAN, false };
	size_t rows = 0;

	page.width = look->width ? look->width : KB_WIDTH_USUAL;

	for (size_t i = 0; i < count; i++)
		rows += !kb_is_self_test(results[i]->benchmark);
	survey(&table);
	if (count > 1)
		print_warning(out, &table, shared_host);
	else
		table = (struct kb_table){ results, count, &page, NAN, false };

	struct layout layout = lay_out(&table);

	if (rows > 0)
		print_titles(out, &layout, &page);
	for (unsigned group = 0; group < kb_group_count; group++) {
		if (kb_group_heading(group)[0])
			print_rows(out, &table, &layout, group);
	}
	for (size_t i = 0; i < count; i++) {
		if (kb_is_self_test(results[i]->benchmark))
			print_self_test(out, &table, results[i]);
	}
	if (count == 1)
		kb_words_reasons_from(out, &page, &results[0]->verdict, look->notes ? KB_NOTE : KB_CAUSE);
}
