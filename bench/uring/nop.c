/*
 * uring.nop: io_uring operations that do nothing, `depth` in one system call: the cost of the rings.
 * submission=polled: a thread of the kernel on another CPU takes them and no call is made; that CPU's time is nobody's
 * here.
 */
#include <kbench_uring.h>

static struct kb_uring ring;
static unsigned depth;

static void fill(struct io_uring_sqe *sqe, unsigned slot)
{
	(void)slot;
	sqe->opcode = IORING_OP_NOP;
}

static int done(int32_t result, unsigned slot)
{
	(void)slot;
	return result;
}

static int setup(struct kb_run *run)
{
	depth = (unsigned)kb_param_number(run, "depth");
	return kb_uring_open(run, &ring, depth, kb_param_is(run, "submission", "polled"));
}

static int op(struct kb_run *run, uint64_t n)
{
	return kb_uring_run(run, &ring, n, depth, fill, done);
}

static int check(struct kb_run *run, uint64_t n)
{
	return kb_uring_check(run, &ring, n);
}

/* n is a multiple of the depths in the list, so that all calls carry full batches; in the proof the rest of n is one, too. A
   poller that has fallen asleep is woken by a call. */
KB_BENCHMARK(
	.summary = "io_uring operation that does nothing", .per = "operation", .granule = 32,
	.portability = KB_PLATFORM,
	.params = { { "depth", "operations in flight", KB_NUMBER, "1,32", 1, KB_URING_DEPTH_MAX, NULL },
		{ "submission", "by", KB_CHOICE, "call,polled", .choices = "call,polled" } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SYSCALLS, 1, 0, 0, KB_ALL, "depth=1 submission=call" },
		{ KB_SYSCALLS, 0.03125, 0, 0.01, KB_ALL, "depth=32 submission=call" },
		{ KB_SYSCALLS, 0, 0, 0.02, KB_ALL, "submission=polled" } },
	.setup = setup, .op = op, .check = check,
);
