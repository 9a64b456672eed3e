/*
 * fs.create: a new file: made, written at once in full, closed. Nothing is sent to the disk in the sample, and the files are gone before
 * the system thinks of it: what a disk costs, fs.fsync tells.
 *
 * Samples add files to a directory until it holds `files`; between samples they then make room. inodes=recycled: they are removed, and
 * the kernel has their inodes at hand for the next ones, all of them if they are few. inodes=fresh: they stay, and the next ones go into
 * another directory, until there are 32768; only then all are removed. So the kernel has to allocate each inode. On disk its number is
 * another matter: ext4 without a journal takes none that was removed in the last minutes, and looks at each of these first, which costs
 * the more the more were removed (kb_scratch_on).
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kbench_files.h>

#define BYTES_MAX (64u << 10)

static char content[BYTES_MAX];
static int place;
static size_t bytes;
static uint64_t first;

static int setup(struct kb_run *run)
{
	bytes = kb_param_number(run, "size");
	return kb_places_start(run, bytes);
}

static int before(struct kb_run *run, uint64_t n)
{
	return kb_places_enter(run, n, &place, &first);
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = first; i < first + n; i++) {
		int fd = openat(place, kb_file_name(i), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

		if (fd < 0)
			return kb_fail(run, errno, "creating file %llu", (unsigned long long)i);
		if (bytes && write(fd, content, bytes) != (ssize_t)bytes)
			return kb_fail(run, errno, "writing %zu bytes", bytes);
		if (close(fd))
			return kb_fail(run, errno, "closing file %llu", (unsigned long long)i);
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	struct stat status;

	for (uint64_t i = first; i < first + n; i++) {
		if (fstatat(place, kb_file_name(i), &status, 0) || (size_t)status.st_size != bytes)
			return kb_fail(run, EPROTO, "file %llu is not there, or not of its size", (unsigned long long)i);
	}
	kb_places_made(n);
	return 0;
}

static void teardown(struct kb_run *run)
{
	kb_places_empty(run);
}

/* How many system calls: without bytes there is no write. */
KB_BENCHMARK(
	.summary = "open(O_CREAT), write and close of a new file", .per = "file", .max_n = KB_FILES_A_SAMPLE,
	.suite = KB_STANDARD, .portability = KB_ASSUMING, .assumes = "no write-back happens during a sample",
	.lmbench = "lat_fs", .lmbench_with = "on=disk size=0,1K,4K,10K files=8192 inodes=recycled",
	.params = {
		{ "on", "where the directory is", KB_CHOICE, "memory;disk", 0, 0, KB_ON },
		{ "size", "of a file, bytes", KB_SIZE, "0;1K,10K", 0, BYTES_MAX, NULL },
		KB_PARAM_FILES,
		{ "inodes", "of files that were removed, or others", KB_CHOICE, "recycled", 0, 0, "recycled,fresh" },
	},
	.expect = { { KB_SYSCALLS, 2, 0, 0, KB_ALL, "size=0" }, { KB_SYSCALLS, 3, 0, 0, KB_ALL, "size=1K" },
		{ KB_SYSCALLS, 3, 0, 0, KB_ALL, "size=4K" }, { KB_SYSCALLS, 3, 0, 0, KB_ALL, "size=10K" }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .check = check, .teardown = teardown,
);
