/*
 * ipc.futex_pi: futexes with priority inheritance, always by system call. handover: a lock changes hands and another
 * one comes back, with three locks as in ipc.file_lock, so nobody takes one back before the sleeper owns it. one-
 * process: unlock and lock of one that nobody else wants.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench_channel.h>

static struct word { uint32_t owner; char other_line[252]; } *locks;
static uint32_t self;           /* thread id */

static int call(uint64_t lock, int operation)
{
	unsigned since = kb_wait_begin();
	int error = 0;

	while (!error && syscall(SYS_futex, &locks[lock % 3].owner, operation, 0, NULL, NULL, 0))
		error = errno == EINTR || errno == EAGAIN ? kb_wait_over(since) : -errno;
	return error == -ESRCH || error == -EOWNERDEAD ? -EPIPE : error;
}

static int pass(struct kb_channel *c, enum kb_way way, uint64_t number)
{
	(void)c;
	return call(2 * number + way, FUTEX_UNLOCK_PI);
}

static int await(struct kb_channel *c, enum kb_way way, uint64_t number)
{
	int error = call(2 * number + way, FUTEX_LOCK_PI);

	(void)c;
	return error ? error : (locks[(2 * number + way) % 3].owner & FUTEX_TID_MASK) == self ? 0 : -EBADMSG;
}

static int join(struct kb_channel *c)
{
	(void)c;
	self = (uint32_t)syscall(SYS_gettid);
	return call(1, FUTEX_LOCK_PI);
}

static struct kb_channel channel = { .pass = pass, .await = await, .join = join };

static int setup(struct kb_run *run)
{
	int error = 0;

	locks = kb_shared_memory(run, 3 * sizeof *locks);
	self = (uint32_t)syscall(SYS_gettid);
	if (!locks)
		return -ENOMEM;
	for (uint64_t lock = 0; lock < 3 && !error; lock++)
		error = lock == 1 && !kb_param_is(run, "placement", "one-process") ? 0 : call(lock, FUTEX_LOCK_PI);
	if (error == -ENOSYS)
		return kb_skip(run, "this kernel has no futexes with priority inheritance (CONFIG_FUTEX_PI)");
	return error ? kb_fail(run, -error, "FUTEX_LOCK_PI") : kb_channel_start(run, &channel);
}

KB_BENCHMARK(
	.summary = "priority-inheritance futex handed over and back", .per = "round-trip",
	.portability = KB_PLATFORM, .assumes = "a released lock belongs to the side that waits for it",
	.params = { { "placement", "of sides", KB_CHOICE, "same-cpu,one-process",
		.choices = "same-cpu,idle-cpu,one-process" } },
	.expect = { KB_EXPECT_ASLEEP(KB_SWITCHES, 2, 0.4),
		KB_EXPECT_ASLEEP(KB_SYSCALLS, 4, 0.05),
		{ KB_SYSCALLS, 2, 0, 0, KB_ALL, "placement=one-process" }, { KB_SEEN, .per_op = 1 } },
	.setup = setup, .op = kb_channel_op, .check = kb_channel_check, .teardown = kb_channel_end,
);
