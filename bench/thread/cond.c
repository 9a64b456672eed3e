/*
 * thread.cond: a condition variable there and back: we set a number and signal, the other thread wakes up, answers with
 * its inverse and signals back. Both wait under one mutex. A signal that comes before the waiting is no loss, for each
 * looks at the number before it waits. Waiting has a limit: a partner that is gone fails the row.
 */
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include <kbench_parties.h>

#define LIMIT_S 2

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER, answered = PTHREAD_COND_INITIALIZER;
static bool stop;
static uint64_t question, answer = UINT64_MAX;

static void *serve(void *data)
{
	(void)data;
	pthread_mutex_lock(&mutex);
	while (!stop) {
		while (!stop && answer == ~question)
			pthread_cond_wait(&asked, &mutex);
		answer = ~question;
		pthread_cond_signal(&answered);
	}
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static int setup(struct kb_run *run)
{
	return kb_companion_start(run, serve, NULL, kb_param_text(run, "placement"));
}

/* The limit is a time of day, asked for once a sample: the waits of one sample have it in common. */
static int op(struct kb_run *run, uint64_t n)
{
	struct timespec limit;
	int error = 0;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += LIMIT_S;
	pthread_mutex_lock(&mutex);
	for (uint64_t i = 0; i < n && !error; i++) {
		question++;
		pthread_cond_signal(&asked);
		while (!error && answer != ~question)
			error = pthread_cond_timedwait(&answered, &mutex, &limit);
		kb_count(run, KB_SEEN, answer == ~question);
	}
	pthread_mutex_unlock(&mutex);
	return error ? kb_fail(run, error, "no answer of the other thread") : 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	pthread_mutex_lock(&mutex);
	stop = true;
	pthread_cond_signal(&asked);
	pthread_mutex_unlock(&mutex);
	kb_companions_join();
}

/* We sleep once a round trip; that the other one does not count along is why the switches are ours alone. */
KB_BENCHMARK(
	.summary = "condition variable: signal a thread and wait for its answer", .per = "round-trip",
	.suite = KB_FULL, .portability = KB_ASSUMING, .assumes = "both threads stay on their CPUs",
	.params = { { "placement", "of the two threads", KB_CHOICE, "same-cpu,idle-cpu", .choices = "same-cpu,idle-cpu" } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_NVCSW, .per_op = 1, .tolerance = 0.4 } },
	.setup = setup, .op = op, .teardown = teardown,
);
