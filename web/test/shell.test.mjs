// Checks what the page computes without a browser: numbers as C formats them (test/unit/report/test_number_format.c has the same cases),
// units, names, causes, address, diagnosis, Markdown and commands.
import assert from "node:assert/strict";
import { test } from "node:test";
import { commands, markdown } from "../src/copy.js";
import { diagnose } from "../src/diagnosis.js";
import { change, digits, number, percent } from "../src/format.js";
import { modelOf } from "../src/model.js";
import { readRoute, routeText } from "../src/route.js";
import { shown, texts } from "../src/shown.js";

const AUTO = { unit: "auto", cost: "cost" };
const none = { value: null, low: null, high: null };
const around = (value, half) => ({ value, low: value - half, high: value + half });

function result(fields = {}) {
	return {
		benchmark: "sys.null", params: {}, per: "call", unit: "ns", estimate: { ...around(187.14, 0.4), method: "slope" }, headline: "uncontended", observed: around(249, 3), clean_share: 1,
		cycles: { estimate: none, observed: none }, quantiles: { p99: 300 }, bound: "kernel", bytes_per_op: 0, process_costs: [], evidence: [], domain: "SYSTEM CALLS", samples: 10,
		verdict: { status: "ok", evidence: "ok", reasons: [] }, ...fields,
	};
}

const documentOf = (results, more = {}) => ({ schema: "kbench-report/1", runs: [{ run: { id: "r", command: "kbench run", settings: { seed: 7 } }, env: { facts: {} }, results, samples: [] }], comparison: null, history: [], reasons: {}, ...more });
const modelWith = (...results) => modelOf(documentOf(results), 0);
const reason = (severity, code, detail = code, hint = "") => ({ severity, code, detail, hint, evidence: "" });
const judged = (status, ...reasons) => ({ verdict: { status, evidence: "ok", reasons } });

test("a number ends where its CI ends", () => {
	for (const [value, half, least, most, text] of [[187.14, 0.4, 2, 4, "187.1"], [1.066234, 0.00001, 2, 4, "1.066"], [77.2, 5, 2, 4, "77"], [3.5, 2, 2, 4, "3.5"], [3.0011, 0.5, 4, 6, "3.001"], [3.0000123, 0.00001, 4, 6, "3.00001"], [20500, 3000, 2, 4, "20500"], [1.45, 0.3, 2, 2, "1.5"]])
		assert.equal(number(around(value, half), 1, least, most), text);
	assert.equal(number({ value: 102.44, low: null, high: null }, 1, 2, 4), "102.4");
	assert.equal(number(none, 1, 2, 4), "–");
});

test("percentages and changes", () => {
	assert.deepEqual([0.014, 0.2, 9.94, 9.96, 57.6, 1500, null].map(percent), ["0.01 %", "0.2 %", "9.9 %", "10 %", "58 %", ">999 %", "–"]);
	assert.deepEqual([1.032, 0.9, 1, null].map(change), ["+3.2 %", "−10 %", "0.00 %", "–"]);
	assert.deepEqual([digits(1234.5678, 6), digits(-1e-12, 4), digits(null, 3)], ["1234.57", "0.00000000", "–"]);
});

test("a result has one unit", () => {
	const core = result({ bound: "latency", estimate: around(0.71, 0.001), cycles: { estimate: around(3, 0.004), observed: around(2.99, 0.01) } });
	const rate = result({ bytes_per_op: 65536, bound: "memory" });

	assert.equal(shown(result(), AUTO).unit, "ns");
	assert.equal(shown(result({ estimate: around(1866, 8) }), AUTO).unit, "us");
	assert.deepEqual([shown(core, AUTO).unit, texts(core, shown(core, AUTO)).cost], ["cy", "3.000"]);
	assert.equal(shown(core, { ...AUTO, unit: "time" }).unit, "ns");
	assert.equal(shown(rate, AUTO).unit, "GB/s");
	assert.equal(shown(rate, { ...AUTO, unit: "time" }).unit, "ns");
	assert.equal(shown(result({ unit: "ticks" }), AUTO).unit, "ticks");
	assert.ok(shown(rate, AUTO).cost.low < shown(rate, AUTO).cost.value, "the ends of a rate are those of the time, turned over");
	assert.equal(shown(result(), { ...AUTO, cost: "observed" }).main.value, 249);
	assert.equal(texts(result({ headline: "observed" }), shown(result(), AUTO)).observed, "187.1");
});

test("no number is no zero, and an empty loop has no percentage", () => {
	const nothing = result({ estimate: { ...none, method: "" }, observed: none, quantiles: { p99: null } });
	const empty = result({ bound: "nothing", estimate: around(-0.000005, 0.004), observed: around(0, 0.01) });

	assert.deepEqual(texts(nothing, shown(nothing, AUTO)), { cost: "–", observed: "–", p99: "–", width: "–" });
	assert.deepEqual(texts(empty, shown(empty, AUTO)), { cost: "0.00", observed: "–", p99: "–", width: "±0.01 ns" });
});

test("names have the parameters that vary", () => {
	const { items } = modelWith(...[["16K", "on"], ["1M", "on"]].map(([size, cache]) => result({ benchmark: "mem.latency", params: { size, cache } })), result());

	assert.deepEqual(items.map(({ name }) => name), ["mem.latency 16K", "mem.latency 1M", "sys.null"]);
	assert.deepEqual(modelWith(result(), result()).items.map(({ key }) => key), ["sys.null", "sys.null #2"]);
});

test("groups are in the order of the manual, the self-tests last", () => {
	const { groups } = modelWith(result({ benchmark: "self.empty", domain: "SELF-TESTS" }), result({ domain: "UNHEARD OF" }), result({ domain: "MEMORY" }), result());

	assert.deepEqual(groups.map(({ heading }) => heading), ["SYSTEM CALLS", "MEMORY", "UNHEARD OF", "SELF-TESTS"]);
});

test("causes: what decided first, each once, and not what the warning has told", () => {
	const results = [result({ clean_share: 0.5, ...judged("noisy", reason("cause", "contention"), reason("cause", "changepoint"), reason("cause", "inconsistent"), reason("noisy", "too_wide"), reason("note", "flat")) }), result({ clean_share: 0.5, headline: "observed" })];
	const meanings = { changepoint: { tag: "steps" }, inconsistent: { tag: "steps" }, too_wide: { tag: "wide" }, contention: { tag: "contention" }, flat: { tag: "" } };
	const { items, contended } = modelOf(documentOf(results, { reasons: meanings }), 0);

	assert.equal(contended, 0.5);
	assert.deepEqual(items.map(({ causes }) => causes.map(({ tag }) => tag)), [["wide", "steps"], ["contention"]]);
	assert.equal(items[0].worst.code, "too_wide");
});

test("what concerns all results is told once", () => {
	const moved = (count) => modelWith(...Array.from({ length: count }, () => result({ clean_share: 0.7, ...judged("ok", reason("cause", "freq_drift")) })));
	const shared = judged("noisy", reason("noisy", "contention_not_excluded"));

	assert.equal(moved(4).warning, "the core was contended 30 % of the time: costs exclude it, observed costs include it; the core clock moved in 4 results, and their CIs cover that");
	assert.deepEqual(moved(4).items[0].causes, []);
	assert.equal(moved(3).items[0].causes.length, 1);
	const warningOf = (...verdicts) => modelWith(...verdicts.map((verdict) => result({ clean_share: null, ...verdict }))).warning;
	const local = judged("ok", reason("note", "partner_not_probed")), remote = judged("ok", { ...reason("note", "partner_not_probed"), evidence: "on another machine" });

	assert.equal(warningOf(shared, shared), "contention is not excluded, which makes results noisy: costs include it");
	assert.equal(warningOf(shared, local), "contention is not excluded: costs include it");
	assert.equal(warningOf(local, local), "a partner on another CPU was not probed for contention: costs include it");
	assert.equal(warningOf(local, remote), "a partner on another CPU was not probed for contention: costs include it");
	assert.equal(warningOf(remote, remote), "a partner was not probed: on another machine");
	assert.equal(modelWith(result({ clean_share: 0.5 })).warning, "");
});

test("the diagnosis is the worst that is true", () => {
	const wide = judged("noisy", reason("noisy", "too_wide", "the 95 % CI is too wide", "raise --budget"));

	assert.match(diagnose(modelWith(result(), result(wide))).text, /^sys.null is noisy: the 95 % CI is too wide\.$/);
	assert.equal(diagnose(modelWith(result(), result(wide))).remedy, "Raise --budget.");
	assert.equal(diagnose(modelWith(result(wide), result(wide))).text, "All 2 results are noisy: the 95 % CI is too wide.");
	assert.equal(diagnose(modelWith(result(wide), result(judged("invalid", reason("invalid", "op_failed"))))).status, "invalid");
	assert.match(diagnose(modelWith(result(wide), result({ benchmark: "self.empty", ...judged("invalid", reason("invalid", "dead_code")) }))).text, /self-test self.empty is invalid/);
	assert.match(diagnose(modelWith(result(), result())).text, /^2 results are ok, with 95 % CIs of ±0.21 %/);
	assert.match(diagnose(modelWith(result({ clean_share: 0.7 }), result({ clean_share: 0.7 }))).remedy, /read the observed cost/);
	assert.match(diagnose(modelWith(result({ estimate: none, ...judged("skipped") }))).text, /Nothing was measured/);
});

test("an address leads back to its state", () => {
	const state = { ...readRoute(""), r: "a b=c&d +#%\n", unit: "cycles", q: "ä", sort: "-cost" };

	assert.deepEqual(readRoute(routeText(state)), state);
	assert.equal(routeText(readRoute("")), "#");
	assert.equal(readRoute("#unit=nonsense&cost=&evil=1").unit, "auto");
});

test("Markdown and commands keep hostile text a text", () => {
	assert.equal(markdown("a|b\n<img>`*"), "a\\|b &lt;img&gt;\\`\\*");
	const [again, show] = commands({ run: { id: "01", settings: { seed: 7 } } }, { result: result({ params: { size: "1K", text: "it's; $(x)", copies: "2", interference: "nothing" } }) });

	assert.equal(again, "kbench run sys.null -p size=1K -p 'text=it'\\''s; $(x)' --parallel 2 --seed 7");
	assert.equal(show, "kbench show 01 sys.null");
});
