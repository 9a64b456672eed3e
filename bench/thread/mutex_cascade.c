/*
 * thread.mutex_cascade: each thread of a ring holds one mutex and waits for the next; there is one more of them than
 * threads. Who takes the free one gives back the one behind it, on which the thread behind waits: the gap travels round
 * the ring. An operation is one turn of the gap: each thread has moved on by one, has slept once and was woken once.
 */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <kbench_parties.h>

#define THREADS_MAX 64

static pthread_mutex_t mutex[THREADS_MAX + 1];
static struct place { unsigned holds; volatile uint64_t moves; } places[THREADS_MAX], *ours;   /* the last one */
static volatile bool stop;
static unsigned threads, ready;
static uint64_t before;

static void move(struct place *place)
{
	unsigned next = (place->holds + 1) % (threads + 1);

	pthread_mutex_lock(&mutex[next]);
	place->moves = place->moves + 1;
	pthread_mutex_unlock(&mutex[place->holds]);
	place->holds = next;
}

static void *serve(void *data)
{
	struct place *place = data;

	pthread_mutex_lock(&mutex[place->holds]);
	__atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
	while (!stop)
		move(place);
	pthread_mutex_unlock(&mutex[place->holds]);
	return NULL;
}

/* From the last to the first: each finds the mutex it will wait for taken. */
static int setup(struct kb_run *run)
{
	int error = 0;

	threads = (unsigned)kb_param_number(run, "threads");
	ours = &places[threads - 1];
	for (unsigned i = 0; i <= threads; i++)
		pthread_mutex_init(&mutex[i], NULL);
	ours->holds = threads - 1;
	pthread_mutex_lock(&mutex[ours->holds]);
	for (unsigned i = threads - 1; i-- > 0 && !error;) {
		places[i].holds = i;
		ready = 0;
		error = kb_companion_start(run, serve, &places[i], "same-cpu");
		for (int wait = 0; wait < 2000 && !error && !__atomic_load_n(&ready, __ATOMIC_ACQUIRE); wait++)
			usleep(100);
	}
	return error;
}

static int op(struct kb_run *run, uint64_t n)
{
	before = ours->moves;
	for (uint64_t i = 0; i < n; i++)
		move(ours);
	kb_count(run, KB_SEEN, ours->moves - before);
	return 0;
}

/* Nobody can be more than one place ahead of, or behind the thread in front. */
static int check(struct kb_run *run, uint64_t n)
{
	bool right = ours->moves - before == n;

	for (unsigned i = 0; i + 1 < threads; i++)
		right = right && places[i].moves <= ours->moves && places[i].moves + 1 >= ours->moves;
	return right ? 0 : kb_fail(run, EPROTO, "not each thread has moved on by %llu", (unsigned long long)n);
}

static void teardown(struct kb_run *run)
{
	(void)run;
	stop = true;
	pthread_mutex_unlock(&mutex[ours->holds]);
	kb_companions_join();
}

/* Each turn we sleep, or are preempted by the thread that we woke and find that it has moved on; or both. */
KB_BENCHMARK(
	.summary = "handover of a free mutex around a ring of waiting threads", .per = "turn",
	.suite = KB_FULL, .portability = KB_PORTABLE,
	.params = { { "threads", "of the ring", KB_NUMBER, "2,8", 2, THREADS_MAX, NULL } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SWITCHES, .per_op = 1.25, .tolerance = 0.9 } },
	.setup = setup, .op = op, .check = check, .teardown = teardown,
);
