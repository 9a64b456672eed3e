/*
 * The guardian when the run it guards is killed with -9, in a child that plays the run. Only directories and processes of
 * this test are at stake: the id is drawn for it, and every wait ends.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "place.h"
#include "run/process/guardian.h"
#include "run/process/mark.h"

#define PATIENCE_MS 10000

/* ---- processes ----------------------------------------------------------------------------------- */

/* A process that would sleep for a minute, without an environment. mark: the id of its run, or NULL; group: one of its own. It
   has all that on return: the pipe closes when the program is executed. */
static pid_t sleeper(const char *mark, bool group)
{
	char *arguments[] = { "sleep", "60", NULL };
	char *environment[] = { NULL }, end;
	int started[2];

	if (pipe2(started, O_CLOEXEC) < 0)
		return -1;
	pid_t pid = fork();

	if (pid == 0) {
		if (mark && kb_mark(mark))
			_exit(127);
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
	static int asked;
	char text[256], name[32], answer[48];

	snprintf(name, sizeof name, "%d %d", group, ++asked);
	int length = snprintf(text, sizeof text, "%s restore %s\t%s", name, path, value);

	assert_int_equal(send(guardian->settings, text, (size_t)length, MSG_NOSIGNAL), length);
	ssize_t got = recv(guardian->settings, answer, sizeof answer - 1, 0);

	assert_true(got > 2);
	answer[got] = '\0';
	return !strcmp(answer + 2, name) ? answer[0] : '?';
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
		snprintf(text, sizeof text, "%d 1 restore %s\tfirst__", owner, place.setting);
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
	assert_int_equal(send(guardian.settings, "71 9 remove /nonexistent", 24, 0), 24);
	char answer[8];

	assert_int_equal(recv(guardian.settings, answer, sizeof answer, 0), 6);
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

/* A path that does not fit must not be cut to another one, and one of two lines would be two entries. */
static void test_refused(void **state)
{
	static char path[PATH_MAX + 1000];
	struct kb_guardian guardian;

	(void)state;
	memset(path, 'x', sizeof path - 1);
	assert_int_equal(kb_guardian_start(&guardian, "test-refused"), 0);
	assert_int_equal(kb_guardian_remove(&guardian, path), -ENAMETOOLONG);
	assert_int_equal(kb_guardian_remove(&guardian, "/nonexistent/kbench\nadd 0 remove /nonexistent/kbench-2"), -EINVAL);
	kb_guardian_stop(&guardian);
}

/* ---- guardians that are killed -------------------------------------------------------------------- */

/* Kills it, at a moment when nobody asks it anything. */
static void kill_guardian(const struct kb_guardian *guardian)
{
	siginfo_t info;

	kill(guardian->pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)guardian->pid, &info, WEXITED | WNOWAIT), 0);
}

/* What one promised, the next one keeps: what the run asked for, and processes of it that live or have ended. */
static void test_replaced(void **state)
{
	struct place place = make_place();
	struct kb_guardian guardian;
	pid_t first, grouped = sleeper(NULL, true);
	char answer[32];
	ssize_t length;

	(void)state;
	assert_int_equal(kb_guardian_start(&guardian, place.id), 0);
	first = guardian.pid;
	assert_int_equal(kb_guardian_remove(&guardian, place.inner), 0);
	assert_int_equal(ask(&guardian, 71, place.setting, "at rest"), 'y');
	assert_int_equal(ask(&guardian, 72, place.keep, "old_"), 'y');
	assert_int_equal(kb_guardian_settle(&guardian, 72), 0);
	write_text(place.keep, "kept");
	assert_int_equal(kb_guardian_group(&guardian, grouped), 0);
	kill_guardian(&guardian);
	kb_guardian_look(&guardian);
	assert_int_not_equal(guardian.pid, first);
	assert_int_equal(ask(&guardian, 71, place.keep, "kept"), 'y');
	/* A process asks while there is none: it hears the next, which what the run says has started. */
	kill_guardian(&guardian);
	say(guardian.settings, "73 5 restore /nonexistent/setting\told");
	assert_int_equal(kb_guardian_settle(&guardian, 70), 0);
	do {    /* it may repeat what the other had answered just before it was killed */
		assert_true((length = recv(guardian.settings, answer, sizeof answer - 1, 0)) > 0);
		answer[length] = '\0';
	} while (strncmp(answer, "y 71 ", 5) == 0);
	assert_string_equal(answer, "y 73 5");
	kb_guardian_stop(&guardian);
	assert_true(was_killed(grouped));
	assert_true(gone(place.inner));
	assert_true(holds(place.setting, "at rest"));
	drop_place(&place);
}

/* Too few descriptors for a guardian: nothing is promised, and no process stays. */
static void test_few_descriptors(void **state)
{
	struct kb_guardian guardian;
	struct rlimit old, few;
	int first = dup(0), error;

	(void)state;
	assert_true(first > 0);
	close(first);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	few = (struct rlimit){ .rlim_cur = (rlim_t)first + 6, .rlim_max = old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	error = kb_guardian_start(&guardian, "test-few") ?: kb_guardian_group(&guardian, 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_true(error == -EPIPE || error == -EMFILE);
	pid_t last = guardian.pid;

	kb_guardian_stop(&guardian);
	assert_true(last <= 0 || kill(last, 0) < 0);
	assert_true(gone(guardian.journal.path) || !guardian.journal.path[0]);
}

/* Nobody restarts one that is killed when all is over: then the run does its work. */
static void test_killed_at_end(void **state)
{
	struct place place = make_place();
	struct kb_guardian guardian;
	pid_t carrier = sleeper(place.id, false);

	(void)state;
	assert_int_equal(kb_guardian_start(&guardian, place.id), 0);
	assert_int_equal(kb_guardian_remove(&guardian, place.inner), 0);
	assert_int_equal(ask(&guardian, 71, place.setting, "at rest"), 'y');
	kill_guardian(&guardian);
	kb_guardian_stop(&guardian);
	assert_true(was_killed(carrier));
	assert_true(gone(place.inner));
	assert_true(gone(guardian.journal.path));
	assert_true(holds(place.setting, "at rest"));
	drop_place(&place);
}

/* Run and guardian at once: the next one that starts undoes it all, but not what a run has that lives. */
static void test_both_killed(void **state)
{
	struct place place = make_place(), alive = make_place();
	struct kb_guardian guardian, next;
	struct cast cast;
	pid_t run;

	(void)state;
	assert_int_equal(kb_guardian_start(&guardian, alive.id), 0);
	assert_int_equal(kb_guardian_remove(&guardian, alive.inner), 0);
	run = start_run(&place, &cast);
	kill(run, SIGSTOP);     /* so that it does not see its guardian die */
	kill(cast.guardian, SIGKILL);
	kill(run, SIGKILL);
	assert_true(was_killed(run));
	assert_true(was_killed(cast.guardian));
	assert_false(gone(place.inner));
	assert_int_equal(kill(cast.carrier, 0), 0);

	assert_int_equal(kb_guardian_start(&next, "test-next"), 0);
	assert_true(was_killed(cast.carrier));
	assert_true(gone(place.inner));
	assert_true(holds(place.setting, "at rest"));
	assert_false(gone(alive.inner));
	end_child(cast.grouped);        /* its number alone is no reason to kill it then */
	kb_guardian_stop(&next);
	kb_guardian_stop(&guardian);
	assert_true(gone(alive.inner));
	drop_place(&place);
	drop_place(&alive);
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
		cmocka_unit_test(test_process_outlives), cmocka_unit_test(test_replaced), cmocka_unit_test(test_killed_at_end), cmocka_unit_test(test_few_descriptors),
		cmocka_unit_test(test_both_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
