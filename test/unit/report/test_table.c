/*
 * The table as people see it, byte for byte, and the rules that hold for every table. Whole tables are files in test/golden:
 * table-WIDTH-CHARSET.txt. KB_GOLDEN=write makes them anew; look at them before they are committed.
 */
#include "report/text/table.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/text/number_format.h"
#include "report/text/table_cells.h"
#include "unit/report/fixed.h"

/* ---- a run ---------------------------------------------------------------------------------------- */

#define RESULTS_MAX 32

static struct kb_result run[RESULTS_MAX];
static size_t run_count;

static struct kb_estimate around(double value, double percent)
{
	double half = value * percent / 100;

	return (struct kb_estimate){ value, value - half, value + half, true, true };
}

static void reason(struct kb_result *result, enum kb_reason_code code, const char *detail)
{
	kb_verdict_add(&result->verdict, code, "%s", detail);
}

/* What all results have; a cost of 0 ns is none. */
static struct kb_result *add(const char *benchmark, const char *params, const char *per, enum kb_bound bound, double ns, double percent)
{
	struct kb_result *result = &run[run_count++];

	*result = (struct kb_result){ .bound = bound, .ticks_per_ns = 2.5, .headline = KB_HEADLINE_UNCONTENDED, .clean_share = 0.75 };
	snprintf(result->benchmark, sizeof result->benchmark, "%s", benchmark);
	snprintf(result->params, sizeof result->params, "%s", params);
	snprintf(result->per, sizeof result->per, "%s", per);
	if (ns > 0) {
		result->estimate = around(ns, percent);
		result->observed = around(1.25 * ns, percent);
		reason(result, KB_CODE_contention, "25 % of the samples were contended");
	}
	result->evidence[0] = (struct kb_finding_evidence){ .counter = "syscalls", .expected = 1, .known = true, .ok = true };
	result->evidence_count = ns > 0;
	return result;
}

static void processes(struct kb_result *result, unsigned count, const double *parts)
{
	for (unsigned i = 0; i < count; i++) {
		result->process_costs[i].cost = result->estimate.value * parts[i];
		result->process_costs[i].cycles = result->estimate_cycles.value * parts[i];
	}
	result->process_cost_count = count;
}

static const double equal[] = { 1, 1.001, 0.999, 1, 1.002 }, apart[] = { 1, 1.25, 0.75, 1.1, 0.95, 1, 1, 1.02, 9, 9 };

static void add_kernel(void)
{
	struct kb_result *result = add("sys.null", "", "call", KB_KERNEL, 187.1, 0.2);

	processes(result, 5, equal);
	result = add("sys.stat", "depth=1", "call", KB_KERNEL, 1066, 0.4);
	result->quantile[KB_P99] = around(3370, 5);
	processes(result, 10, apart);
	reason(result, KB_CODE_changepoint, "in 2 of 4 processes");
	reason(result, KB_CODE_inconsistent, "the same tag");
	result = add("sys.perf_read", "", "call", KB_KERNEL, 0, 0);
	reason(result, KB_CODE_need_unmet, "perf_event_open: this kernel does not allow it to users, see perf_event_paranoid");
	result = add("ipc.pipe_latency", "placement=same-cpu bytes=1", "round-trip", KB_KERNEL, 6050, 0.3);
	result->quantile[KB_P99] = around(15300, 5);
	add("ipc.pipe_latency", "placement=one-process bytes=1", "round-trip", KB_KERNEL, 720, 12);
	reason(&run[run_count - 1], KB_CODE_too_wide, "±12.0 %, limit ±5 %");
	reason(&run[run_count - 1], KB_CODE_contention_not_excluded, "");
	reason(&run[run_count - 1], KB_CODE_robust_disagrees, "");
	result = add("ipc.pipe_bw", "chunk=64K placement=same-cpu", "chunk", KB_KERNEL, 15460, 0.5);
	result->bytes_per_op = 65536;
	processes(result, 5, apart);
	result = add("net.tcp_connect", "", "connection", KB_KERNEL, 48200, 1500);
	result->headline = KB_HEADLINE_TYPICAL;
	result->observed.known = false;
	reason(result, KB_CODE_too_wide, "±1500 %, limit ±5 %");
	result = add("fs.create", "on=disk size=0", "file", KB_KERNEL, 5400, 2);
	reason(result, KB_CODE_expect_unknown, "syscalls of all cannot be counted here");
	result->evidence_count = 0;
}

static void add_core(void)
{
	struct kb_result *result = add("cpu.op_latency", "op=imul", "instruction", KB_LATENCY, 0.81, 0.1);

	result->estimate_cycles = around(3.0011, 0.1);
	result->observed_cycles = around(2.996, 0.5);
	processes(result, 5, equal);
	result = add("cpu.op_latency", "op=add", "instruction", KB_LATENCY, 0.27, 2);
	result->estimate_cycles = around(1.0002, 2);
	result->observed_cycles = around(1.2, 2);
	result->evidence_count = 0;
	add("mem.latency", "size=16K pages=small", "load", KB_MEMORY, 1.08, 0.4);
	add("mem.latency", "size=64M pages=small", "load", KB_MEMORY, 77.2, 6.1);
	reason(&run[run_count - 1], KB_CODE_too_wide, "±6.1 %, limit ±5 %");
	result = add("plugin.broken", "", "call", KB_KERNEL, 0, 0);
	result->clean_share = NAN;
	reason(result, KB_CODE_crashed, "process 1: signal 11 in op");
	result = add("made.elsewhere", "", "thing", KB_KERNEL, 2.5e9, 1);
	result->bytes_per_op = 1000000;
	result = add("self.empty", "", "iteration", KB_NOTHING, 0, 0);
	result->estimate = (struct kb_estimate){ -0.000002, -0.014, 0.013, true, true };
	result->evidence_count = 0;
}

static void make_run(void)
{
	run_count = 0;
	add_kernel();
	add_core();
}

/* ---- printing ------------------------------------------------------------------------------------- */

/* static: gcc takes what fclose stores there for the address of a dead variable. */
static char *text;
static size_t length;

static struct kb_table_options table_options;

static char *table(const struct kb_result *results, size_t count, struct kb_style look)
{
	static const struct kb_heading heading = { "standard", "AMD EPYC", "kvm", "2", "6.18.44", 59.2 };
	const struct kb_result *pointers[RESULTS_MAX];
	FILE *out = open_memstream(&text, &length);

	for (size_t i = 0; i < count; i++)
		pointers[i] = &results[i];
	kb_table_heading(out, &heading, count, &look);
	kb_table_print(out, pointers, count, true, &look, &table_options);
	kb_table_count(out, pointers, count, &look);
	fclose(out);
	return text;
}

static char *read_file(const char *path)
{
	static char content[1 << 16];
	FILE *in = fopen(path, "r");
	size_t got = in ? fread(content, 1, sizeof content - 1, in) : 0;

	content[got] = '\0';
	if (in)
		fclose(in);
	return content;
}

static void equals_file(const char *name)
{
	const char *directory = getenv("KB_SRC"), *mode = getenv("KB_GOLDEN");
	char path[512];

	snprintf(path, sizeof path, "%s/test/golden/%s.txt", directory ? directory : ".", name);
	if (mode && !strcmp(mode, "write")) {
		FILE *out = fopen(path, "w");

		assert_non_null(out);
		fputs(text, out);
		fclose(out);
	}
	assert_string_equal(text, read_file(path));
	free(text);
}

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

/* Against a baseline: slower, slower but not surely, faster, equivalent; a bandwidth that became lower; and results that it does not have. */
static void changes(void **state)
{
	static struct kb_comparison rows[RESULTS_MAX];
	static const struct { enum kb_decision decision; double ln; bool regression; } made[] = {
		{ KB_SLOWER, 0.041, true }, { KB_SLOWER, 0.02, false }, { KB_INCONCLUSIVE, 0.3, false }, { KB_EQUIVALENT, 0.001, false },
		{ KB_FASTER, -0.35, false }, { KB_SLOWER, 0.12, true },
	};

	(void)state;
	make_run();
	for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
		rows[i] = (struct kb_comparison){ .counts = true, .decision = made[i].decision, .regression = made[i].regression,
						  .difference.ln.value = made[i].ln };
	table_options.changes = rows;
	for (unsigned width = 80; width <= 140; width += width == 80 ? 20 : 40) {
		char name[64];

		table(run, run_count, (struct kb_style){ .utf8 = true, .width = width });
		assert_true(fixed_widest(text) <= width);
		snprintf(name, sizeof name, "table-changes-%u", width);
		equals_file(name);
	}
	table_options.changes = NULL;
}

/* The names of the lines, without parameters. */
static void lines_are(const char *names)
{
	char found[1024] = "";
	char *rest = text;

	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		if (line[0] == ' ' && line[1] == ' ' && line[2] != ' ' && line[2] != '\'')
			snprintf(found + strlen(found), sizeof found - strlen(found), "%s%.*s", found[0] ? " " : "", (int)strcspn(line + 2, " "), line + 2);
	}
	assert_string_equal(found, names);
	free(text);
}

static void orders(void **state)
{
	const struct kb_style plain = { .width = 200 };

	make_run();
	(void)state, table_options.order = KB_TABLE_NAME;
	table(run, run_count, plain);
	assert_null(strstr(text, "SYSTEM CALLS"));
	lines_are("cpu.op_latency cpu.op_latency fs.create ipc.pipe_bw ipc.pipe_latency ipc.pipe_latency made.elsewhere mem.latency mem.latency "
		  "net.tcp_connect plugin.broken sys.null sys.perf_read sys.stat");
	table_options.order = KB_TABLE_COST;
	table(run, run_count, plain);
	lines_are("made.elsewhere net.tcp_connect ipc.pipe_bw ipc.pipe_latency fs.create sys.stat ipc.pipe_latency sys.null mem.latency "
		  "mem.latency cpu.op_latency cpu.op_latency plugin.broken sys.perf_read");
	table_options.order = KB_TABLE_CI;
	table(run, run_count, plain);
	lines_are("net.tcp_connect ipc.pipe_latency mem.latency cpu.op_latency fs.create made.elsewhere ipc.pipe_bw mem.latency sys.stat "
		  "ipc.pipe_latency sys.null cpu.op_latency plugin.broken sys.perf_read");
	table_options.order = KB_TABLE_VERDICT;
	table(run, run_count, plain);
	lines_are("plugin.broken fs.create ipc.pipe_latency mem.latency net.tcp_connect cpu.op_latency cpu.op_latency ipc.pipe_bw "
		  "ipc.pipe_latency made.elsewhere mem.latency sys.null sys.stat sys.perf_read");
	table_options.order = KB_TABLE_DOMAIN;
}

static void quiet(void **state)
{
	const struct kb_result *pointers[RESULTS_MAX];
	FILE *out = open_memstream(&text, &length);

	(void)state;
	make_run();
	for (size_t i = 0; i < run_count; i++)
		pointers[i] = &run[i];
	kb_table_print(out, pointers, run_count, true, &(struct kb_style){ .width = 100 }, &(struct kb_table_options){ .quiet = true });
	fclose(out);
	assert_null(strstr(text, "shared host"));
	assert_non_null(strstr(text, "\n  sys.null"));
	/* What the warning would have told, lines do. */
	assert_non_null(strstr(text, "ok          conten..."));
	free(text);
}

static void utf8_80(void **state) { (void)state; golden(80, true); }
static void utf8_100(void **state) { (void)state; golden(100, true); }
static void utf8_140(void **state) { (void)state; golden(140, true); }
static void ascii_80(void **state) { (void)state; golden(80, false); }
static void ascii_100(void **state) { (void)state; golden(100, false); }
static void ascii_140(void **state) { (void)state; golden(140, false); }

static void has(const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

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
		cmocka_unit_test(ascii_100), cmocka_unit_test(ascii_140), cmocka_unit_test(changes), cmocka_unit_test(orders),
		cmocka_unit_test(quiet), cmocka_unit_test(fits), cmocka_unit_test(lines),
		cmocka_unit_test(contention_is_said_once), cmocka_unit_test(a_moved_clock_is_said_once), cmocka_unit_test(one_result), cmocka_unit_test(colours),
		cmocka_unit_test(units), cmocka_unit_test(rates), cmocka_unit_test(every_domain_has_a_heading), cmocka_unit_test(detail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
