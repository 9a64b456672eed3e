/* Commands that are run in turn: what was typed to a plan, runs that are made up to records, and these to results that are compared. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "measure/measure.h"
#include "result/summary/summary.h"
#include "workflow/commands/inside.h"

static struct kb_commands job;
static struct kb_commands_request request;
static struct kb_failure failure;
static const char *texts[4];

static int plan(void)
{
	kb_commands_release(&job);
	job = (struct kb_commands){ .count = 0 };
	failure = (struct kb_failure){ .code = 0 };
	return kb_commands_plan(&request, &job, &failure);
}

static int plan_of(const char *a, const char *b)
{
	texts[0] = a;
	texts[1] = b;
	request.texts = texts;
	request.text_count = b ? 2 : 1;
	return plan();
}

static int begin(void **state)
{
	(void)state;
	request = (struct kb_commands_request){ .margin = 0.01 };
	return 0;
}

/* ---- words ------------------------------------------------------------------------------------------------- */

static void check_words(const char *text, const char *joined)
{
	size_t count;
	char **words = kb_command_words(text, &count), seen[200] = "";

	assert_int_equal(words != NULL, joined != NULL);
	for (size_t i = 0; words && i < count; i++) {
		strcat(seen, words[i]);
		strcat(seen, "|");
	}
	assert_string_equal(seen, joined ? joined : "");
	free(words);
}

static void words_are_split_as_a_shell_does(void **state)
{
	(void)state;
	check_words("ls -l  /", "ls|-l|/|");
	check_words(" a 'b c' \"d  e\" f\\ g ", "a|b c|d  e|f g|");
	check_words("a'b'\"c\" '' \"\\\"\" '\\'", "abc||\"|\\|");
	check_words("$HOME \"\\n\" *", "$HOME|\\n|*|");
	check_words("", "");
	check_words("a 'b", NULL);
	check_words("a \"b", NULL);
}

/* ---- the plan ---------------------------------------------------------------------------------------------- */

static void commands_go_through_a_shell_or_none(void **state)
{
	(void)state;
	assert_int_equal(plan_of("sleep 1", NULL), 0);
	assert_string_equal(job.commands[0].argv[0], "sh");
	assert_string_equal(job.commands[0].argv[1], "-c");
	assert_string_equal(job.commands[0].argv[2], "sleep 1");
	assert_null(job.commands[0].argv[3]);
	assert_string_equal(job.commands[0].word, "sleep_1");
	request.shell = "bash --norc";
	assert_int_equal(plan_of("sleep 1", NULL), 0);
	assert_string_equal(job.commands[0].argv[1], "--norc");
	request.no_shell = true;
	assert_int_equal(plan_of("sleep '1 2'", NULL), 0);
	assert_string_equal(job.commands[0].argv[0], "sleep");
	assert_string_equal(job.commands[0].argv[1], "1 2");
}

static void vectors_are_words_between_dashes(void **state)
{
	char *words[] = { (char[]){ "ls" }, (char[]){ "a b" }, (char[]){ "--" }, (char[]){ "true" }, (char[]){ "--" } };

	(void)state;
	request.text_count = 0;
	request.vectors = words;
	request.vector_words = 4;
	assert_int_equal(plan(), 0);
	assert_int_equal(job.count, 2);
	assert_string_equal(job.commands[0].argv[1], "a b");
	assert_string_equal(job.commands[0].text, "ls a b");
	assert_string_equal(job.commands[1].argv[0], "true");
	request.vector_words = 5;
	assert_int_not_equal(plan(), 0);
}

static void results_of_one_name_are_told_apart(void **state)
{
	(void)state;
	assert_int_equal(plan_of("true", "true"), 0);
	assert_string_equal(job.commands[0].word, "true");
	assert_string_equal(job.commands[1].word, "true#2");
	request.names = (const char *const[]){ "a\nb \x1b[31m", "\xff" };
	request.name_count = 2;
	assert_int_equal(plan_of("true", "true"), 0);
	assert_string_equal(job.commands[0].word, "a_b__[31m");
	assert_string_equal(job.commands[1].word, "_");
}

static void parameters_fill_texts_in_the_order_of_hyperfine(void **state)
{
	static const char *const expected[] = { "echo 1x", "true 1 x", "echo 2x", "true 2 x", "echo 1y", "true 1 y", "echo 2y", "true 2 y" };

	(void)state;
	request.lists = (const char *const[]){ "a", "1,2", "b", "x,y" };
	request.list_count = 2;
	assert_int_equal(plan_of("echo {a}{b}", "true {a} {b}"), 0);
	assert_int_equal(job.count, 8);
	for (size_t i = 0; i < job.count; i++)
		assert_string_equal(job.commands[i].text, expected[i]);
	assert_string_equal(job.commands[7].parameters, " a=2 b=y");
	request.prepare = (const char *const[]){ "rm {a}", "cp {b}" };
	request.prepare_count = 2;
	request.names = (const char *const[]){ "one {a}", "two" };
	request.name_count = 2;
	assert_int_equal(plan_of("echo {a}{b}", "true {c}"), 0);
	assert_string_equal(job.commands[2].prepare, "rm 2");
	assert_string_equal(job.commands[5].prepare, "cp y");
	assert_string_equal(job.commands[2].name, "one 2");
	assert_string_equal(job.commands[1].text, "true {c}");
}

static void scans_are_exact(void **state)
{
	static const char *const expected[] = { "0.3", "0.5", "0.7" };

	(void)state;
	request.scan = (const char *const[]){ "s", "0.3", "0.7" };
	request.step = "0.2";
	assert_int_equal(plan_of("sleep {s}", NULL), 0);
	assert_int_equal(job.count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(job.commands[i].values[0], expected[i]);
	request.step = NULL;
	request.scan = (const char *const[]){ "s", "-1", "1" };
	assert_int_equal(plan_of("echo {s}", NULL), 0);
	assert_string_equal(job.commands[0].text, "echo -1");
	assert_string_equal(job.commands[1].text, "echo 0");
	for (size_t i = 0; i < 5; i++) {
		static const char *const wrong[][3] = { { "s", "2", "1" }, { "s", "1", "x" }, { "s p", "1", "2" }, { "s", "1", "1000" },
							{ "s", "99999999999999999999", "1" } };

		request.scan = wrong[i];
		assert_int_not_equal(plan_of("echo {s}", NULL), 0);
		assert_true(failure.typed_wrong);
	}
}

/* ---- runs to results --------------------------------------------------------------------------------------- */

#define BLOCKS 120u

static struct kb_clock made_clock = { .name = "ns", .hz = 1000000000, .quantum = 1, .cost = 30, .ladder_ok = true };
static struct kb_row rows[2];
static struct kb_command_means means[2];
static struct kb_comparison comparisons[2];
static struct kb_turn_effects effects[2];

static double noise(struct kb_rng *rng, double share)
{
	return 1 + share * ((double)kb_rng_below(rng, 2000001) / 1e6 - 1);
}

static void add_use(struct kb_timed_command *command, uint64_t block, unsigned place, double ns)
{
	if (!command->uses)
		command->uses = calloc(BLOCKS, sizeof *command->uses);
	assert_non_null(command->uses);
	command->uses[command->use_count++] = (struct kb_command_use){
		.block = block, .place = place, .start = 1000000 + block * 100000000 + place * 20000000, .ticks = (uint64_t)ns, .user_ns = 1e6, .system_ns = 5e5,
		.memory_bytes = 2048 * 1024.0, .minor = 100, .voluntary = 2, .chain = { { 700, 13360 }, { 700, 13360 } },
	};
}

/* Two commands and a shell of 1 ms; what comes second takes `order` times as long. */
static void make_runs(double a_ms, double b_ms, double order, uint64_t seed)
{
	struct kb_rng rng;

	assert_int_equal(plan_of("first", "second one"), 0);
	job.rows = rows;
	job.means = means;
	job.comparisons = comparisons;
	job.effects = effects;
	job.scale = 1;
	job.shell.argv = calloc(1, sizeof *job.shell.argv);
	kb_rng_seed(&rng, seed);
	for (uint64_t block = 0; block < BLOCKS; block++) {
		bool b_first = kb_rng_below(&rng, 2);

		add_use(&job.commands[0], block, b_first, 1e6 * (1 + a_ms * noise(&rng, .02) * (b_first ? order : 1)));
		add_use(&job.commands[1], block, !b_first, 1e6 * (1 + b_ms * noise(&rng, .02) * (b_first ? 1 : order)));
		add_use(&job.shell, block, 2, 1e6 * noise(&rng, .01));
	}
}

/* Batches of `size` blocks, and from their records what the run prints. */
static void evaluate(size_t size, bool any_status)
{
	struct kb_commands_job whole = { .request = &request, .out = &job };
	struct kb_command_record record = { .clock = &made_clock, .seed = 1, .any_status = any_status };

	job.w.run.precision = 0.01;
	for (size_t i = 0; i < job.count; i++) {
		struct kb_timed_command *command = &job.commands[i];

		snprintf(rows[i].key, sizeof rows[i].key, "cmd.run command=%s", command->word);
		command->texts = calloc(BLOCKS / size, sizeof *command->texts);
		assert_non_null(command->texts);
		for (size_t at = 0; at < BLOCKS; at += size) {
			struct kb_process_text *text = &command->texts[command->batches++];

			text->process = (unsigned)command->batches;
			text->outcome = "";
			text->record = kb_command_record(&record, command, at, at + size, &job.shell, text->process, NULL, &text->length);
			assert_non_null(text->record);
		}
	}
	kb_commands_evaluate(&whole);
	assert_int_equal(kb_commands_find_means(&job, log(1.01)), 0);
}

/* What the run owns, and the test does not. */
static int end(void **state)
{
	(void)state;
	job.rows = NULL;
	job.means = NULL;
	job.comparisons = NULL;
	job.effects = NULL;
	return 0;
}

static void check_near(double value, double expected, double share)
{
	if (!(fabs(value / expected - 1) <= share))
		fail_msg("%g is not %g", value, expected);
}

static void equal_commands_are_equivalent(void **state)
{
	(void)state;
	make_runs(10, 10, 1, 5);
	evaluate(2, false);
	check_near(rows[0].result.estimate.value, 10e6, .005);
	check_near(means[1].time.value, 10e6, .005);
	check_near(rows[0].result.quantile[KB_P50].value, 10e6, .005); /* without the shell, as the cost */
	assert_true(means[1].time.low < means[1].time.value && means[1].time.high < 1.01 * means[1].time.value);
	check_near(job.shell_ns.value, 1e6, .005);
	assert_int_equal(rows[0].result.verdict.status, KB_OK);
	assert_int_equal(rows[0].result.processes, 60);
	assert_string_equal(rows[1].result.params, "command=second_one");
	assert_int_equal(comparisons[1].decision, KB_EQUIVALENT);
	assert_false(effects[1].order_matters || effects[1].clock_explains);
}

static void a_slower_command_is_slower(void **state)
{
	(void)state;
	make_runs(10, 10.5, 1, 6);
	evaluate(2, false);
	assert_int_equal(comparisons[1].decision, KB_SLOWER);
	assert_true(comparisons[1].regression);
	check_near(exp(comparisons[1].difference.ln.value), 1.05, .01);
	/* By a handful of batches, too: of 30 blocks each. */
	end(state);
	make_runs(10, 12, 1, 7);
	evaluate(30, false);
	assert_int_equal(rows[1].result.processes, 4);
	assert_int_equal(comparisons[1].decision, KB_SLOWER);
	/* A median of four has no CI: the number alone is not ok. */
	assert_false(rows[1].result.estimate.bounded);
	assert_int_equal(rows[1].result.verdict.status, KB_NOISY);
	assert_true(kb_verdict_has(&rows[1].result.verdict, KB_CODE_few_runs));
}

/* An outlier of the shell is subtracted from both commands of its block: what is left is below zero, and no reason to compare nothing. */
static void outliers_of_the_shell_hide_no_difference(void **state)
{
	(void)state;
	make_runs(2, 2.2, 1, 9);
	job.shell.uses[3].ticks = job.shell.uses[70].ticks = 8000000;
	evaluate(1, false);
	assert_int_equal(comparisons[1].processes, BLOCKS - 2);
	assert_int_equal(comparisons[1].decision, KB_SLOWER);
	assert_false(kb_verdict_has(&comparisons[1].verdict, KB_CODE_below_resolution));
	check_near(exp(comparisons[1].difference.ln.value), 1.1, .01);
	/* Between equal ones they make none. */
	end(state);
	make_runs(2, 2, 1, 10);
	for (size_t i = 0; i < BLOCKS; i += 4)
		job.shell.uses[i].ticks = 8000000;
	evaluate(1, false);
	assert_int_not_equal(comparisons[1].decision, KB_SLOWER);
	assert_int_not_equal(comparisons[1].decision, KB_FASTER);
}

/* Which side is faster is known; how many times is not. */
static void nothing_is_faster_than_something(void **state)
{
	(void)state;
	make_runs(20, 0, 1, 12);
	evaluate(2, false);
	assert_int_equal(comparisons[1].decision, KB_FASTER);
	assert_false(comparisons[1].difference.ln.known);
	end(state);
	make_runs(0, 20, 1, 13);
	evaluate(2, false);
	assert_int_equal(comparisons[1].decision, KB_SLOWER);
	assert_true(comparisons[1].regression);
	end(state);
	make_runs(0, 0, 1, 14);
	evaluate(2, false);
	assert_int_equal(comparisons[1].decision, KB_INCONCLUSIVE);
}

/* What takes no longer than the shell has a limit only, in a unit that people read. */
static void nothing_has_a_limit_that_can_be_read(void **state)
{
	const struct kb_verdict *verdict = &rows[0].result.verdict;
	bool read = false;

	(void)state;
	make_runs(0, 0, 1, 11);
	evaluate(2, false);
	assert_true(kb_verdict_has(verdict, KB_CODE_below_resolution));
	for (unsigned i = 0; i < verdict->count; i++)
		read |= verdict->reasons[i].code == KB_CODE_below_resolution && strstr(verdict->reasons[i].detail, " us") && !strchr(verdict->reasons[i].detail, '+');
	assert_true(read);
}

static void an_effect_of_order_is_seen(void **state)
{
	(void)state;
	make_runs(10, 10, 1.1, 8);
	evaluate(2, false);
	/* Second against first: 10 % for one, and 10 % less for the other. */
	assert_true(effects[1].order_matters);
	check_near(exp(effects[1].order.value), 1.21, .02);
	assert_int_not_equal(comparisons[1].decision, KB_SLOWER);
	assert_int_not_equal(comparisons[1].decision, KB_FASTER);
}

static void another_exit_code_is_no_evidence(void **state)
{
	(void)state;
	make_runs(10, 10, 1, 9);
	for (unsigned i = 0; i < 3; i++)
		job.commands[0].uses[i].status = 1 << 8;
	evaluate(2, false);
	assert_int_equal(rows[0].result.verdict.status, KB_INVALID);
	assert_true(kb_verdict_has(&rows[0].result.verdict, KB_CODE_expect_failed));
	assert_int_equal(comparisons[1].decision, KB_INCONCLUSIVE);
	end(state);
	make_runs(10, 10, 1, 9);
	job.commands[0].uses[0].status = 1 << 8;
	evaluate(2, true);
	assert_int_equal(rows[0].result.verdict.status, KB_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_split_as_a_shell_does),
		cmocka_unit_test_setup(commands_go_through_a_shell_or_none, begin),
		cmocka_unit_test_setup(vectors_are_words_between_dashes, begin),
		cmocka_unit_test_setup(results_of_one_name_are_told_apart, begin),
		cmocka_unit_test_setup(parameters_fill_texts_in_the_order_of_hyperfine, begin),
		cmocka_unit_test_setup(scans_are_exact, begin),
		cmocka_unit_test_setup_teardown(equal_commands_are_equivalent, begin, end),
		cmocka_unit_test_setup_teardown(a_slower_command_is_slower, begin, end),
		cmocka_unit_test_setup_teardown(outliers_of_the_shell_hide_no_difference, begin, end),
		cmocka_unit_test_setup_teardown(nothing_is_faster_than_something, begin, end),
		cmocka_unit_test_setup_teardown(nothing_has_a_limit_that_can_be_read, begin, end),
		cmocka_unit_test_setup_teardown(an_effect_of_order_is_seen, begin, end),
		cmocka_unit_test_setup_teardown(another_exit_code_is_no_evidence, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
