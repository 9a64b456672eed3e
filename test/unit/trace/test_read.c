/* From a log to corrected times: logs written by hand with known overhead, nesting and loss; damaged ones; a dump of our own. */
#include "trace/points/read.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/record.h"
#include "kbench_trace.h"

#define EFFECTIVE 50
#define TOTAL 100

static char text[1 << 20];
static struct kb_text out;
static struct kb_record_writer writer;

static int put(void *context, const char *bytes, size_t count)
{
	(void)context;
	kb_text_bytes(&out, bytes, count);
	return 0;
}

static void begin(void)
{
	out = kb_text_in(text, sizeof text);
	kb_record_begin(&writer, (struct kb_sink){ put, NULL });
	kb_record_line(&writer, "clock", "tsc hz=2000000000 quantum=0 cost=0 ordered=1");
	kb_record_line(&writer, "env", "trace=1");
	for (int i = 0; i < 40; i++) {
		kb_record_obs(&writer, &(struct kb_obs){ .role = KB_ROLE_BASE, .n = 1, .ticks = EFFECTIVE });
		kb_record_probe(&writer, &(struct kb_probe_line){ .name = "nested", .n = 1, .ticks = EFFECTIVE + TOTAL });
	}
}

static void pair(unsigned key, uint64_t start, uint64_t ticks, uint64_t thread)
{
	char extra[32];
	int length = snprintf(extra, sizeof extra, "x.key=%u", key);

	kb_record_obs(&writer, &(struct kb_obs){
		.role = KB_ROLE_OP, .n = 1, .ticks = ticks, .t = start, .block = thread, .extra = { extra, (size_t)length },
	});
}

static struct kb_trace_read finish(int expected)
{
	struct kb_trace_read read;
	char error[160];

	assert_int_equal(kb_record_end(&writer), 0);
	assert_int_equal(kb_trace_read(&read, text, out.used, error), expected);
	return read;
}

static void expect(double value, double wanted)
{
	assert_true(fabs(value - wanted) < 1e-9);
}

/* Key 0 takes 500 by itself, around two pairs of key 1 that take 30 each. */
static void test_nested(void **state)
{
	struct kb_trace_read read;

	(void)state;
	begin();
	for (uint64_t i = 0, t = 1000; i < 50; i++, t += 5000) {
		pair(1, t + 100, 30 + EFFECTIVE, 1);
		pair(1, t + 300, 30 + EFFECTIVE, 1);
		pair(0, t, 560 + EFFECTIVE + 2 * TOTAL, 1);
	}
	kb_record_line(&writer, "k", "1 tid=7 light=0 running=0 entries=150 lost=3 open=2 overwritten=5 unopened=4");
	read = finish(0);
	expect(read.keys[1].corrected.median.value, 30);
	expect(read.keys[0].corrected.median.value, 560);
	expect(read.keys[0].inside, 2);
	expect(read.keys[0].crossing, 0);
	expect(read.keys[1].inside, 0);
	/* All are equal: the clock's tick is what is not known, of the value, of the effective overhead and of both totals. */
	expect(read.keys[0].uncertainty, 2);
	expect(read.keys[1].uncertainty, 1);
	assert_string_equal(read.clock, "tsc");
	assert_int_equal(read.keys[0].value.count, 50);
	assert_int_equal(read.counts.lost, 3);
	assert_int_equal(read.counts.open, 2);
	assert_int_equal(read.counts.overwritten, 5);
	assert_int_equal(read.counts.unopened, 4);
	assert_int_equal(read.hz, 2000000000);
	kb_trace_read_free(&read);
}

/* Pairs one after the other, on two threads at the same time: none is inside another. */
static void test_beside(void **state)
{
	struct kb_trace_read read;

	(void)state;
	begin();
	for (uint64_t thread = 1; thread <= 2; thread++) {
		for (uint64_t i = 0; i < 20; i++) {
			pair(0, 1000 * i, 400, thread);
			pair(1, 1000 * i + 400, 300, thread);
		}
	}
	read = finish(0);
	for (int i = 0; i < 2; i++) {
		expect(read.keys[i].inside, 0);
		expect(read.keys[i].crossing, 0);
	}
	expect(read.keys[0].corrected.median.value, 350);
	kb_trace_read_free(&read);
}

/* Interleaved: nothing is subtracted, and what each may have cost the other is told. */
static void test_interleaved(void **state)
{
	struct kb_trace_read read;

	(void)state;
	begin();
	for (uint64_t i = 0; i < 20; i++) {
		pair(0, 10000 * i, 1000, 1);
		pair(1, 10000 * i + 500, 1000, 1);
	}
	read = finish(0);
	for (int i = 0; i < 2; i++) {
		expect(read.keys[i].corrected.median.value, 950);
		expect(read.keys[i].crossing, 1);
		expect(read.keys[i].crossing_most, TOTAL);
	}
	kb_trace_read_free(&read);
}

static void test_saturated(void **state)
{
	struct kb_trace_read read;

	(void)state;
	begin();
	pair(0, 0, 100, 1);
	pair(0, 200, KB_TRACE_TICKS_MAX, 1);
	read = finish(0);
	assert_int_equal(read.counts.saturated, 1);
	assert_int_equal(read.keys[0].value.count, 1);
	kb_trace_read_free(&read);
}

static void test_moments(void **state)
{
	static const double x[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct kb_trace_moments m;

	(void)state;
	kb_trace_moments_of(&m, x, 8);
	expect(m.min, 2);
	expect(m.max, 9);
	expect(m.mean, 5);
	expect(m.variance, 32. / 7);
	expect(m.sd, sqrt(32. / 7));
	expect(m.sd_percent, 20 * sqrt(32. / 7));
	expect(m.median.value, 4.5);
}

static void refuse(size_t length)
{
	struct kb_trace_read read;
	char error[160] = "";

	assert_int_equal(kb_trace_read(&read, text, length, error), -EINVAL);
	assert_true(strlen(error) > 0);
	kb_trace_read_free(&read);
}

static void test_refused(void **state)
{
	struct kb_trace_read read;

	(void)state;
	begin();
	pair(0, 0, 100, 1);
	read = finish(0);
	kb_trace_read_free(&read);
	refuse(0);
	refuse(out.used / 2);
	text[out.used / 2]++;
	refuse(out.used);

	begin();
	pair(KB_TRACE_READ_KEYS, 0, 100, 1);
	finish(-EINVAL);

	out = kb_text_in(text, sizeof text);
	kb_record_begin(&writer, (struct kb_sink){ put, NULL });
	kb_record_line(&writer, "bench", "sys.null");
	finish(-EINVAL);
}

/* What the library writes, the reader takes: nesting on the real clock included. */
static void test_dump(void **state)
{
	char path[] = "/tmp/kbench-trace-XXXXXX", error[160];
	struct kb_trace_read read;
	int fd = mkstemp(path);
	ssize_t length;

	(void)state;
	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(kb_trace_begin(100), 0);
	KB_TRACE_MARK(3);
	for (int i = 0; i < 50; i++) {
		KB_TRACE_START(0);
		KB_TRACE_START(1);
		KB_TRACE_STOP(1);
		KB_TRACE_STOP(0);
	}
	KB_TRACE_START(2);
	KB_TRACE_STOP(4);
	assert_int_equal(kb_trace_dump(fd), 0);
	length = pread(fd, text, sizeof text, 0);
	assert_true(length > 0);
	assert_int_equal(kb_trace_read(&read, text, (size_t)length, error), 0);
	assert_int_equal(read.counts.entries, 100);
	assert_int_equal(read.counts.lost, 1);
	assert_int_equal(read.counts.open, 1);
	assert_int_equal(read.counts.unopened, 1);
	assert_int_equal(read.keys[3].marks, 1);
	assert_int_equal(read.keys[1].value.count, 50);
	assert_int_equal(read.keys[0].value.count, 49);
	expect(read.keys[0].inside, 1);
	expect(read.keys[1].inside, 0);
	assert_int_equal(read.overhead.effective.count, 740);
	assert_true(read.hz > 0 && !read.light);
	kb_trace_read_free(&read);
	kb_trace_release();
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested), cmocka_unit_test(test_beside), cmocka_unit_test(test_interleaved),
		cmocka_unit_test(test_saturated), cmocka_unit_test(test_moments), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_dump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
