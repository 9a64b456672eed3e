/*
 * The partner of a two-party benchmark: a child that serves until its channel closes. It cannot outlive its parent,
 * and it holds neither the plan nor the record, so that the run's own pipes end when the collector ends.
 */
#define _GNU_SOURCE
#include "collect/linux/context.h"
#include "kbench_parties.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io.h"

#define REAP_LIMIT_NS UINT64_C(2000000000)

static void leave_record(void)
{
	int null = open("/dev/null", O_RDWR);

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
}

static int serve_as_child(struct kb_run *run, int (*serve)(struct kb_run *), unsigned cpu, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) /* it died before the prctl */
		return 1;
	kb_output_drop();
	leave_record();
	return kb_pin(cpu) || serve(run) ? 1 : 0;
}

int kb_placed_on(struct kb_run *run, const char *placement)
{
	bool same = !strcmp(placement, "same-cpu");
	int cpu = kb_cpu(run, same ? 0 : 1);

	if (cpu < 0)
		return kb_skip(run, "placement=%s needs two CPUs", placement);
	if (!same && run->context->options->maybe_sibling)
		kb_record_line(&run->context->out, "note", "maybe_sibling");
	return cpu;
}

int kb_peer_start(struct kb_run *run, int (*serve)(struct kb_run *), const char *placement)
{
	struct kb_context *context = run->context;
	int cpu = kb_placed_on(run, placement);
	pid_t parent = getpid();

	if (cpu < 0)
		return cpu;
	if (context->peer_count == KB_PEERS_MAX)
		return kb_fail(run, EAGAIN, "more than %d partners", KB_PEERS_MAX);

	pid_t child = fork();

	if (child < 0)
		return kb_fail(run, errno, "fork of the partner");
	if (child == 0)
		_exit(serve_as_child(run, serve, (unsigned)cpu, parent));
	context->peers[context->peer_count++] = child;
	kb_linux_probe_peer(&context->probe, child, (unsigned)cpu);
	context->probe.lookout.peers = context->peers;
	context->probe.lookout.peer_count = context->peer_count;
	return 0;
}

static int reap_one(pid_t child, int *status)
{
	uint64_t deadline = kb_wall_ns() + REAP_LIMIT_NS;

	for (;;) {
		pid_t got = waitpid(child, status, WNOHANG);

		if (got == child)
			return 0;
		if (got < 0 && errno != EINTR)
			return -errno;
		if (kb_wall_ns() > deadline) {
			kill(child, SIGKILL);
			waitpid(child, status, 0);
			return -ETIME;
		}
		kb_sleep_ns(100000);
	}
}

int kb_peers_reap(struct kb_context *context)
{
	int result = 0;

	for (unsigned i = 0; i < context->peer_count; i++) {
		int status = 0, error = reap_one(context->peers[i], &status);

		if (!error && (!WIFEXITED(status) || WEXITSTATUS(status)))
			error = -EPIPE;
		if (error && !result)
			snprintf(context->detail, sizeof context->detail, "the partner %s (wait status 0x%x)",
			         error == -ETIME ? "did not end" : "failed", (unsigned)status);
		result = result ? result : error;
	}
	context->peer_count = 0;
	return result;
}

void kb_peers_kill(struct kb_context *context)
{
	for (unsigned i = 0; i < context->peer_count; i++) {
		kill(context->peers[i], SIGKILL);
		waitpid(context->peers[i], NULL, 0);
	}
	context->peer_count = 0;
}
