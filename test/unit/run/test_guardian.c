/*
 * The guardian when the run it guards is killed with -9, in a child that plays the run. Only directories and processes of
 * this test are at stake: the id is drawn for it, and every wait ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "io.h"
#include "run/process/guardian.h"

#define PATIENCE_MS 10000

struct place { char directory[64], inner[96], setting[96], keep[96], id[40]; };

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(kb_write_all(fd, text, strlen(text)), 0);
	close(fd);
}

static struct place make_place(void)
{
	struct place place = { .directory = "/tmp/kbench-guardian-XXXXXX" };
	char deep[128];

	assert_non_null(mkdtemp(place.directory));
	snprintf(place.inner, sizeof place.inner, "%s/scratch", place.directory);
	snprintf(place.setting, sizeof place.setting, "%s/setting", place.directory);
	snprintf(place.keep, sizeof place.keep, "%s/keep", place.directory);
	snprintf(place.id, sizeof place.id, "test-%d-%s", (int)getpid(), strrchr(place.directory, '-') + 1);
	mkdir(place.inner, 0700);
	snprintf(deep, sizeof deep, "%s/deep", place.inner);
	mkdir(deep, 0700);
	snprintf(deep, sizeof deep, "%s/deep/file", place.inner);
	write_text(deep, "of the run");
	/* Values have one length: a file of /proc or /sys is not cut before it is written. */
	write_text(place.setting, "changed");
	write_text(place.keep, "kept");
	return place;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *walk)
{
	(void)info, (void)type, (void)walk;
	return remove(path);
}

static void drop_place(const struct place *place)
{
	nftw(place->directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static bool gone(const char *path)
{
	return access(path, F_OK) < 0 && errno == ENOENT;
}

static bool holds(const char *path, const char *text)
{
	char found[64];

	return kb_read_file(path, found, sizeof found) >= 0 && !strcmp(found, text);
}

/* ---- processes ----------------------------------------------------------------------------------- */

/* A process that would sleep for a minute. mark: an environment with the run's id, or NULL; group: one of its own. It
   has its environment on return: the pipe closes when the program is executed. */
static pid_t sleeper(const char *mark, bool group)
{
	char *arguments[] = { "sleep", "60", NULL };
	char variable[64] = "NOTHING=1", end;
	char *environment[] = { variable, NULL };
	int started[2];

	if (pipe2(started, O_CLOEXEC) < 0)
		return -1;
	if (mark)
		snprintf(variable, sizeof variable, "KBENCH_RUN=%s", mark);
	pid_t pid = fork();

	if (pid == 0) {
		if (group)
			setpgid(0, 0);
		execve("/bin/sleep", arguments, environment);
		_exit(127);
	}
	close(started[1]);
	while (read(started[0], &end, 1) < 0 && errno == EINTR)
		;
	close(started[0]);
	return pid;
}

/* Waits until the process, a child or adopted, is dead; 0: it still lives, else its wait status + 1. */
static int wait_dead(pid_t pid, int patience_ms)
{
	for (int waited = 0, status; waited <= patience_ms; waited += 5) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status + 1;
		kb_sleep_ns(5000000);
	}
	return 0;
}

static bool was_killed(pid_t pid)
{
	int status = wait_dead(pid, PATIENCE_MS) - 1;

	return status >= 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	wait_dead(pid, PATIENCE_MS);
}

static bool eventually(bool (*is)(const char *), const char *path)
{
	for (int waited = 0; waited < PATIENCE_MS && !is(path); waited += 5)
		kb_sleep_ns(5000000);
	return is(path);
}

/* Says as a collector does that `path` held `value`; 'y' or 'n' for itself, '?' for an answer to somebody else. */
static char ask(const struct kb_guardian *guardian, int group, const char *path, const char *value)
{
	char text[256], answer[32];
	int length = snprintf(text, sizeof text, "%d restore %s\t%s", group, path, value);

	assert_int_equal(send(guardian->settings, text, (size_t)length, MSG_NOSIGNAL), length);
	ssize_t got = recv(guardian->settings, answer, sizeof answer - 1, 0);

	assert_true(got > 2);
	answer[got] = '\0';
	return atoi(answer + 2) == group ? answer[0] : '?';
}

/* ---- the run, in a child -------------------------------------------------------------------------- */

struct cast { pid_t guardian, carrier, grouped; };

/* Starts everything, tells who is who, and waits to be killed. */
static void play_run(const struct place *place, int out)
{
	struct kb_guardian guardian;
	struct cast cast;

	if (kb_guardian_start(&guardian, place->id))
		_exit(1);
	cast = (struct cast){ guardian.pid, sleeper(place->id, false), sleeper(NULL, true) };
	if (kb_guardian_remove(&guardian, place->inner) || ask(&guardian, 71, place->setting, "at rest") != 'y' ||
	    kb_guardian_group(&guardian, cast.grouped))
		_exit(1);
	kb_write_all(out, &cast, sizeof cast);
	for (int i = 0; i < 60; i++)
		sleep(1);
	_exit(1);
}

static pid_t start_run(const struct place *place, struct cast *cast)
{
	int ends[2];
	pid_t pid;

	prctl(PR_SET_CHILD_SUBREAPER, 1); /* orphans come here, where their end can be seen */
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0)
		play_run(place, ends[1]);
	close(ends[1]);
	struct pollfd ready = { .fd = ends[0], .events = POLLIN };

	assert_int_equal(poll(&ready, 1, PATIENCE_MS), 1);
	assert_int_equal(read(ends[0], cast, sizeof *cast), sizeof *cast);
	close(ends[0]);
	return pid;
}

static void test_killed(void **state)
{
	struct place place = make_place();
	pid_t stranger = sleeper("another-run", false), run;
	struct cast cast;

	(void)state;
	run = start_run(&place, &cast);
	/* Nothing is undone while the run lives. */
	kb_sleep_ns(50000000);
	assert_false(gone(place.inner));
	assert_true(holds(place.setting, "changed"));
	assert_int_equal(kill(cast.carrier, 0), 0);

	kill(run, SIGKILL);
	assert_true(was_killed(run));
	assert_true(was_killed(cast.carrier));
	assert_true(was_killed(cast.grouped));
	assert_true(eventually(gone, place.inner));
	assert_true(wait_dead(cast.guardian, PATIENCE_MS) == 1); /* it ended by itself, with 0 */
	assert_true(holds(place.setting, "at rest"));
	assert_true(holds(place.keep, "kept"));
	assert_int_equal(wait_dead(stranger, 0), 0);
	end_child(stranger);
	drop_place(&place);
}

/* The end in order: all is undone when stop returns. */
static void test_stop(void **state)
{
	struct place place = make_place();
	struct kb_guardian guardian;
	pid_t carrier = sleeper(place.id, false);

	(void)state;
	assert_int_equal(kb_guardian_start(&guardian, place.id), 0);
	assert_int_equal(kb_guardian_remove(&guardian, place.inner), 0);
	kb_guardian_stop(&guardian);
	assert_true(gone(place.inner));
	assert_true(was_killed(carrier));
	drop_place(&place);
}

/* The last change is undone first: a setting changed twice must get its first value back. */
static void test_order(void **state)
{
	struct place place = make_place();
	struct kb_guardian guardian;

	(void)state;
	assert_int_equal(kb_guardian_start(&guardian, place.id), 0);
	assert_int_equal(ask(&guardian, 71, place.setting, "one____"), 'y');
	assert_int_equal(ask(&guardian, 71, place.setting, "two____"), 'y');
	kb_guardian_stop(&guardian);
	assert_true(holds(place.setting, "one____"));
	drop_place(&place);
}

/* What a process changed comes back when it ends; what two have changed, when both have, and as the first found it. */
static void test_processes(void **state)
{
	struct place place = make_place();
	struct kb_guardian guardian;

	(void)state;
	assert_int_equal(kb_guardian_start(&guardian, place.id), 0);
	assert_int_equal(ask(&guardian, 71, place.setting, "first__"), 'y');
	assert_int_equal(ask(&guardian, 72, place.setting, "changed"), 'y');
	assert_int_equal(ask(&guardian, 72, place.keep, "old_"), 'y');
	assert_int_equal(kb_guardian_settle(&guardian, 73), 0);
	assert_int_equal(kb_guardian_settle(&guardian, 71), 0);
	assert_true(holds(place.setting, "changed"));
	assert_true(holds(place.keep, "kept"));
	assert_int_equal(kb_guardian_settle(&guardian, 72), 0);
	assert_true(holds(place.setting, "first__"));
	assert_true(holds(place.keep, "old_"));
	/* Nothing is left of them. */
	write_text(place.setting, "later__");
	kb_guardian_stop(&guardian);
	assert_true(holds(place.setting, "later__"));
	drop_place(&place);
}

static void say(int line, const char *text)
{
	assert_int_equal(send(line, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* A launch dies between its word and the answer, while another's stands before it: the run's word on its end comes after both. */
static void test_process_dies_asking(void **state)
{
	struct place place = make_place();
	struct kb_guardian guardian;
	char text[160], answer;

	(void)state;
	assert_int_equal(kb_guardian_start(&guardian, place.id), 0);
	assert_int_equal(kb_guardian_group(&guardian, 0), 0);   /* it serves */
	kill(guardian.pid, SIGSTOP);
	for (int owner = 71; owner <= 73; owner++) {
		snprintf(text, sizeof text, "%d restore %s\tfirst__", owner, place.setting);
		say(guardian.settings, text);
	}
	say(guardian.lifeline, "settle 73");
	kill(guardian.pid, SIGCONT);
	assert_int_equal(recv(guardian.lifeline, &answer, 1, 0), 1);
	assert_int_equal(kb_guardian_settle(&guardian, 72), 0);
	assert_true(holds(place.setting, "changed"));
	assert_int_equal(kb_guardian_settle(&guardian, 71), 0);
	assert_true(holds(place.setting, "first__"));
	kb_guardian_stop(&guardian);
	drop_place(&place);
}

/* The run is gone before its launch: the same, and words that are no such line are refused. */
static void test_process_outlives(void **state)
{
	struct place place = make_place();
	struct kb_guardian guardian;

	(void)state;
	assert_int_equal(kb_guardian_start(&guardian, place.id), 0);
	assert_int_equal(ask(&guardian, 71, place.setting, "at rest"), 'y');
	assert_int_equal(ask(&guardian, 0, place.keep, "old_"), 'n');
	assert_int_equal(send(guardian.settings, "71 remove /nonexistent", 22, 0), 22);
	char answer[8];

	assert_int_equal(recv(guardian.settings, answer, sizeof answer, 0), 4);
	assert_int_equal(answer[0], 'n');
	kb_guardian_stop(&guardian);
	assert_true(holds(place.setting, "at rest"));
	assert_true(holds(place.keep, "kept"));
	drop_place(&place);
}

/* Group ids are reused: one that was taken back must be left alone. */
static void test_group_taken_back(void **state)
{
	struct place place = make_place();
	struct kb_guardian guardian;
	pid_t grouped = sleeper(NULL, true);

	(void)state;
	assert_int_equal(kb_guardian_start(&guardian, place.id), 0);
	assert_int_equal(kb_guardian_group(&guardian, grouped), 0);
	assert_int_equal(kb_guardian_group(&guardian, 0), 0);
	kb_guardian_stop(&guardian);
	assert_int_equal(wait_dead(grouped, 0), 0);
	end_child(grouped);
	drop_place(&place);
}

/* Without a guardian nothing may be changed, and a path that does not fit must not be cut to another one. */
static void test_refused(void **state)
{
	static char path[5000];
	struct kb_guardian guardian;

	(void)state;
	memset(path, 'x', sizeof path - 1);
	assert_int_equal(kb_guardian_start(&guardian, "test-refused"), 0);
	assert_int_equal(kb_guardian_remove(&guardian, path), -ENAMETOOLONG);
	kill(guardian.pid, SIGKILL);
	for (int i = 0; i < 1000 && kb_guardian_remove(&guardian, "/nonexistent/kbench") == 0; i++)
		kb_sleep_ns(5000000);
	assert_int_equal(kb_guardian_remove(&guardian, "/nonexistent/kbench"), -EPIPE);
	kb_guardian_stop(&guardian);
}

/* What does not load is not unloaded, and is no hindrance. A kernel that has modules: test/integration/kernel/shared.sh, with a
   stand-in, and test/guest/host.sh. */
static void test_modules(void **state)
{
	struct place place = make_place();
	struct kb_guardian guardian;
	char path[5000];

	(void)state;
	memset(path, 'x', sizeof path - 1);
	path[sizeof path - 1] = '\0';
	assert_int_equal(kb_guardian_start(&guardian, place.id), 0);
	assert_int_equal(kb_guardian_remove(&guardian, place.inner), 0);
	assert_int_equal(kb_guardian_load(&guardian, "kbench_no_such", "/nonexistent/kbench_no_such.ko", false), -ENOENT);
	assert_int_equal(kb_guardian_load(&guardian, "kbench_no_such", "/nonexistent/kbench_no_such.ko", true), -ENOENT);
	assert_int_equal(kb_guardian_load(&guardian, "kbench_no_such", path, false), -ENAMETOOLONG);
	assert_int_equal(kb_guardian_keep_modules(&guardian), 0);
	kb_guardian_stop(&guardian);
	assert_true(gone(place.inner));
	drop_place(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_killed), cmocka_unit_test(test_stop), cmocka_unit_test(test_order),
		cmocka_unit_test(test_group_taken_back), cmocka_unit_test(test_refused), cmocka_unit_test(test_modules),
		cmocka_unit_test(test_processes), cmocka_unit_test(test_process_dies_asking),
		cmocka_unit_test(test_process_outlives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
