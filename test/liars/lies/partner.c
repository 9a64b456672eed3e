/*
 * Says: a message to a partner on the same CPU and its answer, by two pipes. Hidden: there is no partner any more, or none from
 * the beginning, it is on another CPU than said, or many messages are under way at once.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <unistd.h>

#include <kbench_parties.h>

#include "liar.h"

#define WINDOW 16u
#define ROUNDS 300u     /* after which the partner is no longer needed */

static int there[2], back[2], own[2];
static uint32_t number;
static uint64_t rounds;
static int cpus[2];

static void go(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	sched_setaffinity(0, sizeof set, &set);
}

static int answer(uint32_t *messages, ssize_t bytes)
{
	for (ssize_t i = 0; i < bytes / 4; i++)
		messages[i] = ~messages[i];
	return write(back[1], messages, (size_t)bytes) == bytes ? 0 : -EPIPE;
}

static int serve(struct kb_run *run)
{
	uint32_t messages[WINDOW];
	ssize_t bytes;

	close(there[1]);
	if (lie(run, "moves_away"))
		go(cpus[1]);
	if (lie(run, "joins_us"))
		go(cpus[0]);
	while ((bytes = read(there[0], messages, sizeof messages)) > 0) {
		if (answer(messages, bytes))
			return -EPIPE;
	}
	return 0;
}

static int setup(struct kb_run *run)
{
	cpus[0] = kb_cpu(run, 0);
	cpus[1] = lie(run, "moves_away") ? kb_cpu(run, 1) : cpus[0];
	if (cpus[1] < 0)
		return kb_skip(run, "needs two CPUs");
	if (pipe(there) || pipe(back) || pipe(own))
		return kb_fail(run, errno, "pipes");
	return kb_peer_start(run, serve, kb_param_text(run, "placement"));
}

static int ask(void)
{
	number++;
	return write(there[1], &number, sizeof number) == sizeof number ? 0 : -EPIPE;
}

static int take(void)
{
	uint32_t got;

	return read(back[0], &got, sizeof got) == sizeof got ? 0 : -EPIPE;
}

/* The same calls, by one side alone. */
static int talk_to_oneself(void)
{
	uint32_t got = ++number;

	for (unsigned i = 0; i < 2; i++) {
		if (write(own[1], &got, sizeof got) != sizeof got || read(own[0], &got, sizeof got) != sizeof got)
			return -EPIPE;
	}
	return 0;
}

static int many(uint64_t count)
{
	int error = 0;

	for (uint64_t i = 0; i < count && !error; i++)
		error = ask();
	for (uint64_t i = 0; i < count && !error; i++)
		error = take();
	return error;
}

static int batch(uint64_t count)
{
	uint32_t messages[WINDOW] = { 0 };
	ssize_t bytes = (ssize_t)(count * 4);

	return write(there[1], messages, (size_t)bytes) == bytes && read(back[0], messages, (size_t)bytes) == bytes ? 0 : -EPIPE;
}

static int turn(const struct kb_run *run, uint64_t count)
{
	bool left = lie(run, "alone") || (lie(run, "leaves") && ++rounds > ROUNDS);

	if (lie(run, "window"))
		return many(count);
	if (lie(run, "batch"))
		return batch(count);
	return left ? talk_to_oneself() : ask() || take() ? -EPIPE : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t most = lie(run, "window") || lie(run, "batch") ? WINDOW : 1, step = lie(run, "every_second") ? 2 : 1;

	for (uint64_t i = 0; i < n; i += most > 1 ? most : step) {
		uint64_t count = most > 1 && n - i < most ? n - i : most;

		if (turn(run, count))
			return kb_fail(run, EPIPE, "the partner is gone");
	}
	kb_count(run, KB_SEEN, n);
	return 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	close(there[1]);
}

KB_BENCHMARK(
	.summary = "a message and its answer by pipes", .per = "round-trip",
	.params = { LIE_PARAM("leaves,alone,moves_away,joins_us,window,batch,every_second"),
	            { "placement", "of the partner", KB_CHOICE, "same-cpu", .choices = "same-cpu,idle-cpu" } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SYSCALLS, 4, 0, 0.1, KB_ALL, NULL }, { KB_SWITCHES, 2, 0, 1.9, KB_ALL, NULL } },
	.setup = setup, .op = op, .teardown = teardown,
);
