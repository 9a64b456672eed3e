/*
 * Events by number. Software events are counted by every kernel, so the path that hardware events take is really gone:
 * a page that is touched for the first time is one fault.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "env/event_names.h"
#include "evidence/evidence.h"

static const struct kb_event_code faults = {
	.name = "page-faults", .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS,
};

static char text[4096];
static size_t length;

static int sink(void *context, const char *bytes, size_t count)
{
	(void)context;
	assert_true(count < sizeof text - length);
	memcpy(text + length, bytes, count);
	length += count;
	text[length] = '\0';
	return 0;
}

static const char *report(const struct kb_events *events, uint64_t operations, uint64_t bases)
{
	struct kb_evidence_tally op = { .operations = operations, .samples = 1 }, base = { .operations = bases, .samples = bases > 0 };
	struct kb_record_writer out;

	kb_record_begin(&out, (struct kb_sink){ sink, NULL });
	length = 0;
	text[0] = '\0';
	kb_events_report(events, &op, &base, &out);
	return text;
}

static void touch_fresh(unsigned pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *fresh = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(fresh, MAP_FAILED);
	madvise(fresh, pages * page, MADV_NOHUGEPAGE);
	for (unsigned i = 0; i < pages; i++)
		((volatile char *)fresh)[i * page] = 1;
	munmap(fresh, pages * page);
}

static void words_of_the_command_line(void **state)
{
	struct kb_event_code code = { "MEM_LOAD:L1_MISS:cmask=0x1:u", 4, 0x1d1, UINT64_MAX, 7, true, false, true }, back;
	char word[KB_EVENT_TEXT_MAX];

	(void)state;
	kb_event_format(word, &code);
	assert_string_equal(word, "4:1d1:ffffffffffffffff:7:5:MEM_LOAD:L1_MISS:cmask=0x1:u");
	assert_int_equal(kb_event_parse(word, &back), 0);
	assert_string_equal(back.name, code.name);
	assert_true(back.type == code.type && back.config == code.config && back.config1 == code.config1 &&
		    back.config2 == code.config2);
	assert_true(back.no_user && !back.no_kernel && back.no_hypervisor);
	kb_event_format(word, &faults);
	assert_int_equal(kb_event_parse(word, &back), 0);
	assert_string_equal(back.name, "page-faults");
}

static void wrong_words(void **state)
{
	static const char *const wrong[] = {
		"", "1:2:3:0:0", "1:2:3:0:0:", "page-faults", "1:2:3:0:0:two words", "1:2:x:0:0:name",
		"1:2:3:0:0:0123456789012345678901234567890123456789012345678901234567890123456789",
	};
	struct kb_event_code code;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_int_equal(kb_event_parse(wrong[i], &code), -EINVAL);
}

static void need_events(void)
{
	if (kb_event_try(&faults))
		skip(); /* the kernel refuses this user */
}

static void counted_around_intervals(void **state)
{
	struct kb_events events = { .count = 0 };

	(void)state;
	need_events();
	kb_events_add(&events, &faults);
	assert_int_equal(events.count, 1);
	touch_fresh(50); /* outside */
	for (int i = 0; i < 3; i++) {
		kb_events_before(&events);
		touch_fresh(20);
		kb_events_after(&events, i == 2 ? KB_ROLE_SINGLE : KB_ROLE_OP, false);
	}
	kb_events_before(&events);
	touch_fresh(7);
	kb_events_after(&events, KB_ROLE_BASE, false);
	kb_events_before(&events);
	touch_fresh(1000);
	kb_events_after(&events, KB_ROLE_OP, true);
	kb_events_before(&events);
	touch_fresh(1000);
	kb_events_after(&events, KB_ROLE_CLOCK, false);
	/* A stray fault of the test itself is allowed for: the stack may grow. */
	assert_in_range(events.at[0].op, 60, 65);
	assert_in_range(events.at[0].base, 7, 9);
}

static void reported_in_lines(void **state)
{
	struct kb_events events = { .count = 0 };

	(void)state;
	events.at[events.count++] = (struct kb_counted_event){ .code = faults, .fd = -1, .op = 60, .base = 7 };
	events.at[events.count] = (struct kb_counted_event){ .code = faults, .fd = -1, .op = 1, .lost = true };
	strcpy(events.at[events.count++].code.name, "lost");
	/* A counter of the hardware that stands still is none; a software event may well be zero. */
	events.at[events.count++] = (struct kb_counted_event){ .code = { .name = "dead", .type = PERF_TYPE_HARDWARE }, .fd = -1 };
	events.at[events.count++] = (struct kb_counted_event){ .code = { .name = "zero", .type = PERF_TYPE_SOFTWARE }, .fd = -1 };
	events.at[events.count++] = (struct kb_counted_event){ .code = { .name = "point", .type = PERF_TYPE_TRACEPOINT }, .fd = -1 };
	assert_string_equal(report(&events, 30, 10), "e perf:page-faults 60 30 1\neb perf:page-faults 7 10 1\n"
			    "e perf:zero 0 30 1\neb perf:zero 0 10 1\ne perf:point 0 30 1\neb perf:point 0 10 1\n");
	assert_string_equal(report(&events, 30, 0), "e perf:page-faults 60 30 1\ne perf:zero 0 30 1\ne perf:point 0 30 1\n");
	assert_true(kb_counter_is_event("perf:zero"));
	assert_false(kb_counter_is_event("minflt"));
}

static void what_cannot_be_counted_is_left_out(void **state)
{
	struct kb_event_code none = { .name = "none", .type = 0x7ffffff0 };
	struct kb_events events = { .count = 0 };

	(void)state;
	assert_true(kb_event_try(&none) < 0);
	kb_events_add(&events, &none);
	assert_int_equal(events.count, 0);
	need_events();
	for (int i = 0; i < KB_EVENTS_OPEN_MAX + 2; i++)
		kb_events_add(&events, &faults);
	assert_int_equal(events.count, KB_EVENTS_OPEN_MAX);
}

/* The names that benchmarks claim by, whether or not this machine can count them. */
static void names(void **state)
{
	static const char *const known[] = {
		"page-faults", "branch-misses:u", "instructions:u", "L1-dcache-load-misses:u", "dTLB-load-misses:u",
	};
	struct kb_event_code code;
	char why[120];

	(void)state;
	if (!kb_event_library())
		skip();
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		assert_int_equal(kb_event_find(known[i], &code, why), 0);
		assert_string_equal(code.name, known[i]);
		assert_int_equal(code.no_kernel, strstr(known[i], ":u") != NULL);
	}
	assert_int_equal(kb_event_find("page-faults", &code, why), 0);
	assert_int_equal(code.type, faults.type);
	assert_int_equal(code.config, faults.config);
	assert_int_equal(kb_event_find("instructions:u", &code, why), 0);
	assert_int_equal(code.type, PERF_TYPE_HARDWARE);
	assert_int_equal(code.config, PERF_COUNT_HW_INSTRUCTIONS);
	assert_int_equal(kb_event_find("no-such-event", &code, why), -EINVAL);
	assert_non_null(strstr(why, "libpfm4"));
	assert_int_equal(kb_event_find("page-faults,instructions", &code, why), -EINVAL);
	assert_int_equal(kb_event_find("", &code, why), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_the_command_line), cmocka_unit_test(wrong_words),
		cmocka_unit_test(counted_around_intervals), cmocka_unit_test(reported_in_lines),
		cmocka_unit_test(what_cannot_be_counted_is_left_out), cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
