/*
 * sys.getrandom: random bytes from the kernel, through syscall(2), as newer libraries answer in user space. From some
 * hundred bytes on the cost is that of the cipher.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench.h>

#define BYTES_MAX 65536u

static unsigned char text[BYTES_MAX], former[BYTES_MAX];
static size_t bytes;
static uint64_t sum;

static int setup(struct kb_run *run)
{
	bytes = kb_param_number(run, "bytes");
	memset(text, 'x', sizeof text);
	memset(former, 'x', sizeof former);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		long got = syscall(SYS_getrandom, text, bytes, 0);

		if (got < 0)
			return kb_fail(run, errno, "getrandom");
		sum += (uint64_t)got;
	}
	return 0;
}

/* 16 bytes are the same as those of the sample before once in 2^128 times. */
static int check(struct kb_run *run, uint64_t n)
{
	bool same = memcmp(text, former, bytes) == 0;

	memcpy(former, text, bytes);
	if (sum != n * bytes || same)
		return kb_fail(run, EPROTO, "%llu of %llu bytes came, the last are %s", (unsigned long long)sum,
			       (unsigned long long)(n * bytes), same ? "those of last time" : "new");
	return 0;
}

KB_BENCHMARK(
	.summary = "getrandom: random bytes from the kernel", .per = "call",
	.suite = KB_FULL, .portability = KB_PLATFORM, .assumes = "Linux and some other systems have the call",
	.params = { { "bytes", "of one call", KB_SIZE, "16,4K", 16, BYTES_MAX, NULL } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check,
);
