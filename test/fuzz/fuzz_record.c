/*
 * Any bytes as a record. Spans stay inside the text, and whatever lines are delivered can be written again: the
 * copy is whole (or fails in the same way) and says the same. So the check sum does not keep the fuzzer out.
 */
#include "fuzz.h"

#include "base/record.h"

struct copy { char *bytes; size_t used, room; };

static int copy_write(void *context, const char *bytes, size_t count)
{
	struct copy *copy = context;

	if (count > copy->room - copy->used)
		return -ENOSPC;
	memcpy(copy->bytes + copy->used, bytes, count);
	copy->used += count;
	return 0;
}

static void require_inside(struct kb_span span, const uint8_t *data, size_t size)
{
	const char *start = (const char *)data;

	require(span.at >= start && span.at <= start + size && span.length <= (size_t)(start + size - span.at));
}

static void write_text_line(struct kb_record_writer *writer, const struct kb_line *line)
{
	char word[32], rest[KB_RECORD_LINE_MAX];

	require(line->word.length < sizeof(word) && line->rest.length < sizeof(rest));
	memcpy(word, line->word.at, line->word.length);
	word[line->word.length] = '\0';
	memcpy(rest, line->rest.at, line->rest.length);
	rest[line->rest.length] = '\0';
	kb_record_line(writer, word, rest);
}

static void write_line(struct kb_record_writer *writer, const struct kb_line *line)
{
	switch (line->kind) {
	case KB_LINE_HEADER:
	case KB_LINE_BLOCK:
		write_text_line(writer, line);
		return;
	case KB_LINE_OBS:
		kb_record_obs(writer, &line->obs);
		return;
	case KB_LINE_PROBE:
		kb_record_probe(writer, &line->probe);
		return;
	case KB_LINE_EVIDENCE:
		kb_record_evidence(writer, &line->evidence);
		return;
	case KB_LINE_FAIL:
		kb_record_fail(writer, line->fail.stage, line->fail.error, line->fail.detail);
		return;
	default:
		return;
	}
}

/* The next line that is not foreign. */
static void next_ours(struct kb_record_reader *reader, struct kb_line *line)
{
	do
		kb_record_next(reader, line);
	while (line->kind == KB_LINE_FOREIGN);
}

static bool same_around(const struct kb_around *a, const struct kb_around *b)
{
	return a->before == b->before && a->after == b->after;
}

static bool same_line(const struct kb_line *a, const struct kb_line *b)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case KB_LINE_HEADER:
	case KB_LINE_BLOCK:
		return a->word.length == b->word.length && a->rest.length == b->rest.length &&
		       !memcmp(a->rest.at, b->rest.at, a->rest.length) && a->block.index == b->block.index &&
		       a->block.rest.length == b->block.rest.length;
	case KB_LINE_OBS:
		return a->obs.role == b->obs.role && a->obs.n == b->obs.n && a->obs.ticks == b->obs.ticks &&
		       a->obs.t == b->obs.t && a->obs.block == b->obs.block && a->obs.cpu == b->obs.cpu &&
		       a->obs.flags == b->obs.flags && same_around(&a->obs.around, &b->obs.around);
	case KB_LINE_PROBE:
		return !strcmp(a->probe.name, b->probe.name) && a->probe.n == b->probe.n &&
		       a->probe.ticks == b->probe.ticks && a->probe.block == b->probe.block &&
		       same_around(&a->probe.around, &b->probe.around);
	case KB_LINE_EVIDENCE:
		return !strcmp(a->evidence.counter, b->evidence.counter) && !strcmp(a->evidence.who, b->evidence.who) &&
		       a->evidence.base == b->evidence.base && a->evidence.count == b->evidence.count &&
		       a->evidence.operations == b->evidence.operations && a->evidence.samples == b->evidence.samples;
	case KB_LINE_FAIL:
		return !strcmp(a->fail.stage, b->fail.stage) && a->fail.error == b->fail.error &&
		       !strcmp(a->fail.detail, b->fail.detail);
	default:
		return true;
	}
}

/* Writes what is delivered; the state that the original had. */
static enum kb_record_state copy_record(const uint8_t *data, size_t size, struct copy *copy)
{
	struct kb_record_writer writer;
	struct kb_record_reader reader;
	struct kb_line line;

	kb_record_begin(&writer, (struct kb_sink){ copy_write, copy });
	kb_record_open(&reader, (const char *)data, size);
	while (kb_record_next(&reader, &line) != KB_LINE_NONE) {
		require_inside(line.word, data, size);
		require_inside(line.rest, data, size);
		if (line.kind == KB_LINE_BLOCK)
			require_inside(line.block.rest, data, size);
		write_line(&writer, &line);
	}
	require(reader.foreign <= reader.line);
	if (reader.state != KB_RECORD_FAILED)
		require(kb_record_end(&writer) == 0);
	require(writer.error == 0);
	return reader.state;
}

static void compare_records(const uint8_t *data, size_t size, const struct copy *copy)
{
	struct kb_record_reader original, again;
	struct kb_line a, b;

	kb_record_open(&original, (const char *)data, size);
	kb_record_open(&again, copy->bytes, copy->used);
	for (;;) {
		next_ours(&original, &a);
		kb_record_next(&again, &b);
		if (a.kind == KB_LINE_NONE)
			break;
		require(same_line(&a, &b));
	}
	if (original.state == KB_RECORD_WHOLE || original.state == KB_RECORD_FAILED)
		require(b.kind == KB_LINE_NONE && again.state == original.state);
	else
		require(b.kind == (original.begun ? KB_LINE_END : KB_LINE_BEGIN));
	while (kb_record_next(&again, &b) != KB_LINE_NONE)
		;
	require(again.state == (original.state == KB_RECORD_FAILED ? KB_RECORD_FAILED : KB_RECORD_WHOLE));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* "o 1 2" becomes "o 1 2 t=0 k=0 cpu=0": no line grows to four times its length. */
	struct copy copy = { .room = 4 * size + 256 };

	copy.bytes = malloc(copy.room);
	require(copy.bytes != NULL);
	copy_record(data, size, &copy);
	compare_records(data, size, &copy);
	free(copy.bytes);
	return 0;
}
