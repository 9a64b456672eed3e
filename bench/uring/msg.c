/*
 * uring.msg: messages from one ring into the completion queue of another (IORING_OP_MSG_RING). What arrives there is
 * looked at: the messages carry numbers that must come in order.
 */
#include <errno.h>

#include <kbench_uring.h>

static struct kb_uring from, to;
static unsigned depth, sent, arrived;

static void fill(struct io_uring_sqe *sqe, unsigned slot)
{
	(void)slot;
	sqe->opcode = IORING_OP_MSG_RING;
	sqe->fd = to.fd;
	sqe->len = ++sent & 0xffffff;           /* arrives as the result */
	sqe->off = ~(uint64_t)sent;             /* as user_data */
}

static int done(int32_t result, unsigned slot)
{
	struct io_uring_cqe message;

	(void)slot;
	if (result < 0)
		return result;
	if (!kb_uring_take(&to, &message))
		return -ENOMSG;
	arrived++;
	return message.user_data == ~(uint64_t)arrived && message.res == (int32_t)(arrived & 0xffffff) ? 0 : -EBADMSG;
}

static int setup(struct kb_run *run)
{
	int error;

	depth = (unsigned)kb_param_number(run, "depth");
	error = kb_uring_open(run, &to, depth, false);
	error = error ? error : kb_uring_open(run, &from, depth, false);
	if (!error && kb_uring_batch(run, &from, 1, fill, done) == -EINVAL)
		return kb_skip(run, "this kernel's io_uring has no messages between rings (Linux 5.18)");
	return error;
}

static int op(struct kb_run *run, uint64_t n)
{
	return kb_uring_run(run, &from, n, depth, fill, done);
}

static int check(struct kb_run *run, uint64_t n)
{
	return kb_uring_check(run, &from, n);
}

/* What is left over of n is a call, too. */
KB_BENCHMARK(
	.summary = "message from one io_uring to another", .per = "message", .granule = 32, .portability = KB_PLATFORM,
	.params = { { "depth", "operations in flight", KB_NUMBER, "1,32", 1, KB_URING_DEPTH_MAX, NULL } },
	.expect = { { KB_SEEN, .per_op = 1 },
		{ KB_SYSCALLS, 1, 0, 0, KB_ALL, "depth=1" }, { KB_SYSCALLS, 0.03125, 0, 0.01, KB_ALL, "depth=32" } },
	.setup = setup, .op = op, .check = check,
);
