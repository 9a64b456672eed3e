/*
 * proc.shell: `sh -c PROGRAM`, the shell and the program both found through PATH. Some shells become the last command
 * instead of starting it: form=plain is what this one does, form=exec tells it to, form=fork leaves it something to do
 * afterwards. Which it was, the name that the ended process still has tells. The shell is part of the result's identity.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kbench_parties.h>

#define PROGRAM "kbench-hello-static"

static char command[64];
static char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" }, command, NULL };

/* FNV-1a of the shell's file: another shell is another program, and its results are another row's. */
static int identify(struct kb_run *run)
{
	int fd = open("/bin/sh", O_RDONLY | O_CLOEXEC);
	unsigned char text[4096];
	uint32_t hash = 2166136261u;
	ssize_t got;

	while (fd >= 0 && (got = read(fd, text, sizeof text)) > 0) {
		for (ssize_t i = 0; i < got; i++)
			hash = (hash ^ text[i]) * 16777619u;
	}
	kb_code_hash(run, hash);
	return fd < 0 || close(fd) ? kb_fail(run, errno, "read of /bin/sh") : 0;
}

/* Starts the shell once and looks at it when it has ended and not been waited for: 1 if it became the program. */
static int becomes(struct kb_run *run)
{
	char path[64], name[32] = "";
	siginfo_t ended;
	pid_t child = fork();

	if (child == 0) {
		if (!freopen("/dev/null", "r+", stdout) || dup2(STDOUT_FILENO, STDIN_FILENO) < 0)
			_exit(1);
		execvp(argv[0], argv);
		_exit(KB_EXECUTE_FAILED);
	}
	if (child < 0 || waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT))
		return kb_fail(run, errno, "starting sh");
	snprintf(path, sizeof path, "/proc/%d/comm", (int)child);
	int fd = open(path, O_RDONLY | O_CLOEXEC), became;

	became = fd >= 0 && read(fd, name, sizeof name - 1) > 0 && strncmp(name, PROGRAM, 14) == 0;
	close(fd);
	return kb_reap(run, child, KB_HELLO_EXIT) ?: became;
}

static int setup(struct kb_run *run)
{
	static char search[PATH_MAX + 32];
	const char *path = kb_program(run, "hello-static"), *former = getenv("PATH");
	bool executes = kb_param_is(run, "form", "exec"), forks = kb_param_is(run, "form", "fork");
	int became;

	if (!path)
		return -ENOENT;
	snprintf(search, sizeof search, "%.*s:%s", (int)(strrchr(path, '/') - path), path, former ? former : "/usr/bin:/bin");
	setenv("PATH", search, 1);
	snprintf(command, sizeof command, "%s%s%s", executes ? "exec " : "", PROGRAM, forks ? "; exit $?" : "");
	became = becomes(run);
	if (became < 0 || (executes && !became) || (forks && became))
		return became < 0 ? became : kb_fail(run, EPROTO, "this shell %s the last command", became ? "becomes" : "starts");
	return identify(run);
}

static int op(struct kb_run *run, uint64_t n)
{
	int error = 0;

	for (uint64_t i = 0; i < n && !error; i++) {
		error = kb_execute(run, argv, KB_HELLO_EXIT);
		kb_count(run, KB_SEEN, !error);
	}
	return error;
}
KB_BENCHMARK(
	.summary = "small program started by the shell", .per = "command",
	.suite = KB_FULL, .portability = KB_ASSUMING, .lmbench = "lat_proc shell", .assumes = "the shell is the same program",
	.params = { { "form", "of the command", KB_CHOICE, "plain", .choices = "plain,exec,fork" } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_MAJFLT }, { KB_NVCSW, .per_op = 1, .tolerance = 0.9 },
	            { KB_MINFLT, .per_op = 8, .tolerance = 8 } },
	.setup = setup, .op = op,
);
