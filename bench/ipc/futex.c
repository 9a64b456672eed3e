/*
 * ipc.futex: a token in shared memory, handed over and back by FUTEX_WAKE and FUTEX_WAIT between processes. Each turn
 * is a wake and a wait of each side; what it costs when both spin is ipc.shm_spin. one-process: wake of nobody and a wait
 * for what is there.
 */
#include <errno.h>

#include <kbench_channel.h>

static struct word { uint32_t value; char other_line[252]; } *words;

static int pass(struct kb_channel *c, enum kb_way way, uint64_t number)
{
	(void)c;
	return kb_futex_pass(&words[way].value, number);
}

static int await(struct kb_channel *c, enum kb_way way, uint64_t number)
{
	(void)c;
	return kb_futex_await(&words[way].value, number);
}

static struct kb_channel channel = { .pass = pass, .await = await };

static int setup(struct kb_run *run)
{
	words = kb_shared_memory(run, 2 * sizeof *words);
	return words ? kb_channel_start(run, &channel) : -ENOMEM;
}

/* Each side switches once a round trip, if not by itself: one that is preempted by the one it woke finds its answer there.
   Two calls wake and two wait; at each end of a sample the partner may be two calls behind. */
KB_BENCHMARK(
	.summary = "token handed over and back by futex", .per = "round-trip",
	.suite = KB_STANDARD, .portability = KB_ASSUMING, .assumes = "each turn switches to the other side and back",
	.params = { { "placement", "of sides", KB_CHOICE, "same-cpu", .choices = "same-cpu,idle-cpu,one-process" } },
	.expect = {
		KB_EXPECT_ASLEEP(KB_SWITCHES, 2, 0.4),
		KB_EXPECT_ASLEEP(KB_SYSCALLS, 4, 0.1),
		{ KB_SYSCALLS, 2, 0, 0, KB_ALL, "placement=one-process" }, { KB_SEEN, .per_op = 1 },
	},
	.setup = setup, .op = kb_channel_op, .check = kb_channel_check, .teardown = kb_channel_end,
);
