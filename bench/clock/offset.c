/*
 * clock.offset: another CPU reads its counter between two readings of ours. The distance of its reading from their middle is
 * the offset of the two counters and the asymmetry of the way together: the offset is at most this and half a round trip.
 * A reading outside the two is not seen: then the counters are not one clock, and the row is invalid.
 */
#include <errno.h>

#include <kbench_spin.h>

static struct shared { struct kb_spin_word turn; uint64_t stamp; } *shared;
static uint64_t number, began;

static int serve(struct kb_run *run)
{
	for (uint64_t i = 1; kb_spin_until(&shared->turn.value, 2 * i - 1, kb_spin_stop); i++) {
		shared->stamp = kb_now(run);
		kb_spin_write(&shared->turn.value, 2 * i);
	}
	return 0;
}

static int setup(struct kb_run *run)
{
	shared = kb_spin_memory(run, sizeof *shared);
	return shared ? kb_spin_start_one(run, serve, (unsigned)kb_param_number(run, "to")) : -ENOMEM;
}

static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	uint64_t twice = 0;

	began = number;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t before = kb_now(run);

		kb_spin_write(&shared->turn.value, 2 * ++number - 1);
		if (!kb_spin_until(&shared->turn.value, 2 * number, NULL))
			return kb_fail(run, EPIPE, "the other CPU does not answer");

		uint64_t after = kb_now(run), there = shared->stamp;
		int64_t distance = (int64_t)(2 * there - before - after);

		twice += (uint64_t)(distance < 0 ? -distance : distance);
		kb_count(run, KB_SEEN, before <= there && there <= after);
	}
	*ticks = twice / 2;
	return 0;
}

/* The partner counts, too. */
static int check(struct kb_run *run, uint64_t n)
{
	return kb_spin_read(&shared->turn.value) == 2 * (began + n) ? 0 : kb_fail(run, EILSEQ, "not all exchanges were made");
}

KB_BENCHMARK(
	.summary = "offset of another CPU's counter from the middle of a round trip, with its asymmetry",
	.portability = KB_PLATFORM, .assumes = "the counters of all CPUs are synchronized",
	.per = "exchange", .needs = KB_NEED_TWO_CPUS,
	.max_n = 512,   /* an exchange takes some ten times what it reports */
	.params = {
		{ "to", "the other CPU: the first after the measuring one, the second ...", KB_NUMBER, "1", 1, 1023, NULL },
	},
	.expect = { { KB_SEEN, .per_op = 1 } },
	.setup = setup, .observe = observe, .check = check, .teardown = kb_spin_end,
);
