/*
 * The console output of the KBench application (picture 4.1 of its document), of which a log may have several: four numbers, then the
 * table. Everything around is the boot log. Each becomes a record of method kanata: what it knows, and no more. The numbers are held
 * against the table, for a log may be cut off: then the record says so. What contradicts itself, as a row with a message of the kernel
 * inside, is refused.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "grown.h"
#include "import/reader.h"

#define TABLE_MAX 1000000ull    /* tests or groups; more is a garbled number */

enum { INITIAL, DELTA, TESTS, GROUPS, NUMBERS };

static const char *const names[NUMBERS] = {
	[INITIAL] = "Initial Test size:",
	[DELTA] = "Delta:",
	[TESTS] = "Number of Tests / Sample size of Accumulated latency:",
	[GROUPS] = "Number of Groups:",
};

static const char head[] = "Accumulated latencies", done[] = "Done!";

struct table {
	struct kb_import_reader *reader;
	uint64_t number[NUMBERS];
	bool seen[NUMBERS];
	uint64_t *cells;                /* test by test, a value a group */
	size_t rows;                    /* tests that are there, whole */
	unsigned line, end;             /* that it starts in, and that was read last of it */
	char cut[120];                  /* why it is not whole; "": it is */
	bool sampled;                   /* but all its tests are there */
};

/* The line begins the next table, which is read next. */
static void put_back(struct kb_import_reader *reader)
{
	reader->rest.length += (size_t)(reader->rest.at - reader->line.at);
	reader->rest.at = reader->line.at;
	reader->number--;
}

/* ---- the numbers ------------------------------------------------------------------------------------ */

static int read_number(struct table *t, int which)
{
	struct kb_span word = t->reader->line;

	word.at += strlen(names[which]);
	word.length -= strlen(names[which]);
	word = kb_import_trimmed(word);
	if (t->seen[which])
		return kb_import_refuse(t->reader, "a second '%s' before the table", names[which]);
	if (word.length == 0 || !kb_span_u64(word, &t->number[which]))
		return kb_import_refuse(t->reader, "'%s' is followed by '%.*s', not by a number", names[which], KB_SHOWN(word));
	t->seen[which] = true;
	return 0;
}

static int check_numbers(struct table *t)
{
	unsigned long long initial = t->number[INITIAL], delta = t->number[DELTA], tests = t->number[TESTS], groups = t->number[GROUPS];

	for (int i = 0; i < NUMBERS; i++) {
		if (!t->seen[i])
			return kb_import_refuse(t->reader, "the table begins without '%s' before it", names[i]);
	}
	if (initial < 1 || initial > 1ull << 40 || delta > 1ull << 20)
		return kb_import_refuse(t->reader, "test sizes from %llu in steps of %llu are not possible", initial, delta);
	if (delta == 0 && groups > 1)
		return kb_import_refuse(t->reader, "Delta is 0, yet there are %llu groups", groups);
	if (tests < 1 || tests > TABLE_MAX || groups < 1 || groups > KB_CELLS_MAX)
		return kb_import_refuse(t->reader, "%llu tests in %llu groups are not possible", tests, groups);
	return 0;
}

/* Everything up to the table. -ENODATA: there is no other one. */
static int read_head(struct table *t)
{
	while (kb_import_next_line(t->reader)) {
		struct kb_span line = t->reader->line;

		t->end = t->reader->number;
		if (kb_span_starts(line, head))
			return check_numbers(t);
		/* A machine that restarted. */
		if (kb_span_starts(line, names[INITIAL]) && t->seen[INITIAL]) {
			put_back(t->reader);
			break;
		}
		for (int i = 0; i < NUMBERS; i++) {
			int result = kb_span_starts(line, names[i]) ? read_number(t, i) : 0;

			if (result)
				return result;
		}
		if (t->seen[INITIAL] && t->line == 0)
			t->line = t->end;
	}
	if (!t->seen[INITIAL])
		return -ENODATA;
	snprintf(t->cut, sizeof t->cut, "the log ends before the line '%s'", head);
	return 0;
}

/* ---- the table -------------------------------------------------------------------------------------- */

/* Numbers of the line, behind those of the tests before it, and how many words there are; *wrong: the first that is no number, if any. */
static int split_line(struct table *t, size_t *count, struct kb_span *wrong)
{
	size_t groups = t->number[GROUPS];
	struct kb_span rest = t->reader->line, word;
	uint64_t *cells = kb_grown(t->cells, t->rows, groups * sizeof *cells);

	if (!cells)
		return -ENOMEM;
	t->cells = cells;
	*count = wrong->length = 0;
	while ((word = kb_span_word(&rest)).length > 0) {
		word = kb_import_trimmed(word);
		if (*count < groups && wrong->length == 0 && !kb_span_u64(word, &cells[t->rows * groups + *count]))
			*wrong = word;
		*count += word.length > 0;
	}
	return 0;
}

static int read_row(struct table *t)
{
	const struct kb_import_reader *reader = t->reader;
	size_t groups = t->number[GROUPS], count;
	bool unfinished = reader->rest.length == 0 && reader->line.at + reader->line.length == reader->rest.at;
	struct kb_span wrong;

	if (split_line(t, &count, &wrong))
		return -ENOMEM;
	if (count < groups && unfinished) {
		snprintf(t->cut, sizeof t->cut, "the log ends inside test %zu of %llu", t->rows + 1, (unsigned long long)t->number[TESTS]);
		return 0;
	}
	if (wrong.length > 0)
		return kb_import_refuse(t->reader, "'%.*s' is not a number of cycles", KB_SHOWN(wrong));
	if (count != groups)
		return kb_import_refuse(t->reader, "%zu values, the log declares %zu groups", count, groups);
	t->rows++;
	return 0;
}

/* What ends a table: the application's last word, or its next start. */
static bool is_end(struct table *t)
{
	bool next = kb_span_starts(t->reader->line, names[INITIAL]);

	if (next)
		put_back(t->reader);
	return next || kb_span_starts(t->reader->line, done);
}

static int read_rows(struct table *t)
{
	unsigned long long tests = t->number[TESTS];
	int result = 0;

	while (result == 0 && t->rows < tests && !t->cut[0] && kb_import_next_line(t->reader)) {
		struct kb_span rest = t->reader->line, word = kb_span_word(&rest);

		t->end = t->reader->number;
		/* Rows begin with a digit; a line that does not is a message between two rows, which cut neither. */
		if (word.length > 0 && word.at[0] >= '0' && word.at[0] <= '9')
			result = read_row(t);
		else if (is_end(t))
			snprintf(t->cut, sizeof t->cut, "'%.*s' after %zu of %llu tests", KB_SHOWN(t->reader->line), t->rows, tests);
	}
	if (result == 0 && t->rows < tests && !t->cut[0])
		snprintf(t->cut, sizeof t->cut, "%zu tests, the log declares %llu", t->rows, tests);
	return result;
}

/* Up to the application's last word, or to its next start. */
static int read_end(struct table *t)
{
	struct kb_span wrong;
	size_t count;

	while (kb_import_next_line(t->reader)) {
		if (split_line(t, &count, &wrong))
			return -ENOMEM;
		if (count == t->number[GROUPS] && wrong.length == 0)
			return kb_import_refuse(t->reader, "%llu tests, the log declares %llu", (unsigned long long)t->number[TESTS] + 1,
						(unsigned long long)t->number[TESTS]);
		if (!is_end(t))
			continue;
		if (kb_span_starts(t->reader->line, done))
			return 0;
		break;
	}
	t->sampled = true;
	snprintf(t->cut, sizeof t->cut, "the log ends without '%s'", done);
	return 0;
}

/* Groups one after the other, as they were measured: the table has a column for each. */
static int make_process(struct table *t)
{
	const char *bench = t->reader->options->bench;
	struct kb_import_run *run = kb_import_run_of(t->reader->import, "", "", "");
	size_t groups = t->number[GROUPS];
	struct kb_import_writer writer;
	char text[160];

	if (!run || kb_import_begin(&writer, t->reader, run, bench ? bench : "sel4.signal", "", "iteration", "kanata"))
		return -ENOMEM;
	writer.process.line = t->line;
	writer.process.cut_line = t->end;
	writer.process.sampled = t->sampled;
	memcpy(writer.process.cut, t->cut, sizeof t->cut);
	snprintf(text, sizeof text, "imported=kanata group_size=%llu groups=%zu", (unsigned long long)t->number[TESTS], groups);
	kb_record_line(&writer.record, "env", text);
	for (size_t g = 0; g < groups; g++) {
		for (size_t s = 0; s < t->rows; s++)
			kb_record_obs(&writer.record, &(struct kb_obs){
				.role = KB_ROLE_OP, .n = t->number[INITIAL] + g * t->number[DELTA], .ticks = t->cells[s * groups + g],
				.block = g });
	}
	return kb_import_end(&writer, 0);
}

static bool is_kanata(struct kb_span text)
{
	return kb_import_find_line(text, 0, names[INITIAL]) < text.length || kb_import_find_line(text, 0, head) < text.length;
}

static int read_tables(struct kb_import_reader *reader)
{
	unsigned tables = 0;
	int result;

	reader->import->form = KB_IMPORT_GROUPS;
	reader->import->unit = "cycles";
	do {
		struct table t = { .reader = reader };

		result = read_head(&t);
		if (result == 0 && !t.cut[0])
			result = read_rows(&t);
		if (result == 0 && !t.cut[0])
			result = read_end(&t);
		if (result == 0)
			result = make_process(&t);
		free(t.cells);
		tables += result == 0;
	} while (result == 0);
	if (result == -ENODATA && tables == 0)
		return kb_import_refuse_at(reader, 0, "no table of groups in it");
	return result == -ENODATA ? 0 : result;
}

const struct kb_import_kind kb_import_kanata = { "kanata", true, is_kanata, read_tables, false };
