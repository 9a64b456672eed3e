/*
 * ipc.udp_latency: a numbered message and its inverted answer over datagram sockets, of the loopback or to another machine. A
 * datagram that is lost ends the process after seconds; the counters of the network must show none dropped. To another machine a cookie of
 * 8 bytes goes ahead of each message.
 */
#include <sys/socket.h>

#include <kbench_channel.h>

static struct kb_channel channel;

static int setup(struct kb_run *run)
{
	int error = kb_channel_open(run, &channel, SOCK_DGRAM, false);

	return error ? error : kb_channel_start(run, &channel);
}

#define PLACEMENTS "same-cpu,other-cpu,idle-cpu,one-process"
/* As for ipc.pipe_latency; the network works in interrupts, which may delay a switch but make none. */
KB_BENCHMARK(
	.summary = "round trip over UDP on the loopback by placement, or to another machine", .per = "round-trip",
	.portability = KB_ASSUMING, .assumes = "no data is sent twice, and both sides stay on their CPUs",
	.lmbench = "lat_udp",
	.params = {
		KB_HOST_PARAM("placement"),
		{ "placement", "of sides", KB_CHOICE, "same-cpu", .choices = PLACEMENTS },
		{ "bytes", "of a message", KB_SIZE, "1", 1, 32768, NULL },
	},
	.expect = {
		KB_EXPECT_ASLEEP(KB_SWITCHES, 2, 0.4),
		KB_EXPECT_ASLEEP(KB_SYSCALLS, 4, 0.05),
		{ KB_SYSCALLS, 2, 0, 0, KB_ALL, "placement=one-process" }, { KB_SEEN, .per_op = 1 },
		{ KB_SYSCALLS, 2, 0, 0.05, KB_ALL, "host=*" },
	},
	.setup = setup, .before = kb_channel_before, .op = kb_channel_op, .check = kb_network_check, .teardown = kb_channel_end,
	.errors = "EAGAIN",
);
