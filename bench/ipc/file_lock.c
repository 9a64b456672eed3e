/*
 * ipc.file_lock: a byte-range lock changes hands and another one comes back. Three bytes: the measuring side holds
 * two, so a process that waits waits for a byte that the other will give up only when it has the one it waits for, and nobody
 * can take a byte back before the sleeper has it. one-process: unlock and lock of one byte that nobody else wants.
 */
#include <errno.h>
#include <fcntl.h>

#include <kbench_channel.h>
#include <kbench_files.h>

static int file = -1;

static int set_lock(uint64_t byte, short type)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)(byte % 3), .l_len = 1 };
	unsigned since = kb_wait_begin();
	int error = 0;

	while (!error && fcntl(file, F_SETLKW, &lock))
		error = errno == EINTR ? kb_wait_over(since) : -errno;
	return error;
}

/* Turn k: the measuring side gives 2k and gets 2k + 1; it holds 2k + 2 for the next. */
static int pass(struct kb_channel *c, enum kb_way way, uint64_t number)
{
	(void)c;
	return set_lock(2 * number + way, F_UNLCK);
}

static int await(struct kb_channel *c, enum kb_way way, uint64_t number)
{
	(void)c;
	return set_lock(2 * number + way, F_WRLCK);
}

static int join(struct kb_channel *c)
{
	(void)c;
	return set_lock(1, F_WRLCK);
}

static struct kb_channel channel = { .pass = pass, .await = await, .join = join };

static int setup(struct kb_run *run)
{
	int error = kb_scratch_file(run, 4096, &file);

	for (uint64_t byte = 0; byte < 3 && !error; byte++)
		error = byte == 1 && !kb_param_is(run, "placement", "one-process") ? 0 : set_lock(byte, F_WRLCK);
	return error ? kb_fail(run, -error, "a lock on a file") : kb_channel_start(run, &channel);
}

KB_BENCHMARK(
	.summary = "fcntl byte-range lock of a file handed over and back", .per = "round-trip", .lmbench = "lat_fcntl",
	.portability = KB_ASSUMING, .assumes = "a released lock wakes the side that waits for it",
	.params = { { "placement", "of sides", KB_CHOICE, "same-cpu,one-process",
		.choices = "same-cpu,idle-cpu,one-process" } },
	.expect = { KB_EXPECT_ASLEEP(KB_SWITCHES, 2, 0.4),
		KB_EXPECT_ASLEEP(KB_SYSCALLS, 4, 0.05),
		{ KB_SYSCALLS, 2, 0, 0, KB_ALL, "placement=one-process" }, { KB_SEEN, .per_op = 1 } },
	.setup = setup, .op = kb_channel_op, .check = kb_channel_check, .teardown = kb_channel_end,
);
