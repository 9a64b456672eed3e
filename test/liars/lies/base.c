/*
 * Says: what a read of 64 bytes costs beyond the empty loop. Hidden: the loop is not empty. What it does is subtracted, and the
 * operation looks as much cheaper.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "liar.h"

static unsigned char buffer[4096], other[4096];
static int zero = -1;
static uint64_t got, other_sum;

static int setup(struct kb_run *run)
{
	zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	return zero < 0 ? kb_fail(run, errno, "open of /dev/zero") : 0;
}

static void read_once(void)
{
	ssize_t bytes = read(zero, buffer, 64);

	got += bytes > 0 ? (uint64_t)bytes : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	got = 0;
	for (uint64_t i = 0; i < n; i++)
		read_once();
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return got == n * 64 ? 0 : kb_fail(run, EPROTO, "not all bytes were read");
}

static void share(uint64_t i, uint64_t of_100)
{
	if (i % 100 < of_100)
		read_once();
}

static void copy(void)
{
	memcpy(other, buffer, 2048);
	kb_clobber();
}

static int base(struct kb_run *run, uint64_t n)
{
	bool share45 = lie(run, "share45"), share95 = lie(run, "share95"), all = lie(run, "all"), twice = lie(run, "twice");
	bool cheaper = lie(run, "cheaper_call"), fails = lie(run, "fails"), copies = lie(run, "copies"), adds = lie(run, "adds");

	for (uint64_t i = 0; i < n; i++) {
		if (share45 || share95 || all || twice)
			share(i, share45 ? 45 : share95 ? 95 : 100);
		if (twice)
			share(i, 20);
		if (cheaper && i % 2)
			syscall(SYS_getppid);
		if (fails && i % 2 && read(-1, buffer, 64) >= 0)
			return kb_fail(run, EPROTO, "read without a file");
		if (copies)
			copy();
		if (adds)
			other_sum = chain(other_sum, 60);
		kb_keep(i);
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "reading 64 bytes, and an empty loop that is none", .per = "call",
	.params = { LIE_PARAM("share45,share95,all,twice,cheaper_call,fails,copies,adds") },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = base, .check = check,
);
