/*
 * The table as people see it, byte for byte, and the rules that hold for every table. Whole tables are files in test/golden:
 * table-WIDTH-CHARSET.txt. KB_GOLDEN=write makes them anew; look at them before they are committed.
 */
#include "unit/report/made_run.h"

#include "report/text/number_format.h"
#include "report/text/table_cells.h"

static void golden(unsigned width, bool utf8)
{
	char name[64];

	make_run();
	table(run, run_count, (struct kb_style){ .utf8 = utf8, .width = width });
	assert_true(fixed_widest(text) <= width);
	assert_true(utf8 || fixed_is_ascii(text));
	assert_null(strstr(text, " \n"));
	snprintf(name, sizeof name, "table-%u-%s", width, utf8 ? "utf8" : "ascii");
	equals_file(name);
}

static void utf8_80(void **state) { (void)state; golden(80, true); }
static void utf8_100(void **state) { (void)state; golden(100, true); }
static void utf8_140(void **state) { (void)state; golden(140, true); }
static void ascii_80(void **state) { (void)state; golden(80, false); }
static void ascii_100(void **state) { (void)state; golden(100, false); }
static void ascii_140(void **state) { (void)state; golden(140, false); }

/* ---- rules ---------------------------------------------------------------------------------------- */

/* Without a known width it is a page of 100 columns, and no width that a person may have breaks a line. */
static void fits(void **state)
{
	(void)state;
	make_run();
	snprintf(run[3].params, sizeof run[3].params, "placement=a-very-long-placement-of-two-tasks-that-fits-no-column bytes=1");
	for (unsigned width = 80; width <= 160; width += 5) {
		table(run, run_count, (struct kb_style){ .utf8 = true, .width = width });
		assert_true(fixed_widest(text) <= width);
		has("a-very-long-placement-of-two-tasks-that-fits-no-column");
		free(text);
	}
	table(run, run_count, (struct kb_style){ .utf8 = true });
	assert_true(fixed_widest(text) <= 100);
	free(text);
}

/* Each result is one line. */
static void lines(void **state)
{
	size_t count = 0;

	(void)state;
	make_run();
	table(run, run_count, (struct kb_style){ .utf8 = true, .width = 100 });
	for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
		count++;
	/* Heading, warning, titles, and two lines of counts; eight groups. */
	assert_int_equal(count, run_count + 5 + 8);
	free(text);
}

/* What the warning says of all results stands in no line; what only some have does. */
static void contention_is_said_once(void **state)
{
	(void)state;
	make_run();
	table(run, run_count, (struct kb_style){ .utf8 = true, .width = 140 });
	has("shared host: the core was contended 25 % of the time");
	has("noisy       wide, contention, outliers\n");
	free(text);
	/* A partner was not probed: this cost includes it, and is told apart. */
	run[0].headline = KB_HEADLINE_OBSERVED;
	table(run, run_count, (struct kb_style){ .utf8 = true, .width = 140 });
	has("ok          contention\n");
	free(text);
	make_run();
	for (size_t i = 0; i < run_count; i++) {
		run[i].clean_share = NAN;
		run[i].verdict.count = 0;
		reason(&run[i], KB_CODE_contention, "");
	}
	table(run, run_count, (struct kb_style){ .utf8 = true, .width = 140 });
	assert_null(strstr(text, "shared host"));
	has("  contention\n");
	free(text);
	for (size_t i = 0; i < run_count; i++) {
		run[i].clean_share = 0.25;
		reason(&run[i], KB_CODE_contention_not_excluded, "this CPU model is not known, and never looked uncontended");
	}
	table(run, run_count, (struct kb_style){ .utf8 = true, .width = 200 });
	has("\ncontention not excluded: this CPU model is not known, and never looked uncontended; costs include it\n");
	free(text);
}

/* All results with one reason alone. */
static void only_reason(enum kb_reason_code code, const char *detail)
{
	make_run();
	for (size_t i = 0; i < run_count; i++) {
		run[i].clean_share = NAN;
		run[i].verdict = (struct kb_verdict){ .status = KB_OK };
		kb_verdict_add(&run[i].verdict, code, "%s", detail);
	}
}

/* What nobody probed makes no result noisy, and the line tells whose contention it is. */
static void partners_are_not_probed(void **state)
{
	struct kb_style wide = { .utf8 = true, .width = 140 };

	(void)state;
	only_reason(KB_CODE_partner_not_probed, "on another machine; what it and the network do is in the cost");
	table(run, run_count, wide);
	has("\na partner was not probed: on another machine; what it and the network do is in the cost\n");
	assert_null(strstr(text, "noisy"));
	free(text);
	table(run, run_count, (struct kb_style){ .utf8 = true, .width = 80 });
	has("\na partner on another CPU was not probed for contention; costs include it\n");
	free(text);
	only_reason(KB_CODE_partner_not_probed, "");
	table(run, run_count, wide);
	has("\na partner on another CPU was not probed for contention; costs include it\n");
	free(text);
	/* One of them is noisy for it, and the others are not. */
	run[2].verdict = (struct kb_verdict){ .status = KB_OK };
	kb_verdict_add(&run[2].verdict, KB_CODE_contention_not_excluded, "1 of 5 processes had enough uncontended time, 3 are needed");
	table(run, run_count, wide);
	has("\ncontention is not excluded; costs include it\n");
	free(text);
	only_reason(KB_CODE_contention_not_excluded, "");
	table(run, run_count, wide);
	has("\ncontention is not excluded, which makes results noisy; costs include it\n");
	free(text);
}

/* In half of the lines a tag tells nothing any more; in three of them it does. */
static void a_moved_clock_is_said_once(void **state)
{
	(void)state;
	make_run();
	for (size_t i = 0; i < run_count; i++)
		reason(&run[i], KB_CODE_freq_drift, "4091 to 4275 MHz between processes");
	table(run, run_count, (struct kb_style){ .utf8 = true, .width = 200 });
	has("'observed' includes it; the core clock moved in 13 results, and their CIs cover that\n");
	assert_null(strstr(text, "clock moved\n"));
	free(text);
	make_run();
	for (size_t i = 0; i < 4; i++)
		reason(&run[i], KB_CODE_freq_drift, "");
	table(run, run_count, (struct kb_style){ .utf8 = true, .width = 200 });
	has("ok          clock moved\n");
	free(text);
}

/* A single result is printed with what decided its verdict and with causes; notes only where they are asked for. */
static void one_result(void **state)
{
	(void)state;
	make_run();
	reason(&run[4], KB_CODE_flat, "");
	table(&run[4], 1, (struct kb_style){ .utf8 = true, .width = 100 });
	has("    noisy: the 95 % CI is too wide (±12.0 %, limit ±5 %)\n");
	has("    cause: outliers");
	assert_null(strstr(text, "note: "));
	assert_null(strstr(text, "shared host"));
	free(text);
	table(&run[4], 1, (struct kb_style){ .width = 100, .notes = true });
	has("note: no warm-up seen");
	has("too wide (+-12.0 %, limit +-5 %); raise");
	assert_true(strstr(text, "noisy: ") < strstr(text, "note: "));
	free(text);
}

static void colours(void **state)
{
	char *plain;

	(void)state;
	make_run();
	plain = table(run, run_count, (struct kb_style){ .utf8 = true, .width = 100 });
	assert_null(strchr(plain, '\033'));
	free(text);
	table(run, run_count, (struct kb_style){ .utf8 = true, .width = 100, .colour = true });
	has("\033[32mok\033[0m\n");
	has("\033[33mnoisy\033[0m");
	has("\033[33munverified\033[0m");
	has("\033[31minvalid\033[0m");
	has("\033[2mskipped\033[0m");
	free(text);
}

static void units(void **state)
{
	static const struct { const char *unit, *shown[3]; } cases[] = {
		{ NULL, { " 3.001 cy ", " 4.24 GB/s ", " 1.066 us " } }, { "ns", { " 0.8100 ns ", " 15460 ns ", " 1066 ns " } },
		{ "us", { " 0.000810 us ", " 15.46 us ", " 1.066 us " } }, { "cycles", { " 3.001 cy ", " 15.46 us ", " 1.066 us " } },
	};

	(void)state;
	make_run();
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		table(run, run_count, (struct kb_style){ .utf8 = true, .width = 140, .unit = cases[i].unit });
		for (int k = 0; k < 3; k++)
			has(cases[i].shown[k]);
		free(text);
	}
}

/* The interval of a rate is that of the time, turned over; ticks of a clock without rate are none. */
static void rates(void **state)
{
	struct kb_result result = fixed_pipe();

	(void)state;
	result.bytes_per_op = 65536;
	result.estimate = (struct kb_estimate){ 65536, 64000, 67000, true, true };
	table(&result, 1, (struct kb_style){ 0 });
	has(" 1.00 GB/s ");
	free(text);
	result.ticks_per_ns = 0;
	table(&result, 1, (struct kb_style){ 0 });
	has(" ticks ");
	free(text);
}

/* A domain that has no heading would stand under OTHER. */
static void every_domain_has_a_heading(void **state)
{
	const char *source = getenv("KB_SRC");
	static const char *const others[] = { "kernel.null", "plugin.mine" };
	char path[512];
	struct dirent *entry;
	DIR *directory;

	(void)state;
	snprintf(path, sizeof path, "%s/bench", source ? source : ".");
	directory = opendir(path);
	assert_non_null(directory);
	while ((entry = readdir(directory)) != NULL) {
		snprintf(path, sizeof path, "%.200s.x", entry->d_name);
		if (entry->d_name[0] != '.' && kb_group_of(path) == kb_group_count - 1)
			fail_msg("domain %s has no heading", entry->d_name);
	}
	closedir(directory);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		assert_true(kb_group_of(others[i]) < kb_group_count - 1);
	assert_string_equal(kb_group_heading(kb_group_of("sy.x")), "OTHER");
}

/* One result in all detail; nothing that is unknown may look like a number. */
static void detail(void **state)
{
	struct kb_result results[] = { fixed_pipe(), fixed_add(), fixed_crash() };
	const char *const expected[][7] = {
		{ "typical     2.41225 [2.39750, 2.42700] us", "syscalls of all: cannot be read here, expected 4",
		  "nvcsw of all: 2, expected 2 +-0.01 per operation: holds", "flags       gap 3\n",
		  "typical, of a stored run of version 1", "each        2.402 2.423 us\n", "" },
		{ "uncontended 1.00020 [0.999000, 1.00140] cycles", "4103.00 [4100.00, 4106.00] MHz", "machine code with hash 9a3f01c2",
		  "4 used, 5 planned, 1 failed", "75.0 % of the samples ran on an uncontended core",
		  "observed    1.10000 [1.08900, 1.11100] cycles",
		  "at most 600 blocks of samples a process, 1800 where uncontended time is missing" },
		{ "method none, clock tsc", "0 used, 5 planned, 1 failed", "effective sample size 0", "", "", "", "" },
	};

	(void)state;
	results[0].headline = KB_HEADLINE_TYPICAL;
	results[0].clean_share = results[2].clean_share = NAN;
	results[1].headline = KB_HEADLINE_UNCONTENDED;
	results[1].clean_share = 0.75;
	results[1].observed_cycles = around(1.1, 1);
	for (size_t i = 0; i < 3; i++) {
		FILE *out = open_memstream(&text, &length);

		kb_detail_print(out, &results[i], &(struct kb_style){ 0 });
		fclose(out);
		for (size_t j = 0; j < 7; j++)
			has(expected[i][j]);
		assert_null(strstr(text, "nan"));
		assert_null(strstr(text, "interval"));
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(utf8_80), cmocka_unit_test(utf8_100), cmocka_unit_test(utf8_140), cmocka_unit_test(ascii_80),
		cmocka_unit_test(ascii_100), cmocka_unit_test(ascii_140), cmocka_unit_test(fits), cmocka_unit_test(lines),
		cmocka_unit_test(contention_is_said_once), cmocka_unit_test(partners_are_not_probed), cmocka_unit_test(a_moved_clock_is_said_once),
		cmocka_unit_test(one_result), cmocka_unit_test(colours), cmocka_unit_test(units), cmocka_unit_test(rates), cmocka_unit_test(every_domain_has_a_heading), cmocka_unit_test(detail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
