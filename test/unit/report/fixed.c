/* See fixed.h. */
#include "unit/report/fixed.h"

#include <math.h>
#include <stdio.h>

static struct kb_estimate between(double low, double value, double high)
{
	return (struct kb_estimate){ .value = value, .low = low, .high = high, .known = true, .bounded = true };
}

static void add_reason(struct kb_verdict *verdict, enum kb_reason_code code, const char *detail)
{
	struct kb_reason *reason = &verdict->reasons[verdict->count++];

	reason->code = code;
	snprintf(reason->detail, sizeof reason->detail, "%s", detail);
}

struct kb_result fixed_pipe(void)
{
	struct kb_result result = {
		.benchmark = "ipc.pipe_latency", .params = "placement=same-cpu", .per = "round-trip", .method = KB_METHOD_SLOPE,
		.clock = "tsc", .bound = KB_KERNEL, .ticks_per_ns = 2.299998, .estimate = between(2397.5, 2412.25, 2427),
		.headline = KB_HEADLINE_UNCONTENDED, .observed = between(2480, 2520.5, 2561),
		.clean_share = 0.625, .waited_share = 0.125, .mean = between(2500, 2550, 2600), .fixed = between(30, 41, 52),
		.processes = 5, .processes_planned = 6, .processes_contended = 1, .observations = 400, .disturbed = 3, .n_eff = 212.5,
		.n_min = 10, .n_max = 80, .evidence_count = 2,
	};

	for (int i = 0; i < KB_QUANTILES; i++)
		result.quantile[i] = between(2300 + 100 * i, 2310 + 100 * i, 2330 + 100 * i);
	result.flags[6] = 3;
	result.evidence[0] = (struct kb_finding_evidence){
		.counter = "nvcsw", .who = "all", .per_op = 2, .expected = 2, .tolerance = 0.01, .known = true,
		.ok = true,
	};
	result.evidence[1] = (struct kb_finding_evidence){
		.counter = "syscalls", .who = "all", .expected = 4, .tolerance = 0,
	};
	result.process_costs[0] = (struct kb_process_cost){
		.process = 1, .cost = 2401.5, .observed = 2507.5, .uncontended = 2401.5, .clean_share = 0.5, .mhz = 4103, .used = 210,
	};
	result.process_costs[1] = (struct kb_process_cost){
		.process = 3, .cost = 2423, .observed = 2533, .uncontended = 2423, .clean_share = 0.75, .used = 190,
	};
	result.process_cost_count = 2;
	result.modes[0] = (struct kb_result_mode){ 2402.5, 0.75 };
	result.modes[1] = (struct kb_result_mode){ 2608, 0.25 };
	result.mode_count = 2;
	result.modes_clustered = true;
	result.spread = (struct kb_result_spread){ 40.5, 44.25, 21.5, 30.75 };
	result.levels = (struct kb_result_levels){
		.known = true, .split = { .count = 2, .repeats = { 100, 5 }, .t2 = { 462.25, -3.5 } }, .plan = { 60, 14 },
	};
	add_reason(&result.verdict, KB_CODE_contention, "in 2 of 6 processes; 62 % of the samples are uncontended");
	add_reason(&result.verdict, KB_CODE_target_met, "\u00b10.61 %");
	return result;
}

struct kb_result fixed_add(void)
{
	struct kb_result result = {
		.benchmark = "cpu.op_latency", .params = "op=add", .per = "add", .method = KB_METHOD_SLOPE, .clock = "tsc",
		.bound = KB_LATENCY, .ticks_per_ns = 2.299998, .estimate = between(0.24348, 0.24378, 0.24408),
		.headline = KB_HEADLINE_OBSERVED, .observed = between(0.24348, 0.24378, 0.24408), .clean_share = NAN, .waited_share = NAN,
		.estimate_cycles = between(0.999, 1.0002, 1.0014), .observed_cycles = between(0.999, 1.0002, 1.0014),
		.core_mhz = between(4100, 4103, 4106), .processes = 4, .processes_planned = 5, .processes_failed = 1, .observations = 320, .disturbed = 0, .n_eff = 300,
		.n_min = 3000, .n_max = 24000, .code = "9a3f01c2",
	};

	result.process_costs[0] = (struct kb_process_cost){
		.process = 2, .cost = 0.24378, .cycles = 1.0002, .observed = 0.24378, .uncontended = NAN, .clean_share = NAN, .mhz = 4103,
		.used = 320,
	};
	result.process_cost_count = 1;
	result.verdict.status = KB_NOISY;
	add_reason(&result.verdict, KB_CODE_flat, "");
	add_reason(&result.verdict, KB_CODE_freq_drift, "4010 to 4103 MHz between processes");
	return result;
}

struct kb_result fixed_crash(void)
{
	struct kb_result result = {
		.benchmark = "plugin.broken", .per = "call", .clock = "tsc", .ticks_per_ns = 2.299998,
		.clean_share = NAN, .waited_share = NAN, .processes_planned = 5, .processes_failed = 1,
	};

	result.verdict.status = KB_INVALID;
	add_reason(&result.verdict, KB_CODE_crashed, "signal 11 in op");
	return result;
}

unsigned fixed_widest(const char *text)
{
	unsigned most = 0, columns = 0;

	for (; *text; text++) {
		if (*text == '\n')
			columns = 0;
		else if (((unsigned char)*text & 0xc0) != 0x80 && ++columns > most)
			most = columns;
	}
	return most;
}

bool fixed_is_ascii(const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text > 126)
			return false;
	}
	return true;
}
