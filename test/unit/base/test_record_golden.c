/*
 * test/golden/record-N.txt is a record of version N that every later reader must still read. Their check sums were
 * computed by another program. Never change the files: a reader that needs that is wrong.
 */
#include "base/record.h"
#include "helpers.h"

#define ALL_OF_IT { 0 }, 0, NULL, { 0 }, 0     /* no further fields, no parts, no twin */

static const char *source_dir;
static struct buffer buffer;

/* Takes the next line that is not foreign. */
static void next_line(struct kb_record_reader *reader, struct kb_line *line, enum kb_line_kind expected)
{
	do
		kb_record_next(reader, line);
	while (line->kind == KB_LINE_FOREIGN);
	assert_int_equal(line->kind, expected);
}

static void header(struct kb_record_reader *reader, struct kb_line *line, const char *word, const char *rest)
{
	next_line(reader, line, KB_LINE_HEADER);
	assert_true(kb_span_is(line->word, word));
	assert_true(kb_span_is(line->rest, rest));
}

static void field(const struct kb_line *line, const char *key, const char *expected)
{
	char value[64];

	assert_int_equal(kb_record_field(line->rest, key, value, sizeof(value)), strlen(expected));
	assert_string_equal(value, expected);
}

static void read_header(struct kb_record_reader *reader, const char *method, const char *expect)
{
	struct kb_line line;

	next_line(reader, &line, KB_LINE_BEGIN);
	header(reader, &line, "bench", "ipc.pipe_latency");
	header(reader, &line, "per", "round-trip");
	header(reader, &line, "bound", "kernel");
	header(reader, &line, "method", method);
	header(reader, &line, "param", "placement=same-cpu");
	field(&line, "placement", "same-cpu");
	next_line(reader, &line, KB_LINE_HEADER);
	field(&line, "text", "a \"quoted\" value\twith \\ and \x01");
	header(reader, &line, "clock", "tsc hz=2299998000 quantum=2 cost=46 ordered=1");
	field(&line, "quantum", "2");
	next_line(reader, &line, KB_LINE_HEADER);
	field(&line, "cpu", "Example CPU, 2.30 GHz");
	field(&line, "governor", "");
	header(reader, &line, "expect", expect);
	header(reader, &line, "note", "maybe_sibling");
	header(reader, &line, "note", "freq_uncontrolled \"no file to read it from\"");
	header(reader, &line, "module", "collect base=0x55d0c8a00000");
}

static void observation(struct kb_record_reader *reader, struct kb_obs expected)
{
	struct kb_line line;

	next_line(reader, &line, KB_LINE_OBS);
	assert_int_equal(line.obs.role, expected.role);
	assert_true(line.obs.n == expected.n && line.obs.ticks == expected.ticks && line.obs.t == expected.t);
	assert_true(line.obs.block == expected.block && line.obs.cpu == expected.cpu);
	assert_int_equal(line.obs.flags, expected.flags);
	assert_true(line.obs.around.before == expected.around.before && line.obs.around.after == expected.around.after);
}

static void evidence(struct kb_record_reader *reader, struct kb_evidence expected)
{
	struct kb_line line;

	next_line(reader, &line, KB_LINE_EVIDENCE);
	assert_string_equal(line.evidence.counter, expected.counter);
	assert_string_equal(line.evidence.who, expected.who);
	assert_int_equal(line.evidence.base, expected.base);
	assert_true(line.evidence.count == expected.count && line.evidence.operations == expected.operations);
	assert_true(line.evidence.samples == expected.samples);
}

static void probe(struct kb_record_reader *reader, struct kb_probe_line expected)
{
	struct kb_line line;

	next_line(reader, &line, KB_LINE_PROBE);
	assert_string_equal(line.probe.name, expected.name);
	assert_true(line.probe.n == expected.n && line.probe.ticks == expected.ticks);
	assert_true(line.probe.block == expected.block);
	assert_true(line.probe.around.before == expected.around.before && line.probe.around.after == expected.around.after);
}

/* What both have behind their samples. */
static void read_end(struct kb_record_reader *reader)
{
	struct kb_line line;
	uint64_t irq;

	evidence(reader, (struct kb_evidence){ "nvcsw", "self", false, 1200, 600, 2 });
	evidence(reader, (struct kb_evidence){ "nvcsw", "peer", false, 1200, 600, 2 });
	evidence(reader, (struct kb_evidence){ "nvcsw", "self", true, 0, 600, 2 });
	evidence(reader, (struct kb_evidence){ "majflt", "all", false, 0, 600, 2 });
	next_line(reader, &line, KB_LINE_BLOCK);
	assert_true(line.block.index == 1 && kb_span_is(line.block.rest, "steal=0 irq=3"));
	assert_true(kb_record_field_u64(line.block.rest, "irq", &irq) && irq == 3);
	next_line(reader, &line, KB_LINE_END);
	assert_int_equal(kb_record_next(reader, &line), KB_LINE_NONE);
	assert_int_equal(reader->state, KB_RECORD_WHOLE);
	assert_int_equal(reader->foreign, 3);
}

static void version_1_is_read_for_ever(void **state)
{
	const uint64_t max = UINT64_MAX;
	struct kb_record_reader reader;

	(void)state;
	buffer_load(&buffer, source_dir, "test/golden/record-1.txt");
	kb_record_open(&reader, buffer.bytes, buffer.used);
	assert_int_equal(reader.version, 0);
	read_header(&reader, "slope seed=7 launch=3", "nvcsw per_op=2 per_interval=0 tolerance=0.001 who=all");
	assert_int_equal(reader.version, 1);
	observation(&reader, (struct kb_obs){ KB_ROLE_OP, 300, 1363962, 0, 0, 1, KB_FLAG_WARMUP, { 0, 0 }, ALL_OF_IT });
	observation(&reader, (struct kb_obs){ KB_ROLE_BASE, 300, 4011, 1364100, 0, 1, KB_FLAG_WARMUP | KB_FLAG_IRQ, { 0, 0 }, ALL_OF_IT });
	observation(&reader, (struct kb_obs){ KB_ROLE_OP, 300, 1360002, 2000000, 1, 1, 0, { 0, 0 }, ALL_OF_IT });
	observation(&reader, (struct kb_obs){ KB_ROLE_OP, max, max, max, max, UINT32_MAX, 255, { 0, 0 }, ALL_OF_IT });
	observation(&reader, (struct kb_obs){ KB_ROLE_BASE, 300, 4000, 4000000, 1, 0, KB_FLAG_MIGRATED, { 0, 0 }, ALL_OF_IT });
	observation(&reader, (struct kb_obs){ KB_ROLE_CLOCK, 0, 46, 5000000, 1, 0, 0, { 0, 0 }, ALL_OF_IT });
	probe(&reader, (struct kb_probe_line){ "add", 1000, 1002, 1, { 0, 0 } });
	probe(&reader, (struct kb_probe_line){ "issue", 4000, 1008, 1, { 0, 0 } });
	observation(&reader, (struct kb_obs){ KB_ROLE_SINGLE, 1, 4533, 6000000, 1, 0, KB_FLAG_GAP, { 0, 0 }, ALL_OF_IT });
	read_end(&reader);
}

static void version_2_is_read_for_ever(void **state)
{
	const uint64_t max = UINT64_MAX;
	struct kb_record_reader reader;

	(void)state;
	buffer_load(&buffer, source_dir, "test/golden/record-2.txt");
	kb_record_open(&reader, buffer.bytes, buffer.used);
	read_header(&reader, "slope probe=780 seed=7 process=3", "nvcsw per_op=2 per_sample=0 tolerance=0.001 who=all");
	assert_int_equal(reader.version, 2);
	observation(&reader, (struct kb_obs){ KB_ROLE_OP, 300, 1363962, 0, 0, 1, KB_FLAG_WARMUP, { 1352, 1354 }, ALL_OF_IT });
	observation(&reader, (struct kb_obs){ KB_ROLE_BASE, 300, 4011, 1364100, 0, 1, KB_FLAG_WARMUP | KB_FLAG_IRQ, { 1354, 1352 }, ALL_OF_IT });
	observation(&reader, (struct kb_obs){ KB_ROLE_OP, 300, 1360002, 2000000, 1, 1, 0, { 0, 0 }, ALL_OF_IT });
	observation(&reader, (struct kb_obs){ KB_ROLE_OP, max, max, max, max, UINT32_MAX, 511, { max, max }, ALL_OF_IT });
	observation(&reader, (struct kb_obs){ KB_ROLE_BASE, 300, 4000, 4000000, 1, 0, KB_FLAG_MIGRATED, { 1352, 2310 }, ALL_OF_IT });
	observation(&reader, (struct kb_obs){ KB_ROLE_CLOCK, 0, 46, 5000000, 1, 0, 0, { 2310, 1352 }, ALL_OF_IT });
	probe(&reader, (struct kb_probe_line){ "clock", 2000, 2002, 1, { 1352, 1354 } });
	probe(&reader, (struct kb_probe_line){ "clock", 40000, 40008, 1, { 0, 0 } });
	observation(&reader, (struct kb_obs){ KB_ROLE_SINGLE, 1, 4533, 6000000, 1, 0, KB_FLAG_GAP, { 1352, 1352 }, ALL_OF_IT });
	read_end(&reader);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_1_is_read_for_ever),
		cmocka_unit_test(version_2_is_read_for_ever),
	};

	source_dir = source_directory(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
