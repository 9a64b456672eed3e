/*
 * Loaded into kbench-collect-kernel: a stand-in for /dev/kbench, at the path KBENCH_DEVICE, or behind modules.c. It takes the same lines and gives the
 * same record, made by the measuring code that the module is built from; only that it all runs in this process. What a benchmark
 * does here depends on its name: see `cases`.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/measure.h"
#include "stamp.h"

#define FAILS_IN_BLOCK 2        /* a few blocks go well first */

enum case_kind { GOOD, WRONG, DIES, UNFIT, NO_MODULE, NO_PARAM, SILENT, ENDLESS };

static const struct { const char *name; enum case_kind kind; } cases[] = {
	{ "null", GOOD }, { "imul", GOOD }, { "memcpy", GOOD }, { "mutex", WRONG }, { "spin_lock", DIES }, { "rwsem", UNFIT }, { "kmalloc", NO_MODULE },
	{ "page_alloc", NO_PARAM }, { "ktime", SILENT }, { "xa_load", ENDLESS },
};

static struct kb_record_writer out;
static struct kb_bench bench;
static struct kb_run run = { .bench = &bench };
static struct kb_measure measure;
static struct kb_clock clock_here;
static enum case_kind kind;
static int device = -1;
static char text[1 << 20];
static size_t length;
static unsigned blocks;

static int keep(void *context, const char *bytes, size_t count)
{
	(void)context;
	if (count > sizeof text - length)
		return -ENOMEM;
	memcpy(text + length, bytes, count);
	length += count;
	return 0;
}

/* Not inline, for a copy of it in `op` may lie otherwise in the lines of the cache, and cost otherwise. */
static __attribute__((noinline)) int base(struct kb_run *unused, uint64_t n)
{
	(void)unused;
	for (; n > 0; n--)
		kb_clobber();
	return 0;
}

/* `null` does what its base does; the others ten multiplications, each after the one before it. */
static int op(struct kb_run *unused, uint64_t n)
{
	uint64_t x = n;

	if (kind == WRONG && blocks > FAILS_IN_BLOCK) {
		measure.detail = "the sum is another one";
		return -EBADMSG;
	}
	if (kind == DIES && blocks > FAILS_IN_BLOCK)
		kill(getpid(), SIGKILL);
	if (!strcmp(bench.name, "null"))
		return base(unused, n);
	for (; n > 0; n--) {
		for (int i = 0; i < 10; i++)
			__asm__ volatile("imul %0, %0" : "+r"(x));
		kb_clobber();
	}
	kb_keep(x);
	return 0;
}

/* ---- the lines ------------------------------------------------------------------------------------------- */

/* Of modules.c; without it there are all. */
static bool is_loaded(const char *name)
{
	const char *directory = getenv("KB_FAKE_MODULES");
	char path[600];

	snprintf(path, sizeof path, "%.500s/kbench_%.60s", directory ? directory : "", name);
	return !directory || access(path, F_OK) == 0;
}

static int choose(const char *name)
{
	static char kept[64];

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		if (strcmp(cases[i].name, name))
			continue;
		kind = cases[i].kind;
		snprintf(kept, sizeof kept, "%s", name);
		bench = (struct kb_bench){ .name = kept, .per = "ten", .op = op, .base = base };
		return kind == NO_MODULE || !is_loaded(name) ? -ENOENT : 0;
	}
	return -ENOENT;
}

static void block_end(void *context, struct kb_record_writer *writer, uint64_t block)
{
	char line[32];

	(void)context;
	snprintf(line, sizeof line, "%llu irq=0", (unsigned long long)block);
	kb_record_line(writer, "k", line);
}

static char before[256];        /* the parameter of such a line */
static bool begun;

/* Of lines before the process only parameters: what is expected here, nobody counts. */
static int put_line(char *line)
{
	char *rest = strchr(line, ' ');

	if (!rest)
		return -EINVAL;
	*rest++ = '\0';
	if (begun)
		kb_record_line(&out, line, rest);
	else if (!strcmp(line, "param"))
		snprintf(before, sizeof before, "%s", rest);
	return 0;
}

static int process(const char *rest)
{
	static const struct kb_probe probe = { .block_end = block_end };
	char line[128];

	if (kind == SILENT)
		return -EIO;
	kb_record_begin(&out, (struct kb_sink){ keep, NULL });
	snprintf(line, sizeof line, "kernel.%s", bench.name);
	kb_record_line(&out, "bench", line);
	kb_record_line(&out, "per", bench.per);
	snprintf(line, sizeof line, "%.100s", rest + strlen("method="));
	kb_record_line(&out, "method", line);
	begun = true;
	if (before[0])
		kb_record_line(&out, "param", before);
	clock_here = (struct kb_clock){ .name = KB_ARCH_CLOCK, .begin = kb_stamp_begin, .end = kb_stamp_end };
	if (kb_clock_measure(&clock_here))
		return -EIO;
	snprintf(line, sizeof line, "%s hz=2000000000 quantum=%llu cost=%llu ordered=1", clock_here.name,
	         (unsigned long long)clock_here.quantum, (unsigned long long)clock_here.cost);
	kb_record_line(&out, "clock", line);
	kb_record_line(&out, "env", "arch=" KB_ARCH_NAME " checked=1");
	if (kind == UNFIT)
		kb_record_line(&out, "note", "need_unmet \"this kernel has no semaphores\"");
	kb_record_line(&out, "bound", strcmp(bench.name, "null") ? "kernel" : "nothing");
	if (kind == UNFIT) {
		kb_record_fail(&out, "setup", EOPNOTSUPP, "this kernel has no semaphores");
		return -EOPNOTSUPP;
	}
	measure = (struct kb_measure){ .run = &run, .clock = &clock_here, .probe = &probe, .out = &out };
	return 0;
}

static int do_block(const char *line)
{
	struct kb_block block;
	int error = kb_plan_parse((struct kb_span){ line, strlen(line) }, &block);

	blocks++;
	return error ? -EINVAL : kb_measure_block(&measure, &block);
}

static int take_line(char *line)
{
	char *rest = strchr(line, ' ');

	rest = rest ? rest + 1 : line + strlen(line);
	if (!strncmp(line, "bench ", 6))
		return choose(rest);
	if (!strncmp(line, "param ", 6))
		return kind == NO_PARAM ? -ERANGE : 0;
	if (!strncmp(line, "process ", 8))
		return process(rest);
	if (!strncmp(line, "line ", 5))
		return put_line(rest);
	if (!strcmp(line, "end"))
		return kind == ENDLESS ? 0 : kb_record_end(&out);
	return do_block(line);
}

/* ---- in place of the system calls ------------------------------------------------------------------------- */

int open(const char *path, int flags, ...)
{
	int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))(uintptr_t)dlsym(RTLD_NEXT, "open");
	const char *ours = getenv("KB_FAKE_MODULES") ? getenv("KB_FAKE_DEVICE") : getenv("KBENCH_DEVICE");
	va_list list;

	va_start(list, flags);
	int mode = flags & O_CREAT ? va_arg(list, int) : 0;

	va_end(list);
	if (!ours || strcmp(path, ours))
		return next(path, flags, mode);
	return device = next("/dev/null", O_RDWR | O_CLOEXEC);
}

ssize_t write(int fd, const void *bytes, size_t count)
{
	ssize_t (*next)(int, const void *, size_t) = (ssize_t (*)(int, const void *, size_t))(uintptr_t)dlsym(RTLD_NEXT, "write");
	char line[KB_PLAN_LINE_MAX + 1];
	int error;

	if (fd != device || device < 0)
		return next(fd, bytes, count);
	if (count == 0 || count > sizeof line || ((const char *)bytes)[count - 1] != '\n') {
		errno = EINVAL;
		return -1;
	}
	memcpy(line, bytes, count);
	line[count - 1] = '\0';
	error = take_line(line);
	if (!error)
		return (ssize_t)count;
	errno = -error;
	return -1;
}

ssize_t read(int fd, void *bytes, size_t room)
{
	ssize_t (*next)(int, void *, size_t) = (ssize_t (*)(int, void *, size_t))(uintptr_t)dlsym(RTLD_NEXT, "read");
	size_t taken = length < room ? length : room;

	if (fd != device || device < 0)
		return next(fd, bytes, room);
	memcpy(bytes, text, taken);
	memmove(text, text + taken, length - taken);
	length -= taken;
	return (ssize_t)taken;
}
