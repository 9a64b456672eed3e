/*
 * ctx.ring: a token goes round 2 to 20 processes of one CPU. The process that gets it sums an array of its own and passes it
 * on; samples are whole rounds, so each hop is one to another process. The token carries the sums, which prove who took part. Base: the
 * same sums and messages by one process. What remains is switches, and caches that the others have used: a note says which, where the
 * arrays are too large for them.
 *
 * A hop is one switch or two. The process that hands the token over goes to sleep a moment later; the scheduler may let the one that it
 * woke go before it, and then has to come back to it for that. In rings of two it rarely does, in those of four it often does. Under
 * SCHED_BATCH, which has no such preemption, it is one: chrt -b 0 kbench run ctx.ring.
 */
#include <errno.h>
#include <sys/mman.h>

#include <kbench_channel.h>
#include <kbench_memory.h>

static uint64_t processes, words, *array, total;

/* The array of process `self` holds self + 1 everywhere; without one there is still something to count. */
static uint64_t sum_array(unsigned self)
{
	uint64_t sum = self + 1;

	for (uint64_t i = 0; i < words && array[i] == 0; i++)
		array[i] = self + 1;            /* the first visit only; it stops at once ever after */
	for (uint64_t i = 0; i < words; i++)
		sum += array[i];
	return sum;
}

static int setup(struct kb_run *run)
{
	processes = kb_param_number(run, "processes");
	words = kb_param_number(run, "size") / sizeof *array;
	array = mmap(NULL, (words + 1) * sizeof *array, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (array == MAP_FAILED)
		return kb_fail(run, errno, "no memory for an array");
	run->granule = processes;
	kb_note_refills(run, processes, words * sizeof *array);
	return kb_hops_start(run, (unsigned)processes, sum_array);
}

static int op(struct kb_run *run, uint64_t n)
{
	return kb_hops_op(run, n, &total);
}

static int check(struct kb_run *run, uint64_t n)
{
	uint64_t sum = words + 1;       /* of the last hop */

	for (uint64_t i = 1; i < n; i++)
		sum += (i % processes + 1) * (words + 1);
	return sum == total ? 0 : kb_fail(run, EPROTO, "not everybody has summed its array");
}

/* One switch for each hop is the least: sides that run ahead of each other would make fewer. */
KB_BENCHMARK(
	.summary = "context switch in a ring of processes that each sum an array; sums and calls subtracted", .per = "hop",
	.lmbench = "lat_ctx", .lmbench_with = "size=0,16K,64K", .portability = KB_ASSUMING, .assumes = "nothing else runs on this CPU between two hops",
	.params = { { "processes", "in the ring", KB_NUMBER, "2,8,16", 2, 20, NULL },
		{ "size", "of each array", KB_SIZE, "0,16K", 0, 1 << 20, NULL } },
	.expect = { { KB_SWITCHES, 1.6, 0, 0.62, KB_ALL, NULL }, { KB_SYSCALLS, 2, 0, 0.2, KB_ALL, NULL } },
	.setup = setup, .op = op, .base = kb_hops_base, .check = check, .teardown = kb_hops_end,
	.base_does = "passes the token through the same pipes in one process",
);
