/* The kernel's own log of seL4: bytes made up by hand, field by field; tables, full logs, shares; trace points; damaged consoles. */
#include "trace/sel4/log.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/record.h"
#include "trace/points/read.h"

static char text[1 << 20];
static struct kb_text out;
static struct kb_record_writer writer;
static struct kb_sel4_log found;

static int put(void *context, const char *bytes, size_t count)
{
	(void)context;
	kb_text_bytes(&out, bytes, count);
	return 0;
}

static void begin(const char *env)
{
	out = kb_text_in(text, sizeof text);
	kb_record_begin(&writer, (struct kb_sink){ put, NULL });
	kb_record_line(&writer, "bench", "sel4.signal");
	kb_record_line(&writer, "clock", "icount hz=0 quantum=1 cost=2 ordered=1");
	kb_record_line(&writer, "env", env);
}

static void raw(const unsigned char *bytes, size_t count)
{
	char line[256] = "log_raw=";

	for (size_t i = 0; i < count; i++)
		sprintf(line + 8 + 2 * i, "%02x", bytes[i]);
	kb_record_line(&writer, "env", line);
}

/* Byte by byte, as the layout says: nothing of the decoder is used. */
static void entry(unsigned start, unsigned duration, unsigned path, uint32_t word)
{
	unsigned char bytes[24] = { start & 255, start >> 8 & 255, start >> 16 & 255, 0, 0, 0, 0, 0, duration & 255, duration >> 8 & 255,
		0, 0, (unsigned char)path, word & 255, word >> 8 & 255, word >> 16 & 255, (unsigned char)(word >> 24) };

	raw(bytes, sizeof bytes);
}

static uint32_t call(unsigned number, unsigned capability, unsigned fast, unsigned invocation)
{
	return number | capability << 4 | fast << 9 | invocation << 10;
}

static void point(unsigned key, unsigned ticks)
{
	unsigned char bytes[16] = { (unsigned char)key, 0, 0, 0, 0, 0, 0, 0, ticks & 255, ticks >> 8 & 255 };

	raw(bytes, sizeof bytes);
}

/* Frees nothing: the caller looks at it first. */
static int finish(void)
{
	char error[160];

	kb_record_end(&writer);
	return kb_sel4_log_read(&found, text, out.used, error);
}

static void test_fields(void **state)
{
	/* start 0x0102030405060708, duration 0xa1b2c3d4, path 6; number 9, capability 21, fastpath, invocation 0x5a5a5. */
	unsigned char bytes[24] = { 8, 7, 6, 5, 4, 3, 2, 1, 0xd4, 0xc3, 0xb2, 0xa1, 0xf6 };
	uint32_t word = call(9, 21, 1, 0x5a5a5) | 7u << 29;
	struct kb_sel4_entry decoded;

	(void)state;
	for (int i = 0; i < 4; i++)
		bytes[13 + i] = (unsigned char)(word >> 8 * i);
	memset(bytes + 17, 0xff, 7);
	decoded = kb_sel4_entry_decode(bytes);
	assert_int_equal(decoded.start, 0x0102030405060708);
	assert_int_equal(decoded.duration, 0xa1b2c3d4);
	assert_int_equal(decoded.path, KB_SEL4_CALL);
	assert_int_equal(decoded.call, 9);
	assert_int_equal(decoded.capability, 21);
	assert_true(decoded.fastpath);
	assert_int_equal(decoded.invocation, 0x5a5a5);
	/* An interrupt: core 3, number 30; and a call that only this kernel's tools have, -17. */
	bytes[12] = 1;
	bytes[13] = 3 | (30 & 31) << 3;
	bytes[14] = bytes[15] = bytes[16] = 0;
	decoded = kb_sel4_entry_decode(bytes);
	assert_int_equal(decoded.core, 3);
	assert_int_equal(decoded.word, 30);
	word = (uint32_t)-17 << 3;
	bytes[12] = KB_SEL4_UNKNOWN_CALL;
	for (int i = 0; i < 4; i++)
		bytes[13 + i] = (unsigned char)(word >> 8 * i);
	assert_int_equal(kb_sel4_entry_decode(bytes).word, -17);
}

static void test_table(void **state)
{
	struct kb_sel4_row *rows;
	char name[64];
	size_t count;

	(void)state;
	begin("log=entries log_index=8 log_room=43690 log_circles=3 log_tests=1 log_calls=1.Call,3.Send,5.Recv,5.Wait");
	entry(10, 9999, 2, 0);                  /* the call that emptied the log: stale */
	for (unsigned i = 0; i < 3; i++) {
		entry(100 + 100 * i, 30 + i, 6, call(3, 6, 0, 0));
		entry(150 + 100 * i, 50, 6, call(5, 6, 1, i));
	}
	entry(600, 70, 1, 5 << 3);
	assert_int_equal(finish(), 0);
	assert_true(found.entries && !found.points && !found.shares_known);
	assert_int_equal(kb_sel4_log_count(&found), 8);
	assert_false(kb_sel4_log_full(&found));
	rows = kb_sel4_log_rows(&found, &count);
	assert_int_equal(count, 3);
	kb_sel4_row_name(&found, &rows[0], name, sizeof name);
	assert_string_equal(name, "Recv cap 6 fast");
	assert_int_equal(rows[0].count, 3);
	assert_int_equal((int)rows[0].total, 150);
	kb_sel4_row_name(&found, &rows[1], name, sizeof name);
	assert_string_equal(name, "Send cap 6");
	assert_int_equal((int)rows[1].total, 93);
	assert_int_equal((int)rows[1].min, 30);
	assert_int_equal((int)rows[1].median.value, 31);
	assert_int_equal((int)rows[1].max, 32);
	kb_sel4_row_name(&found, &rows[2], name, sizeof name);
	assert_string_equal(name, "5");
	assert_string_equal(kb_sel4_path_names[rows[2].of.path], "interrupt");
	free(rows);
	kb_sel4_log_free(&found);
}

static void test_full(void **state)
{
	(void)state;
	begin("log=entries log_index=43690 log_room=43690 log_circles=1 log_tests=1");
	for (unsigned i = 0; i < 43690 / 4; i++) {
		static const unsigned char zeros[96];

		/* Longer lines than raw() makes would be the same. */
		raw(zeros, sizeof zeros);
		if (out.used > sizeof text - 4096)
			break;
	}
	/* Not all of it fits here: bytes are missing, and that is said. */
	assert_int_equal(finish(), -EINVAL);
	kb_sel4_log_free(&found);
	begin("log=entries log_index=2 log_room=2 log_circles=1 log_tests=1");
	entry(1, 1, 6, 0);
	entry(2, 1, 6, 0);
	assert_int_equal(finish(), 0);
	assert_true(kb_sel4_log_full(&found));
	assert_int_equal(kb_sel4_log_lost(&found), 0);
	kb_sel4_log_free(&found);
}

static void test_shares(void **state)
{
	(void)state;
	begin("util_tests=1 util_low=10494 util_high=11868 util_init=8316 util_idle=0 util_kernel=22440 util_total=30678");
	assert_int_equal(finish(), 0);
	assert_true(found.shares_known && !found.entries);
	assert_true(kb_sel4_shares_percent(&found.shares) > 99.999 && kb_sel4_shares_percent(&found.shares) < 100.001);
	found.shares.use[0] *= 10;
	assert_true(kb_sel4_shares_percent(&found.shares) > 400);
	kb_sel4_log_free(&found);
}

static void test_points(void **state)
{
	struct kb_trace_read read;
	char error[160], *as_ours;
	size_t length;

	(void)state;
	begin("log=tracepoints log_index=90 log_room=85 log_circles=1 log_tests=1");
	for (unsigned i = 0; i < 40; i++) {
		point(1, 20);
		point(0, 65);
	}
	for (unsigned i = 0; i < 5; i++)
		point(7, 520);
	assert_int_equal(finish(), 0);
	assert_true(found.points);
	assert_int_equal(kb_sel4_log_lost(&found), 5);
	assert_null(kb_sel4_points_text(&found, 5, 6, &length, error));
	as_ours = kb_sel4_points_text(&found, 0, 1, &length, error);
	assert_non_null(as_ours);
	assert_int_equal(kb_trace_read(&read, as_ours, length, error), 0);
	assert_int_equal(read.counts.lost, 5);
	assert_int_equal((int)read.overhead.effective.median.value, 20);
	assert_int_equal((int)read.overhead.total.median.value, 45);
	assert_int_equal(read.keys[7].value.count, 5);
	assert_int_equal((int)read.keys[7].corrected.median.value, 500);
	assert_int_equal(read.keys[0].value.count, 0);
	kb_trace_read_free(&read);
	free(as_ours);
	kb_sel4_log_free(&found);
}

static void test_damaged(void **state)
{
	char error[160];

	(void)state;
	begin("arch=x86_64");
	assert_int_equal(finish(), -ENOENT);
	kb_sel4_log_free(&found);
	begin("log=entries log_index=2 log_room=9 log_circles=1 log_tests=1");
	entry(1, 1, 6, 0);
	assert_int_equal(finish(), -EINVAL);
	kb_sel4_log_free(&found);
	begin("log=entries log_index=1 log_room=9 log_circles=1 log_tests=1");
	kb_record_line(&writer, "env", "log_raw=00zz");
	assert_int_equal(finish(), -EINVAL);
	kb_sel4_log_free(&found);
	begin("log=entries log_index=1 log_room=9 log_circles=1 log_tests=1");
	entry(1, 1, 6, 0);
	assert_int_equal(kb_sel4_log_read(&found, text, out.used, error), -EINVAL);
	kb_sel4_log_free(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields), cmocka_unit_test(test_table), cmocka_unit_test(test_full), cmocka_unit_test(test_shares),
		cmocka_unit_test(test_points), cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
