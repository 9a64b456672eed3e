/*
 * vdso.gettime: clock_gettime as the library calls it, answered by code that the kernel maps into the process, or as a
 * system call. Which of them it was is counted: with a clock source that user space cannot read (hpet, acpi_pm) the first
 * becomes the second, silently. CPU time clocks have no answer but the kernel's.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <kbench.h>

static const struct { const char *name; clockid_t id; bool counts_cpu; } clocks[] = {
	{ "monotonic", CLOCK_MONOTONIC, false }, { "monotonic-raw", CLOCK_MONOTONIC_RAW, false },
	{ "coarse", CLOCK_MONOTONIC_COARSE, false }, { "boottime", CLOCK_BOOTTIME, false },
	{ "realtime", CLOCK_REALTIME, false }, { "realtime-coarse", CLOCK_REALTIME_COARSE, false },
	{ "thread-cputime", CLOCK_THREAD_CPUTIME_ID, true }, { "process-cputime", CLOCK_PROCESS_CPUTIME_ID, true },
};
static clockid_t id;
static bool by_library;
static uint64_t seen;

static int setup(struct kb_run *run)
{
	unsigned i = 0;

	while (strcmp(clocks[i].name, kb_param_text(run, "clock")))
		i++;
	id = clocks[i].id;
	by_library = kb_param_is(run, "via", "vdso");
	if (by_library && clocks[i].counts_cpu)
		return kb_skip(run, "no vDSO answers clock=%s; take via=syscall", clocks[i].name);
	return 0;
}

/* A reading counts if it was made and is not before the last; realtime may be set back meanwhile. */
static int op(struct kb_run *run, uint64_t n)
{
	struct timespec now, last = { 0, 0 };

	seen = 0;
	for (uint64_t i = 0; i < n; i++) {
		int error = by_library ? clock_gettime(id, &now) : (int)syscall(SYS_clock_gettime, id, &now);

		if (error)
			return kb_fail(run, errno, "clock_gettime");
		seen += now.tv_sec > last.tv_sec || (now.tv_sec == last.tv_sec && now.tv_nsec >= last.tv_nsec);
		last = now;
	}
	kb_count(run, KB_SEEN, seen);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return seen == n ? 0 : kb_fail(run, EILSEQ, "a time is before the one before it");
}

KB_BENCHMARK(
	.summary = "clock_gettime by clock, through the vDSO or a system call",
	.portability = KB_ASSUMING, .assumes = "the C library calls the vDSO, and the clock source is readable in user space",
	.per = "call",
	.params = {
		{ "clock", "which", KB_CHOICE, "monotonic,coarse",
		  .choices = "monotonic,monotonic-raw,coarse,boottime,realtime,realtime-coarse,thread-cputime,process-cputime" },
		{ "via", "what answers", KB_CHOICE, "vdso,syscall", .choices = "vdso,syscall" },
	},
	.expect = {
		{ KB_SEEN, .per_op = 1 },
		{ KB_SYSCALLS, 0, 0, 0, KB_ALL, "via=vdso" }, { KB_SYSCALLS, 1, 0, 0, KB_ALL, "via=syscall" },
	},
	.setup = setup, .op = op, .check = check,
);
