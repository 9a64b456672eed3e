/* Writing records: the exact bytes, reading them back, and what the writer does with what does not fit. */
#include "base/record.h"
#include "base/rng.h"
#include "helpers.h"

static void exact_bytes(void **state)
{
	static const char expected[] =
		"kbench-record 2\n"
		"bench ipc.pipe_latency\n"
		"o 300 1363962 t=120 k=0 cpu=1 p=1352,1378 twin=1364001 flags=migrated,gap\n"
		"b 300 4011 t=1364100 k=0 cpu=1\n"
		"p clock 100 432 k=0 p=1378,1352\n"
		"e majflt 300 300 1\n"
		"eb majflt 0 300 1 who=peer\n"
		"k 0 steal=0 irq=3\n"
		"end o=1 b=1 q=0 e=2 crc=";
	static struct buffer buffer;
	struct kb_record_writer writer;

	(void)state;
	kb_record_begin(&writer, buffer_sink(&buffer));
	kb_record_line(&writer, "bench", "ipc.pipe_latency");
	kb_record_obs(&writer, &(struct kb_obs){ KB_ROLE_OP, 300, 1363962, 120, 0, 1, KB_FLAG_GAP | KB_FLAG_MIGRATED,
	                                            { 1352, 1378 }, { 0 }, 0, NULL, { 0 }, 1364001 });
	kb_record_obs(&writer, &(struct kb_obs){ KB_ROLE_BASE, 300, 4011, 1364100, 0, 1, 0, { 0, 0 }, { 0 }, 0, NULL, { 0 }, 0 });
	kb_record_probe(&writer, &(struct kb_probe_line){ "clock", 100, 432, 0, { 1378, 1352 } });
	kb_record_evidence(&writer, &(struct kb_evidence){ "majflt", "self", false, 300, 300, 1 });
	kb_record_evidence(&writer, &(struct kb_evidence){ "majflt", "peer", true, 0, 300, 1 });
	kb_record_line(&writer, "k", "0 steal=0 irq=3");
	assert_int_equal(kb_record_end(&writer), 0);
	assert_memory_equal(buffer.bytes, expected, sizeof(expected) - 1);
	assert_int_equal(buffer.used, sizeof(expected) - 1 + 9);
}

static void random_name(struct kb_rng *rng, char *name, size_t room)
{
	size_t length = 1 + (size_t)kb_rng_below(rng, room - 1);

	for (size_t i = 0; i < length; i++)
		name[i] = "abcdefghijklmnopqrstuvwxyz_0123456789"[kb_rng_below(rng, 37)];
	name[length] = '\0';
}

static uint64_t random_u64(struct kb_rng *rng)
{
	return kb_rng_next(rng) >> kb_rng_below(rng, 64);
}

/* One in four samples has no probes. */
static struct kb_around random_around(struct kb_rng *rng)
{
	bool probed = kb_rng_below(rng, 4) > 0;

	return (struct kb_around){ probed ? random_u64(rng) : 0, probed ? random_u64(rng) : 0 };
}

/* Fills one line of a random kind and writes it. */
static void write_random(struct kb_rng *rng, struct kb_record_writer *writer, struct kb_line *line)
{
	static const char *const who[] = { "self", "peer", "all" };
	static const struct kb_span extras[] = { { "", 0 }, { "refuted=\"two words\" x.pages=-3.5e-07", 36 }, { "x.a=1", 5 } };

	memset(line, 0, sizeof(*line));
	switch (kb_rng_below(rng, 4)) {
	case 0:
		line->kind = KB_LINE_PROBE;
		random_name(rng, line->probe.name, sizeof(line->probe.name));
		line->probe.n = random_u64(rng);
		line->probe.ticks = random_u64(rng);
		line->probe.block = random_u64(rng);
		line->probe.around = random_around(rng);
		kb_record_probe(writer, &line->probe);
		return;
	case 1:
		line->kind = KB_LINE_EVIDENCE;
		random_name(rng, line->evidence.counter, sizeof(line->evidence.counter));
		strcpy(line->evidence.who, who[kb_rng_below(rng, 3)]);
		line->evidence.base = kb_rng_below(rng, 2);
		line->evidence.count = random_u64(rng);
		line->evidence.operations = random_u64(rng);
		line->evidence.samples = random_u64(rng);
		kb_record_evidence(writer, &line->evidence);
		return;
	default:
		line->kind = KB_LINE_OBS;
		line->obs.role = (enum kb_role)"obqc"[kb_rng_below(rng, 4)];
		line->obs.n = line->obs.role == KB_ROLE_CLOCK ? 0 : line->obs.role == KB_ROLE_SINGLE ? 1 : random_u64(rng) | 1;
		line->obs.ticks = random_u64(rng);
		line->obs.t = random_u64(rng);
		line->obs.block = random_u64(rng);
		line->obs.cpu = (unsigned)random_u64(rng);
		line->obs.flags = (unsigned)kb_rng_below(rng, 1u << KB_FLAGS);
		line->obs.around = random_around(rng);
		line->obs.twin = kb_rng_below(rng, 2) ? random_u64(rng) : 0;
		line->obs.extra = extras[kb_rng_below(rng, sizeof extras / sizeof *extras)];
		kb_record_obs(writer, &line->obs);
	}
}

static void assert_same_line(const struct kb_line *a, const struct kb_line *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->obs.role, b->obs.role);
	assert_true(a->obs.n == b->obs.n && a->obs.ticks == b->obs.ticks && a->obs.t == b->obs.t && a->obs.twin == b->obs.twin);
	assert_int_equal(a->obs.extra.length, b->obs.extra.length);
	assert_memory_equal(a->obs.extra.at ? a->obs.extra.at : "", b->obs.extra.at ? b->obs.extra.at : "", a->obs.extra.length);
	assert_true(a->obs.block == b->obs.block && a->obs.cpu == b->obs.cpu && a->obs.flags == b->obs.flags);
	assert_string_equal(a->probe.name, b->probe.name);
	assert_true(a->probe.n == b->probe.n && a->probe.ticks == b->probe.ticks);
	assert_true(a->probe.block == b->probe.block);
	assert_true(a->probe.around.before == b->probe.around.before && a->probe.around.after == b->probe.around.after);
	assert_true(a->obs.around.before == b->obs.around.before && a->obs.around.after == b->obs.around.after);
	assert_string_equal(a->evidence.counter, b->evidence.counter);
	assert_string_equal(a->evidence.who, b->evidence.who);
	assert_true(a->evidence.base == b->evidence.base && a->evidence.count == b->evidence.count);
	assert_true(a->evidence.operations == b->evidence.operations && a->evidence.samples == b->evidence.samples);
}

static void random_records_round_trip(void **state)
{
	static struct buffer buffer;
	static struct kb_line lines[200];
	struct kb_record_writer writer;
	struct kb_record_reader reader;
	struct kb_line line;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 21);
	for (unsigned round = 0; round < 200; round++) {
		unsigned count = (unsigned)kb_rng_below(&rng, 200);

		kb_record_begin(&writer, buffer_sink(&buffer));
		for (unsigned i = 0; i < count; i++)
			write_random(&rng, &writer, &lines[i]);
		assert_int_equal(kb_record_end(&writer), 0);
		kb_record_open(&reader, buffer.bytes, buffer.used);
		assert_int_equal(kb_record_next(&reader, &line), KB_LINE_BEGIN);
		for (unsigned i = 0; i < count; i++) {
			kb_record_next(&reader, &line);
			assert_same_line(&line, &lines[i]);
		}
		assert_int_equal(kb_record_next(&reader, &line), KB_LINE_END);
		assert_int_equal(reader.state, KB_RECORD_WHOLE);
		assert_int_equal(reader.foreign, 0);
	}
}

static void header_lines_round_trip(void **state)
{
	static struct buffer buffer;
	char rest[512], value[64], plain[64];
	struct kb_record_writer writer;
	struct kb_record_reader reader;
	struct kb_line line;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 22);
	for (unsigned round = 0; round < 2000; round++) {
		struct kb_text text = kb_text_in(rest, sizeof(rest));
		size_t length = (size_t)kb_rng_below(&rng, sizeof(plain));

		for (size_t i = 0; i < length; i++)
			plain[i] = (char)(1 + kb_rng_below(&rng, 255));
		plain[length] = '\0';
		kb_text_str(&text, "first x=1 key=");
		kb_text_quoted(&text, plain);
		kb_record_begin(&writer, buffer_sink(&buffer));
		kb_record_line(&writer, "env", rest);
		assert_int_equal(kb_record_end(&writer), 0);
		kb_record_open(&reader, buffer.bytes, buffer.used);
		kb_record_next(&reader, &line);
		assert_int_equal(kb_record_next(&reader, &line), KB_LINE_HEADER);
		assert_true(kb_span_is(line.word, "env"));
		assert_true(kb_span_is(line.rest, rest));
		assert_int_equal(kb_record_field(line.rest, "key", value, sizeof(value)), length);
		assert_string_equal(value, plain);
		assert_int_equal(kb_record_next(&reader, &line), KB_LINE_END);
	}
}

/* Text with line breaks must not make lines, nor a long one break the limit that readers rely on. */
static void odd_text_becomes_one_readable_line(void **state)
{
	static struct buffer buffer;
	static char longest[3 * KB_RECORD_LINE_MAX];
	struct kb_record_writer writer;
	struct kb_record_reader reader;
	struct kb_line line;

	(void)state;
	longest[0] = 'x';
	for (size_t i = 1; i + 2 < sizeof(longest); i += 2)
		memcpy(longest + i, "\xc3\xa4", 2);
	kb_record_begin(&writer, buffer_sink(&buffer));
	kb_record_line(&writer, "env", "a=1\nend o=0\r\tb\x01");
	kb_record_line(&writer, "note", longest);
	kb_record_line(&writer, "per", NULL);
	kb_record_line(&writer, "per", "");
	kb_record_line(&writer, "tomorrow", "a word that version 2 does not have is foreign for both sides");
	assert_int_equal(kb_record_end(&writer), 0);
	kb_record_open(&reader, buffer.bytes, buffer.used);
	kb_record_next(&reader, &line);
	kb_record_next(&reader, &line);
	assert_true(kb_span_is(line.rest, "a=1 end o=0  b "));
	kb_record_next(&reader, &line);
	/* 4096 less "note ", less the newline, less half a character. */
	assert_int_equal(line.rest.length, 4089);
	assert_memory_equal(line.rest.at, longest, line.rest.length);
	assert_int_equal(read_all(&reader, buffer.bytes, buffer.used), KB_RECORD_WHOLE);
	assert_int_equal(reader.foreign, 1);
}

static void failures_round_trip(void **state)
{
	static const char *const details[] = { "short read", "", "word", "k=v stage=x", "a\"b\\c\n\x01", "stage=x" };
	static struct buffer buffer;
	struct kb_record_writer writer;
	struct kb_record_reader reader;
	struct kb_line line;
	char unmet[100];
	struct kb_span rest;

	(void)state;
	for (size_t i = 0; i < sizeof(details) / sizeof(details[0]); i++) {
		kb_record_begin(&writer, buffer_sink(&buffer));
		kb_record_note(&writer, "need_unmet", details[i]);
		kb_record_fail(&writer, "op", i % 2 ? -5 : 5, details[i]);
		kb_record_open(&reader, buffer.bytes, buffer.used);
		kb_record_next(&reader, &line);
		assert_int_equal(kb_record_next(&reader, &line), KB_LINE_HEADER);
		rest = line.rest;
		assert_true(kb_span_is(kb_span_word(&rest), "need_unmet"));
		assert_true(kb_span_unquote(kb_span_word(&rest), unmet, sizeof(unmet)) >= 0);
		assert_string_equal(unmet, details[i]);
		assert_int_equal(kb_record_next(&reader, &line), KB_LINE_FAIL);
		assert_string_equal(line.fail.stage, "op");
		assert_int_equal(line.fail.error, 5);
		assert_string_equal(line.fail.detail, details[i]);
		assert_int_equal(reader.state, KB_RECORD_FAILED);
	}
	kb_record_begin(&writer, buffer_sink(&buffer));
	kb_record_fail(&writer, "op", -KB_NO_ERRNO, "all is said");
	kb_record_open(&reader, buffer.bytes, buffer.used);
	kb_record_next(&reader, &line);
	assert_int_equal(kb_record_next(&reader, &line), KB_LINE_FAIL);
	assert_int_equal(line.fail.error, 0);
	assert_int_equal(reader.state, KB_RECORD_FAILED);
}

/* The worst text: every byte becomes four, and more of it than a reader's field holds. */
static void a_long_failure_is_clipped_not_lost(void **state)
{
	static struct buffer buffer;
	char detail[1000];
	struct kb_record_writer writer;
	struct kb_record_reader reader;
	struct kb_line line;

	(void)state;
	memset(detail, 1, sizeof(detail));
	detail[sizeof(detail) - 1] = '\0';
	kb_record_begin(&writer, buffer_sink(&buffer));
	kb_record_fail(&writer, "a stage with a long name", 0, detail);
	kb_record_open(&reader, buffer.bytes, buffer.used);
	kb_record_next(&reader, &line);
	assert_int_equal(kb_record_next(&reader, &line), KB_LINE_FAIL);
	assert_string_equal(line.fail.stage, "a stage with a ");
	assert_int_equal(strlen(line.fail.detail), sizeof(line.fail.detail) - 1);
}

static int refuse_third(void *context, const char *bytes, size_t count)
{
	unsigned *calls = context;

	(void)bytes;
	(void)count;
	return ++*calls == 3 ? -ENOSPC : 0;
}

static void a_broken_sink_silences_the_writer(void **state)
{
	unsigned calls = 0;
	struct kb_record_writer writer;

	(void)state;
	kb_record_begin(&writer, (struct kb_sink){ refuse_third, &calls });
	for (unsigned i = 0; i < 10; i++)
		kb_record_line(&writer, "bench", "x");
	assert_int_equal(kb_record_end(&writer), -ENOSPC);
	assert_int_equal(calls, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_bytes),
		cmocka_unit_test(random_records_round_trip),
		cmocka_unit_test(header_lines_round_trip),
		cmocka_unit_test(odd_text_becomes_one_readable_line),
		cmocka_unit_test(failures_round_trip),
		cmocka_unit_test(a_long_failure_is_clipped_not_lost),
		cmocka_unit_test(a_broken_sink_silences_the_writer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
