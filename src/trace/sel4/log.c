/* See log.h. */
#include "trace/sel4/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/record.h"
#include "record_format.h"
#include "trace/points/log_lines.h"

const char *const kb_sel4_path_names[KB_SEL4_PATHS] = {
	"unknown", "interrupt", "other call", "user fault", "debug fault", "page fault", "system call", "virtual cpu",
};

const char *const kb_sel4_user_names[KB_SEL4_USERS] = { "Low", "High", "init", "idle" };

/* ---- bytes --------------------------------------------------------------------------------------------- */

static uint64_t little(const unsigned char *bytes, unsigned count)
{
	uint64_t value = 0;

	for (unsigned i = count; i-- > 0;)
		value = value << 8 | bytes[i];
	return value;
}

struct kb_sel4_entry kb_sel4_entry_decode(const unsigned char bytes[KB_SEL4_ENTRY_BYTES])
{
	/* The path has a byte of its own, and what follows begins in the next one. */
	uint32_t word = (uint32_t)little(bytes + 13, 4), large = word >> 3 & 0x3ffffff;
	struct kb_sel4_entry entry = {
		.start = little(bytes, 8), .duration = (uint32_t)little(bytes + 8, 4), .path = bytes[12] & 7,
	};

	if (entry.path == KB_SEL4_CALL) {
		entry.call = word & 15;
		entry.capability = word >> 4 & 31;
		entry.fastpath = word >> 9 & 1;
		entry.invocation = word >> 10 & 0x7ffff;
	} else {
		entry.core = word & 7;
		/* Calls outside the kernel's interface, its own tools among them, have negative numbers of 26 bits. */
		entry.word = large & 1u << 25 ? (int32_t)large - (1 << 26) : (int32_t)large;
	}
	return entry;
}

static int nibble(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* 0 or -errno. */
static int add_bytes(struct kb_sel4_log *log, struct kb_span hex)
{
	size_t more = log->length + hex.length / 2;

	if (more > log->bytes_room) {
		size_t room = 2 * more;
		unsigned char *bytes = realloc(log->bytes, room);

		if (!bytes)
			return -ENOMEM;
		log->bytes = bytes;
		log->bytes_room = room;
	}
	for (size_t i = 0; i + 1 < hex.length; i += 2) {
		int high = nibble(hex.at[i]), low = nibble(hex.at[i + 1]);

		if (high < 0 || low < 0)
			return -EINVAL;
		log->bytes[log->length++] = (unsigned char)(high << 4 | low);
	}
	return hex.length % 2 ? -EINVAL : 0;
}

/* ---- lines --------------------------------------------------------------------------------------------- */

/* It is printed as it is kept. */
static void take_text(char *text, size_t room, struct kb_span from)
{
	snprintf(text, room, "%.*s", (int)from.length, from.at);
	kb_make_visible(text, '?');
}

/* "1.Call,2.ReplyRecv"; the first name of a number stands. */
static void take_calls(struct kb_sel4_log *log, struct kb_span list)
{
	while (list.length > 0) {
		const char *end = memchr(list.at, ',', list.length), *dot;
		struct kb_span one = { list.at, end ? (size_t)(end - list.at) : list.length };
		uint64_t number;

		dot = memchr(one.at, '.', one.length);
		if (dot && kb_span_u64((struct kb_span){ one.at, (size_t)(dot - one.at) }, &number) && number < 16 &&
		    !log->calls[number][0])
			take_text(log->calls[number], sizeof log->calls[number], (struct kb_span){ dot + 1, one.length - (size_t)(dot + 1 - one.at) });
		one.length += end != NULL;
		list = (struct kb_span){ list.at + one.length, list.length - one.length };
	}
}

static void take_number(struct kb_sel4_log *log, struct kb_span key, struct kb_span value)
{
	const struct { const char *key; uint64_t *value; } numbers[] = {
		{ "log_index", &log->index }, { "log_room", &log->room }, { "log_circles", &log->operations },
		{ "log_tests", &log->tests }, { "util_tests", &log->shares.tests }, { "util_low", &log->shares.use[0] },
		{ "util_high", &log->shares.use[1] }, { "util_init", &log->shares.use[2] }, { "util_idle", &log->shares.use[3] },
		{ "util_kernel", &log->shares.kernel }, { "util_total", &log->shares.total },
	};

	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		if (kb_span_is(key, numbers[i].key))
			kb_span_u64(value, numbers[i].value);
	}
}

static int take_env(struct kb_sel4_log *log, struct kb_span rest)
{
	int error = 0;

	for (struct kb_span word = kb_span_word(&rest), key, value; word.length > 0 && !error; word = kb_span_word(&rest)) {
		if (!kb_span_pair(word, &key, &value))
			continue;
		if (kb_span_is(key, "log_raw"))
			error = add_bytes(log, value);
		else if (kb_span_is(key, "log_calls"))
			take_calls(log, value);
		else if (kb_span_is(key, "log_of"))
			log->last = kb_span_is(value, "last");
		else if (kb_span_is(key, "log"))
			*(kb_span_is(value, "entries") ? &log->entries : &log->points) = true;
		else
			take_number(log, key, value);
		log->shares_known |= kb_span_is(key, "util_total");
	}
	return error;
}

static int take(struct kb_sel4_log *log, const struct kb_line *line)
{
	struct kb_span rest = line->rest;

	if (line->kind != KB_LINE_HEADER)
		return 0;
	if (kb_span_is(line->word, "bench"))
		take_text(log->bench, sizeof log->bench, rest);
	if (kb_span_is(line->word, "clock")) {
		struct kb_span name = kb_span_word(&rest);

		take_text(log->clock, sizeof log->clock, name);
	}
	return kb_span_is(line->word, "env") ? take_env(log, rest) : 0;
}

int kb_sel4_log_read(struct kb_sel4_log *log, const char *text, size_t length, char error[160])
{
	struct kb_record_reader reader;
	struct kb_line line;
	int result = 0;

	*log = (struct kb_sel4_log){ 0 };
	error[0] = '\0';
	kb_record_open(&reader, text, length);
	while (result == 0 && kb_record_next(&reader, &line) != KB_LINE_NONE)
		result = take(log, &line);
	if (result == -ENOMEM || (!result && !log->entries && !log->points && !log->shares_known))
		return result ? result : -ENOENT;

	uint64_t size = log->entries ? KB_SEL4_ENTRY_BYTES : KB_SEL4_POINT_BYTES;
	uint64_t kept = log->index < log->room ? log->index : log->room;

	if (result)
		snprintf(error, 160, "line %llu: no bytes in hexadecimal", (unsigned long long)reader.line);
	else if (reader.state != KB_RECORD_WHOLE)
		snprintf(error, 160, "line %llu: %s", (unsigned long long)reader.line, kb_record_state_words(reader.state));
	else if ((log->entries || log->points) && (log->length % size || log->length / size != kept))
		snprintf(error, 160, "%zu bytes of log, but %llu entries of %llu bytes", log->length, (unsigned long long)kept,
			 (unsigned long long)size);
	return error[0] ? -EINVAL : 0;
}

void kb_sel4_log_free(struct kb_sel4_log *log)
{
	free(log->bytes);
	log->bytes = NULL;
}

size_t kb_sel4_log_count(const struct kb_sel4_log *log)
{
	return log->length / (log->entries ? KB_SEL4_ENTRY_BYTES : KB_SEL4_POINT_BYTES);
}

uint64_t kb_sel4_log_lost(const struct kb_sel4_log *log)
{
	return log->index > log->room ? log->index - log->room : 0;
}

bool kb_sel4_log_full(const struct kb_sel4_log *log)
{
	return log->index >= log->room;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* What entries of one row have in common, as a number to sort by. */
static uint64_t key_of(const struct kb_sel4_entry *entry)
{
	uint64_t path = (uint64_t)entry->path << 40;

	if (entry->path == KB_SEL4_CALL)
		return path | entry->call << 8 | entry->capability << 1 | entry->fastpath;
	return path | (uint32_t)entry->word;
}

static int by_key(const void *a, const void *b)
{
	const struct kb_sel4_entry *x = a, *y = b;
	uint64_t of_x = key_of(x), of_y = key_of(y);

	if (of_x != of_y)
		return of_x < of_y ? -1 : 1;
	/* In the order of time, which qsort does not keep. */
	return (x->start > y->start) - (x->start < y->start);
}

static int by_total(const void *a, const void *b)
{
	const struct kb_sel4_row *x = a, *y = b;

	if (x->total < y->total || x->total > y->total)
		return x->total < y->total ? 1 : -1;
	return (x->count < y->count) - (x->count > y->count);
}

/* values: room for all of them. */
static struct kb_sel4_row row_of(const struct kb_sel4_entry *entries, size_t count, double *values)
{
	struct kb_sel4_row row = { .of = entries[0], .count = count, .min = entries[0].duration };

	for (size_t i = 0; i < count; i++) {
		values[i] = entries[i].duration;
		row.total += values[i];
		row.min = values[i] < row.min ? values[i] : row.min;
		row.max = values[i] > row.max ? values[i] : row.max;
	}
	row.median = kb_quantile_interval(values, count, .5, .95);
	return row;
}

struct kb_sel4_row *kb_sel4_log_rows(const struct kb_sel4_log *log, size_t *count)
{
	size_t all = kb_sel4_log_count(log), used = all > 0 ? all - 1 : 0;
	struct kb_sel4_entry *entries = calloc(all + 1, sizeof *entries);
	struct kb_sel4_row *rows = calloc(all + 1, sizeof *rows);
	double *values = calloc(all + 1, sizeof *values);

	*count = 0;
	if (entries && rows && values) {
		for (size_t i = 0; i < used; i++)
			entries[i] = kb_sel4_entry_decode(log->bytes + (i + 1) * KB_SEL4_ENTRY_BYTES);
		qsort(entries, used, sizeof *entries, by_key);
		for (size_t i = 0, same; i < used; i += same) {
			for (same = 1; i + same < used && key_of(&entries[i + same]) == key_of(&entries[i]);)
				same++;
			rows[(*count)++] = row_of(entries + i, same, values);
		}
		qsort(rows, *count, sizeof *rows, by_total);
	} else {
		free(rows);
		rows = NULL;
	}
	free(entries);
	free(values);
	return rows;
}

void kb_sel4_row_name(const struct kb_sel4_log *log, const struct kb_sel4_row *row, char *text, size_t room)
{
	const struct kb_sel4_entry *of = &row->of;

	if (of->path != KB_SEL4_CALL)
		snprintf(text, room, "%d", of->word);
	else if (log->calls[of->call][0])
		snprintf(text, room, "%s cap %u%s", log->calls[of->call], of->capability, of->fastpath ? " fast" : "");
	else
		snprintf(text, room, "call %u cap %u%s", of->call, of->capability, of->fastpath ? " fast" : "");
}

double kb_sel4_shares_percent(const struct kb_sel4_shares *shares)
{
	double all = 0;

	for (unsigned i = 0; i < KB_SEL4_USERS; i++)
		all += (double)shares->use[i];
	return shares->total ? 100 * all / (double)shares->total : 0;
}

/* Beyond this is more than rounding of the counters' own reading explains. */
#define PERCENT_MAX 100.01

bool kb_sel4_shares_credible(const struct kb_sel4_shares *shares)
{
	return shares->total > 0 && kb_sel4_shares_percent(shares) <= PERCENT_MAX;
}

/* ---- trace points, as the lines of kbench_trace.h's own logs, so that what reads those reads these ---------- */

struct point { uint64_t key, ticks; };

static struct point point_at(const struct kb_sel4_log *log, size_t i)
{
	const unsigned char *bytes = log->bytes + i * KB_SEL4_POINT_BYTES;

	return (struct point){ little(bytes, 8), little(bytes + 8, 8) };
}

/* The inner pair ends right before the outer one: anything else is not a pair with nothing else inside. An entry tells how long, not
   when: other pairs are put one after the other, and none inside another. */
static size_t put_points(const struct kb_sel4_log *log, unsigned outer, unsigned inner, struct kb_record_writer *out)
{
	size_t nested = 0, count = kb_sel4_log_count(log);
	uint64_t t = 0;
	char key[40];

	kb_record_format(out, "clock", "%s hz=0 quantum=0 cost=0 ordered=1", log->clock);
	kb_record_line(out, "env", "trace=1");
	for (size_t i = 0; i < count; i++) {
		struct point point = point_at(log, i), next = i + 1 < count ? point_at(log, i + 1) : (struct point){ outer + 1u, 0 };

		if (point.key == inner && next.key == outer) {
			kb_trace_lines_overhead(out, &point.ticks, &next.ticks, 1);
			nested++;
			i++;
			continue;
		}
		int length = snprintf(key, sizeof key, "x.key=%llu", (unsigned long long)point.key);

		kb_record_obs(out, &(struct kb_obs){
			.role = KB_ROLE_OP, .n = 1, .ticks = point.ticks, .t = t, .block = 1, .extra = { key, (size_t)length },
		});
		t += point.ticks + 1;
	}
	kb_record_format(out, "k", "1 lost=%llu entries=%zu", (unsigned long long)kb_sel4_log_lost(log), count);
	kb_record_end(out);
	return nested;
}

char *kb_sel4_points_text(const struct kb_sel4_log *log, unsigned outer, unsigned inner, size_t *length, char error[160])
{
	struct kb_record_writer out;
	char *text = NULL;
	FILE *stream = open_memstream(&text, length);
	size_t nested;

	snprintf(error, 160, "no memory");
	if (!stream)
		return NULL;
	kb_record_begin(&out, (struct kb_sink){ kb_put_to_file, stream });
	nested = put_points(log, outer, inner, &out);
	if (fclose(stream) == 0 && !out.error && nested > 0)
		return text;
	if (nested == 0)
		snprintf(error, 160, "no pair of key %u directly inside one of key %u: what a pair costs is not in this log", inner, outer);
	free(text);
	return NULL;
}
