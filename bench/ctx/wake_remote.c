/*
 * ctx.wake_remote: a partner on another CPU is woken; the clock stops when its answer is seen here, by spinning.
 * peer=idle: it sleeps in a futex on a CPU with nothing to do, so this is an interrupt and the way out of idling.
 * peer=spinning: it looks for the token all the time: two transfers of a cache line, and no kernel.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench_channel.h>

struct line { uint32_t value; char other_line[252]; };

static struct { struct line token, answer, pid; } *shared;
static bool idle;
static uint64_t looks, number, began;

static uint32_t load(const struct line *line) { return __atomic_load_n(&line->value, __ATOMIC_ACQUIRE); }

/* Ends when its number is taken away. */
static int serve(struct kb_run *run)
{
	uint32_t seen = 0;

	(void)run;
	__atomic_store_n(&shared->pid.value, (uint32_t)getpid(), __ATOMIC_RELEASE);
	while (load(&shared->pid)) {
		if (load(&shared->token) != seen)
			__atomic_store_n(&shared->answer.value, ~++seen, __ATOMIC_RELEASE);
		else if (idle)
			syscall(SYS_futex, &shared->token.value, FUTEX_WAIT, seen, NULL, NULL, 0);
	}
	return 0;
}

static int setup(struct kb_run *run)
{
	int error;
	idle = kb_param_is(run, "peer", "idle");
	looks = kb_param_number(run, "looks");
	shared = kb_shared_memory(run, sizeof *shared);
	if (!shared)
		return -ENOMEM;
	kb_wait_watch(run);
	error = kb_peer_start(run, serve, "other-cpu");
	for (unsigned since = kb_wait_begin(); !error && !load(&shared->pid); error = kb_wait_over(since))
		usleep(200);
	return error;
}

static int wake(struct kb_run *run)
{
	unsigned since = kb_wait_begin();
	int error = 0;
	__atomic_store_n(&shared->token.value, (uint32_t)++number, __ATOMIC_RELEASE);
	if (idle && syscall(SYS_futex, &shared->token.value, FUTEX_WAKE, 1, NULL, NULL, 0) != 1)
		return kb_fail(run, EPROTO, "the partner did not sleep");
	while (load(&shared->answer) != ~(uint32_t)number && !error)
		error = kb_wait_over(since);
	return kb_channel_failed(run, error);
}

/* Between two wake-ups the partner must fall asleep, which is nobody's cost here. */
static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	uint64_t start, done;
	int error = 0;
	began = number;
	for (*ticks = done = 0; done < n && !error; done++) {
		if (idle && kb_wait_asleep(load(&shared->pid), looks))
			return kb_fail(run, EPROTO, "the partner stays awake");
		start = kb_now(run);
		error = wake(run);
		*ticks += kb_now(run) - start;
	}
	kb_count(run, KB_SEEN, done);
	return error;
}

static int check(struct kb_run *run, uint64_t n)
{
	return load(&shared->answer) == ~(uint32_t)(began + n) ? 0 : kb_fail(run, EILSEQ, "the partner counted other wake-ups");
}

static void teardown(struct kb_run *run)
{
	(void)run, kb_wait_unwatch();
	__atomic_store_n(&shared->pid.value, 0, __ATOMIC_RELEASE);
	kb_futex_pass(&shared->token.value, number);
}

KB_BENCHMARK(
	.summary = "wake-up of a partner on another CPU until its answer", .per = "wake-up", .needs = KB_NEED_TWO_CPUS,
	.portability = KB_ASSUMING, .assumes = "the other CPU has nothing else to do",
	.params = { { "peer", "how it waits", KB_CHOICE, "idle,spinning", .choices = "idle,spinning" },
		{ "looks", "that must find it asleep", KB_NUMBER, "5", 1, 1000, NULL } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_NVCSW, 1, 0, 0.1, KB_PEER, "peer=idle" } },
	.setup = setup, .observe = observe, .check = check, .teardown = teardown,
);
