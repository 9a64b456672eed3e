/*
 * ipc.unix_latency: a numbered message and its inverted answer over a pair of local sockets. other-cpu: both sides spin
 * (MSG_DONTWAIT); idle-cpu: they sleep; one-process: sent and received by one task.
 */
#include <sys/socket.h>

#include <kbench_channel.h>

static struct kb_channel channel;

static int setup(struct kb_run *run)
{
	int type = kb_param_is(run, "type", "stream") ? SOCK_STREAM
		: kb_param_is(run, "type", "dgram")   ? SOCK_DGRAM
						      : SOCK_SEQPACKET;
	int error = kb_channel_local(run, &channel, type);

	return error ? error : kb_channel_start(run, &channel);
}

#define PLACEMENTS "same-cpu,other-cpu,idle-cpu,one-process"
/* As for ipc.pipe_latency. A stream adds a switch: taking a message frees room in the socket that the other side
   sleeps on, and wakes it for nothing. Some three more come with each sample, during which a partner that was woken
   for nothing goes to sleep again: 0.7 a round trip where a sample has as few as four. A partner that does not
   answer each message by itself stays below 1.6. */
KB_BENCHMARK(
	.summary = "round trip over Unix sockets by type and placement", .per = "round-trip",
	.suite = KB_STANDARD, .portability = KB_ASSUMING, .lmbench = "lat_unix",
	.assumes = "both sides stay on the CPUs of their placement",
	.params = {
		{ "type", "of socket", KB_CHOICE, "stream;dgram,seqpacket", .choices = "stream,dgram,seqpacket" },
		{ "placement", "of sides", KB_CHOICE, "same-cpu", .choices = PLACEMENTS },
		{ "bytes", "of a message", KB_SIZE, "1", 1, 65536, NULL },
	},
	.expect = {
		KB_EXPECT_ASLEEP(KB_SWITCHES, 2.75, 1.15),
		KB_EXPECT_ASLEEP(KB_SYSCALLS, 4, 0.05),
		{ KB_SYSCALLS, 2, 0, 0, KB_ALL, "placement=one-process" }, { KB_SEEN, .per_op = 1 },
	},
	.setup = setup, .op = kb_channel_op, .check = kb_channel_check, .teardown = kb_channel_end,
	.errors = "EAGAIN",
);
