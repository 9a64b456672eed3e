/*
 * fs.read_cached: blocks of a file that is in memory, one after the other, from its beginning again at its end. No device
 * may have been read for it. mode=open-close opens and closes the file around each block.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench_files.h>

#define FILE_BYTES (4u << 20)

static uint64_t *buffer, blocks, size, got, position;
static int file;
static bool opens;

/* The file holds its own offsets: any block tells where it is from. */
static int setup(struct kb_run *run)
{
	int error = kb_scratch_file_on(run, kb_param_text(run, "on"), &file);

	if (error)
		return error;
	buffer = kb_map_small(run, FILE_BYTES, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (!buffer)
		return -ENOMEM;
	size = kb_param_number(run, "size");
	opens = kb_param_is(run, "mode", "open-close");
	run->bytes_per_op = size;
	for (uint64_t i = 0; i < FILE_BYTES / 8; i++)
		buffer[i] = i * 8;
	if (write(file, buffer, FILE_BYTES) != FILE_BYTES || fdatasync(file))
		return kb_fail(run, errno, "writing %u bytes", FILE_BYTES);
	if (pread(file, buffer, FILE_BYTES, 0) != FILE_BYTES)
		return kb_fail(run, errno, "reading the file once");
	return 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)run;
	(void)n;
	buffer[0] = ~UINT64_C(0);
	blocks = kb_blocks(0);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	got = 0;
	for (uint64_t i = 0; i < n; i++) {
		int fd = opens ? open("file", O_RDONLY | O_CLOEXEC) : file;
		ssize_t bytes = pread(fd, buffer, size, (off_t)position);

		if (bytes < 0 || (opens && close(fd)))
			return kb_fail(run, errno, "reading at %llu", (unsigned long long)position);
		got += (uint64_t)bytes;
		position = position + 2 * size <= FILE_BYTES ? position + size : 0;
	}
	return 0;
}

/* A block of less than 8 bytes shows one byte of the offset. */
static int check(struct kb_run *run, uint64_t n)
{
	uint64_t last = (position ? position : FILE_BYTES / size * size) - size;
	uint64_t wanted = last % 8 || size < 8 ? buffer[0] : last;

	if (got != n * size || buffer[0] != wanted)
		return kb_fail(run, EPROTO, "%llu bytes were read, not %llu, or others", (unsigned long long)got,
		               (unsigned long long)(n * size));
	return kb_blocks(0) == blocks ? 0 : kb_fail(run, EPROTO, "the device was read: the file is not in memory");
}

KB_BENCHMARK(
	.summary = "read of a block of a file in the page cache", .per = "call",
	.suite = KB_STANDARD, .portability = KB_ASSUMING, .lmbench = "bw_file_rd", .assumes = "the file stays in the page cache",
	.params = {
		{ "mode", "of reading", KB_CHOICE, "read;open-close", 0, 0, "read,open-close" },
		{ "size", "of a block, bytes", KB_SIZE, "64K", 1, 1u << 20, NULL },
		{ "on", "where the file is", KB_CHOICE, "disk", 0, 0, KB_ON },
	},
	.expect = { { KB_SYSCALLS, 1, 0, 0, KB_ALL, "mode=read" }, { KB_SYSCALLS, 3, 0, 0, KB_ALL, "mode=open-close" },
		{ KB_MINFLT }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .check = check,
);
