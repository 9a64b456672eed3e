/* A record as a collector writes it, read into arrays: nothing lost, nothing of the warm-up, a broken one is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "result/samples.h"

static char text[1 << 18];
static size_t length;
static struct kb_record_writer out;

static int sink(void *context, const char *bytes, size_t count)
{
	(void)context;
	memcpy(text + length, bytes, count);
	length += count;
	return 0;
}

static void write_header(void)
{
	length = 0;
	kb_record_begin(&out, (struct kb_sink){ sink, NULL });
	kb_record_line(&out, "bench", "ipc.pipe_latency");
	kb_record_line(&out, "per", "round-trip");
	kb_record_line(&out, "method", "slope seed=7 process=3");
	kb_record_line(&out, "param", "placement=same-cpu");
	kb_record_line(&out, "param", "size=64K");
	kb_record_line(&out, "clock", "tsc hz=2299998000 quantum=2 cost=46 ordered=1 ladder=0");
	kb_record_line(&out, "env", "cpu=1 peer_cpu=1 pid=9 bytes_per_op=65536 checked=1");
	kb_record_line(&out, "expect", "nvcsw per_op=2 per_sample=1 tolerance=0.125 who=all");
	kb_record_line(&out, "expect", "seen per_op=1 per_sample=0 tolerance=0");
	kb_record_line(&out, "bound", "memory");
	kb_record_line(&out, "env", "code=0badcafe");
	kb_record_line(&out, "note", "maybe_sibling \"one core?\"");
	kb_record_line(&out, "note", "nobody_knows_this_code");
}

static void put(enum kb_role role, uint64_t n, uint64_t ticks, uint64_t block, unsigned flags)
{
	struct kb_obs obs = { .role = role, .n = n, .ticks = ticks, .block = block, .flags = flags };

	kb_record_obs(&out, &obs);
}

static void put_probe(const char *name, uint64_t n, uint64_t ticks)
{
	struct kb_probe_line probe = { .n = n, .ticks = ticks };

	strcpy(probe.name, name);
	kb_record_probe(&out, &probe);
}

static void write_body(void)
{
	put(KB_ROLE_OP, 10, 999, 0, KB_FLAG_WARMUP);
	put(KB_ROLE_OP, 10, 1000, 1, 0);
	put(KB_ROLE_BASE, 10, 100, 1, KB_FLAG_GAP);
	put(KB_ROLE_OP, 20, 2000, 2, KB_FLAG_GAP | KB_FLAG_SWITCH);
	put(KB_ROLE_SINGLE, 1, 77, 2, 0);
	put(KB_ROLE_CLOCK, 0, 46, 2, 0);
	put_probe("clock", KB_CLOCK_PROBE_SHORT, 1100);
	put_probe("clock", KB_CLOCK_PROBE_LONG, 21000);
	put_probe("other", 5, 5);
	kb_record_line(&out, "k", "1 steal=2 irq=30");
	kb_record_line(&out, "k", "2 steal=1 irq=4");
	kb_record_evidence(&out, &(struct kb_evidence){ "nvcsw", "all", false, 63, 30, 2 });
	kb_record_evidence(&out, &(struct kb_evidence){ "nvcsw", "all", true, 0, 10, 1 });
}

static struct kb_samples load(const char *outcome)
{
	struct kb_process_text process = { 3, outcome, text, length };
	struct kb_samples samples;

	assert_int_equal(kb_samples_load(&samples, &process), 0);
	return samples;
}

static void test_header(void **state)
{
	(void)state;
	write_header();
	kb_record_end(&out);
	struct kb_samples samples = load("");

	assert_int_equal(samples.state, KB_RECORD_WHOLE);
	assert_int_equal(samples.process, 3);
	assert_string_equal(samples.bench, "ipc.pipe_latency");
	assert_string_equal(samples.per, "round-trip");
	assert_int_equal(samples.method, KB_METHOD_SLOPE);
	assert_string_equal(samples.params, "placement=same-cpu size=64K");
	assert_string_equal(samples.clock, "tsc");
	assert_string_equal(samples.code, "0badcafe");
	assert_int_equal(samples.hz, 2299998000);
	assert_int_equal(samples.quantum, 2);
	assert_int_equal(samples.clock_cost, 46);
	assert_false(samples.ladder_ok);
	assert_int_equal(samples.bytes_per_op, 65536);
	assert_true(samples.checked); /* the later env line does not take it back */
	assert_int_equal(samples.bound, KB_MEMORY);
	assert_int_equal(samples.note_count, 1);
	assert_int_equal(samples.notes[0].code, KB_CODE_maybe_sibling);
	assert_string_equal(samples.notes[0].detail, "one core?");
	kb_samples_free(&samples);
}

static void test_claims(void **state)
{
	(void)state;
	write_header();
	struct kb_samples samples = load("");

	assert_int_equal(samples.claim_count, 2);
	assert_string_equal(samples.claims[0].counter, "nvcsw");
	assert_string_equal(samples.claims[0].who, "all");
	assert_true(samples.claims[0].per_op == 2 && samples.claims[0].per_sample == 1);
	assert_true(samples.claims[0].tolerance == 0.125);
	assert_string_equal(samples.claims[1].counter, "seen");
	assert_string_equal(samples.claims[1].who, "self");
	kb_samples_free(&samples);
}

static void test_body(void **state)
{
	(void)state;
	write_header();
	write_body();
	kb_record_end(&out);
	struct kb_samples samples = load(NULL);

	assert_int_equal(samples.state, KB_RECORD_WHOLE);
	assert_string_equal(samples.outcome, "");
	assert_int_equal(samples.op.count, 2);
	assert_true(samples.op.n[0] == 10 && samples.op.ticks[0] == 1000 && samples.op.block[0] == 1);
	assert_int_equal(samples.op.flags[0], 0);
	assert_true(samples.op.n[1] == 20 && samples.op.ticks[1] == 2000 && samples.op.block[1] == 2);
	assert_int_equal(samples.op.flags[1], KB_FLAG_GAP | KB_FLAG_SWITCH);
	assert_int_equal(samples.base.count, 1);
	assert_true(samples.base.ticks[0] == 100);
	assert_int_equal(samples.single.count, 1);
	assert_true(samples.single.ticks[0] == 77);
	assert_int_equal(samples.empty.count, 1);
	assert_true(samples.empty.ticks[0] == 46);
	assert_int_equal(samples.add_count, 1);
	assert_int_equal(samples.add_long_count, 1);
	assert_true(samples.add_short[0] == 1100 && samples.add_long[0] == 21000);
	assert_int_equal(samples.steal_ticks, 3);
	assert_int_equal(samples.interrupts, 34);
	assert_int_equal(samples.evidence_count, 2);
	assert_int_equal(samples.evidence[0].count, 63);
	assert_true(samples.evidence[1].base);
	kb_samples_free(&samples);
}

/* Longer than the first room of every array. */
static void test_many(void **state)
{
	(void)state;
	write_header();
	for (uint64_t i = 0; i < 1000; i++) {
		put(KB_ROLE_OP, i + 1, 3 * i, i, 0);
		put_probe("clock", KB_CLOCK_PROBE_LONG, i);
	}
	kb_record_end(&out);
	struct kb_samples samples = load("");

	assert_int_equal(samples.op.count, 1000);
	assert_int_equal(samples.add_long_count, 1000);
	for (unsigned i = 0; i < 1000; i++) {
		assert_true(samples.op.n[i] == i + 1 && samples.op.ticks[i] == 3 * i && samples.op.block[i] == i);
		assert_true(samples.add_long[i] == i);
	}
	kb_samples_free(&samples);
}

static void test_fail(void **state)
{
	(void)state;
	write_header();
	kb_record_fail(&out, "op", 5, "short read");
	struct kb_samples samples = load("");

	assert_int_equal(samples.state, KB_RECORD_FAILED);
	assert_string_equal(samples.fail_stage, "op");
	assert_string_equal(samples.fail_detail, "short read");
	assert_int_equal(samples.fail_error, 5);
	kb_samples_free(&samples);
}

/* An escape may hold any byte, and a line any from 0x80 on: what is kept is what reports print. */
static void test_visible(void **state)
{
	struct kb_samples samples;

	(void)state;
	length = 0;
	kb_record_begin(&out, (struct kb_sink){ sink, NULL });
	kb_record_line(&out, "bench", "a.\xc2\x9b");
	kb_record_line(&out, "per", "\xff\u00e9");
	kb_record_line(&out, "method", "\u202e seed=7 process=3");
	kb_record_line(&out, "param", "a=\u2028\u65e5");
	kb_record_line(&out, "clock", "\x9b hz=1 quantum=1 cost=1 ordered=1");
	kb_record_line(&out, "env", "code=\"\\x1b[31m\" arch=\x9b");
	kb_record_line(&out, "expect", "\u2066 per_op=1 per_sample=0 tolerance=0 who=\u2069");
	kb_record_line(&out, "note", "maybe_sibling \"\\x1b\\n\xc0\x9b\"");
	kb_record_evidence(&out, &(struct kb_evidence){ .counter = "\u200f", .who = "self", .count = 1, .operations = 1, .samples = 1 });
	kb_record_obs(&out, &(struct kb_obs){ .role = KB_ROLE_OP, .n = 1, .ticks = 1, .extra = { "x.\u061c=1", 6 } });
	kb_record_fail(&out, "\u202a", 5, "\x7f\x1b\u65e5");
	assert_int_equal(kb_samples_load(&samples, &(struct kb_process_text){ .process = 1, .record = text, .length = length }), 0);
	assert_string_equal(samples.bench, "a.?");
	assert_string_equal(samples.per, "?\u00e9");
	assert_int_equal(samples.method, KB_METHOD_NONE);
	assert_string_equal(samples.params, "a=?\u65e5");
	assert_string_equal(samples.clock, "?");
	assert_string_equal(samples.code, "?[31m");
	assert_string_equal(samples.arch, "?");
	assert_string_equal(samples.claims[0].counter, "?");
	assert_string_equal(samples.claims[0].who, "?");
	assert_string_equal(samples.notes[0].detail, "????");
	assert_string_equal(samples.evidence[0].counter, "?");
	assert_string_equal(samples.covariates[0].name, "?");
	assert_string_equal(samples.fail_stage, "?");
	assert_string_equal(samples.fail_detail, "??\u65e5");
	kb_samples_free(&samples);
}

static void test_broken(void **state)
{
	(void)state;
	write_header();
	write_body();
	struct kb_samples samples = load("signal=11 SIGSEGV");

	assert_int_equal(samples.state, KB_RECORD_OPEN);
	assert_string_equal(samples.outcome, "signal=11 SIGSEGV");
	kb_samples_free(&samples);

	kb_record_end(&out);
	*strstr(text, "o 20 2000") = 'b';
	samples = load("");
	assert_int_equal(samples.state, KB_RECORD_GARBLED);
	kb_samples_free(&samples);

	length = 0;
	samples = load("");
	assert_int_equal(samples.state, KB_RECORD_NOT_A_RECORD);
	kb_samples_free(&samples);
}

/* More lines than there is room for must not be written past the end. */
static void test_too_many(void **state)
{
	(void)state;
	write_header();
	for (unsigned i = 0; i < 50; i++) {
		kb_record_line(&out, "expect", "minflt per_op=1");
		kb_record_line(&out, "note", "debug_kernel");
		kb_record_line(&out, "param", "a-long-name-of-a-parameter=and-its-value");
		kb_record_evidence(&out, &(struct kb_evidence){ "minflt", "self", false, 1, 1, 1 });
	}
	kb_record_end(&out);
	struct kb_samples samples = load("");

	assert_int_equal(samples.claim_count, KB_CLAIMS_MAX);
	assert_int_equal(samples.note_count, KB_NOTES_MAX);
	assert_int_equal(samples.evidence_count, 2 * KB_EVIDENCE_MAX);
	assert_int_equal(strlen(samples.params), sizeof samples.params - 1);
	kb_samples_free(&samples);
}

/* The name of a method that makes pairs. */
static void write_paired(void)
{
	length = 0;
	kb_record_begin(&out, (struct kb_sink){ sink, NULL });
	kb_record_line(&out, "method", "paired seed=1 process=1");
}

static void put_said(uint64_t ticks, uint64_t block, unsigned flags, const char *extra)
{
	struct kb_obs obs = { .role = KB_ROLE_OP, .n = 10, .ticks = ticks, .block = block, .flags = flags,
	                      .extra = { extra, strlen(extra) } };

	kb_record_obs(&out, &obs);
}

/* The i-th of op belongs to the i-th of base; a refuted one takes its partner with it, and a pair has the marks of both. */
static void test_pairs(void **state)
{
	(void)state;
	write_paired();
	put_said(1000, 2, 0, "");
	put(KB_ROLE_BASE, 10, 100, 2, 0);
	put(KB_ROLE_BASE, 10, 200, 2, KB_FLAG_GAP);
	put_said(1500, 2, KB_FLAG_IRQ, "");
	put_said(3, 3, KB_FLAG_REFUTED, "refuted=\"two words\"");
	put(KB_ROLE_BASE, 10, 300, 3, 0);
	put(KB_ROLE_BASE, 10, 2500, 3, 0);
	put_said(2000, 3, 0, "");
	put(KB_ROLE_CLOCK, 0, 46, 3, 0);
	put_said(4000, 4, 0, ""); /* the process ended before its partner */
	kb_record_end(&out);
	struct kb_samples samples = load("");

	assert_int_equal(samples.pairs.count, 3);
	assert_true(samples.pairs.ticks[0] == 900 && samples.pairs.ticks[1] == 1300 && samples.pairs.ticks[2] == -500);
	assert_int_equal(samples.pairs.flags[1], KB_FLAG_GAP | KB_FLAG_IRQ);
	assert_int_equal(samples.pairs.block[2], 3);
	assert_ptr_equal(kb_cost_points(&samples), &samples.pairs);
	assert_int_equal(samples.op.count, 4);
	assert_int_equal(samples.refuted, 1);
	assert_string_equal(samples.refuted_text, "two words");
	kb_samples_free(&samples);

	write_paired();
	put(KB_ROLE_CLOCK, 0, 46, 1, 0);
	put_said(1000, 1, 0, "");
	kb_record_end(&out);
	samples = load("");
	assert_int_equal(samples.pairs.count, 1);
	assert_true(samples.pairs.ticks[0] == 954);
	kb_samples_free(&samples);
}

static void test_covariates(void **state)
{
	(void)state;
	write_header();
	put_said(9, 0, KB_FLAG_WARMUP, "x.pages=99");
	put_said(9, 1, 0, "x.pages=4 later=addition x.ratio=-2.5e-07");
	put_said(9, 1, KB_FLAG_REFUTED, ""); /* of a group, whose last one has the words */
	put_said(9, 1, KB_FLAG_REFUTED, "refuted=no x.pages=77");
	put_said(9, 1, 0, "x.pages=6 x.bad=word x.=1");
	for (unsigned i = 0; i < 20; i++) {
		char field[32];

		snprintf(field, sizeof field, "x.n%u=%u", i, i);
		put_said(9, 2, 0, field);
	}
	kb_record_end(&out);
	struct kb_samples samples = load("");

	assert_int_equal(samples.state, KB_RECORD_WHOLE);
	assert_int_equal(samples.refuted, 2);
	assert_string_equal(samples.refuted_text, "no");
	assert_int_equal(samples.covariate_count, KB_COVARIATES);
	assert_string_equal(samples.covariates[0].name, "pages");
	assert_int_equal(samples.covariates[0].count, 2);
	assert_true(samples.covariates[0].values[0] == 4 && samples.covariates[0].values[1] == 6);
	assert_string_equal(samples.covariates[1].name, "ratio");
	assert_true(samples.covariates[1].values[0] == -2.5e-07);
	kb_samples_free(&samples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header), cmocka_unit_test(test_claims), cmocka_unit_test(test_body),
		cmocka_unit_test(test_many), cmocka_unit_test(test_fail), cmocka_unit_test(test_visible), cmocka_unit_test(test_broken),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_pairs), cmocka_unit_test(test_covariates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
