/* Whether sums close: what may be left over, and that nothing counted twice passes either. */
#define _GNU_SOURCE
#include "trace/entries/util.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "kbench_track.h"

static struct kb_util_total total(uint64_t threads, uint64_t idle)
{
	struct kb_util_total t = { .elapsed = 500000, .capacity = 1000000, .threads = threads, .idle = idle };

	t.unaccounted = (int64_t)(t.capacity - threads - idle);
	return t;
}

static bool closes(uint64_t threads, uint64_t idle)
{
	struct kb_util_total t = total(threads, idle);

	return kb_util_closes(&t);
}

static void test_conservation(void **state)
{
	(void)state;
	assert_true(closes(400000, 600000));
	assert_true(closes(400000, 599000));
	assert_false(closes(400000, 598999));
	assert_true(closes(401000, 600000));
	assert_false(closes(401001, 600000));
	assert_false(closes(0, 0));
}

/* The semantics of the source document that need no kernel. */
static void test_without_reset(void **state)
{
	struct kb_track_utilisation use;
	uint64_t buffer[64];

	(void)state;
	assert_int_equal(kb_track_finalise(), 0);
	assert_int_equal(kb_track_get(0, &use), -EINVAL);
	assert_int_equal(kb_track_set_log_buffer((char *)buffer + 1, sizeof buffer - 8), -EINVAL);
	assert_int_equal(kb_track_set_log_buffer(buffer, 16), -EINVAL);
	assert_int_equal(kb_track_set_log_buffer(buffer, sizeof buffer), 0);
	assert_int_equal(kb_track_set_log_buffer(NULL, 0), 0);
	assert_int_equal(kb_track_lost(), 0);
	assert_string_equal(kb_track_refusal(), "");
	kb_track_release();
}

/* Four find room, of which one is this process; its other children are counted. */
static void test_no_room_to_follow(void **state)
{
	struct kb_members members;
	pid_t children[6];

	(void)state;
	if (kb_members_open(&members, 4))
		skip();
	assert_int_equal(kb_members_add(&members, (uint32_t)gettid()), 0);
	for (int i = 0; i < 6; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			pause();
			_exit(0);
		}
	}
	assert_int_equal(kb_members_unfollowed(&members), 3);
	for (int i = 0; i < 6; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	kb_members_close(&members);
	assert_int_equal(kb_members_unfollowed(&members), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conservation), cmocka_unit_test(test_without_reset), cmocka_unit_test(test_no_room_to_follow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
