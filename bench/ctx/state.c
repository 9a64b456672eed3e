/*
 * ctx.state: a switch between two tasks of one CPU that both hold something in vector registers. Each task fills them
 * before it sleeps and looks at them when it runs again: their contents must have survived the other's. state=none: the
 * same ring without; the differences between the results are what saving and restoring costs.
 */
#include <errno.h>

#include <kbench_channel.h>

static struct word { uint32_t value; char other_line[252]; } *words;
static bool none, wide;
static uint64_t seed;

/* Told apart by the side: the kernel must bring back these and not those of the other. */
static int pass(struct kb_channel *c, enum kb_way way, uint64_t number)
{
	(void)c;
	seed = (number << 1 | way) * 0x9e3779b97f4a7c15;
	if (!none)
		kb_vector_set(wide, seed);
	return kb_futex_pass(&words[way].value, number);
}

/* The partner's first wait has no contents yet: its seed is 0 and so are the registers, if it has set them. */
static int await(struct kb_channel *c, enum kb_way way, uint64_t number)
{
	int error = kb_futex_await(&words[way].value, number);

	(void)c;
	return error ? error : none || kb_vector_holds(wide, seed) ? 0 : -EBADMSG;
}

static int join(struct kb_channel *c)
{
	(void)c;
	if (!none)
		kb_vector_set(wide, seed = 0);
	return 0;
}

static struct kb_channel channel = { .pass = pass, .await = await, .join = join };

static int setup(struct kb_run *run)
{
	none = kb_param_is(run, "state", "none");
	wide = kb_param_is(run, "state", "wide");
	if (!none && !kb_vector_set(wide, 0))
		return kb_skip(run, "no vector registers beyond those that every program has; take state=vector");
	words = kb_shared_memory(run, 2 * sizeof *words);
	return words ? kb_channel_start(run, &channel) : -ENOMEM;
}

static int op(struct kb_run *run, uint64_t n)
{
	return kb_channel_op(run, n / 2);
}

/* As for ctx.switch. */
KB_BENCHMARK(
	.summary = "context switch between two tasks, by the vector state that they hold", .per = "switch", .granule = 2,
	.portability = KB_ASSUMING, .assumes = "a system call and a switch preserve vector registers",
	.params = { { "state", "that both tasks hold", KB_CHOICE, "none,vector,wide", .choices = "none,vector,wide" },
		{ "placement", "of sides", KB_CHOICE, "same-cpu", .choices = "same-cpu" } },
	.expect = { { KB_SWITCHES, 1, 0, 0.2, KB_ALL, NULL }, { KB_SYSCALLS, 2, 0, 0.1, KB_ALL, NULL },
		{ KB_SEEN, .per_op = 0.5 } },
	.setup = setup, .op = op, .teardown = kb_channel_end,
);
