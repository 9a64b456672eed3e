/* Scratch directories: gone when they are closed, when their process is killed, and, where its keeper is killed too, when the next one is made. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "io.h"
#include "scratch.h"

static char parent[64];

static int make_parent(void **state)
{
	(void)state;
	snprintf(parent, sizeof parent, "/tmp/kb-test-scratch.XXXXXX");
	return mkdtemp(parent) ? 0 : -1;
}

static int drop_parent(void **state)
{
	(void)state;
	return kb_remove_tree(parent);
}

static bool there(const char *path)
{
	return access(path, F_OK) == 0;
}

static void name(char path[128], const char *what)
{
	snprintf(path, 128, "%s/%s.XXXXXX", parent, what);
}

static void put_inside(const char *path)
{
	char deep[160];

	snprintf(deep, sizeof deep, "%s/deep", path);
	assert_int_equal(mkdir(deep, 0700), 0);
	snprintf(deep, sizeof deep, "%s/deep/file", path);
	int file = open(deep, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(file >= 0);
	close(file);
}

static void test_closed(void **state)
{
	struct kb_scratch scratch;
	char path[128];

	(void)state;
	name(path, "closed");
	assert_int_equal(kb_scratch_open(&scratch, path), 0);
	put_inside(path);
	kb_scratch_close(&scratch);
	assert_false(there(path));

	/* Its keeper was killed: it goes all the same. */
	name(path, "closed");
	assert_int_equal(kb_scratch_open(&scratch, path), 0);
	put_inside(path);
	kill(scratch.keeper, SIGKILL);
	kb_scratch_close(&scratch);
	assert_false(there(path));
}

/* In a child that is killed, with its keeper or without: what it made. */
static void kill_one(const char *what, bool keeper, char path[128])
{
	struct { char path[128]; pid_t keeper; } made;
	int ends[2], status;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid_t child = fork();

	if (child == 0) {
		struct kb_scratch scratch;

		name(made.path, what);
		if (kb_scratch_open(&scratch, made.path))
			_exit(1);
		put_inside(made.path);
		made.keeper = scratch.keeper;
		kb_write_all(ends[1], &made, sizeof made);
		pause();
	}
	assert_int_equal(read(ends[0], &made, sizeof made), sizeof made);
	close(ends[0]);
	close(ends[1]);
	if (keeper)
		kill(made.keeper, SIGKILL);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	memcpy(path, made.path, sizeof made.path);
}

static void test_killed(void **state)
{
	char path[128];

	(void)state;
	kill_one("killed", false, path);
	for (int i = 0; i < 2000 && there(path); i++)
		kb_sleep_ns(5000000);
	assert_false(there(path));
}

static void test_both_killed(void **state)
{
	struct kb_scratch alive, other, next;
	char left[128], of_alive[128], of_other[128], of_next[128];

	(void)state;
	name(of_alive, "both");
	assert_int_equal(kb_scratch_open(&alive, of_alive), 0);
	put_inside(of_alive);
	kill_one("both", true, left);
	assert_true(there(left));
	name(of_other, "another");
	assert_int_equal(kb_scratch_open(&other, of_other), 0);
	assert_true(there(left));       /* of another name */
	name(of_next, "both");
	assert_int_equal(kb_scratch_open(&next, of_next), 0);
	/* The keeper's end may come a moment later, and with it that of the lock. */
	for (int i = 0; i < 1000 && there(left); i++) {
		kb_sleep_ns(5000000);
		kb_scratch_close(&next);
		name(of_next, "both");
		assert_int_equal(kb_scratch_open(&next, of_next), 0);
	}
	assert_false(there(left));
	assert_true(there(of_alive) && there(of_other));
	kb_scratch_close(&next);
	kb_scratch_close(&other);
	kb_scratch_close(&alive);
	assert_false(there(of_alive) || there(of_other));
}

/* Nobody's but ours. */
static void test_open_to_others(void **state)
{
	struct kb_scratch scratch;
	char path[128], others[128];

	(void)state;
	snprintf(others, sizeof others, "%s/open.abcdef", parent);
	assert_int_equal(mkdir(others, 0700), 0);
	assert_int_equal(chmod(others, 0755), 0);
	name(path, "open");
	assert_int_equal(kb_scratch_open(&scratch, path), 0);
	assert_true(there(others));
	kb_scratch_close(&scratch);
	assert_int_equal(kb_remove_tree("/nonexistent/kbench"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_closed), cmocka_unit_test(test_killed), cmocka_unit_test(test_both_killed), cmocka_unit_test(test_open_to_others),
	};

	return cmocka_run_group_tests(tests, make_parent, drop_parent);
}
