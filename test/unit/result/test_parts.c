/* Parts of operations in records whose numbers are known: which of them are uncontended, and what the operation then costs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "measure/measure.h"
#include "result/contention.h"
#include "result/parts.h"
#include "result/summary/summary.h"

#define K 1.7                   /* core cycles a loop */
#define LOOPS 1000u
#define CLEAN 1700u             /* ticks of a probe on a core that nobody shares, whose addition takes a tick */
#define CONTENDED 2200u
#define SAMPLES 400u
#define PARTS 3u

static char text[1 << 20];
static size_t length;
static const struct kb_floor floor_known = { K, KB_FLOOR_SHIPPED };

static int sink(void *context, const char *bytes, size_t count)
{
	(void)context;
	memcpy(text + length, bytes, count);
	length += count;
	return 0;
}

/* What a test makes of the i-th sample: ticks of its parts, probes behind them, flags, and how many parts it has. */
struct sample { uint64_t ticks[PARTS], probe[PARTS]; unsigned flags, parts; };

static struct kb_samples load(void (*make)(unsigned i, struct sample *))
{
	struct kb_record_writer out;
	struct kb_samples samples;
	uint64_t before = CLEAN;

	length = 0;
	kb_record_begin(&out, (struct kb_sink){ sink, NULL });
	kb_record_line(&out, "method", "single probe=1000 seed=1 process=1");
	kb_record_line(&out, "clock", "tsc hz=1000000000 quantum=1 cost=20 ordered=1");
	for (unsigned i = 0; i < SAMPLES; i++) {
		struct sample sample = { { 20000, 30000, 40000 }, { CLEAN + 1 + i % 2, CLEAN + 3 + i % 2, CLEAN + 5 + i % 2 }, 0, PARTS };
		struct kb_part parts[PARTS];
		struct kb_obs obs = { .role = KB_ROLE_OP, .n = 1, .block = i, .t = i * 100000, .parts = parts };

		make(i, &sample);
		for (unsigned k = 0; k < PARTS; k++) {
			parts[k] = (struct kb_part){ sample.ticks[k], k + 1 < sample.parts ? sample.probe[k] : 0 };
			obs.ticks += sample.ticks[k];
		}
		obs.flags = sample.flags;
		obs.part_count = sample.parts;
		obs.around = (struct kb_around){ before, sample.probe[PARTS - 1] };
		before = obs.around.after;
		kb_record_obs(&out, &obs);
		kb_record_probe(&out, &(struct kb_probe_line){ "clock", KB_CLOCK_PROBE_SHORT, KB_CLOCK_PROBE_SHORT + 46, i, { 0, 0 } });
		kb_record_probe(&out, &(struct kb_probe_line){ "clock", KB_CLOCK_PROBE_LONG, KB_CLOCK_PROBE_LONG + 46, i, { 0, 0 } });
	}
	assert_int_equal(kb_record_end(&out), 0);
	assert_int_equal(kb_samples_load(&samples, &(struct kb_process_text){ 1, "", text, length }), 0);
	assert_int_equal(samples.state, KB_RECORD_WHOLE);
	return samples;
}

static struct kb_clean_fit clean_fit(struct kb_samples *samples)
{
	struct kb_clean_fit clean;
	struct kb_process_fit fit;

	kb_parts_measure(samples, 1);
	kb_contention_flag(samples, &floor_known);
	kb_fit_process(samples, &fit);
	kb_clean_fit(samples, &fit, &clean);
	return clean;
}

/* In each operation one part, another one each time, is 60 % dearer beside a neighbour, and the probes at its ends see that. */
static void visited(unsigned i, struct sample *sample)
{
	unsigned k = i / 20 % PARTS;

	if (i % 20 < 15)
		return;
	sample->ticks[k] += sample->ticks[k] * 6 / 10;
	sample->probe[k] = CONTENDED + i % 2;
	if (k > 0)
		sample->probe[k - 1] = CONTENDED + i % 2;
}

static void test_sum(void **state)
{
	struct kb_samples samples = load(visited);
	struct kb_clean_fit clean = clean_fit(&samples);

	(void)state;
	assert_int_equal(samples.part_count, PARTS);
	assert_true(clean.usable);
	assert_true(fabs(clean.cost - 90000) < 1);
	/* 4 of 5 stretches are clean, less what stands next to the others. */
	assert_true(samples.clean_share > 0.6 && samples.clean_share < 0.9);
	kb_samples_free(&samples);
}

/* An operation is never clean from end to end, and each of its parts is at times. */
static void never_whole(unsigned i, struct sample *sample)
{
	for (unsigned k = 0; k < PARTS; k++) {
		if (k == (i / 40 + 1) % PARTS) {
			sample->ticks[k] *= 2;
			sample->probe[k] = CONTENDED;
		}
	}
}

static void test_never_whole(void **state)
{
	struct kb_samples samples = load(never_whole);
	struct kb_clean_fit clean = clean_fit(&samples);

	(void)state;
	/* The rule wants a clean probe next to both, too: where one of three is not, no part passes. */
	assert_false(clean.usable);
	kb_samples_free(&samples);
}

/* A neighbour leaves when one operation ends: of the next one the first two parts are not known to be clean, the last one is. */
static void leaves(unsigned i, struct sample *sample)
{
	if (i == 100)
		sample->probe[2] = CONTENDED;
	if (i == 101)
		sample->ticks[0] = 32000;
}

static void test_completed(void **state)
{
	struct kb_samples samples = load(leaves);

	(void)state;
	assert_true(fabs(samples.op.ticks[101] - 102000) < 1);
	for (unsigned twice = 0; twice < 2; twice++) {
		kb_contention_flag(&samples, &floor_known);
		assert_true(samples.parts[0].flags[101] && samples.parts[1].flags[101] && !samples.parts[2].flags[101]);
		assert_true(fabs(samples.op.ticks[101] - 90000) < 1);
		assert_true(fabs(kb_parts_observed(&samples)[101] - 102000) < 1);
		assert_int_equal(samples.op.flags[101], 0);
	}
	kb_contention_unflag(&samples);
	assert_int_equal(samples.parts[0].flags[101], 0);
	assert_true(fabs(samples.op.ticks[101] - 102000) < 1);
	assert_true(fabs(kb_parts_observed(&samples)[101] - 102000) < 1);
	kb_samples_free(&samples);
}

/* Each operation is preempted for a millisecond, in another part each time, with clean probes at its ends: the other parts count. */
static void preempted(unsigned i, struct sample *sample)
{
	sample->ticks[i % PARTS] += 1000000;
	sample->flags = KB_FLAG_SWITCH | KB_FLAG_GAP;
}

static void test_hits(void **state)
{
	struct kb_samples samples = load(preempted);
	struct kb_clean_fit clean = clean_fit(&samples);

	(void)state;
	assert_true(clean.usable);
	assert_true(fabs(clean.cost - 90000) < 1);
	assert_int_equal(samples.op.flags[4], 0);
	assert_true(fabs(samples.op.ticks[4] - 90000) < 1);
	assert_int_equal(kb_parts_flags(&samples)[4], KB_FLAG_SWITCH | KB_FLAG_GAP);
	kb_contention_unflag(&samples);
	assert_int_equal(samples.op.flags[4], KB_FLAG_SWITCH | KB_FLAG_GAP);
	assert_true(fabs(samples.op.ticks[4] - 1090000) < 1);
	kb_samples_free(&samples);
}

/* One that marks other points at times has no parts, and is judged whole. */
static void other_points(unsigned i, struct sample *sample)
{
	sample->parts = i == 30 ? PARTS - 1 : PARTS;
}

static void test_other_points(void **state)
{
	struct kb_samples samples = load(other_points);

	(void)state;
	assert_int_equal(samples.part_count, 0);
	assert_null(samples.parts);
	kb_samples_free(&samples);
}

/* What the check refuted is in no array, and the parts stay in the order of the samples. */
static void refuted(unsigned i, struct sample *sample)
{
	sample->flags = i < 10 ? KB_FLAG_REFUTED : 0;
	sample->ticks[0] += i < 10 ? 5000 : 0;
}

static void test_refuted(void **state)
{
	struct kb_samples samples = load(refuted);

	(void)state;
	assert_int_equal(samples.parts[0].count, SAMPLES - 10);
	assert_true(fabs(samples.parts[0].ticks[0] - 20000) < 1);
	assert_true(fabs(clean_fit(&samples).cost - 90000) < 1);
	kb_samples_free(&samples);
}

/* ---- how long they are ----------------------------------------------------------------------------- */

static void long_part(unsigned i, struct sample *sample)
{
	sample->ticks[2] = 150000 + i % 50 * 600;
}

static void test_long_part(void **state)
{
	struct kb_samples samples = load(long_part);

	(void)state;
	assert_false(kb_parts_measure(&samples, 1));
	assert_false(samples.quartile[0] || samples.quartile[1]);
	assert_true(samples.quartile[2]);
	/* 20000 + 30000 and the lower quartile of a stretch of 50, from 150000 to 179400. */
	assert_true(fabs(clean_fit(&samples).cost - 207350) < 100);
	kb_samples_free(&samples);
}

static void too_long(unsigned i, struct sample *sample)
{
	(void)i;
	sample->ticks[2] = 1100000;
}

static void whole(unsigned i, struct sample *sample)
{
	sample->parts = 0;
	sample->ticks[2] = 150000 + i % 50 * 600;
}

static void test_too_long(void **state)
{
	struct kb_samples samples = load(too_long);

	(void)state;
	assert_true(kb_parts_measure(&samples, 1));
	kb_samples_free(&samples);
	samples = load(whole);
	assert_int_equal(samples.part_count, 0);
	assert_false(kb_parts_measure(&samples, 1));
	assert_true(samples.quartile[0]);
	assert_true(fabs(clean_fit(&samples).cost - 207350) < 100);
	samples.method = KB_METHOD_SLOPE; /* what is long there is the sample */
	kb_parts_measure(&samples, 1);
	assert_false(samples.quartile[0]);
	kb_samples_free(&samples);
}

/* Whoever else runs on the CPU makes nothing of a short operation a long one. */
static void loaded(unsigned i, struct sample *sample)
{
	sample->parts = 0;
	if (i % 4)
		sample->ticks[1] = 3000000;
}

static void test_load(void **state)
{
	struct kb_samples samples = load(loaded);

	(void)state;
	assert_false(kb_parts_measure(&samples, 1));
	assert_false(samples.quartile[0]);
	kb_samples_free(&samples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sum), cmocka_unit_test(test_never_whole), cmocka_unit_test(test_completed), cmocka_unit_test(test_hits),
		cmocka_unit_test(test_other_points), cmocka_unit_test(test_refuted), cmocka_unit_test(test_long_part), cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
