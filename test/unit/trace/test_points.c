/*
 * What trace points log, on a clock that the test sets: the conditional, interleaved and nested uses of the source page with
 * their exact logs, and what happens at the edges of a log.
 */
#include <stdint.h>

/* One reading, one tick more; f, g and h take what their names say. */
static uint64_t fake_now;
static uint64_t fake_stamp(void)
{
	return ++fake_now;
}
#define KB_TRACE_BEGIN_STAMP fake_stamp
#define KB_TRACE_END_STAMP fake_stamp
#define KB_TRACE_MAX 128
#define KB_TRACE_SWITCH 1
#include "trace/points/log.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define ENTRIES 8

static uint64_t buffer[2 * ENTRIES];

static void f(void) { fake_now += 100; }
static void g(void) { fake_now += 1000; }
static void h(void) { fake_now += 10000; }

static int begin(void **state)
{
	(void)state;
	fake_now = 500;
	assert_int_equal(kb_trace_set_log_buffer(buffer, sizeof buffer), 0);
	kb_trace_thread.origin = fake_now;
	return 0;
}

static int end(void **state)
{
	(void)state;
	kb_trace_finalise();
	kb_trace_release();
	assert_null(kb_trace_logs.first);
	return 0;
}

static void expect_log(size_t count, const uint64_t (*expected)[2])
{
	assert_int_equal(kb_trace_thread.used, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(buffer[i] >> KB_TRACE_SHIFT, expected[i][0]);
		assert_int_equal(buffer[i] & KB_TRACE_TICKS_MAX, expected[i][1]);
	}
}
#define EXPECT(...) expect_log(sizeof((uint64_t[][2]){ __VA_ARGS__ }) / 16, (const uint64_t[][2]){ __VA_ARGS__ })

/* What was switched in the middle is no region, and what comes behind it is one again. */
static void test_switched_off(void **state)
{
	(void)state;
	KB_TRACE_START(0);
	KB_TRACE_START(1);
	f();
	kb_trace_off();
	KB_TRACE_STOP(0);
	KB_TRACE_START(2);
	KB_TRACE_MARK(3);
	assert_int_equal(kb_trace_thread.used + kb_trace_thread.unopened, 0);
	kb_trace_on();
	assert_true(kb_trace_since > 0 && kb_trace_since != KB_TRACE_OFF);

	uint64_t since = kb_trace_since = fake_now;

	KB_TRACE_STOP(1);
	KB_TRACE_STOP(2);
	assert_int_equal(kb_trace_thread.unopened, 2);
	KB_TRACE_START(0);
	g();
	KB_TRACE_STOP(0);
	EXPECT({ 0, 1001 });
	kb_trace_on();
	assert_int_equal(kb_trace_since, since);
	kb_trace_since = 0;
}

static void before_stop(bool c)
{
	KB_TRACE_START(0);
	f();
	if (c) {
		g();
		KB_TRACE_STOP(0);
	}
}

static void test_condition_before_stop(void **state)
{
	(void)state;
	before_stop(false);
	before_stop(true);
	before_stop(false);
	before_stop(true);
	EXPECT({ 0, 1101 }, { 0, 1101 });
	assert_int_equal(kb_trace_thread.overwritten, 2);
	assert_int_equal(kb_trace_thread.unopened, 0);
}

static void before_start(bool c)
{
	if (c) {
		f();
		KB_TRACE_START(1);
	}
	g();
	KB_TRACE_STOP(1);
}

static void test_condition_before_start(void **state)
{
	(void)state;
	before_start(false);
	before_start(true);
	before_start(false);
	EXPECT({ 1, 1001 });
	assert_int_equal(kb_trace_thread.unopened, 2);
	assert_int_equal(kb_trace_thread.overwritten, 0);
}

static void combined(bool c)
{
	KB_TRACE_START(2);
	f();
	if (c) {
		h();
		KB_TRACE_STOP(2);
		KB_TRACE_START(3);
	}
	g();
	KB_TRACE_STOP(3);
}

static void test_two_keys_combined(void **state)
{
	(void)state;
	combined(true);
	combined(false);
	combined(true);
	EXPECT({ 2, 10101 }, { 3, 1001 }, { 2, 10101 }, { 3, 1001 });
	assert_int_equal(kb_trace_thread.unopened, 1);
	assert_int_equal(kb_trace_thread.overwritten, 1);
}

static void test_interleaved(void **state)
{
	(void)state;
	KB_TRACE_START(0);
	f();
	KB_TRACE_START(1);
	g();
	KB_TRACE_STOP(0);
	h();
	KB_TRACE_STOP(1);
	EXPECT({ 0, 1102 }, { 1, 11002 });
	assert_int_equal(buffer[ENTRIES], 501);
	assert_int_equal(buffer[ENTRIES + 1], 602);
}

static void test_nested(void **state)
{
	(void)state;
	KB_TRACE_START(0);
	f();
	KB_TRACE_START(1);
	g();
	KB_TRACE_STOP(1);
	h();
	KB_TRACE_STOP(0);
	EXPECT({ 1, 1001 }, { 0, 11103 });
}

static void test_second_start_overwrites(void **state)
{
	(void)state;
	KB_TRACE_START(5);
	h();
	KB_TRACE_START(5);
	f();
	KB_TRACE_STOP(5);
	KB_TRACE_STOP(5);
	EXPECT({ 5, 101 });
	assert_int_equal(kb_trace_thread.overwritten, 1);
	assert_int_equal(kb_trace_thread.unopened, 1);
}

static void test_mark(void **state)
{
	(void)state;
	f();
	KB_TRACE_MARK(7);
	KB_TRACE_MARK(127);
	EXPECT({ 128 + 7, 101 }, { 255, 102 });
}

/* What does not fit is counted, and what is there stays. */
static void test_full(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ENTRIES + 3; i++) {
		KB_TRACE_START(i);
		fake_now += i;
		KB_TRACE_STOP(i);
	}
	KB_TRACE_MARK(1);
	assert_int_equal(kb_trace_thread.lost, 4);
	EXPECT({ 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 4 }, { 4, 5 }, { 5, 6 }, { 6, 7 }, { 7, 8 });
	assert_int_equal(kb_trace_finalise(), ENTRIES);
}

static void test_saturated(void **state)
{
	(void)state;
	KB_TRACE_START(1);
	fake_now += KB_TRACE_TICKS_MAX - 1;
	KB_TRACE_STOP(1);
	KB_TRACE_START(2);
	fake_now += KB_TRACE_TICKS_MAX;
	KB_TRACE_STOP(2);
	EXPECT({ 1, KB_TRACE_TICKS_MAX }, { 2, KB_TRACE_TICKS_MAX });
}

static void test_key_too_large(void **state)
{
	volatile unsigned key = KB_TRACE_MAX;

	(void)state;
	KB_TRACE_START(key);
	KB_TRACE_STOP(key);
	assert_int_equal(kb_trace_thread.used, 0);
	assert_int_equal(kb_trace_thread.lost, 2);
}

static void test_key_is_evaluated_once(void **state)
{
	unsigned begun = 3, ended = 3;

	(void)state;
	KB_TRACE_START(begun++);
	KB_TRACE_STOP(ended++);
	assert_int_equal(begun + ended, 8);
	EXPECT({ 3, 1 });
}

static void test_begin_errors(void **state)
{
	(void)state;
	assert_int_equal(kb_trace_begin(1), -EBUSY);
	assert_int_equal(kb_trace_set_log_buffer(buffer, sizeof buffer), -EBUSY);
	kb_trace_finalise();
	assert_int_equal(kb_trace_begin(0), -EINVAL);
	assert_int_equal(kb_trace_begin(UINT64_MAX), -EINVAL);
	assert_int_equal(kb_trace_set_log_buffer(NULL, 64), -EINVAL);
	assert_int_equal(kb_trace_set_log_buffer((char *)buffer + 1, 64), -EINVAL);
	assert_int_equal(kb_trace_set_log_buffer(buffer, 15), -EINVAL);
	assert_int_equal(kb_trace_finalise(), 0);
	assert_int_equal(kb_trace_begin(3), 0);
	assert_int_equal(kb_trace_thread.room, 3);
}

/* Without a log a point harms nothing, and nothing of before is in it. */
static void test_without_log(void **state)
{
	(void)state;
	kb_trace_finalise();
	combined(true);
	KB_TRACE_MARK(1);
	assert_int_equal(kb_trace_thread.used, 0);
	assert_int_equal(kb_trace_set_log_buffer(buffer, sizeof buffer), 0);
	assert_int_equal(kb_trace_thread.lost, 0);
	KB_TRACE_STOP(2);
	assert_int_equal(kb_trace_thread.used, 0);
}

static void *other_thread(void *memory)
{
	if (kb_trace_set_log_buffer(memory, 64) == 0) {
		KB_TRACE_START(9);
		g();
		KB_TRACE_STOP(9);
		KB_TRACE_START(1);
	}
	return NULL;
}

/* Its log ends with the thread, and outlives it. */
static void test_thread(void **state)
{
	uint64_t memory[8];
	pthread_t thread;

	(void)state;
	KB_TRACE_START(4);
	assert_int_equal(pthread_create(&thread, NULL, other_thread, memory), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	KB_TRACE_STOP(9);
	assert_int_equal(kb_trace_thread.used, 0);
	assert_false(kb_trace_logs.first->ended);
	assert_true(kb_trace_logs.first->next->ended);
	assert_int_equal(kb_trace_logs.first->next->state.used, 1);
	assert_true(kb_trace_logs.first->next->state.start[1] > 0);
	assert_int_equal(memory[0], UINT64_C(9) << KB_TRACE_SHIFT | 1001);
}

/* What a child of fork() finds wrong; 0: nothing. A second thread still logs in the parent. */
static int child(void)
{
	KB_TRACE_START(1);
	KB_TRACE_STOP(1);
	if (kb_trace_logs.first || kb_trace_thread.used != 0 || kb_trace_finalise() != 0)
		return 1;
	if (kb_trace_begin(3) != 0 || kb_trace_logs.first->next || kb_trace_logs.first->tid != (uint64_t)getpid())
		return 2;
	KB_TRACE_START(1);
	KB_TRACE_STOP(1);
	return kb_trace_finalise() == 1 ? 0 : 3;
}

static void *logging_thread(void *barrier)
{
	kb_trace_begin(10);
	pthread_barrier_wait(barrier);
	pthread_barrier_wait(barrier);
	return NULL;
}

/* The parent's entries stay the parent's. */
static void test_fork(void **state)
{
	pthread_barrier_t barrier;
	pthread_t thread;
	pid_t pid;
	int status;

	(void)state;
	KB_TRACE_START(4);
	KB_TRACE_STOP(4);
	pthread_barrier_init(&barrier, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, logging_thread, &barrier), 0);
	pthread_barrier_wait(&barrier);
	pid = fork();
	if (pid == 0)
		_exit(child());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	pthread_barrier_wait(&barrier);
	assert_int_equal(pthread_join(thread, NULL), 0);
	KB_TRACE_START(4);
	KB_TRACE_STOP(4);
	EXPECT({ 4, 1 }, { 4, 1 });
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_condition_before_stop), TEST(test_condition_before_start), TEST(test_two_keys_combined),
		TEST(test_interleaved), TEST(test_nested), TEST(test_second_start_overwrites), TEST(test_mark), TEST(test_full),
		TEST(test_saturated), TEST(test_key_too_large), TEST(test_key_is_evaluated_once), TEST(test_begin_errors),
		TEST(test_without_log), TEST(test_switched_off), TEST(test_thread), TEST(test_fork),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
