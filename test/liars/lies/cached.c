/*
 * Says: each operation reads 64 bytes of a file by a system call. Hidden: somebody else has them already, a buffer, a mapping
 * or a table, or one call reads for many operations.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "liar.h"

#define BYTES 64u
#define FILE_BYTES 4096u
#define PIECES 16u

static unsigned char piece[BYTES], kept[BYTES], block[FILE_BYTES];
static const unsigned char *mapped;
static FILE *stream;
static int file = -1;
static uint64_t got;
static bool known;

static int setup(struct kb_run *run)
{
	file = memfd_create("liar", MFD_CLOEXEC);
	memset(block, 9, sizeof block);
	if (file < 0 || write(file, block, sizeof block) != sizeof block)
		return kb_fail(run, errno, "a file in memory");
	mapped = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, file, 0);
	stream = fdopen(dup(file), "r");
	return mapped != MAP_FAILED && stream ? 0 : kb_fail(run, errno, "a mapping or a stream");
}

static size_t read_stream(void)
{
	if (fread(piece, 1, BYTES, stream) == BYTES)
		return BYTES;
	rewind(stream);
	return fread(piece, 1, BYTES, stream);
}

static size_t read_once(void)
{
	if (!known)
		known = pread(file, kept, BYTES, 0) == BYTES;
	memcpy(piece, kept, BYTES);
	kb_clobber();
	return BYTES;
}

static size_t read_mapping(uint64_t i)
{
	memcpy(piece, mapped + i % (FILE_BYTES / BYTES) * BYTES, BYTES);
	kb_clobber();
	return BYTES;
}

static size_t read_many(uint64_t i)
{
	struct iovec pieces[PIECES];

	for (unsigned k = 0; k < PIECES; k++)
		pieces[k] = (struct iovec){ piece, BYTES };
	if (i % PIECES == 0 && preadv(file, pieces, PIECES, 0) != PIECES * BYTES)
		return 0;
	return BYTES;
}

static size_t read_ahead(uint64_t i)
{
	if (i % (FILE_BYTES / BYTES) == 0 && pread(file, block, FILE_BYTES, 0) != FILE_BYTES)
		return 0;
	memcpy(piece, block + i * BYTES % FILE_BYTES, BYTES);
	return BYTES;
}

static size_t get(const struct kb_run *run, uint64_t i)
{
	(void)run;
	ssize_t bytes = pread(file, piece, BYTES, (off_t)(i % (FILE_BYTES / BYTES) * BYTES));

	return bytes > 0 ? (size_t)bytes : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	bool buffered = lie(run, "buffered"), once = lie(run, "once"), maps = lie(run, "mapped"), many = lie(run, "many_at_once");
	bool ahead = lie(run, "ahead");

	got = 0;
	for (uint64_t i = 0; i < n; i++)
		got += buffered ? read_stream() : once ? read_once() : maps ? read_mapping(i) : many ? read_many(i) :
		       ahead ? read_ahead(i) : get(run, i);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	unsigned char last = piece[BYTES - 1];

	piece[BYTES - 1] = 0;
	return got == n * BYTES && last == 9 ? 0 : kb_fail(run, EPROTO, "not all bytes were read");
}

KB_BENCHMARK(
	.summary = "reading 64 bytes of a file in memory", .per = "call",
	.params = { LIE_PARAM("buffered,once,mapped,many_at_once,ahead") },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check,
);
