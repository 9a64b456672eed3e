/*
 * core.transfer: a line goes to another core and comes back, changed. Each side waits for the number that only the other
 * could have written. Sixteen lines in turn, since the way depends on where a line is at home. What would make it wrong:
 * two CPUs of one core (no transfer), or one CPU (a time slice): pairs of CPUs are a parameter.
 */
#include <errno.h>

#include <kbench_spin.h>

#define LINES 16u

static struct shared { struct kb_spin_word lines[LINES]; } *shared;
static uint64_t trip, first;
static bool swapping;

/* From one number to the next, by a store after a look or by compare-and-swap alone. */
static bool turn(uint64_t *word, uint64_t from, const uint64_t *stop)
{
	if (!swapping) {
		if (!kb_spin_until(word, from, stop))
			return false;
		kb_spin_write(word, from + 1);
		return true;
	}
	for (uint64_t looks = 0, expected = from; looks < KB_SPIN_LOOKS; looks++, expected = from) {
		if (__atomic_compare_exchange_n(word, &expected, from + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return true;
		if (stop && kb_spin_read(stop))
			return false;
	}
	return false;
}

/* Trip i of a line begins at 2 x (i / LINES). */
static int serve(struct kb_run *run)
{
	(void)run;
	for (uint64_t i = 0; turn(&shared->lines[i % LINES].value, 2 * (i / LINES) + 1, kb_spin_stop); i++)
		;
	return 0;
}

static int setup(struct kb_run *run)
{
	unsigned to = (unsigned)kb_param_number(run, "to");

	swapping = kb_param_is(run, "by", "cas");
	shared = kb_spin_memory(run, sizeof *shared);
	return shared ? kb_spin_start_one(run, serve, to) : -ENOMEM;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (first = trip; trip < first + n; trip++) {
		uint64_t *word = &shared->lines[trip % LINES].value, begin = 2 * (trip / LINES);

		if (!turn(word, begin, NULL) || !kb_spin_until(word, begin + 2, NULL))
			return kb_fail(run, EPIPE, "the partner does not answer");
	}
	kb_count(run, KB_SEEN, trip - first);
	return 0;
}

/* Each trip raises a line by two, one by each side. */
static int check(struct kb_run *run, uint64_t n)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < LINES; i++)
		sum += kb_spin_read(&shared->lines[i].value);
	return sum == 2 * (first + n) ? 0 : kb_fail(run, EILSEQ, "the lines do not hold the number of trips");
}

KB_BENCHMARK(
	.summary = "transfer of a cache line to another core and back, by pair of CPUs",
	.portability = KB_ASSUMING, .assumes = "the two CPUs do not share an L1 cache",
	.per = "round-trip", .bound = KB_MEMORY, .needs = KB_NEED_TWO_CPUS,
	.params = {
		{ "by", "how a side takes its turn", KB_CHOICE, "store,cas", .choices = "store,cas" },
		{ "to", "the other CPU: the first after the measuring one, the second ...", KB_NUMBER, "1", 1, 1023, NULL },
	},
	.expect = { { KB_SEEN, .per_op = 1 } },
	.setup = setup, .op = op, .check = check, .teardown = kb_spin_end,
);
