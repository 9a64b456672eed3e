/*
 * ipc.tcp_latency: a numbered message and its inverted answer over a connection over the loopback, TCP_NODELAY. A
 * delayed acknowledgement or a segment sent again would be inside, so the counters of the network must stand still.
 */
#include <sys/socket.h>

#include <kbench_channel.h>

static struct kb_channel channel;

static int setup(struct kb_run *run)
{
	int error = kb_channel_network(run);

	error = error ? error : kb_channel_loopback(run, &channel, SOCK_STREAM);
	return error ? error : kb_channel_start(run, &channel);
}

#define PLACEMENTS "same-cpu,other-cpu,idle-cpu,one-process"
/* As for ipc.pipe_latency; the network works in interrupts, which may delay a switch but make none. */
KB_BENCHMARK(
	.summary = "round trip over TCP on the loopback by placement", .per = "round-trip",
	.suite = KB_STANDARD, .portability = KB_ASSUMING, .assumes = "no data is sent twice, and both sides stay on their CPUs",
	.lmbench = "lat_tcp",
	.params = {
		{ "placement", "of sides", KB_CHOICE, "same-cpu", .choices = PLACEMENTS },
		{ "bytes", "of a message", KB_SIZE, "1", 1, 65536, NULL },
	},
	.expect = {
		KB_EXPECT_ASLEEP(KB_SWITCHES, 2, 0.4),
		KB_EXPECT_ASLEEP(KB_SYSCALLS, 4, 0.05),
		{ KB_SYSCALLS, 2, 0, 0, KB_ALL, "placement=one-process" }, { KB_SEEN, .per_op = 1 },
		{ KB_SEGMENTS, 2, 0, 0.2, KB_SELF, "bytes=1" },
	},
	.setup = setup, .op = kb_channel_op, .check = kb_network_check, .teardown = kb_channel_end,
	.errors = "EAGAIN",
);
