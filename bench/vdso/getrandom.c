/*
 * vdso.getrandom: random bytes from code that the kernel maps into the process (Linux 6.11 and later), or by a system call.
 * The function is taken from the vDSO itself, as old libraries do not know it; it keeps its state in memory that the caller
 * maps as it says. Now and then it asks the kernel for a new key. Two answers in a row must differ.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench.h>

/* Asked with this length the function describes its state (linux/random.h, vgetrandom_opaque_params). */
#define DESCRIBE (~(size_t)0)
struct description { uint32_t size, protection, flags, reserved[13]; };

static ssize_t (*function)(void *, size_t, unsigned, void *, size_t);
static struct description state_of;
static void *opaque;
static size_t bytes;
static uint64_t seen;

static int find(struct kb_run *run)
{
	void *vdso = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
	void *found = vdso ? dlsym(vdso, "__vdso_getrandom") : NULL;

	if (vdso && !found)
		found = dlsym(vdso, "__kernel_getrandom");
	if (!found)
		return kb_skip(run, "no getrandom in the vDSO: needs Linux 6.11, and a C library that opens the vDSO");
	memcpy(&function, &found, sizeof function); /* ISO C knows no conversion */
	if (function(NULL, 0, 0, &state_of, DESCRIBE))
		return kb_skip(run, "the vDSO does not describe its state");
	opaque = mmap(NULL, state_of.size, (int)state_of.protection, (int)state_of.flags, -1, 0);
	return opaque == MAP_FAILED ? kb_fail(run, errno, "no memory for the state") : 0;
}

static int setup(struct kb_run *run)
{
	bytes = kb_param_number(run, "bytes");
	return kb_param_is(run, "via", "vdso") ? find(run) : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	unsigned char answer[256];
	uint64_t now, last = 0;

	seen = 0;
	for (uint64_t i = 0; i < n; i++) {
		ssize_t got = function ? function(answer, bytes, 0, opaque, state_of.size) :
					 syscall(SYS_getrandom, answer, bytes, 0);

		if (got != (ssize_t)bytes)
			return kb_fail(run, got < 0 ? (int)-got : EIO, "getrandom gave %zd bytes of %zu", got, bytes);
		memcpy(&now, answer, sizeof now);
		seen += now != last;
		last = now;
	}
	kb_count(run, KB_SEEN, seen);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return seen == n ? 0 : kb_fail(run, EILSEQ, "two answers in a row are the same");
}

KB_BENCHMARK(
	.summary = "random bytes through the vDSO or a system call",
	.portability = KB_ASSUMING, .assumes = "the vDSO has the function, and seldom enters the kernel",
	.per = "call",
	.params = {
		{ "bytes", "of an answer", KB_NUMBER, "16", 8, 256, NULL },
		{ "via", "what answers", KB_CHOICE, "vdso,syscall", .choices = "vdso,syscall" },
	},
	.expect = {
		{ KB_SEEN, .per_op = 1 },
		{ KB_SYSCALLS, 0, 0, 0.1, KB_ALL, "via=vdso" }, { KB_SYSCALLS, 1, 0, 0, KB_ALL, "via=syscall" },
	},
	.setup = setup, .op = op, .check = check,
);
