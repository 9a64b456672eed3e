/*
 * ipc.futex_requeue: FUTEX_CMP_REQUEUE moves sleepers from one futex to another and wakes none. The sleepers are
 * partners that never run between two moves; setup moves them until all have been seen asleep, and each call must move
 * all of them.
 */
#include <errno.h>
#include <linux/futex.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench_channel.h>

static struct { uint32_t from, over; char other_line[248]; } *words;
static uint64_t sleepers, moved;
static unsigned at;             /* the word with the sleepers: 0 or 1 */

static int sleep_until_over(struct kb_run *run)
{
	(void)run;
	while (!__atomic_load_n(&words->over, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &words[0].from, FUTEX_WAIT, 0, NULL, NULL, 0);
	return 0;
}

static long move(void)
{
	long count = syscall(SYS_futex, &words[at].from, FUTEX_CMP_REQUEUE, 0, (void *)INT_MAX, &words[!at].from, 0);

	at = !at;
	return count;
}

static int setup(struct kb_run *run)
{
	int error = 0;

	sleepers = kb_param_number(run, "sleepers");
	words = kb_shared_memory(run, 2 * sizeof *words);
	if (!words)
		return -ENOMEM;
	for (uint64_t i = 0; i < sleepers && !error; i++)
		error = kb_peer_start(run, sleep_until_over, "same-cpu");
	for (int tries = 0; tries < 1000 && !error; tries++) {
		/* Newcomers sleep at the first word: the others are brought back there before the next count. */
		if (move() == (long)sleepers)
			return 0;
		move();
		usleep(200);
	}
	return error ? error : kb_fail(run, ETIMEDOUT, "not all partners fall asleep");
}

static int op(struct kb_run *run, uint64_t n)
{
	moved = 0;
	for (uint64_t i = 0; i < n; i++) {
		long count = move();

		if (count != (long)sleepers)
			return kb_fail(run, count < 0 ? errno : EPROTO, "%ld of %llu sleepers were moved", count,
				(unsigned long long)sleepers);
		moved++;
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return moved == n
		? 0
		: kb_fail(run, EPROTO, "%llu of %llu moves", (unsigned long long)moved, (unsigned long long)n);
}

static void teardown(struct kb_run *run)
{
	(void)run;
	__atomic_store_n(&words->over, 1, __ATOMIC_RELEASE);
	for (int word = 0; word < 2; word++)
		syscall(SYS_futex, &words[word].from, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

KB_BENCHMARK(
	.summary = "futex requeue: move waiters from one futex to another", .per = "call", .portability = KB_PLATFORM,
	.assumes = "sleeping partners stay asleep",
	.params = { { "sleepers", "moved at once", KB_NUMBER, "1,16", 1, KB_PEERS_MAX, NULL } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .check = check, .teardown = teardown,
);
