/* What a block calls, in order: one letter a call, on a clock that moves with the calls. */
#ifndef TEST_MEASURE_CALLS_H
#define TEST_MEASURE_CALLS_H

#include <string.h>

#include "measure/measure.h"

/* < > clock, b before, w a line written where those are asked for. */
static struct {
	char calls[256], text[4096];
	size_t count, length;
	uint64_t now;
	bool writes;
} seen;

static void call(char letter)
{
	if (seen.count + 1 < sizeof seen.calls)
		seen.calls[seen.count++] = letter;
}

static uint64_t begin(void)
{
	call('<');
	return seen.now += 100;
}

static uint64_t end(void)
{
	call('>');
	return seen.now += 7;
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)run, (void)n;
	call('b');
	return 0;
}

static const struct kb_clock fake_clock = { .name = "fake", .begin = begin, .end = end };

static int sink(void *context, const char *bytes, size_t count)
{
	(void)context;
	if (seen.writes)
		call('w');
	if (count < sizeof seen.text - seen.length) {
		memcpy(seen.text + seen.length, bytes, count);
		seen.length += count;
	}
	return 0;
}

/* The block of a line of a plan, with what was written in seen.text. */
static int run_block(struct kb_measure measure, const char *line)
{
	static struct kb_measure measured;
	static struct kb_record_writer out;
	struct kb_block block;

	kb_record_begin(&out, (struct kb_sink){ sink, NULL });
	seen.count = seen.length = 0;
	measured = measure;
	measured.clock = &fake_clock;
	measured.out = &out;
	assert_int_equal(kb_plan_parse((struct kb_span){ line, strlen(line) }, &block), 0);
	int result = kb_measure_block(&measured, &block);

	seen.calls[seen.count] = seen.text[seen.length] = 0;
	return result;
}

#endif
