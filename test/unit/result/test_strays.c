/* What is claimed of the kernel's counters may be off by an event in a thousand operations, which are its own; what we count ourselves may not. */
#include "../base/helpers.h"
#include "result/summary/summary.h"
#include "run/run.h"

/* The verdict on a claim of so many events an operation, of which so many were counted. */
static bool is_refuted(const char *counter, double per_op, uint64_t count, uint64_t operations)
{
	static struct buffer written;
	struct kb_record_writer record;
	struct kb_result result;
	char line[128];

	kb_record_begin(&record, buffer_sink(&written));
	kb_record_line(&record, "bench", "plugin.mine");
	kb_record_line(&record, "per", "call");
	kb_record_line(&record, "bound", "kernel");
	kb_record_line(&record, "method", "slope seed=1 process=1");
	kb_record_line(&record, "clock", "tsc hz=1000000000 quantum=1 cost=20 ordered=1 ladder=1");
	snprintf(line, sizeof line, "%s per_op=%g per_sample=0 tolerance=0 who=self", counter, per_op);
	kb_record_line(&record, "expect", line);
	for (uint64_t i = 0; i < 40; i++)
		kb_record_obs(&record, &(struct kb_obs){ .role = KB_ROLE_OP, .n = 100 + 100 * (i % 4), .ticks = 50 + 10000 * (1 + i % 4), .t = i * 100000, .block = i / 4 });

	struct kb_evidence evidence = { .who = "self", .count = count, .operations = operations, .samples = 40 };

	snprintf(evidence.counter, sizeof evidence.counter, "%s", counter);
	kb_record_evidence(&record, &evidence);
	kb_record_end(&record);
	kb_summarise(&(struct kb_process_text){ 1, "", written.bytes, written.used }, 1, &(struct kb_summary_rules){ .planned = 1, .precision = .01 }, &result);
	return kb_verdict_has(&result.verdict, KB_CODE_expect_failed);
}

static void the_kernels_own_events_pass(void **state)
{
	static const char *const counters[] = { "minflt", "majflt", "nvcsw", "nivcsw", "switches" };

	(void)state;
	for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
		assert_false(is_refuted(counters[i], 0, 0, 10000));
		assert_false(is_refuted(counters[i], 0, 10, 10000));
		assert_true(is_refuted(counters[i], 0, 11, 10000));
		assert_false(is_refuted(counters[i], 1, 10010, 10000));
		assert_true(is_refuted(counters[i], 1, 9989, 10000));
		assert_false(is_refuted(counters[i], 0, 1, 50));
		assert_true(is_refuted(counters[i], 0, 2, 50));
		assert_true(is_refuted(counters[i], 0, 1, 49));
	}
}

static void what_only_the_benchmark_does_is_exact(void **state)
{
	static const char *const counters[] = { "syscr", "syscw", "seen", "absent" };

	(void)state;
	for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
		assert_false(is_refuted(counters[i], 1, 10000, 10000));
		assert_true(is_refuted(counters[i], 1, 10001, 10000));
		assert_true(is_refuted(counters[i], 1, 9999, 10000));
		assert_true(is_refuted(counters[i], 0, 1, 10000));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernels_own_events_pass), cmocka_unit_test(what_only_the_benchmark_does_is_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
