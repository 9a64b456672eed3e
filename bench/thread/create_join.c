/*
 * thread.create_join: so many threads started, then all of them joined; each returns a value that only it can make of
 * its place. They are there at the same time: the kernel's numbers of them all differ. The library keeps the stacks of
 * threads that ended, so the first batch of a process costs more, and is a warm-up.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench.h>

#define THREADS_MAX 1024
#define KEY UINT64_C(0x9e3779b97f4a7c15)        /* any odd number */

static unsigned threads;
static pthread_t id[THREADS_MAX];
static struct place { uint64_t index; long number; } places[THREADS_MAX];

static void *serve(void *data)
{
	struct place *place = data;

	place->number = syscall(SYS_gettid);
	return (void *)(uintptr_t)(place->index * KEY);
}

static int setup(struct kb_run *run)
{
	threads = (unsigned)kb_param_number(run, "threads");
	for (unsigned i = 0; i < threads; i++)
		places[i].index = i + 1;
	return 0;
}

static int batch(struct kb_run *run)
{
	unsigned started = 0;
	int error = 0;

	while (started < threads && !error) {
		error = pthread_create(&id[started], NULL, serve, &places[started]);
		started += !error;
	}
	for (unsigned i = 0; i < started; i++) {
		void *result;
		int wrong = pthread_join(id[i], &result);

		if (!wrong && (uintptr_t)result != (uintptr_t)(places[i].index * KEY))
			wrong = EILSEQ;
		error = error ? error : wrong;
	}
	return error ? kb_fail(run, error, "thread %u of %u", started, threads) : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	int error = 0;

	for (uint64_t i = 0; i < n && !error; i++) {
		error = batch(run);
		kb_count(run, KB_SEEN, !error);
	}
	return error;
}

static int by_number(const void *one, const void *other)
{
	long a = ((const struct place *)one)->number, b = ((const struct place *)other)->number;

	return (a > b) - (a < b);
}

/* Of the last batch. Numbers may be used again only after a thread has ended, so two that are alike ran in turn. */
static int check(struct kb_run *run, uint64_t n)
{
	(void)n;
	qsort(places, threads, sizeof *places, by_number);
	for (unsigned i = 0; i < threads; i++) {
		if (places[i].number <= 0 || (i > 0 && places[i].number == places[i - 1].number))
			return kb_fail(run, EILSEQ, "thread %ld did not run, or there were two of it", places[i].number);
	}
	return 0;
}

/* The creator touches each stack that is new, and may sleep until a thread has ended: as often as there are threads. */
KB_BENCHMARK(
	.summary = "pthread_create and pthread_join of a batch of threads", .per = "batch",
	.suite = KB_FULL, .portability = KB_PORTABLE,
	.params = { { "threads", "in one batch", KB_NUMBER, "1,8,32,128", 1, THREADS_MAX, NULL } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_MINFLT, .per_op = 4 * THREADS_MAX, .tolerance = 4 * THREADS_MAX },
	            { KB_NVCSW, .per_op = THREADS_MAX, .tolerance = THREADS_MAX } },
	.setup = setup, .op = op, .check = check,
);
