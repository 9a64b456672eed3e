/*
 * See neighbour.h. It is a child of the collector, so that it lives exactly as long as the process: it dies with its
 * parent, is in the process's process group and carries the run's id. It writes one shared line, once a turn.
 */
#define _GNU_SOURCE
#include "collect/common/neighbour.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interference.h"
#include "caches.h"
#include "io.h"
#include "kbench_code.h"

#define LINE 64u
#define CHUNK (64u << 10)       /* of memory a turn: some 10 us, so that the count is never far behind */
#define CALLS 100u              /* of each system call a turn */
#define ADDS 20000u             /* a turn of the control */
#define BESIDE_CACHES 4         /* times the last cache: what it streams through cannot stay there */
#define CACHE_UNKNOWN (64u << 20)       /* where the system does not tell its size: more than most have */
#define STILL_LIMIT_NS UINT64_C(10000000000)    /* without progress: a host may take tens of seconds to give it 2 GB for the first time */

struct kb_neighbour_page {
	uint64_t work;          /* so far, in units of the kind */
	uint64_t prepared;      /* bytes of its working set */
	int error;              /* why it could not start */
};

struct site {
	unsigned char *memory;
	size_t bytes, at;
	int null;
	volatile uint64_t sink;
};

/* ---- what it does: one turn, returns its work ---------------------------------------------------- */

static void step(struct site *site)
{
	site->at = (site->at + CHUNK) % site->bytes;
}

/* Half of the lines are read and the other half written: both directions of the memory bus are busy. */
static uint64_t stream(struct site *site)
{
	memcpy(site->memory + site->at, site->memory + (site->at + site->bytes / 2) % site->bytes, CHUNK);
	step(site);
	return 2 * CHUNK;
}

/* One word of each line is changed, so each line has to come into this core's reach and be owned there. */
static uint64_t walk(struct site *site)
{
	for (uint64_t i = 0; i < CHUNK; i += LINE)
		*(volatile unsigned char *)(site->memory + site->at + i) += 1;
	step(site);
	return CHUNK;
}

static uint64_t call(struct site *site)
{
	for (unsigned i = 0; i < CALLS; i++) {
		site->sink += (uint64_t)getppid();
		site->sink += (uint64_t)write(site->null, "", 1);
	}
	return 2 * CALLS;
}

static uint64_t spin(struct site *site)
{
	site->sink = kb_chain(KB_CHAIN_ADD, ADDS, 1, 3);
	return ADDS;
}

static const struct kind {
	const char *unit;
	unsigned caches;        /* working set: so many times the last cache */
	uint64_t (*turn)(struct site *);
} kinds[KB_INTERFERENCES] = {
	[KB_INTERFERENCE_MEMORY] = { "bytes", BESIDE_CACHES, stream },
	[KB_INTERFERENCE_CACHE] = { "bytes", 1, walk },
	[KB_INTERFERENCE_SYSCALLS] = { "calls", 0, call },
	[KB_INTERFERENCE_SPIN] = { "adds", 0, spin },
};

/* ---- its own process ----------------------------------------------------------------------------- */

/* What has memory is through all of it once. */
static int prepare(const struct kb_neighbour *neighbour, struct site *site)
{
	int error = kb_pin((unsigned)neighbour->cpu);

	site->null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (error || site->null < 0)
		return error ? error : -errno;
	dup2(site->null, STDIN_FILENO); /* the plan and the record are not its own */
	dup2(site->null, STDOUT_FILENO);
	site->bytes = (size_t)neighbour->bytes;
	if (!site->bytes)
		return 0;
	site->memory = mmap(NULL, site->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (site->memory == MAP_FAILED)
		return -errno;
	madvise(site->memory, site->bytes, MADV_HUGEPAGE); /* its page walks are not what it is there for */
	for (size_t at = 0; at < site->bytes; at += CHUNK) {
		memset(site->memory + at, 1, CHUNK);
		__atomic_store_n(&neighbour->page->prepared, at + CHUNK, __ATOMIC_RELAXED);
	}
	return 0;
}

static void live(const struct kb_neighbour *neighbour, const struct kind *kind, pid_t parent)
{
	struct kb_neighbour_page *page = neighbour->page;
	struct site site = { .bytes = 0 };
	uint64_t work = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	prctl(PR_SET_NAME, "kbench-interfer");
	page->error = prepare(neighbour, &site);
	while (!page->error) {
		work += kind->turn(&site);
		__atomic_store_n(&page->work, work, __ATOMIC_RELAXED);
	}
	_exit(1);
}

/* ---- the collector's side ------------------------------------------------------------------------ */

static uint64_t work_of(const struct kb_neighbour *neighbour)
{
	return __atomic_load_n(&neighbour->page->work, __ATOMIC_RELAXED);
}

static int fail(struct kb_neighbour *neighbour, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));

static int fail(struct kb_neighbour *neighbour, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(neighbour->why, sizeof neighbour->why, format, arguments);
	va_end(arguments);
	return error;
}

static int await_work(struct kb_neighbour *neighbour)
{
	uint64_t prepared = 0, deadline = kb_wall_ns() + STILL_LIMIT_NS;

	while (work_of(neighbour) == 0) {
		uint64_t now = __atomic_load_n(&neighbour->page->prepared, __ATOMIC_RELAXED);

		if (waitpid(neighbour->pid, NULL, WNOHANG) == neighbour->pid) {
			neighbour->pid = 0;
			return fail(neighbour, neighbour->page->error, "the interfering process (%s) could not start", neighbour->kind);
		}
		if (now != prepared)
			deadline = kb_wall_ns() + STILL_LIMIT_NS;
		else if (kb_wall_ns() > deadline)
			return fail(neighbour, -ETIME, "the interfering process (%s) stood still for %llu s before it was ready", neighbour->kind,
				    (unsigned long long)(STILL_LIMIT_NS / 1000000000));
		prepared = now;
		kb_sleep_ns(1000000);
	}
	return 0;
}

static uint64_t working_set(int cpu, const struct kind *kind)
{
	uint64_t cache = kind->caches ? kb_cpu_last_cache(cpu) ?: CACHE_UNKNOWN : 0;

	return (kind->caches * cache + 2 * CHUNK - 1) / (2 * CHUNK) * (2 * CHUNK);
}

/* -1: there is none. */
static int other_cpu(unsigned own, unsigned peer)
{
	cpu_set_t allowed;

	for (unsigned cpu = 0; sched_getaffinity(0, sizeof allowed, &allowed) == 0 && cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &allowed) && cpu != own && cpu != peer)
			return (int)cpu;
	}
	return peer == own ? -1 : (int)peer;
}

int kb_neighbour_start(struct kb_neighbour *neighbour, const char *name, unsigned own, unsigned peer)
{
	enum kb_interference found = kb_interference_find(name, strlen(name));
	const struct kind *kind = &kinds[found];
	pid_t parent = getpid();

	*neighbour = (struct kb_neighbour){ .kind = name, .cpu = other_cpu(own, peer) };
	if (!strcmp(name, "nothing"))
		return 0;
	if (found == KB_INTERFERENCES)
		return fail(neighbour, -EINVAL, "no such kind of interference: %s", name);
	neighbour->unfit = neighbour->cpu < 0;
	if (neighbour->unfit)
		return fail(neighbour, -ENODEV, "interference needs a second CPU");
	neighbour->unit = kind->unit;
	neighbour->bytes = working_set((int)own, kind);
	neighbour->unfit = neighbour->bytes > kb_memory_left();
	if (neighbour->unfit)
		return fail(neighbour, -ENOMEM, "the interfering process (%s) needs %llu MB of memory, %llu MB are available", name,
			    (unsigned long long)(neighbour->bytes >> 20), (unsigned long long)(kb_memory_left() >> 20));
	neighbour->page = mmap(NULL, sizeof *neighbour->page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (neighbour->page == MAP_FAILED)
		return fail(neighbour, -errno, "no memory for the interfering process's count");
	neighbour->pid = fork();
	if (neighbour->pid == 0)
		live(neighbour, kind, parent);
	if (neighbour->pid < 0) {
		neighbour->pid = 0;
		return fail(neighbour, -errno, "fork of the interfering process");
	}
	return await_work(neighbour);
}

void kb_neighbour_block_begin(struct kb_neighbour *neighbour, bool warm)
{
	if (!neighbour->pid || warm)
		return;
	neighbour->block_work = work_of(neighbour);
	if (neighbour->began_ns)
		return;
	neighbour->began_ns = kb_wall_ns();
	neighbour->first_work = neighbour->block_work;
}

void kb_neighbour_block_end(struct kb_neighbour *neighbour, bool warm)
{
	if (!neighbour->pid || warm)
		return;
	neighbour->blocks++;
	neighbour->idle += work_of(neighbour) == neighbour->block_work;
}

void kb_neighbour_kill(struct kb_neighbour *neighbour)
{
	if (!neighbour->pid)
		return;
	kill(neighbour->pid, SIGKILL);
	waitpid(neighbour->pid, NULL, 0);
	neighbour->pid = 0;
}

int kb_neighbour_finish(struct kb_neighbour *neighbour, int (*put)(void *context, const char *word, const char *text), void *context)
{
	char text[400];

	if (!neighbour->pid)
		return 0;
	uint64_t work = work_of(neighbour) - neighbour->first_work, ns = kb_wall_ns() - neighbour->began_ns;

	kb_neighbour_kill(neighbour);
	if (!neighbour->began_ns)
		return 0; /* a process that only looked for n */
	snprintf(text, sizeof text, "interference=%s interference_cpu=%d interference_set_bytes=%llu interference_%s=%llu "
		 "interference_ns=%llu interference_blocks=%llu interference_idle_blocks=%llu", neighbour->kind, neighbour->cpu,
		 (unsigned long long)neighbour->bytes, neighbour->unit, (unsigned long long)work, (unsigned long long)ns,
		 (unsigned long long)neighbour->blocks, (unsigned long long)neighbour->idle);

	int error = put(context, "env", text);

	if (error)
		return fail(neighbour, error, "what the interfering process (%s) did cannot be written", neighbour->kind);
	if (work == 0)
		return fail(neighbour, -ECHILD, "the interfering process (%s) did nothing while this was measured", neighbour->kind);
	/* Another program on its CPU. A tenth, because a block may be as short as one time slice of that. */
	if (10 * neighbour->idle <= neighbour->blocks)
		return 0;
	snprintf(text, sizeof text, "partial_overlap \"the interfering process stood still in %llu of %llu blocks\"",
		 (unsigned long long)neighbour->idle, (unsigned long long)neighbour->blocks);
	return put(context, "note", text);
}
