/*
 * The console output of the KBench application (picture 4.1 of its document): four numbers, then the table. Everything
 * around is the boot log. The numbers are held against the table, for a log may be cut off: then the table says so. What
 * contradicts itself, as a row with a message of the kernel inside, is refused.
 */
#include "import/console.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_MAX 1000000ull    /* tests or groups; more is a garbled number */

enum { INITIAL, DELTA, TESTS, GROUPS, NUMBERS };

static const char *const names[NUMBERS] = {
	[INITIAL] = "Initial Test size:",
	[DELTA] = "Delta:",
	[TESTS] = "Number of Tests / Sample size of Accumulated latency:",
	[GROUPS] = "Number of Groups:",
};

struct console {
	struct kb_parse *parse;
	struct kb_console_table *table;
	uint64_t number[NUMBERS];
	bool seen[NUMBERS];
	struct kb_span *words;
};

static bool starts(struct kb_span line, const char *start, struct kb_span *behind)
{
	size_t length = strlen(start);

	if (line.length < length || memcmp(line.at, start, length) != 0)
		return false;
	*behind = (struct kb_span){ line.at + length, line.length - length };
	return true;
}

/* For the next one who asks: the line begins the next table. */
static void put_back(struct kb_parse *parse)
{
	parse->rest.length += (size_t)(parse->rest.at - parse->line.at);
	parse->rest.at = parse->line.at;
	parse->number--;
}

/* ---- the numbers ----------------------------------------------------------------------------------- */

static int read_number(struct console *c, int which, struct kb_span text)
{
	struct kb_span word;

	kb_parse_cells(text, '\n', &word, 1);
	if (c->seen[which])
		return kb_parse_wrong(c->parse, "a second '%s' before the table", names[which]);
	if (word.length == 0 || !kb_span_u64(word, &c->number[which]))
		return kb_parse_wrong(
			c->parse, "'%s' is followed by '%.*s', not by a number", names[which], KB_SHOWN(word));
	c->seen[which] = true;
	return 0;
}

static int check_numbers(struct console *c)
{
	const uint64_t *number = c->number;

	for (int i = 0; i < NUMBERS; i++) {
		if (!c->seen[i])
			return kb_parse_wrong(c->parse, "the table begins without '%s' before it", names[i]);
	}
	if (number[INITIAL] < 1 || number[INITIAL] > 1ull << 40 || number[DELTA] > 1ull << 20)
		return kb_parse_wrong(c->parse, "test sizes from %llu in steps of %llu are not possible",
		                      (unsigned long long)number[INITIAL], (unsigned long long)number[DELTA]);
	if (number[DELTA] == 0 && number[GROUPS] > 1)
		return kb_parse_wrong(c->parse, "Delta is 0, yet there are %llu groups",
		                      (unsigned long long)number[GROUPS]);
	if (number[TESTS] < 1 || number[TESTS] > TABLE_MAX || number[GROUPS] < 1 || number[GROUPS] > KB_CELLS_MAX)
		return kb_parse_wrong(c->parse, "%llu tests in %llu groups are not possible",
		                      (unsigned long long)number[TESTS], (unsigned long long)number[GROUPS]);
	c->table->initial = number[INITIAL];
	c->table->delta = number[DELTA];
	c->table->tests = number[TESTS];
	c->table->groups = number[GROUPS];
	return 0;
}

static int cut_head(struct console *c)
{
	snprintf(c->table->cut, sizeof c->table->cut, "the log ends before the line 'Accumulated latencies'");
	c->table->end = c->parse->number;
	return 1;
}

/* Everything up to the table. 0, 1: cut off in it, or -EINVAL. */
static int read_head(struct console *c)
{
	struct kb_span behind;

	while (kb_parse_line(c->parse)) {
		if (starts(c->parse->line, "Accumulated latencies", &behind))
			return check_numbers(c);
		/* A machine that restarted. */
		if (starts(c->parse->line, names[INITIAL], &behind) && c->seen[INITIAL]) {
			cut_head(c);
			put_back(c->parse);
			return 1;
		}
		for (int i = 0; i < NUMBERS; i++) {
			int result = starts(c->parse->line, names[i], &behind) ? read_number(c, i, behind) : 0;

			if (result)
				return result;
		}
		if (c->seen[INITIAL] && c->table->line == 0)
			c->table->line = c->parse->number;
	}
	return c->seen[INITIAL] ? cut_head(c) : -ENODATA;
}

/* ---- the table ------------------------------------------------------------------------------------- */

/* Words between any number of blanks. */
static size_t words_of(struct kb_span line, struct kb_span *words, size_t room)
{
	size_t count = 0;

	for (struct kb_span word = kb_span_word(&line); word.length > 0; word = kb_span_word(&line)) {
		while (word.length > 0 && word.at[word.length - 1] == '\r')
			word.length--;
		if (word.length > 0 && count < room)
			words[count] = word;
		count += word.length > 0;
	}
	return count;
}

static bool make_room(struct kb_console_table *table)
{
	size_t room = table->room ? 2 * table->room : 32;
	uint64_t *cells;

	if (table->rows < table->room)
		return true;
	cells = reallocarray(table->cells, room, table->groups * sizeof *cells);
	if (!cells)
		return false;
	table->cells = cells;
	table->room = room;
	return true;
}

/* The last line of the log, without its end. */
static bool unfinished(const struct kb_parse *parse)
{
	return parse->rest.length == 0 && parse->line.at + parse->line.length == parse->rest.at;
}

static int read_row(struct console *c)
{
	struct kb_console_table *table = c->table;
	size_t groups = table->groups, count = words_of(c->parse->line, c->words, groups);

	if (count < groups && unfinished(c->parse)) {
		snprintf(table->cut, sizeof table->cut, "the log ends inside test %zu of %llu", table->rows + 1,
			 (unsigned long long)table->tests);
		return 0;
	}
	if (!make_room(table))
		return -ENOMEM;
	for (size_t g = 0; g < groups && g < count; g++) {
		if (!kb_span_u64(c->words[g], &table->cells[table->rows * groups + g]))
			return kb_parse_wrong(c->parse, "'%.*s' is not a number of cycles", KB_SHOWN(c->words[g]));
	}
	if (count != groups)
		return kb_parse_wrong(c->parse, "%zu values, the log says %zu groups", count, groups);
	table->rows++;
	return 0;
}

/* Nothing but numbers, as many as there are groups. */
static bool is_whole_row(struct console *c)
{
	uint64_t ignored;

	if (words_of(c->parse->line, c->words, c->table->groups) != c->table->groups)
		return false;
	for (size_t g = 0; g < c->table->groups; g++) {
		if (!kb_span_u64(c->words[g], &ignored))
			return false;
	}
	return true;
}

/* Rows begin with a digit; a line that does not is a message between two rows, which cut neither. */
static bool is_row(struct kb_span line)
{
	struct kb_span word = kb_span_word(&line);

	return word.length > 0 && word.at[0] >= '0' && word.at[0] <= '9';
}

/* What ends a table that is not whole: the application's last word, or its next start. */
static bool is_end(struct console *c)
{
	struct kb_span ignored;

	return starts(c->parse->line, "Done!", &ignored) || starts(c->parse->line, names[INITIAL], &ignored);
}

static int read_rows(struct console *c)
{
	struct kb_console_table *table = c->table;
	struct kb_span ignored;
	int result = 0;

	while (result == 0 && table->rows < table->tests && !table->cut[0] && kb_parse_line(c->parse)) {
		if (is_row(c->parse->line))
			result = read_row(c);
		else if (is_end(c)) {
			snprintf(table->cut, sizeof table->cut, "'%.*s' after %zu of %llu tests", KB_SHOWN(c->parse->line),
				 table->rows, (unsigned long long)table->tests);
			table->end = c->parse->number;
			if (starts(c->parse->line, names[INITIAL], &ignored))
				put_back(c->parse);
			return 0;
		}
	}
	if (result == 0 && table->rows < table->tests && !table->cut[0])
		snprintf(table->cut, sizeof table->cut, "%zu tests, the log says %llu", table->rows,
			 (unsigned long long)table->tests);
	table->end = c->parse->number;
	return result;
}

/* Up to the application's last word, or to its next start. */
static int read_end(struct console *c)
{
	struct kb_span ignored;

	while (kb_parse_line(c->parse)) {
		if (is_whole_row(c))
			return kb_parse_wrong(c->parse, "%llu tests, the log says %llu", (unsigned long long)c->table->tests + 1,
					      (unsigned long long)c->table->tests);
		if (!is_end(c))
			continue;
		c->table->done = starts(c->parse->line, "Done!", &ignored);
		if (!c->table->done)
			put_back(c->parse);
		break;
	}
	return 0;
}

int kb_console_next(struct kb_parse *parse, struct kb_console_table *table)
{
	struct console c = { .parse = parse, .table = table };

	*table = (struct kb_console_table){ 0 };

	int result = read_head(&c);

	if (result == -ENODATA)
		return 0;
	if (result == 0) {
		c.words = calloc(table->groups + 1, sizeof *c.words);
		result = c.words ? read_rows(&c) : -ENOMEM;
		if (result == 0 && !table->cut[0])
			result = read_end(&c);
	}
	free(c.words);
	return result < 0 ? result : 1;
}

void kb_console_free(struct kb_console_table *table)
{
	free(table->cells);
	*table = (struct kb_console_table){ 0 };
}

/* ---- as groups ------------------------------------------------------------------------------------- */

static int add_groups(struct kb_import *import, const struct kb_console_table *table)
{
	for (uint64_t g = 0; g < table->groups; g++) {
		struct kb_import_series *series = kb_import_add(import, (double)(table->initial + g * table->delta));

		if (!series)
			return -ENOMEM;
		for (size_t s = 0; s < table->rows; s++) {
			if (kb_import_append(series, false, 0, (double)table->cells[s * table->groups + g]))
				return -ENOMEM;
		}
	}
	return 0;
}

int kb_import_console(struct kb_parse *parse)
{
	struct kb_console_table table;
	int result;

	parse->import->kind = KB_IMPORT_GROUPS;
	parse->import->unit = "cycles";
	do {
		result = kb_console_next(parse, &table);
		if (result == 1 && table.cut[0]) {
			parse->number = table.end;
			result = kb_parse_wrong(parse, "%s", table.cut);
		} else if (result == 1) {
			result = add_groups(parse->import, &table) ?: 1;
		}
		kb_console_free(&table);
	} while (result == 1);
	if (result == 0 && parse->import->count == 0)
		return kb_parse_wrong_file(parse, "the log ends before the line 'Accumulated latencies'");
	return result;
}
