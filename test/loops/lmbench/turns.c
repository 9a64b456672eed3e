/*
 * Two processes of one CPU that take turns, written by hand: locks of files handed over by eight calls, as lmbench does it, and by four, as
 * KBench does; and a token in pipes, with what may be subtracted from it. Each line has us an iteration and the context switches of both
 * sides in it. turns [CPU], in a directory that may be written to; test/lmbench.py --why builds and runs it, doc/lmbench.md reads it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TURNS 20000
#define SAMPLES 9

static int file, other;         /* the second one for locks in two files */
static int there[2], back[2];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void give_up(const char *what)
{
	perror(what);
	exit(1);
}

static void set_lock(int in, off_t byte, short type)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };

	if (fcntl(in, F_SETLKW, &lock))
		give_up("fcntl");
}

static void take(off_t byte) { set_lock(file, byte, F_WRLCK); }
static void give(off_t byte) { set_lock(file, byte, F_UNLCK); }
static void take_of(int in) { set_lock(in, 0, F_WRLCK); }
static void give_of(int in) { set_lock(in, 0, F_UNLCK); }

/* Eight calls: each side takes and gives the locks of two files. The first side holds both before the second begins. */
static void eight_begin(void) { take_of(file); take_of(other); }
static void eight_first(int i) { (void)i; give_of(file); take_of(other); give_of(other); take_of(file); }
static void eight_second(int i) { (void)i; take_of(file); give_of(other); take_of(other); give_of(file); }

/* Four calls: of three locks each side takes and gives one; the first side holds two, the second waits for the one that comes next. */
static void four_begin(void) { take(0); take(2); }
static void four_first(int i) { give(2 * i % 3); take((2 * i + 1) % 3); }
static void four_join(void) { take(1); }
static void four_second(int i) { take(2 * i % 3); give((2 * i + 1) % 3); }

static void pass(int fd) { if (write(fd, "x", 1) != 1) give_up("write"); }
static void await(int fd) { char token; if (read(fd, &token, 1) != 1) give_up("read"); }

static void nothing(void) { }
static void token_first(int i) { (void)i; pass(there[1]); await(back[0]); }
static void token_second(int i) { (void)i; await(there[0]); pass(back[1]); }
static void token_alone(int i) { (void)i; pass(there[1]); await(there[0]); }

static long switches_of(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

struct turns { const char *what; void (*begin)(void), (*first)(int), (*join)(void), (*second)(int); };

static double sample(const struct turns *of, double *switches)
{
	int ready[2];
	long before = switches_of(RUSAGE_SELF), children = switches_of(RUSAGE_CHILDREN);
	pid_t child = 0;
	double start, end;

	if (pipe(there) || pipe(back) || pipe(ready))
		give_up("pipe");
	of->begin();
	if (of->second && (child = fork()) == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		of->join();
		pass(ready[1]);
		for (int i = 0; i < TURNS; i++)
			of->second(i);
		_exit(0);
	}
	if (child)
		await(ready[0]);
	start = now();
	for (int i = 0; i < TURNS; i++)
		of->first(i);
	end = now();
	for (off_t byte = 0; byte < 3; byte++)
		give(byte);
	give_of(other);
	if (child)
		waitpid(child, NULL, 0);
	for (int k = 0; k < 2; k++) {
		close(there[k]);
		close(back[k]);
		close(ready[k]);
	}
	*switches = (double)(switches_of(RUSAGE_SELF) - before + switches_of(RUSAGE_CHILDREN) - children) / TURNS;
	return (end - start) / TURNS;
}

/* The fastest: neighbours on the core only add. */
static void show(const struct turns *of)
{
	double best = 0, switches = 0;

	for (int i = 0; i < SAMPLES; i++) {
		double its, us = sample(of, &its);

		if (i == 0 || us < best) {
			best = us;
			switches = its;
		}
	}
	printf("%-50s %8.3f us, %5.2f switches\n", of->what, best, switches);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const struct turns turns[] = {
		{ "locks handed over and back, eight calls", eight_begin, eight_first, nothing, eight_second },
		{ "locks handed over and back, four calls", four_begin, four_first, four_join, four_second },
		{ "token through a pipe and back", nothing, token_first, nothing, token_second },
		{ "token through a pipe, one process", nothing, token_alone, nothing, NULL },
	};
	char name[] = "lmbench_turns.XXXXXX", other_name[] = "lmbench_turns.XXXXXX";
	cpu_set_t cpus;

	if (argc > 1) {
		CPU_ZERO(&cpus);
		CPU_SET((size_t)atoi(argv[1]), &cpus);
		sched_setaffinity(0, sizeof cpus, &cpus);
	}
	file = mkstemp(name);
	other = mkstemp(other_name);
	if (file < 0 || other < 0)
		give_up("mkstemp");
	unlink(name);
	unlink(other_name);
	alarm(100);
	for (size_t i = 0; i < sizeof turns / sizeof *turns; i++)
		show(&turns[i]);
	return 0;
}
