// Makes documents as `kbench report` puts into the page: the same for the same arguments, with results of every verdict, samples and a comparison.

/** A generator of numbers in [0, 1) (mulberry32): a test must see the same page each time. */
function random(seed) {
	return () => {
		seed = (seed + 0x6d2b79f5) | 0;
		let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);

		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
	};
}

const none = { value: null, low: null, high: null };
const interval = (value, share) => ({ value, low: value * (1 - share), high: value * (1 + share) });
const REASONS = {
	freq_drift: { severity: "cause", detail: "the core clock moved", hint: "the CI over processes covers it; compare in core cycles", text: "The clock of the core was not the same in all processes." },
	too_wide: { severity: "noisy", detail: "the 95 % CI is too wide", hint: "raise --budget, or stop other work", text: "The half-width is more than 5 % of the cost." },
	expect_unknown: { severity: "unverified", detail: "not verified", hint: "see kbench doctor", text: "No counter here can confirm the claim." },
	expect_failed: { severity: "invalid", detail: "evidence contradicts the claim", hint: "the operation happened more or less often than counted", text: "" },
	need_unmet: { severity: "skipped", detail: "requirement not met", hint: "see the reason", text: "" },
	target_met: { severity: "note", detail: "precision reached", hint: "", text: "" },
};
const VERDICTS = {
	ok: ["target_met"], noisy: ["too_wide", "freq_drift"], unverified: ["expect_unknown"], invalid: ["expect_failed"], skipped: ["need_unmet"],
};
const KINDS = [
	{ benchmark: "sys.call", domain: "SYSTEM CALLS", bound: "kernel", per: "call", cost: 120 },
	{ benchmark: "ipc.pipe_latency", domain: "IPC", bound: "kernel", per: "round-trip", cost: 4200 },
	{ benchmark: "cpu.op_latency", domain: "CPU", bound: "latency", per: "instruction", cost: 0.71 },
	{ benchmark: "mem.bw_read", domain: "MEMORY", bound: "memory", per: "pass", cost: 1500, bytes: 65536 },
	{ benchmark: "mem.latency", domain: "MEMORY", bound: "memory", per: "load", cost: 80 },
];

const reason = (code, evidence) => ({ code, severity: REASONS[code].severity, detail: REASONS[code].detail, evidence, hint: REASONS[code].hint });

function processCosts(next, cost, wide, mhz) {
	return Array.from({ length: 6 }, (_, i) => {
		const own = cost * (1 + wide * (next() - 0.5));

		return { process: i + 1, cost: own, cycles: own * mhz / 1000, observed: own * 1.04, uncontended: own, clean_share: 0.9, core_mhz: mhz, samples: 60 };
	});
}

function resultOf(next, kind, params, status) {
	const measured = status !== "skipped";
	const cost = kind.cost * (0.5 + next());
	const wide = status === "noisy" ? 0.12 : 0.01;
	const mhz = 4200;
	const core = kind.bound === "latency";

	return {
		benchmark: kind.benchmark, params, per: kind.per, unit: "ns", row: [kind.benchmark, ...Object.entries(params).map(([name, value]) => `${name}=${value}`)].join(" "), domain: kind.domain,
		confirmed_by: { ok: "counts", noisy: "counts", unverified: "missing", invalid: "against" }[status] ?? null,
		estimate: { ...measured ? interval(cost, wide) : none, confidence: 0.95, method: measured ? "slope" : "" },
		headline: "uncontended", uncontended_by: "median", observed: measured ? interval(cost * 1.04, wide * 2) : none, clean_share: measured ? 0.9 : null,
		mean: measured ? interval(cost * 1.1, wide) : none, fixed: measured ? interval(30, 0.1) : none,
		cycles: core && measured ? { estimate: interval(cost * mhz / 1000, wide), observed: interval(cost * 1.04 * mhz / 1000, wide) } : { estimate: none, observed: none },
		core_mhz: measured ? interval(mhz, 0.001) : none,
		quantiles: measured && !core ? { p1: cost * 0.97, p10: cost * 0.98, p50: cost, p90: cost * 1.1, p99: cost * 1.6 } : { p1: null, p10: null, p50: null, p90: null, p99: null },
		quantile_intervals: {}, processes: measured ? 6 : 0, processes_planned: 6, processes_contended: 0, processes_failed: 0,
		process_costs: measured ? processCosts(next, cost, wide, mhz) : [], samples: measured ? 360 : 0, disturbed: 0, n_eff: 300, n_grid: { min: 10, max: 40 },
		series: { unit: "ns", modes: [], clustered: false, spread: {}, levels: { t2: [], repeats: [], plan: [] } },
		flags: { irq: 2 }, clock: "tsc", ticks_per_ns: 2.6, bound: kind.bound, bytes_per_op: kind.bytes ?? 0, code: null,
		verdict: { status, evidence: status === "noisy" ? "ok" : status, quality: 100 * wide, reasons: VERDICTS[status].map((code) => reason(code, code === "need_unmet" ? "no such device" : "")) },
		evidence: measured ? [{ counter: "syscalls", who: "all", per_op: status === "invalid" ? 0 : 1, expected: 1, tolerance: 0.01, ok: status !== "invalid" }] : [], covariates: [],
	};
}

function samplesOf(next, result, each) {
	if (result.process_costs.length === 0)
		return null;
	const processes = result.process_costs.map(({ process, cost, core_mhz: mhz }) => {
		const n = Array.from({ length: each }, (_, i) => 10 * 2 ** (i % 3));
		const cause = n.map(() => next() < 0.1 ? "1" : "0").join("");

		return {
			process, used: true, mhz, hz: 2.6e9, t: n.map((_, i) => i * 0.1), n, cause, block: n.map((_, i) => Math.floor(i / 3)),
			y: n.map((count, i) => Number((30 + count * cost * (1 + 0.01 * next()) * (cause[i] === "1" ? 1.3 : 1)).toPrecision(4))),
			base: { n: [10, 20, 40], y: [30, 31, 33] }, single: n.map(() => cost * (1 + 0.05 * next())).sort((a, b) => a - b),
		};
	});

	return { unit: "ns", all: 360, kept: each * processes.length, causes: ["clean", "contended"], processes };
}

function comparisonOf(runs, results) {
	const decisions = ["faster", "slower", "equivalent", "inconclusive"];

	return {
		schema: "kbench-compare/2", base: { ...runs, id: "base", label: "before" }, new: runs, only_base: [], only_new: [], exit: 0,
		rows: results.filter((result) => result.estimate.value !== null).slice(0, 12).map((result, i) => ({
			row: result.row, row_new: result.row, unit: "ns", base: interval(100, 0.01), new: interval(100 * (0.94 + 0.03 * (i % 4)), 0.01),
			ratio: { ...interval(0.94 + 0.03 * (i % 4), 0.01), confidence: 0.95 }, cliffs_delta: 0, a12: 0.5, deciles: [], decision: decisions[i % 4], regression: i % 4 === 1, paired: true,
			processes: 6, margin: 0.02, detectable: 0.01, p: 0.5, p_holm: 1, q: 0.5, p_rank: null, levels: {}, verdicts: ["ok", "ok"], reasons: [],
		})),
	};
}

/** A document of `count` results with `each` samples a process. `text` stands where texts of others can stand: a label, a parameter, a reason. */
export function documentOf(count, { each = 30, text = "plain" } = {}) {
	const next = random(count);
	const statuses = ["ok", "ok", "ok", "noisy", "ok", "ok", "unverified", "ok", "invalid", "skipped"];
	const results = Array.from({ length: count }, (_, i) => resultOf(next, KINDS[i % KINDS.length], { variant: i === 0 ? text : `v${i}`, size: `${2 ** (i % 8)}K` }, statuses[Math.floor(i / KINDS.length) % statuses.length]));
	const run = {
		id: "01965e7a-0000-7000-8000-000000000001", started: "2026-05-04T10:00:00Z", finished: "2026-05-04T10:00:42Z", label: text === "plain" ? null : text, command: "kbench run --seed 7",
		settings: { tool: "kbench 0.1.0", seed: 7, precision: 0.01, budget_ns: 60000000000, processes: 6, cpus: [1, 0], floor: { k: null, from: "unknown" } },
	};

	if (count > 0)
		results[0].verdict.reasons.push({ ...reason("freq_drift", text), detail: text });
	return {
		schema: "kbench-report/1", tool: "kbench 0.1.0", made: "2026-05-04T10:01:00Z", comparison: comparisonOf(run, results), floor: null, history: [], papers: null, reasons: REASONS,
		runs: [{ run, env: { id: "0123456789abcdef", facts: { cpu_model: `Example CPU ${text}`, cpus: "2", hypervisor: "kvm", kernel: "6.1.0" }, readings: {} }, results, timeline: [], samples: results.map((result) => samplesOf(next, result, each)) }],
	};
}

/** The page with a document in it, as kbench writes it. */
export function pageOf(template, document) {
	const json = JSON.stringify(document).replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

	return template.replace("@KBENCH_DATA@", () => json);
}
