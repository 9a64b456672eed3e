/*
 * One byte written to /dev/null, by the system call alone or through a function around it: what the return of that function costs,
 * which the processor cannot predict after a system call. x86-64 only.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench.h>

static int null = -1;

static int setup(struct kb_run *run)
{
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	return null < 0 ? kb_fail(run, errno, "open of /dev/null") : 0;
}

static inline long call(void)
{
	long result = SYS_write;

	__asm__ volatile("syscall" : "+a"(result) : "D"(null), "S"(""), "d"(1) : "rcx", "r11", "memory");
	return result;
}

static __attribute__((noinline)) long called(void)
{
	return call();
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t sum = 0;

	if (kb_param_is(run, "way", "syscall"))
		for (uint64_t i = 0; i < n; i++)
			sum += (uint64_t)call();
	else if (kb_param_is(run, "way", "function"))
		for (uint64_t i = 0; i < n; i++)
			sum += (uint64_t)called();
	else
		for (uint64_t i = 0; i < n; i++)
			sum += (uint64_t)write(null, "", 1);
	return sum == n ? 0 : kb_fail(run, EPROTO, "not all bytes were taken");
}

static void teardown(struct kb_run *run)
{
	(void)run;
	if (null >= 0)
		close(null);
}

KB_BENCHMARK(
	.summary = "one byte to /dev/null, with no return, one, or the library's after the system call",
	.per = "call",
	.params = { { "way", "how", KB_CHOICE, "syscall,function,libc", 0, 0, "syscall,function,libc" } },
	.setup = setup, .op = op, .base = kb_empty_loop, .teardown = teardown,
);
