/*
 * A run that never changes, its table as text, and tables as files in test/golden. KB_GOLDEN=write makes them anew; look at them before they
 * are committed.
 */
#ifndef KB_TEST_REPORT_MADE_RUN_H
#define KB_TEST_REPORT_MADE_RUN_H

#include "report/text/table.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

static inline void has(const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

#endif
