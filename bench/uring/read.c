/*
 * uring.read: reads of a file that is in the page cache, `depth` in one system call. Every block of the file holds its
 * own number, and the buffers are other than what is read into them, so a read that brought nothing is seen.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench_uring.h>
#include <kbench_files.h>

#define FILE_BLOCKS 256u
#define BLOCK_MAX 65536u

static struct kb_uring ring;
static unsigned depth, next, taken;
static uint64_t bytes;
static int file = -1;
static uint32_t (*buffers)[BLOCK_MAX / sizeof(uint32_t)];

static void fill(struct io_uring_sqe *sqe, unsigned slot)
{
	sqe->opcode = IORING_OP_READ;
	sqe->fd = file;
	sqe->addr = (uintptr_t)buffers[slot];
	sqe->len = (uint32_t)bytes;
	sqe->off = next++ % FILE_BLOCKS * bytes;
}

static int done(int32_t result, unsigned slot)
{
	uint32_t wanted = taken++ % FILE_BLOCKS + 1, found = buffers[slot][0];

	buffers[slot][0] = 0;
	return result == (int32_t)bytes && found == wanted ? 0 : result < 0 ? result : -EBADMSG;
}

static int setup(struct kb_run *run)
{
	int error;

	depth = (unsigned)kb_param_number(run, "depth");
	bytes = run->bytes_per_op = kb_param_number(run, "block");
	buffers = kb_map_small(run, depth * sizeof *buffers, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (!buffers)
		return -ENOMEM;
	error = kb_scratch_file(run, FILE_BLOCKS * bytes, &file);
	for (uint32_t block = 0; block < FILE_BLOCKS && !error; block++) {
		uint32_t number = block + 1;

		if (pwrite(file, &number, sizeof number, (off_t)(block * bytes)) != sizeof number)
			error = kb_fail(run, errno, "numbering the blocks of a file");
	}
	memset(buffers, 0, sizeof *buffers * depth);
	return error ? error : kb_uring_open(run, &ring, depth, kb_param_is(run, "submission", "polled"));
}

static int op(struct kb_run *run, uint64_t n)
{
	return kb_uring_run(run, &ring, n, depth, fill, done);
}

static int check(struct kb_run *run, uint64_t n)
{
	return kb_uring_check(run, &ring, n);
}

/* Calls as for uring.nop. */
KB_BENCHMARK(
	.summary = "read of a cached file by io_uring", .per = "read", .granule = 32, .portability = KB_PLATFORM,
	.assumes = "the file stays in the page cache",
	.params = { { "depth", "operations in flight", KB_NUMBER, "1,32", 1, KB_URING_DEPTH_MAX, NULL },
		{ "submission", "by", KB_CHOICE, "call,polled", .choices = "call,polled" },
		{ "block", "of a read", KB_SIZE, "4096", 4, BLOCK_MAX, NULL } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SYSCALLS, 1, 0, 0, KB_ALL, "depth=1 submission=call" },
		{ KB_SYSCALLS, 0.03125, 0, 0.01, KB_ALL, "depth=32 submission=call" },
		{ KB_SYSCALLS, 0, 0, 0.02, KB_ALL, "submission=polled" } },
	.setup = setup, .op = op, .check = check,
);
