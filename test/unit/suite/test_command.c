/* Commands under count and under the clock: what they started and asked for, how they ended, and that a limit holds. */
#include "suite/model/command.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define S UINT64_C(1000000000)

static struct kb_command_counts counts;
static struct kb_command_time elapsed;

static struct kb_command_how sh(const char *script, uint64_t limit_ns)
{
	static char shell[] = "sh", option[] = "-c", text[200];
	static char *argv[] = { shell, option, text, NULL };

	strncpy(text, script, sizeof text - 1);
	return (struct kb_command_how){ argv, 0, limit_ns };
}

/* Where tracing is refused there is nothing to see. */
static void count(const char *script)
{
	struct kb_command_how how = sh(script, 20 * S);
	int error = kb_command_count(&how, &counts);

	if (error == -EPERM)
		skip();
	assert_int_equal(error, 0);
}

static void programs_and_processes_are_counted(void **state)
{
	(void)state;
	count("exit 3");
	assert_true(WIFEXITED(counts.status) && WEXITSTATUS(counts.status) == 3);
	assert_int_equal(counts.starts, 1);
	assert_int_equal(counts.processes, 0);
	count("exec sleep 0");
	assert_int_equal(counts.starts, 2);
	assert_int_equal(counts.processes, 0);
	count("sleep 0; (exit 0); exit 0");
	assert_int_equal(counts.starts, 2);
	assert_int_equal(counts.processes, 2);
}

static void calls_are_counted_by_number(void **state)
{
	uint64_t before;

	(void)state;
	count("exit 0");
	before = counts.calls[SYS_write];
	count("echo; echo; echo; exit 0");
	assert_int_equal(counts.calls[SYS_write] - before, 3);
	assert_int_equal(counts.calls[SYS_exit_group], 1);
}

static void a_signal_is_handed_on(void **state)
{
	(void)state;
	count("kill -TERM $$; exit 0");
	assert_true(WIFSIGNALED(counts.status) && WTERMSIG(counts.status) == SIGTERM);
}

static void time_is_that_of_the_command(void **state)
{
	struct kb_command_how how = sh("sleep 0.1; exit 7", 20 * S);

	(void)state;
	assert_int_equal(kb_command_measure(&how, &elapsed), 0);
	assert_int_equal(WEXITSTATUS(elapsed.status), 7);
	assert_true(elapsed.wall_ns >= S / 10);
	assert_true(elapsed.user_ns + elapsed.system_ns < elapsed.wall_ns);
	assert_true(elapsed.minor > 0 && elapsed.switches > 0);
}

/* Traced tasks are all ours to be waited for, and none is left. */
static void a_limit_ends_what_is_traced(void **state)
{
	struct kb_command_how how = sh("sleep 60 & setsid sleep 60 & sleep 60", S / 2);
	int error = kb_command_count(&how, &counts);

	(void)state;
	assert_true(error == -ETIME || error == -EPERM);
	assert_int_equal(waitpid(-1, NULL, __WALL | WNOHANG), -1);
}

/* Orphans become ours for this test: killed they can be waited for, alive they cannot. */
static void a_limit_ends_the_group(void **state)
{
	struct kb_command_how how = sh("sleep 60 & sleep 60", S / 2);
	int tries = 0;
	pid_t got;

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(kb_command_measure(&how, &elapsed), -ETIME);
	while ((got = waitpid(-1, NULL, WNOHANG)) >= 0 && ++tries < 500)
		usleep(10000);
	assert_int_equal(got, -1);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
}

static bool refuse_ptrace(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof filter / sizeof filter[0], filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Untraced the command would run as long as it likes: nobody watches the limit before its first stop. */
static void refused_tracing_runs_nothing(void **state)
{
	struct kb_command_how how = sh("sleep 60", S / 2);
	int status = 0, tries = 0;
	pid_t child = fork();

	(void)state;
	if (child == 0)
		_exit(!refuse_ptrace() ? 77 : kb_command_count(&how, &counts) == -EPERM ? 0 : 1);
	while (waitpid(child, &status, WNOHANG) == 0 && ++tries < 1000)
		usleep(10000);
	if (tries == 1000) {
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void what_is_no_program_says_so(void **state)
{
	char *argv[] = { (char[]){ "/nothing/there" }, NULL };
	struct kb_command_how how = { argv, 0, S };
	int error = kb_command_count(&how, &counts);

	(void)state;
	assert_int_equal(kb_command_measure(&how, &elapsed), -ENOENT);
	assert_true(error == -ENOENT || error == -EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_and_processes_are_counted), cmocka_unit_test(calls_are_counted_by_number),
		cmocka_unit_test(a_signal_is_handed_on), cmocka_unit_test(time_is_that_of_the_command),
		cmocka_unit_test(a_limit_ends_what_is_traced), cmocka_unit_test(refused_tracing_runs_nothing),
		cmocka_unit_test(a_limit_ends_the_group), cmocka_unit_test(what_is_no_program_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
