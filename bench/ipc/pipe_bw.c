/*
 * ipc.pipe_bw: the partner sends chunks through a pipe. The measuring side asks for them, takes every byte, and looks
 * at the number at both ends of each and at a word of every line, so what comes out is bandwidth into the reader's own
 * cache. Bytes are counted once.
 */
#include <errno.h>
#include <unistd.h>

#include <kbench_channel.h>

static struct kb_channel channel;

static int setup(struct kb_run *run)
{
	int error = pipe(channel.end[KB_BACK]) ? kb_fail(run, EMFILE, "a pipe") : 0;

	return error ? error : kb_stream_start(run, &channel);
}

/* Both sides may sleep, how often is the kernel's choice: up to a hundred times a chunk of a megabyte. */
KB_BENCHMARK(
	.summary = "bandwidth of a pipe by chunk and placement", .per = "chunk",
	.suite = KB_STANDARD, .portability = KB_ASSUMING, .assumes = "the reader touches the data that it receives",
	.lmbench = "bw_pipe",
	.params = {
		{ "placement", "of sides", KB_CHOICE, "same-cpu", .choices = "same-cpu,idle-cpu" },
		{ "chunk", "sent at once", KB_SIZE, "64K", 64, KB_MESSAGE_MAX, NULL },
	},
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SWITCHES, 50, 0, 50, KB_ALL, NULL } },
	.setup = setup, .op = kb_stream_op, .check = kb_stream_check, .teardown = kb_stream_end,
);
