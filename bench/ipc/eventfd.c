/*
 * ipc.eventfd: counters of eight bytes as tokens. The value that arrives is the number of the turn, so a lost or merged
 * signal is seen. one-process: write and read by one task.
 */
#include <errno.h>
#include <sys/eventfd.h>

#include <kbench_channel.h>

static int events[2];

static int pass(struct kb_channel *c, enum kb_way way, uint64_t number)
{
	(void)c;
	return eventfd_write(events[way], number % 1000 + 1) ? -errno : 0;
}

static int await(struct kb_channel *c, enum kb_way way, uint64_t number)
{
	unsigned since = kb_wait_begin();
	eventfd_t value;
	int error = 0;

	(void)c;
	while (eventfd_read(events[way], &value) && !error)
		error = errno == EINTR || errno == EAGAIN ? kb_wait_over(since) : -errno;
	return error ? error : value == number % 1000 + 1 ? 0 : -EBADMSG;
}

static struct kb_channel channel = { .pass = pass, .await = await };

static int setup(struct kb_run *run)
{
	int flags = kb_param_is(run, "placement", "other-cpu") ? EFD_NONBLOCK : 0;

	events[KB_THERE] = eventfd(0, flags);
	events[KB_BACK] = eventfd(0, flags);
	if (events[KB_THERE] < 0 || events[KB_BACK] < 0)
		return kb_fail(run, errno, "eventfd");
	return kb_channel_start(run, &channel);
}

#define PLACEMENTS "same-cpu,other-cpu,idle-cpu,one-process"
/* As for ipc.pipe_latency. */
KB_BENCHMARK(
	.summary = "round trip through eventfds", .per = "round-trip",
	.portability = KB_ASSUMING, .assumes = "both sides stay on the CPUs of their placement",
	.params = { { "placement", "of sides", KB_CHOICE, "one-process,same-cpu,idle-cpu", .choices = PLACEMENTS } },
	.expect = {
		KB_EXPECT_ASLEEP(KB_SWITCHES, 2, 0.4),
		KB_EXPECT_ASLEEP(KB_SYSCALLS, 4, 0.05),
		{ KB_SYSCALLS, 2, 0, 0, KB_ALL, "placement=one-process" }, { KB_SEEN, .per_op = 1 },
	},
	.setup = setup, .op = kb_channel_op, .check = kb_channel_check, .teardown = kb_channel_end,
);
