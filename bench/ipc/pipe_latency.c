/*
 * ipc.pipe_latency: a numbered message to the partner and its inverted answer through two pipes. same-cpu: two
 * switches a round trip; idle-cpu: the partner sleeps on another CPU; other-cpu: both sides spin on reads that do not
 * block; one-process: write and read of one pipe, no partner.
 */
#include <kbench_channel.h>

static struct kb_channel channel;

static int setup(struct kb_run *run)
{
	int error = kb_channel_pipes(run, &channel);

	return error ? error : kb_channel_start(run, &channel);
}

#define PLACEMENTS "same-cpu,other-cpu,idle-cpu,one-process"
/* Each side switches once a round trip, if not by itself: a task that is preempted by the one it woke finds its answer
   there and need not wait. A partner that is dead or serves two messages at once stays below. */
KB_BENCHMARK(
	.summary = "pipe round trip by placement of the two sides", .per = "round-trip",
	.suite = KB_QUICK, .portability = KB_ASSUMING, .lmbench = "lat_pipe",
	.assumes = "both sides stay on the CPUs of their placement",
	.params = {
		{ "placement", "of sides", KB_CHOICE, "same-cpu,other-cpu,one-process", .choices = PLACEMENTS },
		{ "bytes", "of a message", KB_SIZE, "1", 1, 65536, NULL },
	},
	.expect = {
		KB_EXPECT_ASLEEP(KB_SWITCHES, 2, 0.4), KB_EXPECT_ASLEEP(KB_SYSCALLS, 4, 0.05),
		{ KB_SYSCALLS, 2, 0, 0, KB_ALL, "placement=one-process" }, { KB_SEEN, .per_op = 1 },
	},
	.setup = setup, .op = kb_channel_op, .check = kb_channel_check, .teardown = kb_channel_end,
	.errors = "EAGAIN",
);
