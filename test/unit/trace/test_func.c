/* Latencies of kernel functions on made-up stamps: pairing, what has no partner, and tallies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "trace/func/func.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define IN 0
#define OUT KB_FUNC_EXIT

static struct kb_func_log paired(const struct kb_func_stamp *stamps, size_t count)
{
	struct kb_func_stamp *copy = malloc((count + 1) * sizeof *copy);
	struct kb_func_log log = { .counts = { .lost = 7 } };

	assert_non_null(copy);
	memcpy(copy, stamps, count * sizeof *copy);
	assert_int_equal(kb_func_pair_up(&log, copy, count), 0);
	free(copy);
	assert_int_equal(log.counts.lost, 7);
	assert_int_equal(log.counts.events, count);
	return log;
}

static void pairs_are_of_a_thread(void **state)
{
	/* Two threads on two CPUs, out of order; thread 1 moves. */
	const struct kb_func_stamp stamps[] = {
		{ 140, 1, 1, OUT, 0, 0, 0 }, { 300, 2, 1, OUT, 1, 0, 0 }, { 100, 1, 0, IN, 0, 0, 0 }, { 110, 2, 0, IN, 1, 0, 0 },
	};
	struct kb_func_log log = paired(stamps, COUNT(stamps));

	(void)state;
	assert_int_equal(log.count, 2);
	assert_int_equal(log.pairs[0].tid, 1);
	assert_int_equal(log.pairs[0].ns, 40);
	assert_int_equal(log.pairs[0].cpu, 1);
	assert_int_equal(log.pairs[1].tid, 2);
	assert_int_equal(log.pairs[1].ns, 190);
	assert_int_equal(log.counts.open + log.counts.unopened, 0);
	kb_func_log_free(&log);
}

static void calls_of_itself_nest(void **state)
{
	const struct kb_func_stamp stamps[] = {
		{ 10, 1, 0, IN, 0, 0, 0 }, { 20, 1, 0, IN, 1, 0, 0 }, { 30, 1, 0, IN, 2, 0, 0 }, { 31, 1, 0, OUT, 3, 0, 0 },
		{ 42, 1, 0, OUT, 4, 0, 0 }, { 43, 1, 0, IN, 5, 0, 0 }, { 44, 1, 0, OUT, 6, 0, 0 }, { 60, 1, 0, OUT, 7, 0, 0 },
	};
	const struct { uint64_t ns; uint32_t depth; } expected[] = { { 50, 0 }, { 22, 1 }, { 1, 2 }, { 1, 1 } };
	struct kb_func_log log = paired(stamps, COUNT(stamps));

	(void)state;
	assert_int_equal(log.count, 4);
	for (size_t i = 0; i < COUNT(expected); i++) {
		assert_int_equal(log.pairs[i].ns, expected[i].ns);
		assert_int_equal(log.pairs[i].depth, expected[i].depth);
	}
	kb_func_log_free(&log);
}

/* Tracing began inside a call, and ended inside another: neither is a time. */
static void what_has_no_partner_is_counted(void **state)
{
	const struct kb_func_stamp stamps[] = {
		{ 10, 1, 0, OUT, 0, 0, 0 }, { 20, 1, 0, IN, 1, 0, 0 }, { 25, 1, 0, OUT, 2, 0, 0 },
		{ 26, 1, 0, OUT, 3, 0, 0 }, { 30, 1, 0, IN, 4, 0, 0 }, { 40, 2, 1, IN, 0, 0, 0 },
	};
	struct kb_func_log log = paired(stamps, COUNT(stamps));

	(void)state;
	assert_int_equal(log.count, 1);
	assert_int_equal(log.pairs[0].ns, 5);
	assert_int_equal(log.counts.unopened, 2);
	assert_int_equal(log.counts.open, 2);
	kb_func_log_free(&log);
}

/* A missed return leaves its entry open; the calls after it are right all the same. */
static void a_missed_return_spoils_no_other(void **state)
{
	const struct kb_func_stamp stamps[] = {
		{ 10, 1, 0, IN, 0, 0, 0 }, { 20, 1, 0, IN, 1, 0, 0 }, { 23, 1, 0, OUT, 2, 0, 0 },
		{ 30, 1, 0, IN, 3, 0, 0 }, { 34, 1, 0, OUT, 4, 0, 0 },
	};
	struct kb_func_log log = paired(stamps, COUNT(stamps));

	(void)state;
	assert_int_equal(log.count, 2);
	assert_int_equal(log.pairs[0].ns, 3);
	assert_int_equal(log.pairs[1].ns, 4);
	assert_int_equal(log.counts.open, 1);
	kb_func_log_free(&log);
}

/* Thread 0 idles on every CPU at once. */
static void idle_threads_are_one_a_cpu(void **state)
{
	const struct kb_func_stamp stamps[] = {
		{ 10, 0, 0, IN, 0, 0, 0 }, { 11, 0, 1, IN, 0, 0, 0 }, { 15, 0, 0, OUT, 1, 0, 0 }, { 18, 0, 1, OUT, 1, 0, 0 },
	};
	struct kb_func_log log = paired(stamps, COUNT(stamps));

	(void)state;
	assert_int_equal(log.count, 2);
	assert_int_equal(log.pairs[0].ns, 5);
	assert_int_equal(log.pairs[1].ns, 7);
	kb_func_log_free(&log);
}

/* A clock of coarse steps: what one CPU wrote first, came first. */
static void one_reading_keeps_the_order(void **state)
{
	const struct kb_func_stamp stamps[] = {
		{ 10, 1, 0, IN, 2, 0, 0 }, { 10, 1, 0, OUT, 1, 0, 0 }, { 10, 1, 0, IN, 0, 0, 0 }, { 10, 1, 0, OUT, 3, 0, 0 },
	};
	struct kb_func_log log = paired(stamps, COUNT(stamps));

	(void)state;
	assert_int_equal(log.count, 2);
	assert_int_equal(log.pairs[0].ns + log.pairs[1].ns, 0);
	assert_int_equal(log.counts.unopened, 0);
	kb_func_log_free(&log);
}

/* Many threads, each with a time of its own, shuffled: the table grows and mixes up none. */
static void many_threads(void **state)
{
	enum { THREADS = 5000 };
	struct kb_func_stamp *stamps = calloc(2 * THREADS, sizeof *stamps);
	struct kb_func_log log;
	struct kb_rng rng;

	(void)state;
	assert_non_null(stamps);
	kb_rng_seed(&rng, 5);
	for (uint32_t i = 0; i < THREADS; i++) {
		stamps[2 * i] = (struct kb_func_stamp){ 1 + i % 97, i + 1, i % 3, IN, i, 0, 0 };
		stamps[2 * i + 1] = (struct kb_func_stamp){ 1 + i % 97 + 1000 + i, i + 1, i % 5, OUT, i, 0, 0 };
	}
	kb_rng_shuffle(&rng, stamps, 2 * THREADS, sizeof *stamps);
	log = paired(stamps, 2 * THREADS);
	assert_int_equal(log.count, THREADS);
	for (size_t i = 0; i < log.count; i++)
		assert_int_equal(log.pairs[i].ns, 1000 + log.pairs[i].tid - 1);
	free(stamps);
	kb_func_log_free(&log);
}

/* What the CPU had in between stands at the call; of a call that changed the CPU only that it did. */
static void disturbed_calls_are_flagged(void **state)
{
	const struct kb_func_stamp stamps[] = {
		{ 10, 1, 0, IN, 0, 7, 3 }, { 20, 1, 0, OUT, 1, 7, 3 }, { 30, 1, 0, IN, 2, 7, 3 }, { 40, 1, 0, OUT, 3, 8, 3 },
		{ 50, 1, 0, IN, 4, 8, 3 }, { 60, 1, 0, OUT, 5, 8, 5 }, { 70, 1, 0, IN, 6, 8, 5 }, { 80, 1, 1, OUT, 0, 9, 9 },
		{ 85, 1, 1, IN, 1, 9, 9 }, { 86, 1, 1, IN, 2, 9, 9 }, { 87, 1, 1, OUT, 3, 9, 9 }, { 95, 1, 1, OUT, 4, 10, 11 },
	};
	const unsigned expected[] = { 0, KB_FLAG_IRQ, KB_FLAG_SWITCH, KB_FLAG_MIGRATED, KB_FLAG_IRQ | KB_FLAG_SWITCH, 0 };
	struct kb_func_log log = paired(stamps, COUNT(stamps));
	struct kb_func_side clean;

	(void)state;
	assert_int_equal(log.count, COUNT(expected));
	for (size_t i = 0; i < COUNT(expected); i++)
		assert_int_equal(log.pairs[i].flags, expected[i]);
	assert_int_equal(kb_func_flagged(&log, KB_FLAG_IRQ), 2);
	assert_int_equal(kb_func_flagged(&log, KB_FUNC_DISTURBED), 4);
	assert_int_equal(kb_func_side_of(&clean, &log, KB_FUNC_DISTURBED, 1), 0);
	assert_int_equal(clean.count, 2);
	assert_true(fabs(clean.max - 10) < .5 && fabs(clean.min - 1) < .5);
	kb_func_log_free(&log);
}

/* The limit is of all CPUs together, and the first calls stay. */
static void a_limit_keeps_the_first(void **state)
{
	const struct kb_func_stamp stamps[] = {
		{ 110, 1, 0, IN, 0, 0, 0 }, { 120, 1, 0, OUT, 1, 0, 0 }, { 115, 2, 1, IN, 0, 0, 0 },
		{ 135, 2, 1, OUT, 1, 0, 0 }, { 130, 1, 0, IN, 2, 0, 0 },
		{ 131, 1, 0, OUT, 3, 0, 0 }, { 140, 2, 1, IN, 2, 0, 0 }, { 141, 2, 1, OUT, 3, 0, 0 },
	};
	struct kb_func_log log = paired(stamps, COUNT(stamps));

	(void)state;
	log.started_ns = 100;
	kb_func_trim(&log, 4);
	assert_int_equal(log.count, 4);
	assert_int_equal(log.closed_ns, 0);
	kb_func_trim(&log, 2);
	assert_int_equal(log.count, 2);
	assert_int_equal(log.pairs[1].ns, 20);
	assert_int_equal(log.counts.lost, 7 + 4);
	assert_int_equal(log.counts.events, COUNT(stamps) - 4);
	assert_int_equal(log.closed_ns, 30);
	kb_func_log_free(&log);
}

static void nothing_is_a_log(void **state)
{
	struct kb_func_log log = paired((struct kb_func_stamp[1]){ { .ns = 0 } }, 0);

	(void)state;
	assert_int_equal(log.count, 0);
	kb_func_log_free(&log);
}

/* ---- tallies --------------------------------------------------------------------------------------------------- */

/* Every time is in the bin that begins at it or before, and the next one begins behind it; bins up to 128 ns hold one time. */
static void bins_hold_their_times(void **state)
{
	(void)state;
	for (uint64_t ns = 0; ns < 128; ns++)
		assert_int_equal(kb_func_bin_start(kb_func_bin(ns)), ns);
	for (uint64_t ns = 1; ns < UINT64_C(1) << 40; ns += ns / 7 + 1) {
		uint32_t bin = kb_func_bin(ns);

		assert_true(bin < KB_FUNC_BINS && kb_func_bin_start(bin) <= ns && kb_func_bin_start(bin + 1) > ns);
		assert_true((double)(kb_func_bin_start(bin + 1) - kb_func_bin_start(bin)) <= fmax(1, (double)ns * .016));
	}
	for (uint32_t bin = 1; bin < KB_FUNC_BINS; bin++)
		assert_int_equal(kb_func_bin(kb_func_bin_start(bin) - 1), bin - 1);
	assert_int_equal(kb_func_bin(UINT64_MAX), KB_FUNC_BINS - 1);
}

/* A tally tells what the pairs tell, as well as its bins can; its mean is exact. */
static void a_tally_is_as_good_as_pairs(void **state)
{
	enum { CALLS_OF_TALLY = 50000 };
	struct kb_func_tally *two = calloc(2, sizeof *two), *more = calloc(2, sizeof *more);
	struct kb_func_log log = { 0 }, later = { .tallies = two };
	double *ns = calloc(CALLS_OF_TALLY, sizeof *ns);
	struct kb_func_side side, exact;
	struct kb_rng rng;

	(void)state;
	assert_true(two && more && ns);
	kb_rng_seed(&rng, 3);
	for (int i = 0; i < CALLS_OF_TALLY; i++) {
		uint64_t lasted = 100 + kb_rng_below(&rng, 1000) + (i % 200 == 0 ? 20000 : 0);
		struct kb_func_tally *into = i % 2 ? &two[0] : &more[0];

		ns[i] = (double)lasted;
		into->shortest = into->count && into->shortest < lasted ? into->shortest : lasted;
		into->longest = into->longest > lasted ? into->longest : lasted;
		into->count++;
		into->sum += lasted;
		into->bins[kb_func_bin(lasted)]++;
	}
	assert_int_equal(kb_func_log_add(&log, &later), 0);
	later.tallies = more;
	assert_int_equal(kb_func_log_add(&log, &later), 0);
	assert_int_equal(kb_func_calls(&log), CALLS_OF_TALLY);
	assert_int_equal(kb_func_flagged(&log, KB_FUNC_DISTURBED), 0);
	assert_int_equal(kb_func_side_of(&side, &log, 0, 1), 0);
	assert_int_equal(kb_func_side_of_times(&exact, ns, CALLS_OF_TALLY, 1), 0);
	assert_true(fabs(side.min - exact.min) < .1 && fabs(side.max - exact.max) < .1);
	assert_true(fabs(side.mean.value - exact.mean.value) < 1e-6);
	for (int i = 0; i < KB_FUNC_QUANTILES; i++)
		assert_true(fabs(side.quantiles[i].value - exact.quantiles[i].value) <= .016 * exact.quantiles[i].value);
	assert_true(fabs(side.spread - exact.spread) <= .032 * exact.spread + 16);
	/* Nothing is known of how calls follow each other. */
	assert_false(side.mean.known || side.quantiles[0].known);
	kb_func_log_free(&log);
	free(two);
	free(more);
	free(ns);
}

/* ---- names and refusals ------------------------------------------------------------------------------------------ */

static void names_lead_to_tracepoints(void **state)
{
	const char *const reads[] = { "sys_read", "__x64_sys_read", "__arm64_sys_read", "__se_sys_read", "__do_sys_read" };
	int64_t number = kb_func_target_of("sys_read").number;

	(void)state;
	assert_true(number >= 0);
	for (size_t i = 0; i < COUNT(reads); i++)
		assert_int_equal(kb_func_target_of(reads[i]).number, number);
	assert_int_equal(kb_func_target_of("vfs_read").number, -1);
	assert_int_equal(kb_func_target_of("sys_nothing_of_this_name").number, -1);
	assert_int_equal(kb_func_target_of("").number, -1);
	assert_string_equal(kb_func_target_of("sysvec_apic_timer_interrupt").enter, "local_timer_entry");
	assert_string_equal(kb_func_target_of("local_timer").leave, "local_timer_exit");
	assert_null(kb_func_target_of("vfs_read").enter);
	assert_non_null(kb_func_target_of("exc_page_fault").no_end);
}

static void refusals_say_what_and_why(void **state)
{
	struct kb_bpf_refusal refusal;

	(void)state;
	assert_int_equal(kb_bpf_refuse(&refusal, -ENOENT, "it is not there", "kprobe of %s", "vfs_read"), -ENOENT);
	assert_string_equal(kb_bpf_refusal_text(&refusal), "kprobe of vfs_read: ENOENT: it is not there");
	assert_int_equal(kb_bpf_refuse(&refusal, EPERM, NULL, "fentry"), -EPERM);
	assert_true(strlen(refusal.why) > 20);
	assert_string_equal(kb_bpf_errno_name(EINVAL), "EINVAL");
	assert_string_equal(kb_bpf_errno_name(524), "error 524");
	/* Root and others are told different things, and so is who meets a lockdown. */
	assert_string_not_equal(kb_bpf_why(EPERM, true, NULL), kb_bpf_why(EPERM, false, NULL));
	assert_non_null(strstr(kb_bpf_why(EPERM, true, "integrity"), "lockdown:"));
	assert_string_equal(kb_bpf_why(EPERM, true, "none"), kb_bpf_why(EPERM, true, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_of_a_thread), cmocka_unit_test(calls_of_itself_nest),
		cmocka_unit_test(what_has_no_partner_is_counted), cmocka_unit_test(a_missed_return_spoils_no_other),
		cmocka_unit_test(idle_threads_are_one_a_cpu), cmocka_unit_test(one_reading_keeps_the_order),
		cmocka_unit_test(many_threads), cmocka_unit_test(nothing_is_a_log), cmocka_unit_test(disturbed_calls_are_flagged),
		cmocka_unit_test(a_limit_keeps_the_first), cmocka_unit_test(bins_hold_their_times),
		cmocka_unit_test(a_tally_is_as_good_as_pairs), cmocka_unit_test(names_lead_to_tracepoints),
		cmocka_unit_test(refusals_say_what_and_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
