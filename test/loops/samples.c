/*
 * Samples of several kinds of work in turn, in one process, with a contention probe right before and right after each:
 *   samples SECONDS CPU[,CPU] KIND[=SIZE]:N...
 * N operations a sample. With two CPUs the process goes to the other one every 20 ms. A line a sample: microseconds since the start, CPU,
 * number of the kind, ticks, ticks of the probe before and after. The first line gives the clock and the loops of a probe.
 */
#define _GNU_SOURCE
#include "samples.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KINDS 8u
#define LINE 64u
#define JUMP 16u                        /* bytes between two jumps */
#define HUGE (2u << 20)
#define FAULT_PAGES 64u
#define CHUNK 4096u
#define HOP_SECONDS 0.02
#define ROWS_EACH_SECOND 200000.0       /* more than ever */

struct work {
	void (*run)(struct work *, uint64_t n);
	uint64_t n;
	size_t size;                    /* of memory, bytes */
	unsigned char *memory;
	void *at;                       /* where the walk is */
	int pipes[4];                   /* read and write end there, and back */
	pid_t partner;
};

struct row { uint32_t ticks, before, after; uint16_t kind, cpu; uint64_t t; };

/* ---- kinds --------------------------------------------------------------------------------------- */

static inline long call(long number)
{
	__asm__ volatile("syscall" : "+a"(number) : : "rcx", "r11", "memory");
	return number;
}

static __attribute__((noinline)) long called(long number)
{
	return call(number);
}

static void run_null(struct work *work, uint64_t n)
{
	(void)work;
	while (n--)
		call(SYS_getppid);
}

static void run_called(struct work *work, uint64_t n)
{
	(void)work;
	while (n--)
		called(SYS_getppid);
}

/* Returns whose target was changed: none of them is predicted. */
static void run_badret(struct work *work, uint64_t n)
{
	(void)work;
	while (n--)
		__asm__ volatile("	call	1f\n"
				 "	ud2\n"
				 "1:	lea	2f(%%rip), %%rax\n"
				 "	mov	%%rax, (%%rsp)\n"
				 "	ret\n"
				 "2:\n" : : : "rax", "memory");
}

static void run_clock(struct work *work, uint64_t n)
{
	(void)work;
	add_chain(n);
}

static void must(long result, long expected, const char *what)
{
	if (result != expected) {
		perror(what);
		exit(1);
	}
}

static void run_pipe(struct work *work, uint64_t n)
{
	char byte = 0;

	while (n--) {
		must(write(work->pipes[1], &byte, 1), 1, "write");
		must(read(work->partner ? work->pipes[2] : work->pipes[0], &byte, 1), 1, "read");
	}
}

static void run_fault(struct work *work, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		work->memory[i % FAULT_PAGES * 4096] = 1;
	must(madvise(work->memory, work->size, MADV_DONTNEED), 0, "madvise");
}

static void run_ring(struct work *work, uint64_t n)
{
	void *at = work->at;

	while (n--)
		at = *(void **)at;
	work->at = at;
}

/* From one half to the other, where the last one ended. */
static void run_copy(struct work *work, uint64_t n)
{
	size_t half = work->size / 2, at = (size_t)work->at;

	for (; n--; at = (at + CHUNK) % half)
		memcpy(work->memory + half + at, work->memory + at, CHUNK);
	work->at = (void *)at;
}

/* Every n-th time through all its jumps: they take the places that predictors had for others. */
static void run_jumps(struct work *work, uint64_t n)
{
	size_t turn = (size_t)work->at;

	work->at = (void *)(turn + 1);
	if (turn % n == 0)
		((void (*)(void))(uintptr_t)work->memory)();
}

/* ---- their memory and partners ------------------------------------------------------------------- */

static void get_memory(struct work *work)
{
	work->memory = mmap(NULL, work->size + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (work->memory == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	work->memory += HUGE - (uintptr_t)work->memory % HUGE;
}

/* 0 first, then the others shuffled. */
static size_t *shuffled(size_t count)
{
	size_t *order = malloc((count + 1) * sizeof *order);

	if (!order) {
		perror("malloc");
		exit(1);
	}
	for (size_t i = 0; i < count; i++)
		order[i] = i;
	for (size_t i = count - 1; i > 1; i--) {
		size_t j = 1 + (size_t)rand() % i, other = order[j];

		order[j] = order[i];
		order[i] = other;
	}
	return order;
}

/* Lines in one random cycle: huge pages, so that no page walk is in it. */
static void open_ring(struct work *work)
{
	size_t lines = work->size / LINE, *order;

	get_memory(work);
	madvise(work->memory, work->size, MADV_HUGEPAGE);
	order = shuffled(lines);
	for (size_t i = 0; i < lines; i++)
		*(void **)(work->memory + order[i] * LINE) = work->memory + order[(i + 1) % lines] * LINE;
	work->at = work->memory;
	free(order);
}

/* A jump to the next one at each place, a return at the last. */
static void open_jumps(struct work *work)
{
	size_t places = work->size / JUMP, *order;

	get_memory(work);
	order = shuffled(places);
	for (size_t i = 0; i < places; i++) {
		unsigned char *place = work->memory + order[i] * JUMP;
		int32_t distance = (int32_t)(((long)order[(i + 1) % places] - (long)order[i]) * (long)JUMP - 5);

		*place = i + 1 < places ? 0xe9 : 0xc3;
		memcpy(place + 1, &distance, sizeof distance);
	}
	must(mprotect(work->memory, work->size, PROT_READ | PROT_EXEC), 0, "mprotect");
	free(order);
}

static void open_copy(struct work *work)
{
	get_memory(work);
	madvise(work->memory, work->size, MADV_HUGEPAGE);
	memset(work->memory, 1, work->size);
}

/* Pages come and go one by one: small ones. */
static void open_fault(struct work *work)
{
	work->size = FAULT_PAGES * 4096;
	get_memory(work);
	madvise(work->memory, work->size, MADV_NOHUGEPAGE);
}

static void open_pipe(struct work *work)
{
	must(pipe(work->pipes), 0, "pipe");
}

static void open_pair(struct work *work)
{
	must(pipe(work->pipes) | pipe(work->pipes + 2), 0, "pipe");
	work->partner = fork();
	if (work->partner != 0)
		return;
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(work->pipes[1]);
	while (read(work->pipes[0], &byte, 1) == 1 && write(work->pipes[3], &byte, 1) == 1)
		continue;
	_exit(0);
}

static const struct { const char *name; void (*run)(struct work *, uint64_t); void (*open)(struct work *); } kinds[] = {
	{ "null", run_null, NULL }, { "called", run_called, NULL }, { "clock", run_clock, NULL }, { "selfpipe", run_pipe, open_pipe },
	{ "pair", run_pipe, open_pair }, { "fault", run_fault, open_fault }, { "ring", run_ring, open_ring }, { "badret", run_badret, NULL },
	{ "jumps", run_jumps, open_jumps },
	{ "copy", run_copy, open_copy },
};

/* KIND[=SIZE]:N, the size in kilobytes. */
static int open_kind(struct work *work, const char *text)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		size_t length = strlen(kinds[i].name);
		const char *colon = strchr(text, ':');

		if (strncmp(text, kinds[i].name, length) || !colon || (text[length] != ':' && text[length] != '='))
			continue;
		*work = (struct work){ .run = kinds[i].run, .n = strtoull(colon + 1, NULL, 10) };
		if (text[length] == '=')
			work->size = strtoull(text + length + 1, NULL, 10) * 1024;
		if (kinds[i].open)
			kinds[i].open(work);
		return 1;
	}
	return 0;
}

/* ---- the run ------------------------------------------------------------------------------------- */

static struct work works[KINDS];
static unsigned work_count;

static void go_to(int cpu)
{
	pin(0, cpu);
	for (unsigned i = 0; i < work_count; i++) {
		if (works[i].partner)
			pin(works[i].partner, cpu);
	}
}

static size_t measure(struct row *rows, size_t room, double seconds, const int *cpus, unsigned cpu_count)
{
	double begin = seconds_now(), at = begin, hopped = begin;
	uint64_t zero = now();
	unsigned cpu = 0;
	size_t count = 0;

	go_to(cpus[0]);
	for (; at < begin + seconds && count + work_count <= room; at = seconds_now()) {
		if (cpu_count > 1 && at > hopped + HOP_SECONDS) {
			cpu = !cpu;
			go_to(cpus[cpu]);
			hopped = at;
		}
		for (unsigned i = 0; i < work_count; i++) {
			struct row *row = &rows[count++];
			uint32_t before = probe();
			uint64_t start = now();

			works[i].run(&works[i], works[i].n);
			uint64_t stop = now();

			*row = (struct row){ (uint32_t)(stop - start), before, probe(), (uint16_t)i, (uint16_t)cpus[cpu], start - zero };
		}
	}
	return count;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 0, hz;
	int cpus[2] = { 0, 0 };
	unsigned cpu_count = argc > 2 ? (unsigned)sscanf(argv[2], "%d,%d", &cpus[0], &cpus[1]) : 0;

	for (int i = 3; i < argc && work_count < KINDS; i++)
		work_count += (unsigned)open_kind(&works[work_count], argv[i]);
	if (seconds <= 0 || cpu_count < 1 || work_count < 1 || (int)work_count != argc - 3) {
		fprintf(stderr, "usage: samples SECONDS CPU[,CPU] KIND[=KILOBYTES]:N...\n");
		return 2;
	}
	size_t room = (size_t)(seconds * ROWS_EACH_SECOND) + KINDS;
	struct row *rows = mmap(NULL, room * sizeof *rows, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (rows == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	pin(0, cpus[0]);
	hz = clock_hz();
	size_t count = measure(rows, room, seconds, cpus, cpu_count);

	printf("hz %.0f loops %u\n", hz, PROBE_LOOPS);
	for (size_t i = 0; i < count; i++)
		printf("%.1f %u %u %u %u %u\n", 1e6 * (double)rows[i].t / hz, rows[i].cpu, rows[i].kind, rows[i].ticks, rows[i].before, rows[i].after);
	for (unsigned i = 0; i < work_count; i++) {
		if (works[i].partner)
			kill(works[i].partner, SIGKILL);
	}
	return 0;
}
