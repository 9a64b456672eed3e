/* See fixed.h. */
#include "unit/report/fixed.h"

#include <stdio.h>

static struct kb_estimate between(double low, double value, double high)
{
	return (struct kb_estimate){ .value = value, .low = low, .high = high, .known = true, .bounded = true };
}

static void add_reason(struct kb_verdict *verdict, enum kb_code code, const char *detail)
{
	struct kb_reason *reason = &verdict->reasons[verdict->count++];

	reason->code = code;
	snprintf(reason->detail, sizeof reason->detail, "%s", detail);
}

struct kb_result fixed_pipe(void)
{
	struct kb_result result = {
		.benchmark = "ipc.pipe_latency", .params = "placement=same-cpu", .per = "round-trip", .method = "slope",
		.clock = "tsc", .bound = KB_KERNEL, .ticks_per_ns = 2.299998, .typical = between(2397.5, 2412.25, 2427),
		.quiet = between(2380, 2390.75, 2401), .mean = between(2400, 2450, 2500), .fixed = between(30, 41, 52),
		.launches = 5, .launches_planned = 5, .observations = 400, .disturbed = 3, .n_eff = 212.5,
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
	result.launch_costs[0] = (struct kb_launch_cost){ .launch = 1, .cost = 2401.5, .used = 210 };
	result.launch_costs[1] = (struct kb_launch_cost){ .launch = 3, .cost = 2423, .used = 190 };
	result.launch_cost_count = 2;
	result.modes[0] = (struct kb_result_mode){ 2402.5, 0.75 };
	result.modes[1] = (struct kb_result_mode){ 2608, 0.25 };
	result.mode_count = 2;
	result.modes_clustered = true;
	result.spread = (struct kb_result_spread){ 40.5, 44.25, 21.5, 30.75 };
	result.levels = (struct kb_result_levels){
		.known = true, .split = { .count = 2, .repeats = { 100, 5 }, .t2 = { 462.25, -3.5 } }, .plan = { 60, 14 },
	};
	add_reason(&result.verdict, KB_CODE_target_met, "0.61 % reached, 1 % asked");
	return result;
}

struct kb_result fixed_add(void)
{
	struct kb_result result = {
		.benchmark = "cpu.op_latency", .params = "op=add", .per = "add", .method = "slope", .clock = "tsc",
		.bound = KB_LATENCY, .ticks_per_ns = 2.299998, .typical = between(0.24348, 0.24378, 0.24408),
		.quiet = between(0.2435, 0.2436, 0.2437), .typical_cycles = between(0.999, 1.0002, 1.0014),
		.quiet_cycles = between(0.9996, 1, 1.0004), .core_mhz = between(4100, 4103, 4106), .launches = 4,
		.launches_planned = 5, .launches_left_out = 1, .observations = 320, .disturbed = 0, .n_eff = 300,
		.n_min = 3000, .n_max = 24000, .code = "9a3f01c2",
	};

	result.launch_costs[0] = (struct kb_launch_cost){ .launch = 2, .cost = 0.24378, .cycles = 1.0002, .used = 320 };
	result.launch_cost_count = 1;
	result.verdict.status = KB_NOISY;
	add_reason(&result.verdict, KB_CODE_flat, "");
	add_reason(&result.verdict, KB_CODE_sentinel_off, "1 of 5");
	return result;
}

struct kb_result fixed_crash(void)
{
	struct kb_result result = {
		.benchmark = "plugin.broken", .per = "call", .clock = "tsc", .ticks_per_ns = 2.299998,
		.launches_planned = 5, .launches_failed = 1,
	};

	result.verdict.status = KB_INVALID;
	add_reason(&result.verdict, KB_CODE_crashed, "signal 11 in op");
	return result;
}
