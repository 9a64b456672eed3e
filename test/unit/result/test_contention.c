/* Which samples are uncontended, by probes whose lengths are known; and the floor of the probe from probes alone. */
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

#define K 1.7                   /* core cycles a loop */
#define LOOPS 1000u
#define CLEAN 1700u             /* ticks of a probe on a core that nobody shares, whose addition takes a tick */
#define BLOCKS 40u
#define SAMPLES 5u              /* of a block */

static char text[1 << 18];
static size_t length;

static int sink(void *context, const char *bytes, size_t count)
{
	(void)context;
	memcpy(text + length, bytes, count);
	length += count;
	return 0;
}

/* A process whose i-th probe takes ticks_of(i): one before the first sample, one after each. loops 0: a record without probes. */
static struct kb_samples process(unsigned loops, uint64_t (*ticks_of)(unsigned i))
{
	struct kb_record_writer out;
	struct kb_samples samples;
	char line[80];
	unsigned i = 0;

	length = 0;
	kb_record_begin(&out, (struct kb_sink){ sink, NULL });
	snprintf(line, sizeof line, "slope probe=%u seed=1 process=1", loops);
	kb_record_line(&out, "method", loops ? line : "slope seed=1 process=1");
	kb_record_line(&out, "clock", "tsc hz=1000000000 quantum=1 cost=20 ordered=1");
	for (unsigned block = 0; block < BLOCKS; block++) {
		for (unsigned k = 0; k < SAMPLES; k++, i++) {
			struct kb_obs obs = { .role = KB_ROLE_OP, .n = 10, .ticks = 1000, .block = block };

			if (loops)
				obs.around = (struct kb_around){ ticks_of(i), ticks_of(i + 1) };
			kb_record_obs(&out, &obs);
		}
		kb_record_probe(&out, &(struct kb_probe_line){ "clock", KB_CLOCK_PROBE_SHORT, KB_CLOCK_PROBE_SHORT + 46, block, { 0, 0 } });
		kb_record_probe(&out, &(struct kb_probe_line){ "clock", KB_CLOCK_PROBE_LONG, KB_CLOCK_PROBE_LONG + 46, block, { 0, 0 } });
	}
	assert_int_equal(kb_record_end(&out), 0);
	assert_int_equal(kb_samples_load(&samples, &(struct kb_process_text){ 1, "", text, length }), 0);
	assert_int_equal(samples.op.count, BLOCKS * SAMPLES);
	return samples;
}

/* Neighbouring probes are never alike, so that each is one of its own. */
static uint64_t clean(unsigned i)
{
	return CLEAN + i % 2;
}

static uint64_t one_contended(unsigned i)
{
	return i == 50 ? 2200 : clean(i);
}

static uint64_t dearer(unsigned i)
{
	return CLEAN * 105 / 100 + i % 2;
}

static uint64_t contended(unsigned i)
{
	return CLEAN * 112 / 100 + i % 2;
}

static uint64_t half_contended(unsigned i)
{
	return i / 20 % 2 ? 3000 + 37 * (i % 17) : clean(i);
}

static uint64_t never_clean(unsigned i)
{
	return 3000 + 37 * (i % 17);
}

static unsigned flagged(const struct kb_samples *samples)
{
	unsigned count = 0;

	for (size_t i = 0; i < samples->op.count; i++)
		count += (samples->op.flags[i] & KB_FLAG_CONTENDED) != 0;
	return count;
}

static const struct kb_floor known = { K, KB_FLOOR_SHIPPED }, unknown = { 0, KB_FLOOR_UNKNOWN };

static void all_clean(void **state)
{
	struct kb_samples samples = process(LOOPS, clean);

	(void)state;
	assert_int_equal(samples.probe_count, BLOCKS * SAMPLES + 1);
	kb_contention_flag(&samples, &known);
	assert_int_equal(flagged(&samples), 0);
	assert_true(samples.clean_share == 1);
	assert_true(fabs(kb_contention_add(&samples, 3) - 1) < 1e-12);
	kb_samples_free(&samples);
}

/* The probe behind the 50th sample and before the 51st: these two, and the next one on each side. */
static void one_probe(void **state)
{
	struct kb_samples samples = process(LOOPS, one_contended);

	(void)state;
	kb_contention_flag(&samples, &known);
	assert_int_equal(flagged(&samples), 4);
	for (size_t i = 48; i < 52; i++)
		assert_true(samples.op.flags[i] & KB_FLAG_CONTENDED);
	assert_true(fabs(samples.clean_share - 196.0 / 200) < 1e-12);
	kb_contention_unflag(&samples);
	assert_int_equal(flagged(&samples), 0);
	kb_samples_free(&samples);
}

/* Behind a system call all probes are a little dearer; contention makes more of them. */
static void floor_of_a_position(void **state)
{
	struct kb_samples samples = process(LOOPS, dearer);

	(void)state;
	kb_contention_flag(&samples, &known);
	assert_true(samples.clean_share == 1);
	kb_samples_free(&samples);
	samples = process(LOOPS, contended);
	kb_contention_flag(&samples, &known);
	assert_true(samples.clean_share == 0);
	assert_int_equal(flagged(&samples), BLOCKS * SAMPLES);
	kb_samples_free(&samples);
}

/* Nobody can tell: no floor, or no probes. */
static void not_known(void **state)
{
	struct kb_samples samples = process(LOOPS, contended);

	(void)state;
	kb_contention_flag(&samples, &unknown);
	assert_int_equal(flagged(&samples), 0);
	assert_true(isnan(samples.clean_share));
	kb_samples_free(&samples);
	samples = process(0, clean);
	assert_int_equal(samples.probe_count, 0);
	kb_contention_flag(&samples, &known);
	assert_int_equal(flagged(&samples), 0);
	assert_true(isnan(samples.clean_share));
	kb_samples_free(&samples);
}

/* ---- K --------------------------------------------------------------------------------------------- */

static double mode(uint64_t (*ticks_of)(unsigned i), bool *alone)
{
	struct kb_ratios ratios = { .all = 0 };
	struct kb_samples samples = process(LOOPS, ticks_of);

	*alone = false;
	for (unsigned i = 0; i < 5; i++) /* as many must agree */
		kb_ratios_add(&ratios, &samples);
	kb_samples_free(&samples);
	return kb_ratios_mode(&ratios, alone);
}

static void lower_mode(void **state)
{
	bool alone;

	(void)state;
	assert_true(fabs(mode(half_contended, &alone) / K - 1) < 0.005);
	assert_false(alone);
	assert_true(fabs(mode(clean, &alone) / K - 1) < 0.005);
	assert_true(alone);
}

/* A broad hill has no lower mode, a few probes are no peak, and one that too few single processes have is none. */
static void no_mode(void **state)
{
	struct kb_ratios few = { .all = 99 };
	bool alone;

	(void)state;
	assert_true(mode(never_clean, &alone) == 0);
	few.count[245] = 99;
	assert_true(kb_ratios_mode(&few, &alone) == 0);
	few.count[245] = few.all = 100;
	assert_true(kb_ratios_mode(&few, &alone) == 0);
	for (few.processes = 0; few.processes < 5; few.processes++)
		few.own[few.processes] = 0.5 * pow(1.005, 245.5);
	assert_true(kb_ratios_mode(&few, &alone) > 0);
	few.processes = 15; /* the others have another one, or none */
	assert_true(kb_ratios_mode(&few, &alone) > 0);
	few.processes = 16;
	assert_true(kb_ratios_mode(&few, &alone) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_clean), cmocka_unit_test(one_probe), cmocka_unit_test(floor_of_a_position), cmocka_unit_test(not_known),
		cmocka_unit_test(lower_mode), cmocka_unit_test(no_mode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
