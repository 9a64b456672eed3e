/*
 * fs.mmap_read: every byte of a file in memory is added up through a mapping. mode=mapped has it mapped and touched before;
 * mode=open-close opens, maps, reads, unmaps and closes, so page faults are inside. Only a sum proves that bytes came.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench_files.h>

#define CHUNK 8192u             /* words written at a time */

static const uint64_t *mapping;
static uint64_t size, sum, sum_of_file;
static int file;
static bool opens;

static int setup(struct kb_run *run)
{
	static uint64_t words[CHUNK];
	int error = kb_scratch_file_on(run, kb_param_text(run, "on"), &file);

	size = kb_param_number(run, "size") / sizeof words * sizeof words;
	opens = kb_param_is(run, "mode", "open-close");
	run->bytes_per_op = size;
	for (uint64_t done = 0; !error && done < size; done += sizeof words) {
		for (uint64_t i = 0; i < CHUNK; i++)
			sum_of_file += words[i] = done + i + run->seed;
		if (write(file, words, sizeof words) != sizeof words)
			error = kb_fail(run, errno, "writing the file");
	}
	if (error || fdatasync(file))
		return error ?: kb_fail(run, errno, "writing the file to its disk");
	mapping = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
	return mapping == MAP_FAILED ? kb_fail(run, errno, "mapping the file") : 0;
}

static uint64_t add_up(const uint64_t *words)
{
	uint64_t part[4] = { 0 };

	for (uint64_t i = 0; i < size / 8; i += 4)
		for (int k = 0; k < 4; k++)
			part[k] += words[i + (uint64_t)k];
	return part[0] + part[1] + part[2] + part[3];
}

static uint64_t read_anew(struct kb_run *run, int *error)
{
	int fd = open("file", O_RDONLY | O_CLOEXEC);
	void *words = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	uint64_t got = words == MAP_FAILED ? 0 : add_up(words);

	if (words == MAP_FAILED || munmap(words, size) || close(fd))
		*error = kb_fail(run, errno, "mapping the file again");
	return got;
}

static int op(struct kb_run *run, uint64_t n)
{
	int error = 0;

	sum = 0;
	for (uint64_t i = 0; i < n && !error; i++) {
		sum += opens ? read_anew(run, &error) : add_up(mapping);
		kb_clobber();   /* or one sum serves all turns */
	}
	return error;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sum == n * sum_of_file ? 0 : kb_fail(run, EILSEQ, "the sum of %llu readings is wrong", (unsigned long long)n);
}

/* Faults of a mapping: one for each page at most, and large pieces of a file come with one. */
KB_BENCHMARK(
	.summary = "sum of the words of a mapped file in the page cache", .per = "file", .bound = KB_MEMORY,
	.suite = KB_FULL, .portability = KB_ASSUMING, .lmbench = "bw_mmap_rd", .assumes = "the file stays in the page cache",
	.params = {
		{ "mode", "of reading", KB_CHOICE, "mapped,open-close", 0, 0, "mapped,open-close" },
		{ "size", "of the file, bytes", KB_SIZE, "1M", 65536, 64u << 20, NULL },
		{ "on", "where the file is", KB_CHOICE, "disk", 0, 0, KB_ON },
	},
	.expect = { { KB_MINFLT, 0, 0, 0.01, KB_SELF, "mode=mapped" }, { KB_MINFLT, 8192, 0, 8192, KB_SELF, "mode=open-close" },
		{ KB_MAJFLT }, { KB_SYSCALLS, 4, 0, 0, KB_ALL, "mode=open-close" } },
	.setup = setup, .op = op, .check = check,
);
