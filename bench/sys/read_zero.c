/*
 * sys.read_zero: read from /dev/zero, one byte as a rule. The kernel clears the bytes in user memory: in addition to the call it
 * is the way through the file layer. More bytes add the clearing; the memory is the same each time and stays in L1.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench_files.h>

#define BYTES_MAX (1u << 20)

static int zero = -1;
static size_t bytes;
static uint64_t sum;
static unsigned char *text;

static int setup(struct kb_run *run)
{
	bytes = kb_param_number(run, "bytes");
	text = kb_map_small(run, BYTES_MAX, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (!text)
		return -ENOMEM;
	memset(text, 'x', BYTES_MAX);
	zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	return zero < 0 ? kb_fail(run, errno, "open of /dev/zero") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		ssize_t got = read(zero, text, bytes);

		if (got < 0)
			return kb_fail(run, errno, "read of /dev/zero");
		sum += (uint64_t)got;
	}
	return 0;
}

/* The last byte was overwritten, too; the next sample must do it again. */
static int check(struct kb_run *run, uint64_t n)
{
	bool cleared = text[bytes - 1] == 0;

	text[bytes - 1] = 'x';
	if (sum != n * bytes || !cleared)
		return kb_fail(run, EPROTO, "%llu of %llu bytes were read, the last is %szero", (unsigned long long)sum,
			       (unsigned long long)(n * bytes), cleared ? "" : "not ");
	return 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	close(zero);
}

KB_BENCHMARK(
	.summary = "read of bytes from /dev/zero", .per = "call",
	.suite = KB_STANDARD, .portability = KB_PORTABLE, .lmbench = "lat_syscall read",
	.params = { { "bytes", "of one read", KB_SIZE, "1", 1, BYTES_MAX, NULL } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check, .teardown = teardown,
);
