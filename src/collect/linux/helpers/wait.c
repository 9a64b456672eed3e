/*
 * How the measuring side of a pair stays interruptible without a time limit in each call, which would put the kernel's
 * timer into what is measured: signals end whatever it sleeps in, once a second, and at once and then again when a
 * partner dies. The partner needs nothing of the kind: it dies with its parent.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "collect/linux/context.h"
#include "io.h"
#include "kbench_channel.h"

#define LIMIT_S 3
#define REPEAT_US 50000 /* a death may be noticed just before the next sleep begins */

static volatile sig_atomic_t gone;
static volatile unsigned seconds;

static void tick_every(long s, long us)
{
	struct itimerval timer = { { s, us }, { s, us } };

	setitimer(ITIMER_REAL, &timer, NULL);
}

static void noticed(int number)
{
	int saved = errno;

	if (number == SIGCHLD) {
		gone = 1;
		tick_every(0, REPEAT_US);
	} else {
		seconds++;
	}
	errno = saved;
}

/* In a proof there is no tick: where it takes more than a second, each would be counted, as a call of the operation. A proof has
   a limit of its own, and the death of a partner is noticed there, too. */
void kb_wait_watch(const struct kb_run *run)
{
	struct sigaction action = { .sa_handler = noticed, .sa_flags = SA_NOCLDSTOP };
	bool is_proof = run->context->measure == NULL;

	gone = 0;
	sigaction(SIGCHLD, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	tick_every(is_proof ? 0 : 1, 0);
}

void kb_wait_unwatch(void)
{
	signal(SIGCHLD, SIG_DFL);
	signal(SIGALRM, SIG_IGN);
	tick_every(0, 0);
}

unsigned kb_wait_begin(void)
{
	return seconds;
}

int kb_wait_over(unsigned since)
{
	if (gone)
		return -EPIPE;
	return seconds - since > LIMIT_S ? -ETIMEDOUT : 0;
}

/* The state is set before the task has left its CPU: one look may come too early. */
int kb_wait_asleep(uint32_t pid, uint64_t looks)
{
	unsigned since = kb_wait_begin();
	char path[64], text[128];
	int file, error = 0;

	snprintf(path, sizeof path, "/proc/%u/stat", pid);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return -errno;
	for (uint64_t seen = 0; seen < looks && !error; error = kb_wait_over(since)) {
		const char *name_end = kb_read_at_start(file, text, sizeof text) > 0 ? strrchr(text, ')') : NULL;

		seen = name_end && name_end[2] == 'S' ? seen + 1 : 0;
	}
	close(file);
	return error;
}
