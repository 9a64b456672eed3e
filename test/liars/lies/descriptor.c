/*
 * Says: a system call. Hidden: the descriptor, which says what is measured and what proves it, has a mistake in it. Each is made by
 * a macro of the compiler's command line; without any it is the honest one.
 *
 * PARAMS further parameters; EXPECT what is claimed; EVENTS events that are claimed; FIELDS further fields, BASE and OP other ones.
 */
#define _GNU_SOURCE
#include <math.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "descriptor.h"
#include "liar.h"

#define GARBAGE ((void *)16)

static __attribute__((unused)) int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (syscall(SYS_getppid) < 0)
			return kb_fail(run, errno, "getppid");
	}
	return 0;
}

static __attribute__((unused)) int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	uint64_t begin = kb_now(run);
	int error = op(run, n);

	*ticks = kb_now(run) - begin;
	return error;
}

KB_BENCHMARK(
	.summary = SUMMARY, .per = PER,
	.params = { LIE_PARAM("told"), PARAMS },
	.expect = { EXPECT }, .events = { EVENTS },
	OP, BASE, FIELDS,
);
