/*
 * Operations of several kinds, each followed by a chain of dependent additions, a core cycle each: EXTRA is a list of further ones, so that
 * two builds differ by a known number of instructions. FENCE is the processor's instruction behind which nothing begins before all in front
 * of it has ended. test/ab.py makes and compares them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kbench.h>

#define MEMORY (16u << 10)
#define ADD(x) (x) += by; __asm__ volatile("" : "+r"(x));
#define ADD_10(x) ADD(x) ADD(x) ADD(x) ADD(x) ADD(x) ADD(x) ADD(x) ADD(x) ADD(x) ADD(x)

static uint64_t result;
static volatile uint64_t step = 3;      /* in a register: additions of constants may vanish at rename and cost nothing */
static int ends[2] = { -1, -1 };
static char byte;

static int run_chain(void)
{
	uint64_t x = result, by = step;

	for (int i = 0; i < 100; i++) {
		ADD_10(x)
	}
	result = x;
	return 0;
}

/* Four chains at once: what a neighbour on the core slows down. */
static int run_alu(void)
{
	uint64_t a = 1, b = 2, c = 3, d = 4, by = step;

	for (int i = 0; i < 400; i++) {
		ADD(a) ADD(b) ADD(c) ADD(d)
	}
	result = a + b + c + d;
	return 0;
}

static int call_null(void)
{
	return syscall(SYS_getppid) < 0 || syscall(SYS_getppid) < 0 || syscall(SYS_getppid) < 0;
}

static int call_stat(void)
{
	struct stat st;

	return stat("/", &st);
}

static int write_and_read(void)
{
	return write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1;
}

static int touch_memory(void)
{
	char *memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return -1;
	memory[0] = memory[4096] = 1;
	return munmap(memory, MEMORY);
}

static int fork_and_wait(void)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(3);
	return child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 3;
}

/* Page faults and sleeps of an operation, about: samples with some that are not claimed are left out. */
static const struct { const char *name; int (*once)(void); double faults, sleeps; } kinds[] = {
	{ "chain", run_chain, 0, 0 }, { "alu", run_alu, 0, 0 }, { "null", call_null, 0, 0 }, { "stat", call_stat, 0, 0 },
	{ "pipe", write_and_read, 0, 0 }, { "touch", touch_memory, 2, 0 }, { "fork", fork_and_wait, 8, 1 },
};
static int (*once)(void);

static int setup(struct kb_run *run)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (!kb_param_is(run, "what", kinds[i].name))
			continue;
		once = kinds[i].once;
		if (kinds[i].faults > 0)
			kb_expect(run, KB_MINFLT, kinds[i].faults, kinds[i].faults > 2 ? kinds[i].faults : 0.01);
		if (kinds[i].sleeps > 0)
			kb_expect(run, KB_NVCSW, kinds[i].sleeps, 0.9);
	}
	return pipe(ends) < 0 ? kb_fail(run, errno, "pipe") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t by = step;

	for (uint64_t i = 0; i < n; i++) {
		if (once())
			return kb_fail(run, errno, "the operation");
		uint64_t x = result;

		__asm__ volatile(FENCE ::: "memory");
		ADD_10(x) ADD_10(x) EXTRA
		result = x;
		__asm__ volatile(FENCE ::: "memory");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "an operation and a known number of additions",
	.per = "operation",
	.bound = KB_KERNEL,
	.params = { { "what", "the operation", KB_CHOICE, "chain", .choices = "chain,alu,null,stat,pipe,touch,fork" } },
	.setup = setup,
	.op = op,
);
