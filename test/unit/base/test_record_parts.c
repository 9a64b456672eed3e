/* The parts of an operation on the line of its sample: written, read, and refused where they are damaged. */
#include "base/record.h"
#include "helpers.h"

static struct buffer buffer;

static void write_one(const struct kb_obs *obs)
{
	struct kb_record_writer out;

	buffer.used = 0;
	kb_record_begin(&out, buffer_sink(&buffer));
	kb_record_obs(&out, obs);
	assert_int_equal(kb_record_end(&out), 0);
}

static void round_trip(void **state)
{
	static struct kb_part parts[KB_PARTS_MAX];
	struct kb_record_reader reader;
	struct kb_line line;
	struct kb_part part;

	(void)state;
	for (unsigned i = 0; i < KB_PARTS_MAX; i++) /* numbers as long as they may become in a line of any use */
		parts[i] = (struct kb_part){ 12345678 + i, i + 1 < KB_PARTS_MAX ? 12345 + i : 0 };
	write_one(&(struct kb_obs){ .role = KB_ROLE_OP, .n = 1, .ticks = 9, .part_count = KB_PARTS_MAX, .parts = parts,
	                            .extra = { "x.a=1", 5 } });
	kb_record_open(&reader, buffer.bytes, buffer.used);
	while (kb_record_next(&reader, &line) != KB_LINE_OBS)
		assert_int_not_equal(line.kind, KB_LINE_NONE);
	assert_int_equal(line.obs.part_count, KB_PARTS_MAX);
	assert_true(kb_span_is(line.obs.extra, "x.a=1"));
	for (unsigned i = 0; i < KB_PARTS_MAX; i++) {
		assert_true(kb_record_part(&line.obs.part_text, &part));
		assert_true(part.ticks == parts[i].ticks && part.probe == parts[i].probe);
	}
	assert_false(kb_record_part(&line.obs.part_text, &part));
	while (kb_record_next(&reader, &line) != KB_LINE_NONE)
		;
	assert_int_equal(reader.state, KB_RECORD_WHOLE);
}

/* What follows `parts=`; whether the line is one of ours. */
static bool takes(const char *value)
{
	char text[2048];
	struct kb_record_reader reader;
	struct kb_line line;

	snprintf(text, sizeof text, "kbench-record 2\no 1 100 t=0 k=0 cpu=0 parts=%s\n", value);
	kb_record_open(&reader, text, strlen(text));
	kb_record_next(&reader, &line);
	return kb_record_next(&reader, &line) == KB_LINE_OBS;
}

static void damage(void **state)
{
	char many[1024] = "1:1";

	(void)state;
	assert_true(takes("60:5,40"));
	assert_true(takes("60"));
	assert_false(takes(""));
	assert_false(takes("60:5,"));
	assert_false(takes(",60"));
	assert_false(takes("60:,40"));
	assert_false(takes(":5,40"));
	assert_false(takes("60:5:6,40"));
	assert_false(takes("60:x,40"));
	assert_false(takes("60;40"));
	for (unsigned i = 0; i < KB_PARTS_MAX - 1; i++)
		strcat(many, ",1:1");
	assert_true(takes(many));
	strcat(many, ",1:1");
	assert_false(takes(many));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(round_trip), cmocka_unit_test(damage) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
