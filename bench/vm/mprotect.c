/*
 * vm.mprotect: the rights of written pages are taken and given back in turn; an operation is one of the two calls. Taking
 * costs more: the processor must forget what it remembers of the pages. Without pages only a record would change.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench_files.h>

static char *memory;
static size_t bytes;
static int zero = -1;

static int setup(struct kb_run *run)
{
	bytes = kb_param_number(run, "size");
	zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (zero < 0)
		return kb_fail(run, errno, "open of /dev/zero");
	memory = kb_map_small(run, bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (!memory)
		return -ENOMEM;
	memset(memory, 1, bytes);
	return 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)n;
	return mprotect(memory, bytes, PROT_READ | PROT_WRITE) ? kb_fail(run, errno, "mprotect") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (mprotect(memory, bytes, i & 1 ? PROT_READ | PROT_WRITE : PROT_READ))
			return kb_fail(run, errno, "mprotect of %zu bytes", bytes);
	}
	return 0;
}

/* A read into memory that may not be written fails, where a store would end the process. */
static int check(struct kb_run *run, uint64_t n)
{
	ssize_t first = read(zero, memory, 1), last = read(zero, memory + bytes - 1, 1), wanted = n & 1 ? -1 : 1;

	if (first != wanted || last != wanted)
		return kb_fail(run, EPROTO, "the memory can%s be written after %llu calls", first < 0 ? "not" : "",
		               (unsigned long long)n);
	return 0;
}

KB_BENCHMARK(
	.summary = "mprotect: remove or restore write permission", .per = "call",
	.suite = KB_FULL, .portability = KB_PORTABLE,
	.params = { { "size", "of the memory, bytes", KB_SIZE, "64K,1M", 4096, 64u << 20, NULL } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL }, { KB_MINFLT }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .base = kb_empty_loop, .check = check,
);
