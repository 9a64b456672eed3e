/*
 * Loops that differ from each other in what KBench's benchmarks and lmbench's programs differ in, written by hand: each line of the output
 * is ns an operation or GB/s. Of x86-64. loops [CPU]; test/lmbench.py --why builds and runs it, doc/lmbench.md reads it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SAMPLES 400u
#define SAMPLE_NS 200000.0
#define LONG_NS 1000000.0
#define FDS 100
#define WORDS 4096u             /* of four bytes: 16 KB */
#define MANY (16u << 20)        /* 64 MB */
#define SHARED_PAGE 4096u

typedef void loop(uint64_t n);

static fd_set some, answer;
static int highest, semaphores;
static unsigned ints[MANY];
static size_t words;            /* of them in use */
static volatile unsigned sum;
static volatile uint64_t wanted, handled;
static unsigned char *page;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static double timed(loop *run, uint64_t n)
{
	double start = now();

	run(n);
	return now() - start;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The lower quartile: neighbours on the core only add. */
static double cost(loop *run)
{
	static double samples[SAMPLES];
	uint64_t n = 1;

	while (timed(run, n) < SAMPLE_NS && n < UINT64_C(1) << 24)
		n *= 2;
	unsigned count = timed(run, n) > LONG_NS ? SAMPLES / 10 : SAMPLES;

	for (unsigned i = 0; i < count; i++)
		samples[i] = timed(run, n) / (double)n;
	qsort(samples, count, sizeof *samples, ascending);
	return samples[count / 4];
}

static double show(const char *what, loop *run)
{
	double ns = cost(run);

	printf("%-58s %10.2f ns\n", what, ns);
	fflush(stdout);
	return ns;
}

/* ---- select ------------------------------------------------------------------------------------------ */

static void select_written(uint64_t n)
{
	while (n--) {
		struct timeval none = { 0, 0 };

		answer = some;
		select(highest + 1, NULL, &answer, NULL, &none);
	}
}

static void select_read(uint64_t n)
{
	while (n--) {
		struct timeval none = { 0, 0 };

		answer = some;
		select(highest + 1, &answer, NULL, NULL, &none);
	}
}

static void watch(const int *fd, int count)
{
	FD_ZERO(&some);
	for (int i = 0; i < count; i++)
		FD_SET(fd[i], &some);
	highest = fd[count - 1];
}

static void selects(void)
{
	static const int counts[] = { 2, 10, 91, 100 };
	char name[] = "/tmp/kbench-loops-XXXXXX", text[64];
	int fd[FDS];

	fd[0] = mkstemp(name);
	unlink(name);
	for (int i = 1; i < FDS; i++)
		fd[i] = dup(fd[0]);
	for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
		watch(fd, counts[i]);
		snprintf(text, sizeof text, "select: %d files, can they be written", counts[i]);
		show(text, select_written);
		snprintf(text, sizeof text, "select: %d files, can they be read", counts[i]);
		show(text, select_read);
	}
	for (int i = 0; i < FDS; i++)
		close(fd[i]);
}

/* ---- signals ----------------------------------------------------------------------------------------- */

static void one(int number) { (void)number; handled = handled + 1; }
static void other(int number) { (void)number; handled = handled + 2; }

static void install_same(uint64_t n)
{
	struct sigaction action, former;

	memset(&action, 0, sizeof action);
	action.sa_handler = one;
	while (n--)
		sigaction(SIGUSR2, &action, &former);
}

static void install_cleared(uint64_t n)
{
	while (n--) {
		struct sigaction action = { .sa_handler = n % 2 ? other : one }, former = { .sa_handler = SIG_DFL };

		sigaction(SIGUSR2, &action, &former);
	}
}

static void install_other(uint64_t n)
{
	struct sigaction action, former;

	memset(&action, 0, sizeof action);
	while (n--) {
		action.sa_handler = n % 2 ? other : one;
		sigaction(SIGUSR2, &action, &former);
	}
}

static void send_nothing(uint64_t n)
{
	pid_t self = getpid();

	while (n--)
		kill(self, 0);
}

static void catch_kill(uint64_t n)
{
	pid_t self = getpid();

	while (n--)
		kill(self, SIGUSR1);
}

static void catch_tgkill(uint64_t n)
{
	pid_t self = getpid();

	while (n--)
		syscall(SYS_tgkill, self, self, SIGUSR1);
}

static void fault(int number)
{
	(void)number;
	if (++handled >= wanted)
		mprotect(page, SHARED_PAGE, PROT_READ | PROT_WRITE);
}

static void store_refused(uint64_t n)
{
	mprotect(page, SHARED_PAGE, PROT_READ);
	handled = 0;
	wanted = n;
	*(volatile unsigned char *)page = 1;
}

static void signals(void)
{
	double sent, caught, refused;

	signal(SIGUSR1, one);
	page = mmap(NULL, SHARED_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	show("sigaction: the same handler again", install_same);
	show("sigaction: two handlers by turns", install_other);
	show("sigaction: by turns, both structures cleared each time", install_cleared);
	sent = show("kill of oneself by signal 0: nothing is delivered", send_nothing);
	caught = show("kill of oneself, handler, return", catch_kill);
	show("tgkill of oneself, handler, return", catch_tgkill);
	printf("%-58s %10.2f ns\n", "  kill, handler, return less kill by signal 0", caught - sent);
	signal(SIGSEGV, fault);
	refused = show("store to a read-only page, handler, return", store_refused);
	signal(SIGSEGV, SIG_DFL);
	printf("%-58s %10.2f ns\n", "  less kill, handler, return", refused - caught);
	printf("%-58s %10.2f ns\n", "  less (kill, handler, return less kill by signal 0)", refused - (caught - sent));
}

/* ---- semaphores -------------------------------------------------------------------------------------- */

static void semaphore(struct sembuf first, struct sembuf second, bool together)
{
	struct sembuf steps[2] = { first, second };

	semop(semaphores, steps, together ? 2 : 1);
	if (!together)
		semop(semaphores, steps + 1, 1);
}

static void take_and_give(uint64_t n) { while (n--) semaphore((struct sembuf){ 1, -1, 0 }, (struct sembuf){ 0, 1, 0 }, true); }
static void take_then_give(uint64_t n) { while (n--) semaphore((struct sembuf){ 1, -1, 0 }, (struct sembuf){ 0, 1, 0 }, false); }

/* The token goes from semaphore 1 to 0 and, by the other side, back. */
static void hand_over(const char *what, loop *run, bool together)
{
	semaphores = semget(IPC_PRIVATE, 2, 0600);
	semaphore((struct sembuf){ 1, 1, 0 }, (struct sembuf){ 1, 0, IPC_NOWAIT }, false);
	pid_t child = fork();

	if (child == 0) {
		for (;;)
			semaphore((struct sembuf){ 0, -1, 0 }, (struct sembuf){ 1, 1, 0 }, together);
	}
	show(what, run);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	semctl(semaphores, 0, IPC_RMID);
}

/* ---- memory ------------------------------------------------------------------------------------------ */

#define BLOCK 128u              /* words of a block, which has no branch */

/* A compiler that does not vectorise adds one word after the other: the additions of a block wait for each other, those of the next do not. */
#define READ_LOOP(name, step) \
	static void name(uint64_t n) \
	{ \
		unsigned result = 0, block; \
		while (n--) \
			for (const unsigned *at = ints; at < ints + words; at += BLOCK) { \
				__asm__ volatile("xorl %0, %0\n .set word, 0\n .rept 128 / %c2\n addl word(%1), %0\n .set word, word + 4 * %c2\n .endr\n" \
						 : "=&r"(block) : "r"(at), "i"(step) : "memory"); \
				result += block; \
			} \
		sum = result; \
	}

#define WRITE_LOOP(name, step) \
	static void name(uint64_t n) \
	{ \
		while (n--) \
			for (unsigned *at = ints; at < ints + words; at += BLOCK) \
				__asm__ volatile(".set word, 0\n .rept 128 / %c1\n movl $1, word(%0)\n .set word, word + 4 * %c1\n .endr\n" \
						 : : "r"(at), "i"(step) : "memory"); \
	}

READ_LOOP(read_each, 1)
READ_LOOP(read_fourth, 4)
WRITE_LOOP(write_each, 1)
WRITE_LOOP(write_fourth, 4)

static void bandwidths(const char *size, size_t count)
{
	static const struct { const char *what; loop *run; } loops[] = {
		{ "read by additions of 4 bytes, every word", read_each }, { "read by additions of 4 bytes, every fourth word", read_fourth },
		{ "written, every word of 4 bytes", write_each }, { "written, every fourth word", write_fourth },
	};
	char text[80];

	words = count;
	for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++) {
		snprintf(text, sizeof text, "%s %s", size, loops[i].what);
		printf("%-58s %10.2f GB/s\n", text, 4.0 * (double)count / cost(loops[i].run));
	}
}

static void memory(void)
{
	memset(ints, 0, sizeof ints);
	bandwidths("16 KB", WORDS);
	bandwidths("64 MB", MANY);
}

/* ---- pages of a file ---------------------------------------------------------------------------------- */

#define PAGES 2048u

static int file;
static unsigned order[PAGES];

/* A mapping of the file, its pages read in random order; touched: 0 or all. */
static void map_file(uint64_t n, unsigned touched)
{
	while (n--) {
		volatile unsigned char *at = mmap(NULL, PAGES * SHARED_PAGE, PROT_READ, MAP_SHARED, file, 0);

		for (unsigned i = 0; i < touched; i++)
			sum += at[order[i] * SHARED_PAGE];
		munmap((void *)(uintptr_t)at, PAGES * SHARED_PAGE);
	}
}

static void map_untouched(uint64_t n) { map_file(n, 0); }
static void map_touched(uint64_t n) { map_file(n, PAGES); }

static double only_touches(void)
{
	static double samples[SAMPLES];

	for (unsigned s = 0; s < SAMPLES; s++) {
		volatile unsigned char *at = mmap(NULL, PAGES * SHARED_PAGE, PROT_READ, MAP_SHARED, file, 0);
		double start = now();

		for (unsigned i = 0; i < PAGES; i++)
			sum += at[order[i] * SHARED_PAGE];
		samples[s] = now() - start;
		munmap((void *)(uintptr_t)at, PAGES * SHARED_PAGE);
	}
	qsort(samples, SAMPLES, sizeof *samples, ascending);
	return samples[SAMPLES / 4];
}

/* A file of 8 MB read in pieces of 64 KB, which are then summed or not. */
static void read_file(uint64_t n, bool summed)
{
	static uint64_t piece[8192];

	while (n--) {
		for (off_t at = 0; at < (off_t)(PAGES * SHARED_PAGE); at += (off_t)sizeof piece) {
			uint64_t result = 0;

			if (pread(file, piece, sizeof piece, at) < 0)
				exit(1);
			for (unsigned i = 0; i < 8192 && summed; i += 128) {
				uint64_t block = 0;

				for (unsigned k = 0; k < 128; k++)
					block += ((volatile uint64_t *)piece)[i + k];
				result += block;
			}
			sum += (unsigned)result;
		}
	}
}

static void read_only(uint64_t n) { read_file(n, false); }
static void read_summed(uint64_t n) { read_file(n, true); }

/* The same 64 KB again and again: file and buffer stay in the caches of the core. */
static void read_again(uint64_t n)
{
	static char piece[65536];

	while (n--)
		if (pread(file, piece, sizeof piece, 0) < 0)
			exit(1);
}

static void file_pages(size_t step)
{
	char name[] = "/tmp/kbench-loops-XXXXXX", text[64];
	static const char bytes[1 << 20];

	file = mkstemp(name);
	unlink(name);
	for (size_t at = 0; at < PAGES * SHARED_PAGE; at += step)
		if (pwrite(file, bytes, step, (off_t)at) < 0)
			exit(1);
	fsync(file);
	for (unsigned i = 0; i < PAGES; i++)
		order[i] = i;
	for (unsigned i = PAGES - 1; i > 0; i--) {
		unsigned j = (unsigned)rand() % (i + 1), former = order[i];

		order[i] = order[j];
		order[j] = former;
	}
	snprintf(text, sizeof text, "page of a file written in %zu KB: touched", step >> 10);
	printf("%-58s %10.2f ns\n", text, only_touches() / PAGES);
	printf("%-58s %10.2f ns\n", "  mapped, touched and unmapped, less one untouched", (cost(map_touched) - cost(map_untouched)) / PAGES);
	printf("%-58s %10.2f GB/s\n", "  read by 64 KB, all of 8 MB", PAGES * SHARED_PAGE / cost(read_only));
	printf("%-58s %10.2f GB/s\n", "  read by 64 KB, all of 8 MB, and summed", PAGES * SHARED_PAGE / cost(read_summed));
	printf("%-58s %10.2f GB/s\n", "  read by 64 KB, the same 64 KB again", 65536 / cost(read_again));
	close(file);
}

/* ---- processes --------------------------------------------------------------------------------------- */

static void leave(uint64_t n, void (*end)(int))
{
	while (n--) {
		pid_t child = fork();

		if (child == 0)
			end(1);
		waitpid(child, NULL, 0);
	}
}

static void fork_exit(uint64_t n) { leave(n, exit); }
static void fork_leave(uint64_t n) { leave(n, _exit); }

/* ---- sums ---------------------------------------------------------------------------------------------- */

#define NUMBERS 3000            /* drawn one behind the other; each waits for the store of the one before */
static volatile double real;

static void draw(uint64_t n)
{
	while (n--)
		for (int i = 0; i < NUMBERS; i++)
			drand48();
}

static void draw_behind_call(uint64_t n) { for (; n--; draw(1)) syscall(SYS_getppid); }

#define LARGE ((8u << 20) / 8)  /* words of 8 MB; four sums the compiler makes wide ones */
static void sum_by_four(uint64_t n)
{
	const uint64_t *from = (const uint64_t *)(const void *)ints;
	uint64_t part[4] = { 0 };

	for (; n--; real = (double)(part[0] + part[1] + part[2] + part[3]))
		for (size_t i = 0; i < LARGE; i += 4)
			for (int k = 0; k < 4; k++)
				part[k] += from[i + (size_t)k];
}

/* One sum, a word of 8 bytes at a time. */
static __attribute__((optimize("no-tree-vectorize"))) void sum_one(uint64_t n)
{
	const uint64_t *from = (const uint64_t *)(const void *)ints;
	uint64_t all = 0;

	for (; n--; real = (double)all)
		for (size_t i = 0; i < LARGE; i++)
			all += from[i];
}

int main(int argc, char **argv)
{
	cpu_set_t cpus;

	setvbuf(stdout, NULL, _IONBF, 0);       /* or each child would print what the buffer holds */
	if (argc > 1) {
		CPU_ZERO(&cpus);
		CPU_SET((size_t)atoi(argv[1]), &cpus);
		sched_setaffinity(0, sizeof cpus, &cpus);
	}
	selects();
	signals();
	hand_over("semop: round trip, each side takes and gives in one call", take_and_give, true);
	hand_over("semop: round trip, each side in two calls", take_then_give, false);
	memory();
	file_pages(4 << 10);
	file_pages(1 << 20);
	show("fork, exit with handlers of the library, wait", fork_exit);
	show("fork, _exit, wait", fork_leave);
	printf("%-58s %10.2f ns\n", "drand48", cost(draw) / NUMBERS);
	printf("%-58s %10.2f ns\n", "drand48, 3000 numbers behind a system call", cost(draw_behind_call) / NUMBERS);
	show("8 MB of small pages in four sums", sum_by_four);
	show("8 MB of small pages in one sum", sum_one);
	return 0;
}
