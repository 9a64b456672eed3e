/*
 * Says: 4 KB are read from a file in memory by each call. Hidden: what the call returns is not looked at, and it was fewer bytes,
 * none, or an error. Claimed bytes stand against those that the kernel counts.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "liar.h"

#define BYTES 4096u
#define BLOCKS 16u

static unsigned char buffer[BYTES];
static int file = -1, full = -1;
static uint64_t got, start;
static size_t asked = BYTES;

static int fill_pipe(struct kb_run *run)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return kb_fail(run, errno, "a pipe");
	while (write(ends[1], buffer, sizeof buffer) > 0)
		continue;
	full = ends[1];
	return 0;
}

static int setup(struct kb_run *run)
{
	file = memfd_create("liar", MFD_CLOEXEC);
	memset(buffer, 5, sizeof buffer);
	for (unsigned i = 0; i < BLOCKS; i++) {
		if (write(file, buffer, BYTES) != BYTES)
			return kb_fail(run, errno, "a file in memory");
	}
	if (lie(run, "short_file") && ftruncate(file, 100))
		return kb_fail(run, errno, "a shorter file");
	if (lie(run, "end_of_file"))
		start = BLOCKS * BYTES;
	if (lie(run, "closed"))
		close(file);
	if (lie(run, "null") && (dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), file) < 0))
		return kb_fail(run, errno, "/dev/null");
	asked = BYTES;
	run->bytes_per_op = lie(run, "ten_times") ? 10 * BYTES : BYTES;
	return lie(run, "full_pipe") ? fill_pipe(run) : 0;
}

static ssize_t move(const struct kb_run *run, uint64_t i)
{
	(void)run;
	if (full >= 0)
		return write(full, buffer, BYTES);
	return pread(file, buffer, asked, (off_t)(start ? start : asked == BYTES ? i % BLOCKS * BYTES : 0));
}

static int op(struct kb_run *run, uint64_t n)
{
	got = 0;
	for (uint64_t i = 0; i < n; i++) {
		ssize_t moved = move(run, lie(run, "short_file") ? 0 : i);

		got += moved > 0 ? (uint64_t)moved : 0;
	}
	return 0;
}

/* The honest one looks. */
static int check(struct kb_run *run, uint64_t n)
{
	if (!lie(run, "honest"))
		return 0;
	return got == n * BYTES ? 0 : kb_fail(run, EPROTO, "not all bytes were read");
}

KB_BENCHMARK(
	.summary = "reading 4 KB of a file in memory", .per = "call", .bytes_per_op = BYTES,
	.params = { LIE_PARAM("short_file,end_of_file,closed,null,ten_times,full_pipe") },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check,
);
