/*
 * net.tcp_connect: connections over the loopback. part=connect: socket, connect and accept of one; close: both ends,
 * which leaves a time-wait behind in the network of this process; abort: the same with SO_LINGER of 0. A full backlog
 * would cost a second, so the counters of the network must stand still.
 */
#include <kbench_channel.h>

static int setup(struct kb_run *run)
{
	uint16_t port;
	int error = kb_channel_network(run), listener = error ? error : kb_listen(run, &port);

	return listener < 0 ? listener : kb_connections_start(run, listener);
}

KB_BENCHMARK(
	.summary = "TCP connection over the loopback: connect and accept, close, abort", .per = "connection",
	.portability = KB_ASSUMING, .assumes = "no segment is sent twice and no backlog is full",
	.lmbench = "lat_connect", .max_n = KB_CONNECTIONS_MAX,
	.params = { { "part", "what is measured", KB_CHOICE, "connect,close,abort",
		.choices = "connect,close,abort" } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SYSCALLS, 3, 0, 0, KB_ALL, "part=connect" },
		{ KB_SYSCALLS, 2, 0, 0, KB_ALL, "part=close" }, { KB_SYSCALLS, 2, 0, 0, KB_ALL, "part=abort" } },
	.setup = setup, .before = kb_connections_before, .op = kb_connections_op, .check = kb_connections_check,
	.after = kb_connections_after,
);
