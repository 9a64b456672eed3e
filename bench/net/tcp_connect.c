/*
 * net.tcp_connect: connections over the loopback, or to another machine, which accepts them. part=connect: socket, connect and accept of one; close: both ends,
 * which leaves a time-wait behind in the network of this process; abort: the same with SO_LINGER of 0. A full backlog
 * would cost a second, so the counters of the network must stand still.
 */
#include <kbench_channel.h>

KB_BENCHMARK(
	.summary = "TCP connection over the loopback, or to another machine: connect and accept, close, abort", .per = "connection",
	.portability = KB_ASSUMING, .assumes = "no segment is sent twice and no backlog is full",
	.lmbench = "lat_connect", .max_n = KB_CONNECTIONS_MAX,
	.params = { KB_HOST_PARAM(NULL), { "part", "what is measured", KB_CHOICE, "connect,close,abort",
		.choices = "connect,close,abort" } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SYSCALLS, 3, 0, 0, KB_ALL, "host= part=connect" },
		{ KB_SYSCALLS, 2, 0, 0, KB_ALL, "host= part=close" }, { KB_SYSCALLS, 2, 0, 0, KB_ALL, "host= part=abort" },
		{ KB_SYSCALLS, 2, 0, 0, KB_ALL, "host=* part=connect" }, { KB_SYSCALLS, 1, 0, 0, KB_ALL, "host=* part=close" },
		{ KB_SYSCALLS, 1, 0, 0, KB_ALL, "host=* part=abort" } },
	.setup = kb_connections_open, .before = kb_connections_before, .op = kb_connections_op, .check = kb_connections_check,
	.after = kb_connections_after, .teardown = kb_connections_end,
);
