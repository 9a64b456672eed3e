/* Kernel entries without a kernel: pairs of raw entries written by hand, sums that stay small, the record, names. */
#include "trace/entries/sum.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "base/record.h"
#include "stamp.h"
#include "trace/raw_bpf.h"

static struct kb_pairing *pairing;
static struct kb_entry entry;

static uint16_t point_of(const char *tracepoint)
{
	for (unsigned i = 0; i < kb_entry_point_count; i++)
		if (strcmp(kb_entry_points[i].tracepoint, tracepoint) == 0)
			return (uint16_t)i;
	fail_msg("no point %s", tracepoint);
	return 0;
}

/* Whether the raw entry completes one. */
static bool give(const char *tracepoint, uint64_t ns, uint64_t value, uint32_t thread, uint16_t cpu, uint32_t lost)
{
	struct kb_raw_entry raw = { ns, value, (uint64_t)100 << 32 | thread, cpu, point_of(tracepoint), lost };

	return kb_pairing_add(pairing, &raw, &entry);
}

static int setup(void **state)
{
	(void)state;
	pairing = kb_pairing_new();
	return pairing ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	kb_pairing_free(pairing);
	return 0;
}

/* Threads sleep in their calls and wake elsewhere. */
static void test_calls(void **state)
{
	(void)state;
	assert_false(give("sys_enter", 1000, 7, 11, 0, 0));
	assert_false(give("sys_enter", 1100, 8, 12, 0, 0));
	assert_true(give("sys_exit", 5000, (uint64_t)-4, 11, 1, 0));
	assert_int_equal(entry.kind, KB_ENTRY_SYSCALL);
	assert_int_equal(entry.number, 7);
	assert_int_equal(entry.start_ns, 1000);
	assert_int_equal(entry.duration_ns, 4000);
	assert_int_equal(entry.result, -4);
	assert_int_equal(entry.thread, 11);
	assert_int_equal(entry.process, 100);
	assert_int_equal(entry.cpu, 1);
	assert_true(give("sys_exit", 5100, 0, 12, 0, 0));
	assert_int_equal(entry.number, 8);
	assert_int_equal(entry.duration_ns, 4000);
	assert_int_equal(kb_pairing_finish(pairing).entries, 2);
	assert_int_equal(kb_pairing_finish(pairing).open, 0);
}

/* An interrupt inside another, and both inside a call; the inner one's own pair is taken, whoever is current. */
static void test_nested(void **state)
{
	(void)state;
	assert_false(give("sys_enter", 100, 1, 11, 2, 0));
	assert_false(give("local_timer_entry", 200, 236, 11, 2, 0));
	assert_false(give("irq_handler_entry", 300, 9, 11, 2, 0));
	assert_false(give("local_timer_entry", 310, 236, 11, 3, 0));
	assert_true(give("irq_handler_exit", 350, 9, 11, 2, 0));
	assert_int_equal(entry.kind, KB_ENTRY_IRQ);
	assert_int_equal(entry.duration_ns, 50);
	assert_true(give("local_timer_exit", 400, 236, 11, 2, 0));
	assert_int_equal(entry.duration_ns, 200);
	assert_string_equal(entry.vector, "local_timer");
	assert_true(give("local_timer_exit", 411, 236, 11, 3, 0));
	assert_int_equal(entry.duration_ns, 101);
	assert_true(give("sys_exit", 500, 0, 11, 2, 0));
	assert_int_equal(entry.duration_ns, 400);
	assert_int_equal(kb_pairing_finish(pairing).overwritten, 0);
}

/* What is lost must never make a pair of halves of two. */
static void test_loss(void **state)
{
	struct kb_pairing_counts counts;

	(void)state;
	assert_false(give("sys_exit", 50, 0, 10, 0, 0));
	assert_false(give("sys_enter", 100, 1, 11, 0, 0));
	/* Two were lost: the end of this call, and the begin of another. */
	assert_false(give("sys_exit", 900, 0, 11, 0, 2));
	assert_false(give("sys_enter", 1000, 3, 11, 0, 2));
	assert_false(give("sys_enter", 2000, 4, 11, 0, 3));
	assert_true(give("sys_exit", 2100, 0, 11, 0, 3));
	assert_int_equal(entry.number, 4);
	/* The end of the inner interrupt never came. */
	assert_false(give("local_timer_entry", 3000, 236, 11, 0, 3));
	assert_false(give("irq_handler_entry", 3010, 9, 11, 0, 3));
	assert_true(give("local_timer_exit", 3050, 236, 11, 0, 3));
	assert_false(give("sys_enter", 4000, 4, 12, 0, 3));
	counts = kb_pairing_finish(pairing);
	assert_int_equal(counts.raw, 10);
	assert_int_equal(counts.entries, 2);
	assert_int_equal(counts.unopened, 1);
	assert_int_equal(counts.torn, 1);
	assert_int_equal(counts.overwritten, 2);
	assert_int_equal(counts.open, 1);
}

static void test_alone(void **state)
{
	(void)state;
	assert_true(give("nmi_handler", 1000, 300, 11, 0, 0));
	assert_true(entry.lasted);
	assert_int_equal(entry.start_ns, 700);
	assert_int_equal(entry.duration_ns, 300);
}

/* A fault is told with its end; without one when its thread faults again, or at the end; a call around it stays as it is. */
static void test_faults(void **state)
{
	(void)state;
	assert_false(give("sys_enter", 50, 1, 11, 0, 0));
	assert_false(give("page_fault_kernel", 100, 2, 11, 0, 0));
	assert_false(give("page_fault_user", 110, 6, 12, 1, 0));
	assert_true(give("minor-faults", 150, 5, 11, 1, 0));
	assert_true(entry.lasted);
	assert_int_equal(entry.kind, KB_ENTRY_FAULT_KERNEL);
	assert_int_equal(entry.number, 2);
	assert_int_equal(entry.start_ns, 100);
	assert_int_equal(entry.duration_ns, 50);
	assert_int_equal(entry.cpu, 1);
	assert_true(give("sys_exit", 160, 0, 11, 1, 0));
	assert_int_equal(entry.duration_ns, 110);
	assert_true(give("page_fault_user", 200, 7, 12, 0, 0));
	assert_false(entry.lasted);
	assert_int_equal(entry.start_ns, 110);
	assert_int_equal(entry.number, 6);
	assert_int_equal(entry.thread, 12);
	assert_int_equal(entry.process, 100);
	/* The end after a loss may be another fault's. */
	assert_true(give("major-faults", 300, 6, 12, 0, 1));
	assert_false(entry.lasted);
	assert_false(give("minor-faults", 310, 5, 12, 0, 1));
	assert_false(give("page_fault_user", 400, 4, 13, 0, 1));
	assert_true(kb_pairing_left(pairing, &entry));
	assert_int_equal(entry.thread, 13);
	assert_false(entry.lasted);
	assert_false(kb_pairing_left(pairing, &entry));
	assert_int_equal(kb_pairing_finish(pairing).entries, 5);
	assert_int_equal(kb_pairing_finish(pairing).torn, 1);
	assert_int_equal(kb_pairing_finish(pairing).unopened, 1);
	assert_int_equal(kb_pairing_finish(pairing).open, 0);
}

/* 100,000 of one number: count, total and extremes of all, the median of some, and of memory no more. */
static void test_sum(void **state)
{
	struct kb_entry one = { .kind = KB_ENTRY_SYSCALL, .number = 5, .lasted = true };
	struct kb_entry large = { .kind = KB_ENTRY_VECTOR, .number = 1000000 };
	const struct kb_entry_row *rows[4];
	struct kb_entry_sum *sum = calloc(1, sizeof *sum);
	struct kb_interval median;

	(void)state;
	for (uint64_t i = 0; i < 100000; i++) {
		one.duration_ns = 1000 + i * 7919 % 1001;
		assert_int_equal(kb_entry_sum_add(sum, &one), 0);
	}
	assert_int_equal(kb_entry_sum_add(sum, &large), 0);
	assert_int_equal(kb_entry_sum_rows(sum, rows, 4), 2);
	assert_int_equal(rows[0]->number, 5);
	assert_int_equal(rows[0]->count, 100000);
	assert_int_equal(rows[0]->min_ns, 1000);
	assert_int_equal(rows[0]->max_ns, 2000);
	assert_true(rows[0]->total_ns > 149900000 && rows[0]->total_ns < 150100000);
	assert_true(rows[0]->kept <= KB_ENTRY_KEPT && rows[0]->kept >= KB_ENTRY_KEPT / 2);
	assert_true(rows[0]->stride * rows[0]->kept < 100000 + rows[0]->stride && rows[0]->stride * rows[0]->kept >= 100000);
	median = kb_entry_median(rows[0]);
	assert_true(median.known && median.value > 1480 && median.value < 1520);
	assert_int_equal(rows[1]->number, KB_ENTRY_NUMBERS - 1);
	assert_int_equal(rows[1]->lasted, 0);
	kb_entry_sum_free(sum);
	free(sum);
}

/* What is kept of a rising series rises in equal steps from its first value. */
static void test_thinned(void **state)
{
	struct kb_entry one = { .kind = KB_ENTRY_SYSCALL, .number = 5, .lasted = true };
	struct kb_entry_sum *sum = calloc(1, sizeof *sum);
	const struct kb_entry_row *row;

	(void)state;
	for (uint64_t i = 0; i < 50000; i++) {
		one.duration_ns = i;
		assert_int_equal(kb_entry_sum_add(sum, &one), 0);
	}
	row = sum->rows[KB_ENTRY_SYSCALL][5];
	for (uint64_t i = 0; i < row->kept; i++)
		assert_int_equal((uint64_t)row->values[i], i * row->stride);
	kb_entry_sum_free(sum);
	free(sum);
}

static void test_names(void **state)
{
	char name[64];

	(void)state;
	kb_entry_name(&(struct kb_entry){ .kind = KB_ENTRY_SYSCALL, .number = SYS_getppid }, name, sizeof name);
	assert_string_equal(name, "getppid");
	kb_entry_name(&(struct kb_entry){ .kind = KB_ENTRY_SYSCALL, .number = 99999 }, name, sizeof name);
	assert_string_equal(name, "99999");
	kb_entry_name(&(struct kb_entry){ .kind = KB_ENTRY_VECTOR, .number = 236, .vector = "local_timer" }, name, sizeof name);
	assert_string_equal(name, "local_timer 236");
	kb_entry_name(&(struct kb_entry){ .kind = KB_ENTRY_FAULT_USER, .number = 6 }, name, sizeof name);
	assert_string_equal(name, strncmp(KB_ARCH_NAME, "x86", 3) == 0 ? "write user 0x6" : "0x6");
}

static char text[8192];

static int put(void *context, const char *bytes, size_t count)
{
	kb_text_bytes(context, bytes, count);
	return 0;
}

static void put_clock(struct kb_record_writer *writer, double cost)
{
	assert_true(cost < 1);
	kb_record_line(writer, "clock", "ns hz=1000000000 quantum=1 cost=0 ordered=1");
}

/* A record that its reader finds whole, with every duration in it. */
static void test_record(void **state)
{
	struct kb_text out = kb_text_in(text, sizeof text);
	struct kb_pairing_counts counts = { .raw = 3, .entries = 2 };
	struct kb_entries_record record;
	struct kb_record_reader reader;
	struct kb_line line;
	unsigned found = 0;

	(void)state;
	kb_entries_record_begin(&record, (struct kb_sink){ put, &out }, 1000, put_clock);
	kb_entries_record_add(&record, &(struct kb_entry){ .kind = KB_ENTRY_SYSCALL, .number = 39, .start_ns = 1500, .duration_ns = 77,
							   .lasted = true, .thread = 11, .cpu = 1 });
	kb_entries_record_add(&record, &(struct kb_entry){ .kind = KB_ENTRY_FAULT_USER, .number = 6, .start_ns = 1600 });
	assert_int_equal(kb_entries_record_end(&record, &counts, 5, true), 0);
	kb_record_open(&reader, text, out.used);
	while (kb_record_next(&reader, &line) != KB_LINE_NONE) {
		if (line.kind != KB_LINE_OBS)
			continue;
		found++;
		assert_int_equal(line.obs.ticks, 77);
		assert_int_equal(line.obs.t, 500);
		assert_int_equal(line.obs.cpu, 1);
	}
	assert_int_equal(reader.state, KB_RECORD_WHOLE);
	assert_int_equal(found, 1);
	assert_non_null(strstr(text, "env entry=6 t=600 k=4 cpu=0 thread=0\n"));
	assert_non_null(strstr(text, "raw=3 lost=5 "));
}

/* A jump forward lands on what comes next, and a program that is too long is refused before the kernel sees it. */
static void test_code(void **state)
{
	struct kb_raw_code code = { .used = 0 };
	unsigned jump = kb_raw_put(&code, BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_1, 0, 0, 0);

	(void)state;
	kb_raw_map(&code, BPF_REG_2, 3);
	kb_raw_land(&code, jump);
	kb_raw_return(&code);
	assert_int_equal(code.insns[jump].off, 2);
	assert_int_equal(code.used, 5);
	while (!code.full)
		kb_raw_set(&code, BPF_REG_0, 0);
	assert_int_equal(code.used, KB_RAW_INSNS);
	assert_int_equal(kb_raw_load_program(&code, BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0), -7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_calls, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nested, setup, teardown),
		cmocka_unit_test_setup_teardown(test_loss, setup, teardown),
		cmocka_unit_test_setup_teardown(test_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(test_faults, setup, teardown),
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_thinned),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_record),
		cmocka_unit_test(test_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
