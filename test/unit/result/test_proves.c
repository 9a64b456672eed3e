/* Which claims vouch for an operation: those that would fail if nothing happened, and whose count is ours and not the author's. */
#include "../base/helpers.h"
#include "result/summary/summary.h"
#include "run/run.h"

#define OPERATIONS 10000u

struct claim { const char *counter; double per_op, per_sample, tolerance; uint64_t count; };

struct truth {
	const char *name;
	bool verified;
	struct claim claims[3];
	bool checked;
	const char *own, *bound;
};

/* All claims hold. */
static const struct truth truths[] = {
	{ "a read each", true, .claims = { { "syscr", 1, 0, 0, OPERATIONS } } },
	{ "most of it", true, .claims = { { "nvcsw", 1, 0, 0.9, OPERATIONS } } },
	{ "bytes", true, .claims = { { "rchar", 4096, 0, 1, 4096 * OPERATIONS } } },
	{ "a tolerance as large as the claim", false, .claims = { { "minflt", 1, 0, 1, OPERATIONS } } },
	{ "any number", false, .claims = { { "minflt", 1, 0, 1e9, OPERATIONS } } },
	{ "no major fault", false, .claims = { { "majflt", 0, 0, 0, 0 } } },
	{ "no switch, or any", false, .claims = { { "switches", 0, 0, 1e9, 5 } } },
	{ "one a sample", false, .claims = { { "minflt", 0, 1, 0, 40 } } },
	{ "fewer than happen by themselves", false, .claims = { { "minflt", 0.0005, 0, 0, 5 } } },
	{ "nothing, and its own check", true, .claims = { { "majflt", 0, 0, 0, 0 } }, .checked = true },
	{ "nothing, of what is nothing", true, .claims = { { "majflt", 0, 0, 0, 0 } }, .bound = "nothing" },
	{ "nothing, beside a claim", true, .claims = { { "majflt", 0, 0, 0, 0 }, { "minflt", 1, 0, 0.001, OPERATIONS } } },
	{ "what the author saw", false, .claims = { { "seen", 1, 0, 0, OPERATIONS } } },
	{ "what the author says was absent", false, .claims = { { "absent", 1, 0, 0, OPERATIONS }, { "seen", 1, 0, 0, OPERATIONS } } },
	{ "what the author saw, with a check", true, .claims = { { "seen", 1, 0, 0, OPERATIONS } }, .checked = true },
	{ "what the author saw, and calls", true, .claims = { { "seen", 1, 0, 0, OPERATIONS }, { "nvcsw", 1, 0, 0.1, OPERATIONS } } },
	{ "what the author saw, and no calls", false, .claims = { { "seen", 1, 0, 0, OPERATIONS }, { "nvcsw", 0, 0, 0, 0 } } },
	{ "switches", true, .claims = { { "switches", 1, 0, 0.1, OPERATIONS } } },
	{ "switches that the author counted", false, .claims = { { "switches", 1, 0, 0.1, OPERATIONS } }, .own = "switches" },
	{ "memory that is touched once", false, .claims = { { "working_set", 65536, 0, 6554, 65536 } } },
	{ "no huge pages", false, .claims = { { "huge_bytes", 0, 0, 0, 0 } } },
};

static void write_claim(struct kb_record_writer *record, const struct claim *claim)
{
	char line[128];

	snprintf(line, sizeof line, "%s per_op=%.9g per_sample=%.9g tolerance=%.9g who=self", claim->counter, claim->per_op, claim->per_sample,
		 claim->tolerance);
	kb_record_line(record, "expect", line);
}

static void write_evidence(struct kb_record_writer *record, const struct claim *claim)
{
	bool of_process = !strcmp(claim->counter, "working_set");
	struct kb_evidence evidence = { .who = "self", .count = claim->count, .operations = of_process ? 1 : OPERATIONS, .samples = 40 };

	snprintf(evidence.counter, sizeof evidence.counter, "%s", claim->counter);
	kb_record_evidence(record, &evidence);
}

static void begin(struct kb_record_writer *record, struct buffer *written, const char *bound, bool checked)
{
	kb_record_begin(record, buffer_sink(written));
	kb_record_line(record, "bench", "plugin.mine");
	kb_record_line(record, "per", "call");
	kb_record_line(record, "bound", bound ? bound : "kernel");
	kb_record_line(record, "method", "slope seed=1 process=1");
	kb_record_line(record, "clock", "tsc hz=1000000000 quantum=1 cost=20 ordered=1 ladder=1");
	kb_record_line(record, "env", checked ? "checked=1" : "checked=0");
}

static void end(struct kb_record_writer *record, struct buffer *written, struct kb_result *result)
{
	kb_record_end(record);
	kb_summarise(&(struct kb_process_text){ 1, "", written->bytes, written->used }, 1,
		     &(struct kb_summary_rules){ .planned = 1, .precision = .01 }, result);
}

static void judge(const struct truth *truth, struct kb_result *result)
{
	static struct buffer written;
	struct kb_record_writer record;
	char line[64];

	written.used = 0;
	begin(&record, &written, truth->bound, truth->checked);
	for (unsigned i = 0; i < 3 && truth->claims[i].counter; i++)
		write_claim(&record, &truth->claims[i]);
	for (uint64_t i = 0; i < 40; i++)
		kb_record_obs(&record, &(struct kb_obs){ .role = KB_ROLE_OP, .n = 100 + 100 * (i % 4), .ticks = 50 + 10000 * (1 + i % 4), .t = i * 100000, .block = i / 4 });
	for (unsigned i = 0; i < 3 && truth->claims[i].counter; i++)
		write_evidence(&record, &truth->claims[i]);
	snprintf(line, sizeof line, "own=%s", truth->own ? truth->own : "");
	if (truth->own)
		kb_record_line(&record, "env", line);
	end(&record, &written, result);
}

static void claims_that_vouch(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof truths / sizeof truths[0]; i++) {
		struct kb_result result;

		judge(&truths[i], &result);
		if (kb_verdict_has(&result.verdict, KB_CODE_expect_failed))
			fail_msg("%s: a claim that holds failed", truths[i].name);
		if (kb_verdict_has(&result.verdict, KB_CODE_expect_unknown) == truths[i].verified)
			fail_msg("%s: %s", truths[i].name, truths[i].verified ? "is unverified" : "passes");
	}
}

static const char *failure(const struct claim *claim)
{
	static struct kb_result result;
	struct truth truth = { .claims = { *claim }, .checked = true };

	judge(&truth, &result);
	for (unsigned i = 0; i < result.verdict.count; i++) {
		if (result.verdict.reasons[i].code == KB_CODE_expect_failed)
			return result.verdict.reasons[i].detail;
	}
	return "";
}

static void memory_in_words(void **state)
{
	(void)state;
	assert_string_equal(failure(&(struct claim){ "working_set", 67108864, 0, 6710886, 4096 }), "it touched 4 KiB of 64 MiB");
	assert_string_equal(failure(&(struct claim){ "working_set", 67108864, 0, 6710886, 0 }), "it touched 0 bytes of 64 MiB");
	assert_string_equal(failure(&(struct claim){ "working_set", 2147483648, 0, 214748365, 1072693248 }), "it touched 1023 MiB of 2 GiB");
	assert_string_equal(failure(&(struct claim){ "working_set", 67108864, 0, 6710886, 60397978 }), "");
	assert_string_equal(failure(&(struct claim){ "huge_bytes", 0, 0, 0, UINT64_C(2097152) * OPERATIONS }),
			    "2 MiB on huge pages come with each call, small faults are claimed");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(claims_that_vouch), cmocka_unit_test(memory_in_words) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
