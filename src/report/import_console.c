/*
 * The console output of the KBench application (picture 4.1 of its document): four numbers, then the table. Everything
 * before is the boot log. The numbers are held against the table, for a log may be cut off.
 */
#include "report/import_parse.h"

#include <errno.h>
#include <math.h>
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
	uint64_t number[NUMBERS];
	bool seen[NUMBERS];
	struct kb_span *cells;
	size_t rows;
};

static bool starts(struct kb_span line, const char *start, struct kb_span *behind)
{
	size_t length = strlen(start);

	if (line.length < length || memcmp(line.at, start, length) != 0)
		return false;
	*behind = (struct kb_span){ line.at + length, line.length - length };
	return true;
}

static int read_number(struct console *c, int which, struct kb_span text)
{
	struct kb_span word;

	kb_parse_cells(text, '\n', &word, 1);
	if (c->seen[which])
		return kb_parse_wrong(c->parse, "a second '%s': one table a file", names[which]);
	if (!kb_span_u64(word, &c->number[which]))
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
	return 0;
}

/* Everything up to the table. */
static int read_head(struct console *c)
{
	struct kb_span behind;

	while (kb_parse_line(c->parse)) {
		if (starts(c->parse->line, "Accumulated latencies", &behind))
			return check_numbers(c);
		for (int i = 0; i < NUMBERS; i++) {
			int result = starts(c->parse->line, names[i], &behind) ? read_number(c, i, behind) : 0;

			if (result)
				return result;
		}
	}
	return kb_parse_wrong_file(c->parse, "the log ends before the line 'Accumulated latencies'");
}

static int add_groups(struct console *c)
{
	for (uint64_t g = 0; g < c->number[GROUPS]; g++) {
		if (!kb_import_add(c->parse->import, (double)(c->number[INITIAL] + g * c->number[DELTA])))
			return -ENOMEM;
	}
	c->cells = calloc(c->number[GROUPS] + 1, sizeof *c->cells);
	return c->cells ? 0 : -ENOMEM;
}

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

static int read_row(struct console *c)
{
	size_t groups = c->number[GROUPS], count = words_of(c->parse->line, c->cells, groups);
	double a;

	if (count != groups)
		return kb_parse_wrong(c->parse, "%zu values, the log says %zu groups", count, groups);
	for (size_t g = 0; g < groups; g++) {
		if (!kb_parse_decimal(c->cells[g], &a) || a < 0)
			return kb_parse_wrong(c->parse, "'%.*s' is not a number of cycles", KB_SHOWN(c->cells[g]));
		if (kb_import_append(&c->parse->import->series[g], false, 0, a))
			return -ENOMEM;
	}
	c->rows++;
	return 0;
}

/* A table of numbers ends at the first line that begins with something else. */
static bool is_row(struct kb_span line)
{
	struct kb_span word = kb_span_word(&line);

	return word.length > 0 && word.at[0] >= '0' && word.at[0] <= '9';
}

static int read_table(struct console *c)
{
	struct kb_span ignored;
	int result = add_groups(c);

	while (result == 0 && kb_parse_line(c->parse)) {
		if (is_row(c->parse->line))
			result = read_row(c);
		else if (c->rows < c->number[TESTS])
			return kb_parse_wrong(c->parse, "'%.*s' after %zu of %llu tests", KB_SHOWN(c->parse->line),
			                      c->rows,
			                      (unsigned long long)c->number[TESTS]);
		else
			break;
	}
	if (result == 0 && c->rows != c->number[TESTS])
		return kb_parse_wrong(c->parse, "%zu tests, the log says %llu", c->rows,
		                      (unsigned long long)c->number[TESTS]);
	while (result == 0 && kb_parse_line(c->parse)) {
		if (starts(c->parse->line, names[INITIAL], &ignored))
			return kb_parse_wrong(c->parse, "a second table: give each a file of its own");
	}
	return result;
}

int kb_import_console(struct kb_parse *parse)
{
	struct console c = { .parse = parse };
	int result = read_head(&c);

	parse->import->kind = KB_IMPORT_GROUPS;
	parse->import->unit = "cycles";
	if (result == 0)
		result = read_table(&c);
	free(c.cells);
	return result;
}
