/*
 * ipc.tcp_bw: the partner sends chunks through a connection over the loopback, or from another machine. The measuring side asks for them, takes
 * every byte, and looks at the number at both ends of each and at a word of every line, so what comes out is bandwidth
 * into the reader's own cache. Bytes are counted once.
 */
#include <errno.h>
#include <sys/socket.h>

#include <kbench_channel.h>

static struct kb_channel channel;

/* Fixed for the process: left to itself the kernel makes them larger while it is measured. */
static int set_buffers(struct kb_run *run)
{
	int bytes = (int)kb_param_number(run, "buffer");

	for (int end = 0; end < 2; end++) {
		int which = end ? SO_SNDBUF : SO_RCVBUF;

		if (channel.remote && end)
			continue;       /* the server sets its own */
		if (setsockopt(channel.end[KB_BACK][end], SOL_SOCKET, which, &bytes, sizeof bytes))
			return kb_fail(run, errno, "a buffer of %d bytes", bytes);
	}
	return 0;
}

static int setup(struct kb_run *run)
{
	int error = kb_channel_open(run, &channel, SOCK_STREAM, true);

	error = error ? error : set_buffers(run);
	return error ? error : kb_stream_start(run, &channel);
}

/* Both sides may sleep, how often is the kernel's choice: up to a hundred times a chunk of a megabyte. So is how many segments carry a
   chunk, or how many chunks one, and how many of them are acknowledged by a segment. */
KB_BENCHMARK(
	.summary = "bandwidth of TCP over the loopback by chunk, or between machines", .per = "chunk",
	.portability = KB_ASSUMING, .assumes = "the reader touches the data that it receives", .lmbench = "bw_tcp",
	.params = {
		KB_HOST_PARAM("placement"),
		{ "placement", "of sides", KB_CHOICE, "same-cpu,idle-cpu", .choices = "same-cpu,idle-cpu" },
		{ "buffer", "of each side, as far as the system allows", KB_SIZE, "1M", 4096, 1 << 26, NULL },
		{ "chunk", "sent at once", KB_SIZE, "64K,4K", 64, KB_MESSAGE_MAX, NULL },
	},
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SWITCHES, 50, 0, 50, KB_ALL, "host=" },
		{ KB_SWITCHES, 50, 0, 50, KB_SELF, "host=*" },
		{ KB_SEGMENTS, 100, 0, 100, KB_SELF, "host=" } },
	.setup = setup, .before = kb_channel_before, .op = kb_stream_op, .check = kb_network_check, .teardown = kb_stream_end,
);
