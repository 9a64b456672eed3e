/*
 * ipc.udp_bw: the partner sends chunks as datagrams over the loopback, or from another machine, window by window: nothing else would keep it
 * from sending more than the reader has room for. A lost one ends the process. The measuring side asks for them, takes
 * every byte, and looks at the number at both ends of each and at a word of every line, so what comes out is bandwidth
 * into the reader's own cache. Bytes are counted once.
 */
#include <sys/socket.h>

#include <kbench_channel.h>

static struct kb_channel channel;

static int setup(struct kb_run *run)
{
	int error = kb_channel_open(run, &channel, SOCK_DGRAM, true);

	channel.window = (unsigned)kb_param_number(run, "window");
	return error ? error : kb_stream_start(run, &channel);
}

/* Both sides may sleep, how often is the kernel's choice: up to a hundred times a chunk of a megabyte. */
KB_BENCHMARK(
	.summary = "bandwidth of UDP over the loopback by chunk, or between machines", .per = "chunk",
	.portability = KB_ASSUMING, .assumes = "the reader touches the data that it receives", .lmbench = "bw_udp",
	.params = {
		KB_HOST_PARAM("placement"),
		{ "placement", "of sides", KB_CHOICE, "same-cpu,idle-cpu", .choices = "same-cpu,idle-cpu" },
		{ "chunk", "sent at once", KB_SIZE, "32K,1K", 64, 32768, NULL },
		{ "window", "datagrams on their way", KB_NUMBER, "2", 1, 64, NULL },
	},
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SWITCHES, 50, 0, 50, KB_ALL, "host=" },
		{ KB_SWITCHES, 50, 0, 50, KB_SELF, "host=*" } },
	.setup = setup, .before = kb_channel_before, .op = kb_stream_op, .check = kb_network_check, .teardown = kb_stream_end,
);
