/*
 * fs.fsync: a block of 4 KB is written over, and the call returns when the disk has it. The write to memory is inside, at
 * a hundredth of the whole. That the device worked each time, its own counters tell; whether its cache is honest, nothing.
 */
#include <errno.h>
#include <unistd.h>

#include <kbench_files.h>

#define FILE_BYTES (1u << 20)
#define BLOCK 4096u

static unsigned char block[BLOCK], back[BLOCK];
static uint64_t position, writes, number;
static bool data, counted;
static int file;

static int setup(struct kb_run *run)
{
	int error = kb_scratch_file_on(run, "disk", &file);

	data = kb_param_is(run, "call", "fdatasync");
	for (unsigned at = 0; !error && at < FILE_BYTES; at += BLOCK) {
		if (write(file, block, BLOCK) != BLOCK)
			error = kb_fail(run, errno, "writing the file once");
	}
	if (error || fsync(file))
		return error ?: kb_fail(run, errno, "fsync");
	counted = kb_device_writes(file, &writes) == 0;
	if (!counted)
		kb_unproven(run, "the scratch directory is not on a single block device, which would count its writes");
	return 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)run;
	(void)n;
	if (counted)
		kb_device_writes(file, &writes);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		block[0] = (unsigned char)++number;
		position = (position + BLOCK) % FILE_BYTES;
		if (pwrite(file, block, BLOCK, (off_t)position) != BLOCK)
			return kb_fail(run, errno, "writing a block");
		if (data ? fdatasync(file) : fsync(file))
			return kb_fail(run, errno, "sync of the file");
	}
	return 0;
}

/* Others write, too: fewer than ours is a lie, more is not. */
static int check(struct kb_run *run, uint64_t n)
{
	uint64_t now = writes + n;

	if (counted)
		kb_device_writes(file, &now);
	if (pread(file, back, BLOCK, (off_t)position) != BLOCK || back[0] != (unsigned char)number)
		return kb_fail(run, EILSEQ, "the file does not hold what was written");
	return now - writes >= n ? 0 : kb_fail(run, EPROTO, "the device completed %llu writes for %llu syncs",
	                                       (unsigned long long)(now - writes), (unsigned long long)n);
}

#define CALLS "fsync,fdatasync"
KB_BENCHMARK(
	.summary = "overwrite of a block of 4 KB, then fsync or fdatasync", .per = "call", .max_n = 20,
	.suite = KB_FULL, .portability = KB_ASSUMING, .lmbench = "lmdd", .assumes = "the disk answers only when the data is durable",
	.params = { { "call", "that waits", KB_CHOICE, CALLS, 0, 0, CALLS } },
	.expect = { { KB_SYSCALLS, .per_op = 2, .who = KB_ALL }, { KB_NVCSW, 4, 0, 4, KB_SELF, NULL } },
	.setup = setup, .before = before, .op = op, .check = check,
);
