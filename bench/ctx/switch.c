/*
 * ctx.switch: two tasks on one CPU hand a token over and back; one operation is one switch. The base makes the same
 * calls in one task, where nobody sleeps, so what is left is what the switch adds: sleeping, choosing, switching,
 * waking.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench_channel.h>

static struct word { uint32_t value; char other_line[252]; } *words;
static int own[2];              /* the pipe of the base */
static bool by_pipe;

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

static struct kb_channel by_futexes = { .pass = pass, .await = await }, by_pipes = { .bytes = 8 };

static int setup(struct kb_run *run)
{
	by_pipe = kb_param_is(run, "token", "pipe");
	words = kb_shared_memory(run, 3 * sizeof *words);
	if (!words || pipe(own))
		return kb_fail(run, errno, "a token");
	if (!by_pipe)
		return kb_channel_start(run, &by_futexes);

	int error = kb_channel_pipes(run, &by_pipes);

	return error ? error : kb_channel_start(run, &by_pipes);
}

static int op(struct kb_run *run, uint64_t n)
{
	return kb_channel_op(run, n / 2);
}

/* A call each to wake nobody and to be told that there is no reason to sleep; or a message to oneself. */
static int base(struct kb_run *run, uint64_t n)
{
	uint64_t number = 0;

	for (uint64_t i = 0; i < n; i++) {
		bool done;

		if (by_pipe)
			done = write(own[1], &number, sizeof number) == sizeof number &&
				read(own[0], &number, sizeof number) == sizeof number;
		else
			done = kb_futex_pass(&words[2].value, i) == 0 &&
			       syscall(SYS_futex, &words[2].value, FUTEX_WAIT, (uint32_t)i, NULL, NULL, 0) == -1;
		if (!done)
			return kb_fail(run, errno, "the calls without a switch");
	}
	return 0;
}

/* Half a round trip is a switch. A task that is preempted by the one it woke need not sleep, and switches all the
   same. */
KB_BENCHMARK(
	.summary = "switch between two tasks of one CPU, the calls subtracted", .per = "switch", .granule = 2,
	.suite = KB_STANDARD, .portability = KB_ASSUMING,
	.assumes = "nothing else runs on this CPU between two switches",
	.params = { { "token", "what is handed over", KB_CHOICE, "futex;pipe", .choices = "futex,pipe" },
		{ "placement", "of sides", KB_CHOICE, "same-cpu", .choices = "same-cpu" } },
	.expect = { { KB_SWITCHES, 1, 0, 0.2, KB_ALL, NULL }, { KB_SYSCALLS, 2, 0, 0.1, KB_ALL, NULL },
		{ KB_SEEN, .per_op = 0.5 } },
	.setup = setup, .op = op, .base = base, .teardown = kb_channel_end,
	.base_does = "passes the token in one process",
);
