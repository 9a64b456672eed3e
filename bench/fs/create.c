/*
 * fs.create: a new file: made, written at once in full, closed. Nothing is sent to the disk in the sample, and the files are gone before
 * the system thinks of it: what a disk costs, fs.fsync tells.
 *
 * Samples add files to a directory until it holds `files`; between samples they then make room. inodes=recycled: they are removed, and
 * the kernel has their inodes at hand for the next ones, all of them if they are few. inodes=fresh: they stay, and the next ones go into
 * another directory, until there are 32768 (or `files`, or as many as hold 128 MB); only then all are removed. So the kernel has to
 * allocate each inode. On disk its number is another matter: ext4 without a journal takes none that was removed in the last minutes, and
 * looks at each of these first, which costs the more the more were removed (kb_scratch_on).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kbench_files.h>

#define BYTES_MAX (64u << 10)
#define LIVE_MAX 32768u
#define LIVE_BYTES_MAX (128u << 20)

static char content[BYTES_MAX];
static int above, place;                /* place: the directory of the files: the one above, or one in it */
static size_t bytes;
static uint64_t files, most, live;      /* live: of this process, in all places */
static unsigned places;
static uint64_t here[LIVE_MAX];         /* files in each place, of which the last is the current one */
static bool fresh;

static int setup(struct kb_run *run)
{
	files = kb_files_name(run);
	bytes = kb_param_number(run, "size");
	fresh = kb_param_is(run, "inodes", "fresh");
	most = bytes && LIVE_BYTES_MAX / bytes < LIVE_MAX ? LIVE_BYTES_MAX / bytes : LIVE_MAX;
	if (files * bytes > LIVE_BYTES_MAX)
		return kb_fail(run, EFBIG, "files of %u MB together are the most", LIVE_BYTES_MAX >> 20);
	return kb_scratch_on(run, kb_param_text(run, "on"), &above);
}

/* Each must still hold all that was made in it. */
static int empty_places(struct kb_run *run)
{
	int error = 0;

	for (; places > 0 && !error; places--) {
		int fd = fresh ? openat(above, kb_file_name(places - 1), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : dup(above);

		error = kb_directory_holds(run, fd, here[places - 1]) ?: kb_directory_empty(run, fd);
		close(fd);
	}
	live = 0;
	return error ?: kb_directory_empty(run, above);
}

static int enter_place(struct kb_run *run)
{
	const char *name = kb_file_name(places);

	if (places > 0)
		close(place);
	here[places++] = 0;
	place = fresh && !mkdirat(above, name, 0700) ? openat(above, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : fresh ? -1 : dup(above);
	return place < 0 ? kb_fail(run, errno, "a directory") : 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	int error = 0;

	if (places > 0 && here[places - 1] + n <= files)
		return 0;
	if (!fresh || live + files > most)
		error = empty_places(run);
	return error ?: enter_place(run);
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t first = here[places - 1];

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
	uint64_t *at = &here[places - 1];

	for (uint64_t i = 0; i < n; i++) {
		if (fstatat(place, kb_file_name(*at + i), &status, 0) || (size_t)status.st_size != bytes)
			return kb_fail(run, EPROTO, "file %llu of a sample is not there, or not of its size", (unsigned long long)i);
	}
	*at += n;
	live += n;
	return 0;
}

static void teardown(struct kb_run *run)
{
	empty_places(run);
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
