/*
 * ipc.shm_spin: a message through shared memory and its inverted answer, both sides spinning: two processes without the
 * kernel. The number that is written last says that the message is there. Sixteen slots in turn, since the way depends on
 * where a line is at home. On one CPU it would measure the time slice, so the partner has one of its own.
 */
#include <errno.h>

#include <kbench_spin.h>

#define SLOTS 16u
#define WORDS_MAX 1024u

static struct shared {
	struct slot { struct kb_spin_word number, answer; uint64_t words[WORDS_MAX]; } slots[SLOTS];
} *shared;
static uint64_t trip, first, words;

static void fill(struct slot *slot, uint64_t value)
{
	for (uint64_t i = 0; i < words; i++)
		slot->words[i] = value + i;
}

static bool holds(const struct slot *slot, uint64_t value)
{
	uint64_t wrong = 0;

	for (uint64_t i = 0; i < words; i++)
		wrong |= slot->words[i] ^ (value + i);
	return !wrong;
}

/* Numbers begin at 1, the memory at 0. */
static int serve(struct kb_run *run)
{
	(void)run;
	for (uint64_t i = 1;; i++) {
		struct slot *slot = &shared->slots[i % SLOTS];

		if (!kb_spin_until(&slot->number.value, i, kb_spin_stop))
			return 0;
		if (!holds(slot, i))
			return -EBADMSG;
		fill(slot, ~i);
		kb_spin_write(&slot->answer.value, i);
	}
}

static int setup(struct kb_run *run)
{
	words = kb_param_number(run, "bytes") / sizeof(uint64_t);
	shared = kb_spin_memory(run, sizeof *shared);
	return shared ? kb_spin_start(run, serve, 2) : -ENOMEM;
}

static int op(struct kb_run *run, uint64_t n)
{
	first = trip;
	for (uint64_t i = 0; i < n; i++) {
		struct slot *slot = &shared->slots[++trip % SLOTS];

		fill(slot, trip);
		kb_spin_write(&slot->number.value, trip);
		if (!kb_spin_until(&slot->answer.value, trip, NULL))
			return kb_fail(run, EPIPE, "the partner does not answer");
		if (!holds(slot, ~trip))
			return kb_fail(run, EBADMSG, "the answer is not the inverted message");
	}
	kb_count(run, KB_SEEN, trip - first);
	return 0;
}

/* The partner counts, too: it answers only the next message. */
static int check(struct kb_run *run, uint64_t n)
{
	const struct slot *slot = &shared->slots[(first + n) % SLOTS];

	return kb_spin_read(&slot->answer.value) == first + n && holds(slot, ~(first + n)) ? 0 :
	       kb_fail(run, EILSEQ, "the last answer is not that of so many trips");
}

KB_BENCHMARK(
	.summary = "round trip through shared memory, both sides spinning",
	.portability = KB_ASSUMING, .assumes = "memory is coherent, and each side has a CPU of its own",
	.per = "round-trip", .bound = KB_MEMORY, .needs = KB_NEED_TWO_CPUS,
	.params = {
		{ "bytes", "of a message, whole words of 8", KB_SIZE, "8,4K", 8, WORDS_MAX * sizeof(uint64_t), NULL },
	},
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SYSCALLS, .per_op = 0, .who = KB_SELF } },
	.setup = setup, .op = op, .check = check, .teardown = kb_spin_end,
);
