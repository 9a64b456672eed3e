/*
 * sched.messaging: groups of tasks, each with `fan` senders and `fan` receivers; each sender sends `loops` messages to
 * each receiver of its group. One operation is a round: all is sent and received. The tasks are threads, on one CPU or
 * by turns on two. What each receiver gets is added up. Sockets have a time limit, so nothing waits for ever.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <kbench_parties.h>

enum { TASKS_MAX = KB_COMPANIONS_MAX / 2, BYTES = 100 };
/* A sender and a receiver in turn; `to` of a receiver's pair is where its group sends. */
static struct task { int to, from; unsigned index; bool sends; } tasks[TASKS_MAX][2];
static pthread_barrier_t start, end;
static unsigned groups, fan, loops;
static bool stop, failed;
static uint64_t sum;

/* Sends to the receivers of its group by turns, or receives what comes; a message is one packet. */
static int serve_round(const struct task *own)
{
	unsigned first = own->index / fan * fan;
	unsigned char message[BYTES] = { (unsigned char)(own->index % fan + 1) };
	uint64_t local = 0;
	for (unsigned i = 0; i < loops * fan; i++) {
		if ((own->sends ? send(tasks[first + i % fan][1].to, message, BYTES, 0) : recv(own->from, message, BYTES, 0)) != BYTES)
			return -1;
		local += message[0];
	}
	__atomic_fetch_add(&sum, own->sends ? 0 : local, __ATOMIC_RELAXED);
	return 0;
}

static void *serve(void *data)
{
	while (pthread_barrier_wait(&start), !stop) {
		if (serve_round(data))
			__atomic_store_n(&failed, true, __ATOMIC_RELAXED);
		pthread_barrier_wait(&end);
	}
	return NULL;
}

static int start_pair(struct kb_run *run, unsigned i)
{
	const char *cpu = i % 2 && kb_param_is(run, "placement", "spread") ? "other-cpu" : "same-cpu";
	struct timeval limit = { 2, 0 };
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) || setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) ||
	    setsockopt(pair[1], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit))
		return kb_fail(run, errno, "making a pair of sockets");
	tasks[i][0] = (struct task){ pair[0], pair[1], i, true };
	tasks[i][1] = (struct task){ pair[0], pair[1], i, false };
	return kb_companion_start(run, serve, &tasks[i][0], cpu) ?: kb_companion_start(run, serve, &tasks[i][1], cpu);
}

static int setup(struct kb_run *run)
{
	int error;
	groups = (unsigned)kb_param_number(run, "groups");
	fan = (unsigned)kb_param_number(run, "fan");
	loops = (unsigned)kb_param_number(run, "loops");
	error = pthread_barrier_init(&start, NULL, 2 * groups * fan + 1) ?: pthread_barrier_init(&end, NULL, 2 * groups * fan + 1);
	for (unsigned i = 0; i < groups * fan && !error; i++)
		error = start_pair(run, i);
	return error;
}

/* Each message carries the number of its sender, so the sum tells how many of whom have come. */
static int op(struct kb_run *run, uint64_t n)
{
	uint64_t each = (uint64_t)groups * fan * loops * fan * (fan + 1) / 2;

	sum = 0;
	for (uint64_t i = 0; i < n && !failed; i++) {
		pthread_barrier_wait(&start);
		pthread_barrier_wait(&end);
	}
	kb_count(run, KB_SEEN, sum / each);
	return failed || sum % each ? kb_fail(run, EIO, "messages are lost") : 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	stop = true;
	pthread_barrier_wait(&start), kb_companions_join();
}

KB_BENCHMARK(
	.summary = "messages between groups of tasks", .per = "round", .suite = KB_FULL, .portability = KB_PORTABLE,
	.params = { { "groups", "of tasks", KB_NUMBER, "1", 1, 12, NULL }, { "fan", "pairs in a group", KB_NUMBER, "20", 1, 20, NULL },
	            { "loops", "messages of a sender to each receiver", KB_NUMBER, "10", 1, 1000, NULL },
	            { "placement", "of the tasks", KB_CHOICE, "same-cpu,spread", .choices = "same-cpu,spread" } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_NVCSW, .per_op = 1.5, .tolerance = 1.4 } },
	.setup = setup, .op = op, .teardown = teardown,
);
