/* What follows from what a proof saw, and from who ran where: each finding and, beside it, what is just no finding. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "result/summary/summary.h"

static struct kb_result judged;

/* The only reason there is; KB_CODE_COUNT: none. */
static enum kb_reason_code reason(void)
{
	assert_in_range(judged.verdict.count, 0, 1);
	return judged.verdict.count ? judged.verdict.reasons[0].code : KB_CODE_COUNT;
}

static void assert_detail(const char *detail)
{
	assert_string_equal(judged.verdict.reasons[0].detail, detail);
}

/* ---- proofs -------------------------------------------------------------------------------------- */

static enum kb_reason_code prove(struct kb_proof proof, struct kb_samples from)
{
	proof.operations = proof.operations ? proof.operations : 100;
	memset(&judged, 0, sizeof judged);
	kb_proof_judge(&proof, &from, &judged);
	return reason();
}

static const struct kb_samples kernel = { .bound = KB_KERNEL }, user = { .bound = KB_LATENCY };

static void test_failing_calls(void **state)
{
	(void)state;
	assert_int_equal(prove((struct kb_proof){ .op = { 100, 100, 2 }, .error = "EBADF", .call = "read" }, kernel), KB_CODE_COUNT);
	assert_int_equal(prove((struct kb_proof){ .op = { 100, 100, 3 }, .error = "EBADF", .call = "read" }, kernel), KB_CODE_calls_failed);
	assert_detail("3 failing calls in 100 operations, read: EBADF");
	assert_int_equal(prove((struct kb_proof){ .base = { 0, 0, 50 }, .error = "EBADF", .call = "read" }, kernel), KB_CODE_calls_failed);
	assert_detail("50 failing calls in 100 turns of the empty loop, read: EBADF");
}

static void test_base(void **state)
{
	(void)state;
	assert_int_equal(prove((struct kb_proof){ .base = { 45, 45 } }, kernel), KB_CODE_base_works);
	assert_int_equal(prove((struct kb_proof){ .base = { 45, 2 } }, kernel), KB_CODE_COUNT); /* partners made the others */
	assert_int_equal(prove((struct kb_proof){ .base = { 45, 45 } }, (struct kb_samples){ .half_base = true }), KB_CODE_COUNT);
	assert_int_equal(prove((struct kb_proof){ .base = { 45, 45 } }, (struct kb_samples){ .base_works = true }), KB_CODE_COUNT);
}

static void test_user_space(void **state)
{
	struct kb_samples claims = { .bound = KB_MEMORY, .claim_count = 1, .claims = { { .counter = "syscalls" } } };

	(void)state;
	assert_int_equal(prove((struct kb_proof){ .op = { 100, 100 } }, kernel), KB_CODE_COUNT);
	assert_int_equal(prove((struct kb_proof){ .op = { 100, 100 } }, user), KB_CODE_expect_failed);
	assert_detail("100 system calls in 100 operations that are bound by latency");
	assert_int_equal(prove((struct kb_proof){ .op = { 100, 2 } }, user), KB_CODE_COUNT);
	assert_int_equal(prove((struct kb_proof){ .op = { 100, 100 } }, claims), KB_CODE_COUNT);
	assert_int_equal(prove((struct kb_proof){ .op = { .tasks = 1 } }, user), KB_CODE_undeclared_help);
	assert_int_equal(prove((struct kb_proof){ .op = { .tasks = 1 } }, kernel), KB_CODE_COUNT);
}

static void test_bytes(void **state)
{
	struct kb_samples claims = { .bound = KB_KERNEL, .bytes_per_op = 4096 };

	(void)state;
	assert_int_equal(prove((struct kb_proof){ .op = { .transfers = 100, .bytes = 409600 }, .counts_bytes = true }, claims), KB_CODE_COUNT);
	assert_int_equal(prove((struct kb_proof){ .op = { .transfers = 100, .bytes = 40960 }, .counts_bytes = true }, claims), KB_CODE_bytes_missing);
	assert_detail("409600 bytes are claimed, 100 calls moved 40960");
	assert_int_equal(prove((struct kb_proof){ .op = { .transfers = 100 }, .counts_bytes = true }, claims), KB_CODE_bytes_missing);
	/* Some calls do not say what they move; others only say that something is there; or hardly any moves anything. */
	assert_int_equal(prove((struct kb_proof){ .op = { .transfers = 100, .bytes = 40960 } }, claims), KB_CODE_COUNT);
	assert_int_equal(prove((struct kb_proof){ .op = { .transfers = 100, .bytes = 100 }, .counts_bytes = true }, claims), KB_CODE_COUNT);
	assert_int_equal(prove((struct kb_proof){ .op = { .transfers = 40, .bytes = 4096 }, .counts_bytes = true }, claims), KB_CODE_COUNT);
}

static void test_left_and_changes(void **state)
{
	(void)state;
	assert_int_equal(prove((struct kb_proof){ .left = "/tmp/x" }, kernel), KB_CODE_left_behind);
	assert_detail("the process left /tmp/x");
	assert_int_equal(prove((struct kb_proof){ .op = { .changes = 2 } }, kernel), KB_CODE_wrong_cpu);
}

/* A proof that was not made says nothing. */
static void test_no_proof(void **state)
{
	struct kb_proof none = { .left = "/tmp/x" };

	(void)state;
	memset(&judged, 0, sizeof judged);
	kb_proof_judge(&none, &kernel, &judged);
	assert_int_equal(reason(), KB_CODE_COUNT);
}

/* ---- where --------------------------------------------------------------------------------------- */

static enum kb_reason_code look(struct kb_where first, struct kb_where second, enum kb_bound bound)
{
	struct kb_samples samples[2] = { { .where = first }, { .where = second } };
	struct kb_summary summary = { .samples = samples, .count = 2 };

	memset(&judged, 0, sizeof judged);
	judged.bound = bound;
	kb_where_judge(&summary, &judged);
	return reason();
}

static void test_cpu(void **state)
{
	const struct kb_where good = { .samples = 100 };

	(void)state;
	assert_int_equal(look(good, good, KB_KERNEL), KB_CODE_COUNT);
	assert_int_equal(look(good, (struct kb_where){ .samples = 100, .away = 4 }, KB_KERNEL), KB_CODE_COUNT);
	assert_int_equal(look(good, (struct kb_where){ .samples = 100, .away = 5 }, KB_KERNEL), KB_CODE_wrong_cpu);
	assert_int_equal(look(good, (struct kb_where){ .samples = 100, .free = 1 }, KB_KERNEL), KB_CODE_wrong_cpu);
	assert_int_equal(look(good, (struct kb_where){ .looks = 10, .partner_away = 2 }, KB_KERNEL), KB_CODE_COUNT);
	assert_int_equal(look(good, (struct kb_where){ .looks = 10, .partner_away = 3 }, KB_KERNEL), KB_CODE_wrong_cpu);
}

static void test_partner(void **state)
{
	const struct kb_where works = { .own_us = 1000, .partner_us = 1000, .stretches = 5 };

	(void)state;
	assert_int_equal(look(works, (struct kb_where){ .partner_us = 10, .stretches = 5, .partner_idle = 3 }, KB_KERNEL), KB_CODE_COUNT);
	assert_int_equal(look(works, (struct kb_where){ .partner_us = 10, .stretches = 5, .partner_idle = 4 }, KB_KERNEL), KB_CODE_partner_idle);
	/* One that is there to sleep, and too few looks. */
	assert_int_equal(look((struct kb_where){ .own_us = 1000, .stretches = 5, .partner_idle = 5 }, (struct kb_where){ 0 }, KB_KERNEL),
	                 KB_CODE_COUNT);
	assert_int_equal(look((struct kb_where){ .own_us = 1000, .partner_us = 100, .stretches = 2, .partner_idle = 2 }, (struct kb_where){ 0 },
	                      KB_KERNEL), KB_CODE_COUNT);
}

static void test_help(void **state)
{
	const struct kb_where alone = { .own_us = 1000, .others_us = 50 }, helped = { .own_us = 1000, .others_us = 200 };

	(void)state;
	assert_int_equal(look(alone, alone, KB_LATENCY), KB_CODE_COUNT);
	assert_int_equal(look(alone, helped, KB_LATENCY), KB_CODE_undeclared_help);
	assert_int_equal(look(alone, helped, KB_KERNEL), KB_CODE_COUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_failing_calls), cmocka_unit_test(test_base), cmocka_unit_test(test_user_space), cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_left_and_changes), cmocka_unit_test(test_no_proof), cmocka_unit_test(test_cpu), cmocka_unit_test(test_partner),
		cmocka_unit_test(test_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
