// Draws every chart, without a browser, from documents with everything and with nothing in them: no exception, no attribute that is no number,
// no style attribute, no markup made of texts. What it looks like, a person must see.
import assert from "node:assert/strict";
import { test } from "node:test";

// ---- the little of a document's interface that charts use -----------------------------------------------

class Node_ {
	constructor(name) {
		Object.assign(this, { name, attributes: new Map(), children: [], style: {}, hidden: false, clientWidth: 640, offsetWidth: 120, offsetHeight: 60, listeners: {} });
		this.classList = { add: (...names) => this.setAttribute("class", [this.attributes.get("class"), ...names].filter(Boolean).join(" ")) };
	}
	get childElementCount() { return this.children.filter((c) => c instanceof Node_).length; }
	get textContent() { return this.children.map((c) => typeof c === "string" ? c : c.textContent).join(""); }
	set textContent(text) { this.children = [String(text)]; }
	set innerHTML(text) { throw new Error(`markup made of text: ${text}`); }
	setAttribute(name, value) { this.attributes.set(name, String(value)); }
	append(...nodes) { for (const node of nodes) { this.children.push(node); if (node instanceof Node_) node.parent = this; } }
	before(node) { this.parent.children.splice(this.parent.children.indexOf(this), 0, node); node.parent = this.parent; }
	replaceChildren(...nodes) { this.children = []; this.append(...nodes); }
	addEventListener(name, listener) { (this.listeners[name] ??= []).push(listener); }
	fire(name, event = {}) { for (const listener of this.listeners[name] ?? []) listener({ preventDefault() {}, clientX: 200, clientY: 100, ...event }); }
	*all() { for (const child of this.children) if (child instanceof Node_) { yield child; yield* child.all(); } }
	querySelectorAll(selector) {
		const last = selector.split(" ").pop();
		const is = (node) => last.startsWith(".") ? (node.attributes.get("class") ?? "").split(" ").includes(last.slice(1)) : node.name === last;
		return [...this.all()].filter(is);
	}
	querySelector(selector) { return this.querySelectorAll(selector)[0] ?? null; }
	getBoundingClientRect() { return { left: 0, top: 0, width: 640, height: 300 }; }
	getContext() { return { measureText: (text) => ({ width: text.length * 6.5 }) }; }
	matches() { return true; }
	focus() {}
}

globalThis.document = {
	createElement: (name) => new Node_(name), createElementNS: (_, name) => new Node_(name),
	createTextNode: (text) => String(text),
};

const NAMES = ["strips", "samples", "distribution", "line", "history", "forest", "sweep", "rings", "timeline", "scaling", "interference", "heat", "papers"];
const charts = Object.fromEntries(await Promise.all(NAMES.map(async (name) => [name, await import(`../src/charts/${name}.js`)])));

// ---- documents --------------------------------------------------------------------------------------------

const HOSTILE = "<img src=x onerror=alert(1)>";
const interval = (value, by = 0.02) => ({ value, low: value === null ? null : value * (1 - by), high: value === null ? null : value * (1 + by) });
const nothing = interval(null);

function result(benchmark, params, value, more = {}) {
	return {
		benchmark, params, row: [benchmark, ...Object.entries(params).map(([k, v]) => `${k}=${v}`)].join(" "), unit: "ns", estimate: { ...interval(value), method: "slope" }, observed: interval(value === null ? null : value * 1.1),
		headline: "uncontended", cycles: { estimate: nothing, observed: nothing }, core_mhz: interval(3000), bytes_per_op: 0, quantiles: {}, quantile_intervals: {}, series: { unit: "ns", modes: [] },
		process_costs: [1, 2].map((process) => ({ process, cost: value, observed: value, uncontended: value, clean_share: 0.5, core_mhz: 3000, samples: 100 })), verdict: { status: "ok", reasons: [] }, ...more,
	};
}

function samplesOf(value, single) {
	const processes = [1, 2].map((process) => {
		const n = Array.from({ length: 40 }, (_, i) => 100 * 2 ** (i % 3));
		const y = n.map((k, i) => k * value * (i === 7 ? 30 : i > 20 ? 1.2 : 1) + 50 + i % 5);
		return {
			process, used: true, mhz: 3000, hz: 1e9, t: n.map((_, i) => i), n, y, cause: n.map((_, i) => i % 9 === 8 ? "1" : i === 7 ? "5" : "0").join(""), block: n.map((_, i) => i),
			base: { n: [100, 200, 400], y: [60, 70, 90], cause: "000" }, single_all: 1000, single: single ? Array.from({ length: 30 }, (_, i) => value * (1 + i / 100)) : [],
		};
	});
	return { unit: "ns", all: 1000, kept: 80, causes: ["clean", "contended", "not probed", "warmup", "irq", "something new"], counts: [800, 200, 0, 0, 0, 0], processes_all: 2, processes };
}

const row = (name, ratio) => ({ row: name, row_new: name, unit: "ns", base: interval(10), new: interval(10), ratio: interval(ratio), decision: ratio > 1 ? "slower" : "inconclusive", regression: ratio > 1, paired: false, margin: 0.01, detectable: 0.03, occasion: { sd: 0.01, runs: 0 }, p: 0.1, p_holm: 0.2, processes: 5, reasons: [] });

function full() {
	const copies = [1, 2].map((n) => result("sys.null", { copies: String(n) }, 100, { parallel: { copies: n, overlap: 0.99, aggregate_per_s: interval(n * 1e7), per_copy: Array.from({ length: n }, () => interval(100 * n)) } }));
	const results = [
		result("sys.null", { label: HOSTILE }, 100, { quantiles: { p1: 95, p50: 110, p90: 120, p99: 128 }, quantile_intervals: { p99: { low: 120, high: 300 } }, series: { unit: "ns", modes: [{ location: 100, weight: 0.6 }, { location: 120, weight: 0.4 }] }, verdict: { status: "ok", reasons: [{ code: "changepoint", detail: "step changes", evidence: HOSTILE }] } }),
		...["16K", "1M", "64M"].flatMap((size) => [result("mem.latency", { size, stride: "64" }, 5), result("mem.bw_read", { size }, 500, { bytes_per_op: 65536 })]),
		...[2, 4, 8].flatMap((n) => ["0", "16K"].map((size) => result("ctx.ring", { processes: String(n), size }, 1500, { verdict: { status: n === 4 ? "invalid" : "ok", reasons: [] } }))),
		...copies, result("ipc.notify", {}, 3000, { estimate: { ...interval(3000), method: "kanata" } }), result("plugin.broken", {}, null, { process_costs: [] }),
	];
	const published = { tables_1_2: [{ platform: "C1", original_us: 1, fixed_us: null, faults_per_access: 1, page_ins_per_fault: 8 }], figures_4_7: [{ platform: "C1", scale: 16, latency_us: 5, variation: 0, page_ins_per_fault: 8 }], figure_8: [{ label: "C1_Darwin", slope: 100, intercept: -500, r2: 1, printed: [{ name: "slope", printed: "1", is: "wrong" }], x: [8, 9, 11], y: [300, 400, 600] }] };
	return {
		runs: [{
			run: { id: "b", settings: { cpus: [1, 0] } }, env: { facts: { cache_l1d: "48K", cache_l2: "1024K", cache_l3: "unknown" } }, results, interference: [row("sys.null interference=spin", 1.2)], scaling: [row("sys.null copies=2", null)],
			timeline: results.map((_, i) => ({ result: i, process: 1 + i % 3, start_s: i ? i : null, end_s: i + 0.5, mhz: i % 2 ? 3000 : null, clean_share: i % 3 ? 0.5 : null, steal: 0.01, outcome: i === 4 ? HOSTILE : "" })),
			samples: results.map((r, i) => r.estimate.value === null || i === 2 ? null : samplesOf(r.estimate.value, i === 0)),
		}],
		comparison: { base: { id: "a", label: HOSTILE }, new: { id: "b", label: null }, rows: [row("sys.null", 1.3), row("mem.latency", 0.999), row(HOSTILE, null)] }, floor: 0.009,
		history: [{ row: results[0].row, unit: "ns", per: "call", left_out: 1, occasion: { sd: 0.01, detectable: 3, runs: 3 }, points: [100, 101, 120].map((value, i) => ({ run: `r${i}`, started: `2026-01-0${i + 1}T00:00:00Z`, label: HOSTILE, tool: "kbench 0.1.0+abcdef0", commit: i ? "abcdef0-dirty" : null, ...interval(value), processes: 6, status: i ? "ok" : "noisy", step: i === 2 ? 1.2 : null })) }],
		papers: { yamba: { points: [{ page_ins: 1, us: 60 }, { page_ins: 16, us: 100 }, { page_ins: 64, us: 300 }], line: { points: 3, plain: { slope_us_per_page: interval(4), intercept_us: nothing } }, published }, kanata: { unit: "cycles", groups: [{ table: "3.4", group: "N=1", n: 1, a: [5000, 5100, 5200] }], statistics: [{ table: "3.4", group: "N=1", name: "mean_A_over_N", printed: "5100.00" }] } },
	};
}

/** A run of which nothing is known but that it took place. */
function empty() {
	const bare = result("x.y", {}, null, { process_costs: [{ process: 1, cost: null, observed: null, uncontended: null, clean_share: null, core_mhz: null, samples: 0 }], core_mhz: nothing, series: { unit: "ns", modes: [] } });
	const samples = { unit: "ns", all: 1, kept: 1, causes: ["clean"], processes_all: 1, processes: [{ process: 1, used: false, mhz: null, hz: null, t: null, n: [1], y: [5], cause: "0", block: [0], base: { n: [], y: [], cause: "" }, single: [] }] };
	return { runs: [{ run: { id: "b" }, env: {}, results: [bare], timeline: [], samples: [samples] }], comparison: null, floor: null, history: [], papers: null };
}

// ---- the checks ---------------------------------------------------------------------------------------------

/** Draws, opens the table, presses the keys and the buttons, moves the pointer. */
function use(chart, data, view) {
	const host = new Node_("div");
	chart.draw(host, data, view);
	for (const button of host.querySelectorAll("button")) button.fire("click");
	for (const details of host.querySelectorAll("details")) {
		details.open = true;
		details.fire("toggle");
	}
	for (const root of host.querySelectorAll("svg")) {
		for (const key of ["Home", "ArrowRight", "End", "ArrowLeft", "Enter", "Escape"]) root.fire("keydown", { key });
		root.fire("pointermove");
		root.fire("focus");
	}
	return host;
}

function inspect(host, name) {
	for (const node of host.all()) {
		for (const [attribute, value] of node.attributes) {
			assert.doesNotMatch(value, /NaN|undefined|Infinity/, `${name}: <${node.name} ${attribute}="${value}">`);
			assert.notEqual(attribute, "style", `${name}: the policy of the page forbids style attributes`);
		}
	}
	assert.doesNotMatch(host.textContent, /NaN|undefined|Infinity|\[object/, name);
}

const VIEWS = [{}, { unit: "time", cost: "observed", width: 300 }, { unit: "cycles", cost: "cost", width: 1200, onPick() {} }];

test("every chart draws what a document has, with a table, a title and a description", () => {
	const document = full();
	const drawn = new Set();
	document.runs[0].results.forEach((_, result_) => {
		for (const name of NAMES)
			for (const view of VIEWS) {
				const data = charts[name].pick(document, { run: 0, result: result_ });
				if (data === null) continue;
				const host = use(charts[name], data, view);
				inspect(host, `${name} of result ${result_}`);
				for (const figure of host.querySelectorAll("figure")) for (const part of ["figcaption", "title", "desc", "details", "table"]) assert.ok(figure.querySelector(part), `${name} has no ${part}`);
				drawn.add(name);
			}
	});
	assert.deepEqual([...drawn].sort(), [...NAMES].sort());
});

test("no chart fails on a document with nothing in it", () => {
	for (const name of NAMES) {
		const data = charts[name].pick(empty(), { run: 0, result: 0 });
		if (data !== null) inspect(use(charts[name], data, {}), name);
		assert.equal(charts[name].pick({ runs: [] }, { run: 0, result: 0 }), null, `${name} draws a run that is not there`);
	}
});

test("a chart tells the page which result was picked", () => {
	const picked = [];
	const host = new Node_("div");
	charts.sweep.draw(host, charts.sweep.pick(full(), { run: 0 }), { onPick: (index) => picked.push(index) });
	const root = host.querySelector("svg");
	root.fire("keydown", { key: "Home" });
	root.fire("keydown", { key: "Enter" });
	assert.equal(full().runs[0].results[picked[0]].params.size, "16K");
});
