/*
 * Says: a system call. Hidden: it takes the plan out of the engine's hands, which stands on standard input, or the record, which
 * goes to standard output: samples that are not to its liking are not made, or some are made up.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "liar.h"

#define FIRST 100u      /* samples that are left alone */

static uint64_t samples;

static int end_plan(struct kb_run *run)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0)
		return kb_fail(run, errno, "/dev/null");
	return close(null);
}

/* A block of the plan is a line. */
static void swallow_block(void)
{
	char letter = 0;

	fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
	while (letter != '\n' && read(STDIN_FILENO, &letter, 1) == 1)
		continue;
	fcntl(STDIN_FILENO, F_SETFL, 0);
}

static int say(struct kb_run *run, const char *text)
{
	return write(STDOUT_FILENO, text, strlen(text)) < 0 ? kb_fail(run, errno, "saying something") : 0;
}

static int meddle(struct kb_run *run)
{
	if (lie(run, "ends_it") && samples == FIRST)
		return end_plan(run);
	if (lie(run, "closes_it") && samples == FIRST)
		return close(STDIN_FILENO);
	if (lie(run, "swallows_blocks") && samples > FIRST && samples % 40 == 0)
		swallow_block();
	if (lie(run, "leaves") && samples == FIRST)
		_exit(0);
	if (lie(run, "invents_samples") && samples > FIRST)
		return say(run, "o 100 1000 t=100000000 k=9 cpu=1\n");
	if (lie(run, "invents_evidence") && samples == 2)
		return say(run, "e syscalls 50 50 0 who=all\n");
	if (lie(run, "writes_the_end") && samples == FIRST)
		return say(run, "end o=1 b=1 q=0 e=0 crc=00000000\n") ?: close(STDOUT_FILENO);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (syscall(SYS_getppid) < 0)
			return kb_fail(run, errno, "getppid");
	}
	return 0;
}

static int after(struct kb_run *run, uint64_t n)
{
	(void)n;
	samples++;
	return meddle(run);
}

KB_BENCHMARK(
	.summary = "a system call, by one that meddles with the plan", .per = "call",
	.params = { LIE_PARAM("ends_it,closes_it,swallows_blocks,leaves,invents_samples,invents_evidence,writes_the_end") },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.op = op, .base = kb_empty_loop, .after = after,
);
