/* A process is held against the plan that it was sent, and one that says that it is at its end has all of it. What no process ended of is
   judged by its proof. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/record.h"
#include "result/sent.h"
#include "result/summary/summary.h"
#include "run/run.h"

static const char head[] = "kbench-record 2\nmethod slope\n", samples[] = "o 3 9 t=0 k=0\nb 3 9 t=0 k=0\nc 0 9 t=0 k=0\np clock 2000 2046 k=0\n"
	"q 1 9 t=0 k=0\n", block[] = "k 0 steal=0 irq=0\n", end[] = "end o=1 b=1 q=1 e=0 crc=00000000\n";

/* The outcome of a record of these parts. */
static const char *outcome_of(const char *const *parts, const char *plan)
{
	static char outcome[256];
	char record[1024] = "";
	struct kb_sent sent = { 0 };

	for (; *parts; parts++)
		strcat(record, *parts);
	while (*plan) {
		size_t length = strcspn(plan, "\n") + 1;

		kb_sent_add(&sent, (struct kb_span){ plan, length });
		plan += length;
	}
	outcome[0] = '\0';
	bool all = kb_sent_all(&sent, (struct kb_span){ record, strlen(record) }, outcome, sizeof outcome);

	assert_true(all == (outcome[0] == '\0'));
	return outcome;
}

#define RECORD(...) (const char *const[]){ head, __VA_ARGS__, NULL }

static void test_cut_short(void **state)
{
	static const char one[] = "block 0 o3 b3 p c q\n", two[] = "warm 0 o3 b3 p c q\nblock 1 probe=560 o3 b3 p c q\n";

	(void)state;
	assert_string_equal(outcome_of(RECORD(samples, block, end), one), "");
	assert_string_equal(outcome_of(RECORD(samples, block, end), two), "cut short: 4 of 8 planned samples");
	assert_string_equal(outcome_of(RECORD(samples, block, samples, end), two), "cut short: 1 of 2 planned blocks");
	assert_string_equal(outcome_of(RECORD(samples, block, samples, block, end), two), "");
	assert_string_equal(outcome_of(RECORD(samples, block, end), ""), ""); /* a proof has no plan */
	/* These tell by themselves that not all was done. */
	assert_string_equal(outcome_of(RECORD(samples, block), two), "");
	assert_string_equal(outcome_of(RECORD(samples, "fail stage=op errno=5 \"\"\n"), two), "");
	/* Tests that a group skips are samples, too. */
	assert_string_equal(outcome_of(RECORD(samples, block, end), "group 0 w1 t3 o9\n"), "");
	assert_string_equal(outcome_of(RECORD(samples, block, end), "group 0 w2 t3 o9\n"), "cut short: 4 of 5 planned samples");
}

static struct kb_verdict verdict_of(const char *text, const char *outcome, unsigned process)
{
	static struct kb_result result;
	const struct kb_process_text processes[] = { { process, outcome, text, strlen(text) } };

	kb_summarise(processes, 1, &(struct kb_summary_rules){ .planned = 5 }, &result);
	return result.verdict;
}

/* From the store, too: the outcome is kept there. */
static void test_cut_short_is_invalid(void **state)
{
	struct kb_verdict verdict = verdict_of("kbench-record 2\n", "cut short: 4 of 8 planned samples", 1);

	(void)state;
	assert_int_equal(verdict.status, KB_INVALID);
	assert_true(kb_verdict_has(&verdict, KB_CODE_record_truncated));
	assert_false(kb_verdict_has(&verdict, KB_CODE_crashed));
}

static char proof[4096];
static size_t proof_length;

static int write_proof(void *context, const char *bytes, size_t count)
{
	(void)context;
	memcpy(proof + proof_length, bytes, count);
	proof_length += count;
	return 0;
}

static struct kb_verdict proof_of(uint64_t calls)
{
	struct kb_record_writer out;
	const struct kb_evidence counted = { .counter = "syscalls", .who = "all", .count = calls, .operations = 50 };

	memset(proof, 0, sizeof proof);
	proof_length = 0;
	kb_record_begin(&out, (struct kb_sink){ write_proof, NULL });
	kb_record_line(&out, "bench", "plugin.calls");
	kb_record_line(&out, "per", "call");
	kb_record_line(&out, "method", "proof seed=1 process=0");
	kb_record_line(&out, "expect", "syscalls per_op=1 per_sample=0 tolerance=0 who=all");
	kb_record_line(&out, "bound", "kernel");
	kb_record_evidence(&out, &counted);
	kb_record_end(&out);
	return verdict_of(proof, "", 0);
}

static void test_proof_alone(void **state)
{
	struct kb_verdict verdict = proof_of(50);

	(void)state;
	assert_int_equal(verdict.status, KB_SKIPPED);
	assert_true(kb_verdict_has(&verdict, KB_CODE_not_reached));
	verdict = proof_of(25);
	assert_int_equal(verdict.status, KB_INVALID);
	assert_true(kb_verdict_has(&verdict, KB_CODE_expect_failed));
}

/* What it lacks it knows before it measures; who asks behind set-up chooses which samples are seen. */
static void test_skipped_late(void **state)
{
	static const char *const late[] = { "before", "op", "base", "check", "after", "plan", "teardown", "covariate" };
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof late / sizeof *late; i++) {
		snprintf(text, sizeof text, "kbench-record 2\nbench plugin.x\nnote need_unmet enough\nfail stage=%s errno=95 enough\n", late[i]);
		struct kb_verdict verdict = verdict_of(text, "", 1);

		assert_int_equal(verdict.status, KB_INVALID);
		assert_true(kb_verdict_has(&verdict, KB_CODE_op_failed));
	}
	struct kb_verdict verdict = verdict_of("kbench-record 2\nbench plugin.x\nnote need_unmet enough\nfail stage=setup errno=95 enough\n",
	                                       "", 1);

	assert_int_equal(verdict.status, KB_SKIPPED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_short), cmocka_unit_test(test_cut_short_is_invalid), cmocka_unit_test(test_proof_alone),
		cmocka_unit_test(test_skipped_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
