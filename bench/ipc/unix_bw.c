/*
 * ipc.unix_bw: the partner sends chunks through a pair of local stream sockets. The measuring side asks for them,
 * takes every byte, and looks at the number at both ends of each and at a word of every line, so what comes out is
 * bandwidth into the reader's own cache. Bytes are counted once.
 */
#include <sys/socket.h>

#include <kbench_channel.h>

static struct kb_channel channel;

static int setup(struct kb_run *run)
{
	int error = kb_channel_local(run, &channel, SOCK_STREAM);

	return error ? error : kb_stream_start(run, &channel);
}

/* Both sides may sleep, how often is the kernel's choice: up to a hundred times a chunk of a megabyte. */
KB_BENCHMARK(
	.summary = "bandwidth of a Unix stream socket by chunk and placement", .per = "chunk",
	.portability = KB_ASSUMING, .assumes = "the reader touches the data that it receives", .lmbench = "bw_unix",
	.params = {
		{ "placement", "of sides", KB_CHOICE, "same-cpu,idle-cpu", .choices = "same-cpu,idle-cpu" },
		{ "chunk", "sent at once", KB_SIZE, "64K,4K", 64, KB_MESSAGE_MAX, NULL },
	},
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SWITCHES, 50, 0, 50, KB_ALL, NULL } },
	.setup = setup, .op = kb_stream_op, .check = kb_stream_check, .teardown = kb_stream_end,
);
