/* Child processes of a benchmark: started, waited for, and known by the exit code that only the right one leaves. */
#define _GNU_SOURCE
#include "collect/linux/context.h"
#include "kbench_parties.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int kb_reap(struct kb_run *run, int child, int code)
{
	int status;
	pid_t got;

	do
		got = waitpid(child, &status, 0);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return kb_fail(run, errno, "wait for child %d", child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == code)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == KB_EXECUTE_FAILED)
		return kb_fail(run, ENOENT, "child %d did not find its program (exit code %d)", child, KB_EXECUTE_FAILED);
	return kb_fail(run, ECHILD, "child %d ended with status %#x, expected exit code %d", child, (unsigned)status, code);
}

/* The collector's own input is the plan and its output the record: a program must see neither. */
static void become(char *const argv[], int null)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(null, STDIN_FILENO) >= 0 && dup2(null, STDOUT_FILENO) >= 0)
		execvp(argv[0], argv);
	_exit(KB_EXECUTE_FAILED);
}

int kb_execute(struct kb_run *run, char *const argv[], int code)
{
	static int null = -1;           /* opened by the first, a warm-up */
	pid_t child;

	if (null < 0)
		null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0)
		return kb_fail(run, errno, "open of /dev/null");
	child = fork();
	if (child < 0)
		return kb_fail(run, errno, "fork");
	if (child == 0)
		become(argv, null);
	kb_part(run);
	return kb_reap(run, child, code);
}
