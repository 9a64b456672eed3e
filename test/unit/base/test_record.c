/* Reading records: what is whole, what is not, and that damage never passes. */
#include "base/record.h"
#include "base/crc32.h"
#include "helpers.h"

static const char sample[] =
	"kbench-record 2\n"
	"bench ipc.pipe_latency\n"
	"param placement=same-cpu\n"
	"clock tsc hz=2299998000 quantum=2 cost=46 ordered=1\n"
	"note need_unmet \"needs two CPUs\"\n"
	"o 300 1363962 t=120 k=0 cpu=1 p=1352,1378 flags=gap,migrated\n"
	"b 300 4011 t=1364100 k=0 cpu=1\n"
	"q 1 4533 t=1370000 k=0 cpu=1\n"
	"c 0 46 t=1380000 k=0 cpu=1\n"
	"p clock 100 432 k=0 p=1378,1352\n"
	"e majflt 300 300 1\n"
	"eb majflt 0 300 1 who=peer\n"
	"k 0 steal=0 irq=3\n";

/* The sample with its end line. */
static size_t build_sample(char *text, size_t room)
{
	return (size_t)snprintf(text, room, "%send o=1 b=1 q=1 e=2 crc=%08x\n", sample,
				(unsigned)kb_crc32(0, sample, sizeof(sample) - 1));
}

static enum kb_record_state state_of(const char *text, size_t length)
{
	struct kb_record_reader reader;

	return read_all(&reader, text, length);
}

/* The state of a record that holds one more line. */
static enum kb_record_state state_with(const char *line)
{
	char text[8192];
	int length = snprintf(text, sizeof(text), "kbench-record 2\n%s\n", line);

	return state_of(text, (size_t)length);
}

static void sample_is_whole(void **state)
{
	struct kb_record_reader reader;
	char text[2048];
	size_t length = build_sample(text, sizeof(text));

	(void)state;
	assert_int_equal(read_all(&reader, text, length), KB_RECORD_WHOLE);
	assert_int_equal(reader.line, 14);
	assert_int_equal(reader.foreign, 0);
	assert_int_equal(reader.counts.observations + reader.counts.bases + reader.counts.singles, 3);
	assert_int_equal(reader.counts.evidence, 2);
}

static void cut_anywhere_is_open(void **state)
{
	char text[2048];
	size_t length = build_sample(text, sizeof(text));

	(void)state;
	for (size_t cut = 0; cut < length; cut++) {
		char *copy = malloc(cut + 1); /* of the exact size: a reader that looks further is caught by ASan */
		enum kb_record_state expected = cut < 16 ? KB_RECORD_NOT_A_RECORD : KB_RECORD_OPEN;

		assert_non_null(copy);
		memcpy(copy, text, cut);
		assert_int_equal(state_of(copy, cut), expected);
		free(copy);
	}
}

static void any_changed_byte_is_noticed(void **state)
{
	char text[2048];
	size_t length = build_sample(text, sizeof(text));

	(void)state;
	for (size_t at = 0; at < length; at++) {
		char kept = text[at];

		for (int value = 0; value < 256; value++) {
			text[at] = (char)value;
			if (text[at] != kept && state_of(text, length) == KB_RECORD_WHOLE)
				fail_msg("byte %zu became %d and nobody noticed", at, value);
		}
		text[at] = kept;
	}
}

static void any_lost_or_doubled_line_is_noticed(void **state)
{
	char text[2048], other[4096];
	size_t length = build_sample(text, sizeof(text));

	(void)state;
	for (char *line = text, *next; *line; line = next) {
		size_t before = (size_t)(line - text), size;

		next = strchr(line, '\n') + 1;
		size = (size_t)(next - line);
		memcpy(other, text, before);
		memcpy(other + before, next, length - before - size);
		assert_int_not_equal(state_of(other, length - size), KB_RECORD_WHOLE);
		if (next == text + length)
			break; /* whatever follows the end line is not read */
		memcpy(other, text, before + size);
		memcpy(other + before + size, line, length - before);
		assert_int_not_equal(state_of(other, length + size), KB_RECORD_WHOLE);
	}
}

/* A console prints between our lines and ends all lines in its own way. */
static void foreign_lines_and_returns_are_skipped(void **state)
{
	static const char *const noise[] = { "[ 1.2] e1000: link up", "", "\r", " o 1 2", "O 300 1", "\x80\xff", "o\t300 5" };
	struct kb_record_reader reader;
	char text[2048], noisy[8192];
	size_t used = 0, lines = 0;

	(void)state;
	build_sample(text, sizeof(text));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++)
		used += (size_t)snprintf(noisy + used, sizeof(noisy) - used, "%s\n%s%s%s\n",
					 noise[lines % (sizeof(noise) / sizeof(noise[0]))], lines % 2 ? "\r" : "", line,
					 lines % 3 ? "\r" : "\r\r");
	assert_int_equal(read_all(&reader, noisy, used), KB_RECORD_WHOLE);
	assert_int_equal(reader.foreign, lines);
	assert_int_equal(reader.line, 2 * lines);
}

static void nothing_is_ours_before_the_first_line(void **state)
{
	static const char log[] = "end of boot\no is a letter\nfail\nkbench-recorder 1\n";
	struct kb_record_reader reader;
	char text[2048];

	(void)state;
	memcpy(text, log, sizeof(log));
	assert_int_equal(read_all(&reader, log, sizeof(log) - 1), KB_RECORD_NOT_A_RECORD);
	assert_int_equal(reader.foreign, 4);
	build_sample(text + sizeof(log) - 1, sizeof(text) - sizeof(log));
	assert_int_equal(read_all(&reader, text, strlen(text)), KB_RECORD_WHOLE);
	assert_int_equal(reader.foreign, 4);
}

static void unknown_versions_are_rejected(void **state)
{
	static const char *const versions[] = { "3", "0", "10", "1.0", "2.0", "01", "02", "99999999999999999999999999", "", "1 x", "2 x", "two" };
	struct kb_line line;

	(void)state;
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		struct kb_record_reader reader;
		char text[128];
		int length = snprintf(text, sizeof(text), "kbench-record %s\no 1 2\n", versions[i]);

		kb_record_open(&reader, text, (size_t)length);
		assert_int_equal(kb_record_next(&reader, &line), KB_LINE_NONE);
		assert_int_equal(line.kind, KB_LINE_NONE);
		assert_int_equal(reader.state, KB_RECORD_VERSION_UNKNOWN);
		assert_int_equal(reader.line, 1);
		assert_int_equal(kb_record_next(&reader, &line), KB_LINE_NONE);
		assert_int_equal(reader.line, 1);
	}
}

static void malformed_lines_are_garbled(void **state)
{
	static const char *const bad[] = {
		"o", "o 1", "o 300 x", "o -1 5", "o 0 5", "o 300 18446744073709551616", "o 300 5 t=", "o 300 5 t=x", "o 300 5 x",
		"o 300 5 cpu=4294967296", "b 0 5", "q 2 5", "q 0 5", "c 1 5", "p", "p clock", "p clock 1", "p clock 1 x", "p clock 1 2 3",
		"p name_of_16_bytes 1 2", "p clock 1 2 k=x", "p clock 1 2 p=3", "p clock 1 2 p=3,x", "o 300 5 p=", "o 300 5 p=1", "o 300 5 p=,",
		"o 300 5 p=1,", "o 300 5 p=,2", "o 300 5 p=1,2,3", "o 300 5 p=-1,2", "o 300 5 p=1,18446744073709551616", "e", "e majflt 1 2", "e majflt 1 2 x", "e majflt 1 2 3 4",
		"e name_of_a_counter_that_is_longer_than_any_event_of_processors_64 1 2 3", "e majflt 1 2 3 who=me",
		"e majflt 1 2 3 who=", "k", "k x", "k -1", "fail",
		"fail errno=5", "fail stage=op errno=x", "fail stage=op errno=-5", "fail stage=op errno=2147483648",
		"fail stage=stage_of_16_byte", "fail stage=op \"open", "fail stage=op \"\\q\"", "kbench-record 1", "kbench-record 2", "end",
		"bench a\tb", "bench \x01", "bench a\rb", "bench \x7f",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (state_with(bad[i]) != KB_RECORD_GARBLED)
			fail_msg("\"%s\" was accepted", bad[i]);
}

static void later_additions_inside_the_version_pass(void **state)
{
	static const char *const good[] = { "o 300 5", "o 300 5 t=1 temp=40", "o 300 5 flags=cosmic,gap,", "p clock 1 2 x=y",
					    "o 300 5 p=1,2", "o 300 5 p=0,2", "p clock 1 2 p=1,2", "e majflt 1 2 3 note=x", "k 7", "bench", "news of tomorrow" };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (state_with(good[i]) != KB_RECORD_OPEN)
			fail_msg("\"%s\" was refused", good[i]);
}

/* Each version has its own word for a probe; the other's is foreign, and in no check sum. */
static void a_probe_is_called_by_its_version(void **state)
{
	static const char *const texts[] = { "kbench-record 1\ns add 2000 1046 k=3\np clock 1 2\n", "kbench-record 2\np clock 2000 1046 k=3\ns add 1 2\n" };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct kb_record_reader reader;
		struct kb_line line;

		kb_record_open(&reader, texts[i], strlen(texts[i]));
		assert_int_equal(kb_record_next(&reader, &line), KB_LINE_BEGIN);
		assert_int_equal(reader.version, i + 1);
		assert_int_equal(kb_record_next(&reader, &line), KB_LINE_PROBE);
		assert_string_equal(line.probe.name, i == 0 ? "add" : "clock");
		assert_true(line.probe.n == 2000 && line.probe.ticks == 1046 && line.probe.block == 3);
		assert_true(line.probe.around.before == 0 && line.probe.around.after == 0);
		assert_int_equal(kb_record_next(&reader, &line), KB_LINE_FOREIGN);
		assert_int_equal(reader.foreign, 1);
	}
}

static void wrong_end_lines_are_garbled(void **state)
{
	static const char *const ends[] = {
		"end o=1 b=0 q=0 e=0 crc=%08x", "end o=0 b=1 q=0 e=0 crc=%08x", "end o=0 b=0 q=1 e=0 crc=%08x",
		"end o=0 b=0 q=0 e=1 crc=%08x", "end o=0 b=0 q=0 crc=%08x", "end b=0 o=0 q=0 e=0 crc=%08x",
		"end o=0 b=0 q=0 e=0 crc=%08x x", "end o=0 b=0 q=0 e=0 crc=0%08x", "end o=0 b=0 q=0 e=0 crc=00000000",
		"end o=0 b=0 q=0 e=0",
	};
	uint32_t crc = kb_crc32(0, "kbench-record 2\n", 16);
	char line[128];

	(void)state;
	snprintf(line, sizeof(line), "end o=0 b=0 q=0 e=0 crc=%08x", (unsigned)crc);
	assert_int_equal(state_with(line), KB_RECORD_WHOLE);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		snprintf(line, sizeof(line), ends[i], (unsigned)crc);
		if (state_with(line) != KB_RECORD_GARBLED)
			fail_msg("\"%s\" was accepted", line);
	}
}

static void a_failure_is_delivered(void **state)
{
	static const char text[] = "kbench-record 2\no 1 2\nfail stage=op errno=5 \"short read\"\no 1 2\n";
	struct kb_record_reader reader;
	struct kb_line line;

	(void)state;
	kb_record_open(&reader, text, sizeof(text) - 1);
	assert_int_equal(kb_record_next(&reader, &line), KB_LINE_BEGIN);
	assert_int_equal(kb_record_next(&reader, &line), KB_LINE_OBS);
	assert_int_equal(kb_record_next(&reader, &line), KB_LINE_FAIL);
	assert_string_equal(line.fail.stage, "op");
	assert_int_equal(line.fail.error, 5);
	assert_string_equal(line.fail.detail, "short read");
	assert_int_equal(kb_record_next(&reader, &line), KB_LINE_NONE);
	assert_int_equal(reader.state, KB_RECORD_FAILED);
	assert_int_equal(state_with("fail stage=setup errno=12"), KB_RECORD_FAILED);
}

static void hostile_text_is_harmless(void **state)
{
	static char text[10 * 1024 * 1024 + 64];
	struct kb_record_reader reader;
	size_t length;

	(void)state;
	memset(text, 'x', sizeof(text));
	assert_int_equal(state_of(text, sizeof(text)), KB_RECORD_NOT_A_RECORD);
	memset(text, 0, sizeof(text));
	assert_int_equal(state_of(text, sizeof(text)), KB_RECORD_NOT_A_RECORD);
	memset(text, '\n', sizeof(text));
	assert_int_equal(read_all(&reader, text, sizeof(text)), KB_RECORD_NOT_A_RECORD);
	assert_int_equal(reader.foreign, sizeof(text));
	/* A foreign line of 10 MB is passed over, one of ours cannot be longer than the limit. */
	memset(text, 'x', sizeof(text));
	memcpy(text, "kbench-record 2\n", 16);
	text[sizeof(text) - 1] = '\n';
	assert_int_equal(state_of(text, sizeof(text)), KB_RECORD_OPEN);
	memcpy(text + 16, "env ", 4);
	assert_int_equal(state_of(text, sizeof(text)), KB_RECORD_GARBLED);
	length = 16 + KB_RECORD_LINE_MAX;
	text[length - 1] = '\n';
	assert_int_equal(state_of(text, length), KB_RECORD_OPEN);
	text[length - 1] = 'x';
	text[length] = '\n';
	assert_int_equal(state_of(text, length + 1), KB_RECORD_GARBLED);
	assert_int_equal(state_of(NULL, 0), KB_RECORD_NOT_A_RECORD);
}

static void header_fields(void **state)
{
	struct kb_span rest = span_of("tsc hz=2299998000 pc=0xdeadbeef name=\"a b\" empty= hz=1 neg=-1 bad=\"x");
	uint64_t value = 0;
	char text[16];

	(void)state;
	assert_true(kb_record_field_u64(rest, "hz", &value));
	assert_true(value == 2299998000);
	assert_true(kb_record_field_u64(rest, "pc", &value));
	assert_true(value == 0xdeadbeef);
	assert_false(kb_record_field_u64(rest, "tsc", &value));
	assert_false(kb_record_field_u64(rest, "h", &value));
	assert_false(kb_record_field_u64(rest, "neg", &value));
	assert_false(kb_record_field_u64(rest, "name", &value));
	assert_false(kb_record_field_u64(span_of("a=0x"), "a", &value));
	assert_false(kb_record_field_u64(span_of("a=0x10000000000000000"), "a", &value));
	assert_int_equal(kb_record_field(rest, "name", text, sizeof(text)), 3);
	assert_string_equal(text, "a b");
	assert_int_equal(kb_record_field(rest, "empty", text, sizeof(text)), 0);
	assert_int_equal(kb_record_field(rest, "name", text, 3), -1);
	assert_int_equal(kb_record_field(rest, "bad", text, sizeof(text)), -1);
	assert_int_equal(kb_record_field(rest, "none", text, sizeof(text)), -1);
}

static void every_state_has_words(void **state)
{
	(void)state;
	for (int i = KB_RECORD_OPEN; i <= KB_RECORD_NOT_A_RECORD; i++) {
		assert_true(strlen(kb_record_state_words((enum kb_record_state)i)) > 5);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(kb_record_state_words((enum kb_record_state)i),
						kb_record_state_words((enum kb_record_state)j));
	}
	assert_string_equal(kb_record_state_words((enum kb_record_state)99), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sample_is_whole),
		cmocka_unit_test(cut_anywhere_is_open),
		cmocka_unit_test(any_changed_byte_is_noticed),
		cmocka_unit_test(any_lost_or_doubled_line_is_noticed),
		cmocka_unit_test(foreign_lines_and_returns_are_skipped),
		cmocka_unit_test(nothing_is_ours_before_the_first_line),
		cmocka_unit_test(unknown_versions_are_rejected),
		cmocka_unit_test(malformed_lines_are_garbled),
		cmocka_unit_test(later_additions_inside_the_version_pass),
		cmocka_unit_test(a_probe_is_called_by_its_version),
		cmocka_unit_test(wrong_end_lines_are_garbled),
		cmocka_unit_test(a_failure_is_delivered),
		cmocka_unit_test(hostile_text_is_harmless),
		cmocka_unit_test(header_fields),
		cmocka_unit_test(every_state_has_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
