/*
 * ipc.futex: a token in shared memory, handed over and back by FUTEX_WAKE and FUTEX_WAIT between processes. Both sides
 * always sleep; what it costs when both spin is ipc.shm_spin. one-process: wake of nobody and a wait for what is there.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench_channel.h>

static struct word { uint32_t value; char other_line[252]; } *words;

static int pass(struct kb_channel *c, enum kb_way way, uint64_t number)
{
	(void)c;
	return kb_futex_pass(&words[way].value, number);
}

static int await(struct kb_channel *c, enum kb_way way, uint64_t number)
{
	/* Alone there is nobody to wait for, and the wait that would have been skipped must refuse to sleep. */
	if (c->alone &&
		(syscall(SYS_futex, &words[way].value, FUTEX_WAIT, (uint32_t)number, NULL, NULL, 0) == 0 ||
			errno != EAGAIN))
		return -EBADMSG;
	return kb_futex_await(&words[way].value, number);
}

static struct kb_channel channel = { .pass = pass, .await = await };

static int setup(struct kb_run *run)
{
	words = kb_shared_memory(run, 2 * sizeof *words);
	return words ? kb_channel_start(run, &channel) : -ENOMEM;
}

/* Each side switches once a round trip, if not by itself: one that is preempted by the one it woke need not
   wait. Two calls wake; the tracer's stops give the other side time, and then nobody makes the two that wait. */
KB_BENCHMARK(
	.summary = "token handed over and back by futex", .per = "round-trip",
	.suite = KB_STANDARD, .portability = KB_ASSUMING, .assumes = "both sides sleep before they are woken",
	.params = { { "placement", "of sides", KB_CHOICE, "same-cpu", .choices = "same-cpu,idle-cpu,one-process" } },
	.expect = {
		KB_EXPECT_ASLEEP(KB_SWITCHES, 2, 0.4),
		KB_EXPECT_ASLEEP(KB_SYSCALLS, 3, 1.1),
		{ KB_SYSCALLS, 2, 0, 0, KB_ALL, "placement=one-process" }, { KB_SEEN, .per_op = 1 },
	},
	.setup = setup, .op = kb_channel_op, .teardown = kb_channel_end,
);
