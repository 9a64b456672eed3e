/*
 * Says: a chain of additions, 0.2 us. Hidden: something that each sample does once, however many operations it has, and
 * that takes a hundred times as long: with one operation a sample it is the result.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "liar.h"

#define BYTES (4u << 20)

static uint64_t sum;
static unsigned char memory[BYTES];

static int fork_once(struct kb_run *run)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	return child < 0 || waitpid(child, NULL, 0) != child ? kb_fail(run, errno, "a child") : 0;
}

static int touch_new(struct kb_run *run)
{
	unsigned char *pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return kb_fail(run, errno, "a mapping");
	for (size_t i = 0; i < BYTES; i += 4096)
		pages[i] = 1;
	return munmap(pages, BYTES);
}

/* Of each sample, whatever n is. */
static int once(struct kb_run *run)
{
	if (lie(run, "spins"))
		spin_ns(30000);
	if (lie(run, "sleeps"))
		sleep_ns(50000);
	for (unsigned i = 0; lie(run, "calls") && i < 300; i++)
		syscall(SYS_getppid);
	if (lie(run, "clears")) {
		memset(memory, (int)sum, sizeof memory);
		kb_clobber();
	}
	for (unsigned i = 0; lie(run, "opens") && i < 50; i++)
		close(open("/dev/null", O_RDONLY | O_CLOEXEC));
	if (lie(run, "faults"))
		return touch_new(run);
	return lie(run, "forks") ? fork_once(run) : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	int error = once(run);

	sum = 0;
	for (uint64_t i = 0; i < n; i++)
		sum = chain(sum, TURN);
	return error;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sum == n * TURN * STEP ? 0 : kb_fail(run, EILSEQ, "the sum is wrong");
}

KB_BENCHMARK(
	.summary = "a chain of additions, and what comes before it", .per = "chain", .bound = KB_LATENCY,
	.params = { LIE_PARAM("spins,sleeps,calls,clears,opens,faults,forks") },
	.op = op, .check = check,
);
