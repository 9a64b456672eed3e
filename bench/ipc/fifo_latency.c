/*
 * ipc.fifo_latency: like ipc.pipe_latency through two pipes with names, which lie in the scratch directory. A FIFO is
 * opened for reading and writing at once, so that opening waits for nobody; the ends that would keep it alive are
 * closed again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kbench_channel.h>
#include <kbench_files.h>

static struct kb_channel channel;

static int open_ends(struct kb_run *run, const char *path, int *end)
{
	int both = mkfifo(path, 0600) ? -1 : open(path, O_RDWR);

	end[0] = both < 0 ? -1 : open(path, O_RDONLY);
	end[1] = both < 0 ? -1 : open(path, O_WRONLY);
	if (end[0] < 0 || end[1] < 0)
		return kb_fail(run, errno, "the FIFO %s", path);
	close(both);
	return 0;
}

static int setup(struct kb_run *run)
{
	const char *directory = kb_scratch_directory(run);
	int error = directory ? 0 : -EIO;
	char path[600];

	for (int way = KB_THERE; way <= KB_BACK && !error; way++) {
		snprintf(path, sizeof path, "%s/fifo%d", directory, way);
		error = open_ends(run, path, channel.end[way]);
	}
	return error ? error : kb_channel_start(run, &channel);
}

#define PLACEMENTS "same-cpu,other-cpu,idle-cpu,one-process"
/* As for ipc.pipe_latency. */
KB_BENCHMARK(
	.summary = "round trip through named pipes by placement of the two sides", .per = "round-trip",
	.portability = KB_ASSUMING, .assumes = "both sides stay on the CPUs of their placement", .lmbench = "lat_fifo",
	.params = {
		{ "placement", "of sides", KB_CHOICE, "same-cpu,idle-cpu", .choices = PLACEMENTS },
		{ "bytes", "of a message", KB_SIZE, "1", 1, 65536, NULL },
	},
	.expect = {
		KB_EXPECT_ASLEEP(KB_SWITCHES, 2, 0.4),
		KB_EXPECT_ASLEEP(KB_SYSCALLS, 4, 0.05),
		{ KB_SYSCALLS, 2, 0, 0, KB_ALL, "placement=one-process" }, { KB_SEEN, .per_op = 1 },
	},
	.setup = setup, .op = kb_channel_op, .check = kb_channel_check, .teardown = kb_channel_end,
	.errors = "EAGAIN",
);
