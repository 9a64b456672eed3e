/* Bytes that the kernel makes, and bytes that it throws away. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <kbench.h>

static int device = -1;
static char text[4096];
static bool writes;

static int setup(struct kb_run *run)
{
	writes = kb_param_is(run, "call", "write");
	device = open(writes ? "/dev/null" : "/dev/zero", O_RDWR | O_CLOEXEC);
	return device < 0 ? kb_fail(run, errno, writes ? "open of /dev/null" : "open of /dev/zero") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if ((writes ? write(device, text, sizeof text) : read(device, text, sizeof text)) != sizeof text)
			return kb_fail(run, errno, writes ? "write to /dev/null" : "read of /dev/zero");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "read of /dev/zero, or write to /dev/null, of 4 KB", .per = "call", .bytes_per_op = sizeof text,
	.params = { { "call", "the system call", KB_CHOICE, "read", .choices = "read,write" } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
