/* A group on a clock that the benchmark moves: between two tests nothing but the benchmark's own re-arming. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "unit/measure/calls.h"

/* More letters: g G the bracket becomes wide, narrow; p P probe, O op, a after, k check. */
static struct {
	uint64_t n, ticks, bracketed;           /* n, ticks: that `after` was told */
	unsigned ops, fails_at;                 /* the op that fails, from 1 */
	bool check_fails;
} group;

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	call('O');
	seen.now += 10 * n;
	return ++group.ops == group.fails_at ? -EIO : 0;
}

static int after(struct kb_run *run, uint64_t n)
{
	(void)run, (void)n;
	call('a');
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	(void)run, (void)n;
	call('k');
	return group.check_fails ? -EPROTO : 0;
}

static void probe_before(void *context, enum kb_role role)
{
	(void)context;
	assert_int_equal(role, KB_ROLE_OP);
	call('p');
}

static unsigned probe_after(void *context, enum kb_role role, uint64_t n, uint64_t ticks, unsigned *cpu)
{
	(void)context, (void)role;
	call('P');
	group.n = n;
	group.ticks = ticks;
	*cpu = 3;
	return KB_FLAG_GAP;
}

static void bracket(void *context, uint64_t intervals)
{
	(void)context;
	call(intervals > 1 ? 'g' : 'G');
	if (intervals > 1)
		group.bracketed = intervals;
}

static int run_line(const char *line, bool with_group)
{
	struct kb_bench bench = { .before = before, .op = op, .after = after, .check = check };
	struct kb_run run = { .bench = &bench };
	struct kb_probe probe = { .before = probe_before, .after = probe_after, .group = with_group ? bracket : NULL };

	seen.writes = true;
	return run_block((struct kb_measure){ .run = &run, .probe = &probe }, line);
}

static int reset(void **state)
{
	(void)state;
	memset(&seen, 0, sizeof seen);
	memset(&group, 0, sizeof group);
	seen.now = 1000;
	return 0;
}

static void nothing_between_two_tests(void **state)
{
	(void)state;
	assert_int_equal(run_line("group 3 w1 t3 o5", true), 0);
	assert_memory_equal(seen.calls, "gp" "b<O>a" "b<O>a" "b<O>a" "b<O>a" "PGkw", 26);
	assert_int_equal(group.bracketed, 4);
	assert_int_equal(group.n, 20);
	assert_int_equal(group.ticks, 4 * 57);
	assert_string_equal(seen.text, "o 5 57 t=0 k=3 cpu=3 flags=warmup\n"
	                               "o 5 57 t=157 k=3 cpu=3\n"
	                               "o 5 57 t=314 k=3 cpu=3\n"
	                               "o 5 57 t=471 k=3 cpu=3 flags=gap\n");
}

static void a_probe_without_groups_will_do(void **state)
{
	(void)state;
	assert_int_equal(run_line("group 0 w0 t2 o1", false), 0);
	assert_memory_equal(seen.calls, "pb<O>ab<O>aPk", 13);
}

static void a_failed_test_is_no_observation(void **state)
{
	(void)state;
	group.fails_at = 3;
	assert_int_equal(run_line("group 1 w0 t5 o2", true), -EIO);
	assert_int_equal(group.ops, 3);
	assert_null(strchr(seen.calls, 'k'));
	assert_non_null(strstr(seen.text, "o 2 27 t=127 k=1 cpu=3 flags=gap\nfail stage=op errno=5"));
}

static void the_first_test_may_fail(void **state)
{
	(void)state;
	group.fails_at = 1;
	assert_int_equal(run_line("group 1 w0 t5 o2", true), -EIO);
	assert_memory_equal(seen.text, "fail stage=op errno=5", 21);
}

static void a_failed_check_fails_the_process(void **state)
{
	(void)state;
	group.check_fails = true;
	assert_int_equal(run_line("group 1 w0 t2 o2", true), -EPROTO);
	assert_non_null(strstr(seen.text, "\nfail stage=check errno=71"));
}

static void the_largest_group_fits(void **state)
{
	(void)state;
	assert_int_equal(run_line("group 1 w24 t1000 o1", true), 0);
	assert_int_equal(group.ops, KB_GROUP_TESTS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing_between_two_tests, reset),
		cmocka_unit_test_setup(a_probe_without_groups_will_do, reset),
		cmocka_unit_test_setup(a_failed_test_is_no_observation, reset),
		cmocka_unit_test_setup(the_first_test_may_fail, reset),
		cmocka_unit_test_setup(a_failed_check_fails_the_process, reset),
		cmocka_unit_test_setup(the_largest_group_fits, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
