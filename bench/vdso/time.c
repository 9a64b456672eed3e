/*
 * vdso.time: the older ways to ask for the time: time(), which only has to load a number, and gettimeofday(). That they do
 * not enter the kernel is counted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <kbench.h>

/* Seconds since 1970; 0 after an error. */
static uint64_t by_time(void)
{
	time_t now = time(NULL);

	return now < 0 ? 0 : (uint64_t)now;
}

static uint64_t by_day(void)
{
	struct timeval now;

	return gettimeofday(&now, NULL) ? 0 : (uint64_t)now.tv_sec;
}

static uint64_t by_syscall(void)
{
	struct timeval now;

	return syscall(SYS_gettimeofday, &now, NULL) ? 0 : (uint64_t)now.tv_sec;
}

/* Inlined for each way: a call through a pointer would be a good part of the result. An answer counts if it is a time and
   not before the last. */
static inline __attribute__((always_inline)) uint64_t ask(uint64_t (*way)(void), uint64_t n)
{
	uint64_t last = 1, seen = 0;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t now = way();

		seen += now >= last;
		last = now;
	}
	return seen;
}

static uint64_t seen;

static int op(struct kb_run *run, uint64_t n)
{
	seen = kb_param_is(run, "call", "time") ? ask(by_time, n) :
	       kb_param_is(run, "call", "gettimeofday") ? ask(by_day, n) : ask(by_syscall, n);
	kb_count(run, KB_SEEN, seen);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return seen == n ? 0 : kb_fail(run, EILSEQ, "a time is before the one before it");
}

#define CALLS "time,gettimeofday,gettimeofday-syscall"
KB_BENCHMARK(
	.summary = "time() and gettimeofday(), the second also as a system call",
	.portability = KB_ASSUMING, .assumes = "the C library calls the vDSO, and the clock source is readable in user space",
	.per = "call",
	.params = { { "call", "which", KB_CHOICE, CALLS, .choices = CALLS } },
	.expect = {
		{ KB_SEEN, .per_op = 1 },
		{ KB_SYSCALLS, 0, 0, 0, KB_ALL, "call=time" }, { KB_SYSCALLS, 0, 0, 0, KB_ALL, "call=gettimeofday" },
		{ KB_SYSCALLS, 1, 0, 0, KB_ALL, "call=gettimeofday-syscall" },
	},
	.op = op, .check = check,
);
