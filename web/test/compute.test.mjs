// Checks the pure computations of the charts: node --test web/test/compute.test.mjs
import assert from "node:assert/strict";
import { test } from "node:test";
import * as c from "../src/charts/compute.js";
import { axisTicks, change, figure, intervalOf, quantity, say, sayInterval } from "../src/charts/units.js";
import { cachesOf, copiesOf, familiesOf } from "../src/charts/families.js";
import { loopOf, valuesOf } from "../src/charts/values.js";

const close = (a, b, by = 1e-9) => assert.ok(Math.abs(a - b) <= by, `${a} is not ${b}`);
/** Pseudo-random numbers that are the same in each run. */
function random(seed) {
	return () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
}

test("quantiles lie between neighbours; without values there is none", () => {
	const values = c.sorted([4, null, 1, NaN, 3, 2]);
	assert.deepEqual([...values], [1, 2, 3, 4]);
	assert.equal(c.quantile(values, 0.5), 2.5);
	assert.equal(c.quantile(values, 1), 4);
	assert.equal(c.quantile([], 0.5), null);
	assert.equal(c.median([]), null);
});

test("share at most x counts equal values", () => {
	const values = c.sorted([1, 2, 2, 3]);
	assert.deepEqual([0, 1, 2, 5].map((x) => c.shareBelow(values, x)), [0, 0.25, 0.75, 1]);
	assert.equal(c.shareBelow([], 1), null);
});

test("bins hold each value once, the largest in the last", () => {
	const bins = c.bins([0, 1, 2, 9.99, 10, 11, null], { low: 0, high: 10, count: 5 });
	assert.deepEqual(bins.map((b) => b.count), [2, 1, 0, 0, 2]);
	const log = c.bins([1, 9, 10, 99, 100], { low: 1, high: 100, count: 2, log: true });
	assert.deepEqual(log.map((b) => b.count), [2, 3]);
	close(log[0].to, 10);
	assert.equal(c.bins([1], { low: 1, high: 1, count: 3 }).length, 3);
});

test("the number of bins is held between bounds", () => {
	assert.equal(c.binCount(c.sorted([1, 1, 1]), 1, 1), 8);
	const values = c.sorted(Array.from({ length: 1000 }, (_, i) => i));
	assert.ok(c.binCount(values, 0, 1000) >= 8 && c.binCount(values, 0, 1e9) === 80);
});

test("the empirical distribution steps at each value and ends at 1, thinned too", () => {
	assert.deepEqual(c.ecdf([1, 1, 2, 4]), [{ x: 1, p: 0.5 }, { x: 2, p: 0.75 }, { x: 4, p: 1 }]);
	const many = c.ecdf(Array.from({ length: 5000 }, (_, i) => i), 100);
	assert.equal(many.length, 100);
	assert.deepEqual([many[0].x, many[99].x, many[99].p], [0, 4999, 1]);
});

test("quantiles in equal steps stand for what lies between them", () => {
	const q = [10, 20, 20, 40];
	assert.deepEqual([5, 10, 15, 20, 30, 40, 99].map((x) => Number(c.shareByQuantiles(q, x).toFixed(4))), [0, 0, 0.1667, 0.6667, 0.8333, 1, 1]);
	assert.equal(c.shareOfAll([{ values: [0, 10], weight: 3 }, { values: [10, 20], weight: 1 }], 10), 0.75);
});

test("an axis shows the bulk and what must be seen, and counts the rest", () => {
	const values = [...Array.from({ length: 200 }, (_, i) => 100 + i / 100), 900, 5000];
	const seen = c.bulk(values);
	assert.ok(seen.high < 200 && seen.low < 100 && seen.above === 2 && seen.below === 0);
	assert.ok(c.bulk(values, { keep: [300] }).high >= 300);
	assert.equal(c.bulk([]), null);
	const one = c.bulk([5]);
	assert.ok(one.low < 5 && one.high > 5);
	assert.ok(c.bulk([0, 1, 2]).low === 0);
	const log = c.bulk([1, 10, 100], { log: true });
	assert.ok(log.low > 0 && log.high > 100);
});

test("ticks are round, inside the axis, and finer on a short one", () => {
	assert.deepEqual(c.linearTicks(0.98, 1.1, 6), { ticks: [0.98, 1, 1.02, 1.04, 1.06, 1.08, 1.1], decimals: 2 });
	assert.deepEqual(c.linearTicks(0, 100, 5).ticks, [0, 20, 40, 60, 80, 100]);
	assert.deepEqual(c.logTicks(1, 1e6), [1, 10, 100, 1000, 1e4, 1e5, 1e6]);
	assert.deepEqual(c.logTicks(1, 12), [1, 2, 5, 10]);
	assert.equal(c.logTicks(1, 1.5), null);
	assert.deepEqual(c.powerTicks(1000, 5000), [1024, 2048, 4096]);
	assert.ok(c.powerTicks(1, 2 ** 40).length <= 8);
	const axis = axisTicks(1000, 3000, { factor: 1e-3, most: 4 });
	assert.deepEqual(axis.ticks.map(axis.format), ["1.0", "1.5", "2.0", "2.5", "3.0"]);
});

test("sizes are read and written in powers of 1024", () => {
	assert.deepEqual(["64", "16K", "1M", "1.5G", "32K", "plain", "", null].map(c.parseSize), [64, 16384, 1048576, 1610612736, 32768, null, null, null]);
	assert.deepEqual([64, 16384, 1572864].map(c.formatSize), ["64 B", "16 KB", "1.5 MB"]);
});

test("the line is that of the medians: outliers do not move it", () => {
	const points = [];
	for (const x of [10, 20, 40]) for (let i = 0; i < 9; i++) points.push({ x, y: i > 6 ? 1e6 : 7 + 3 * x });
	const line = c.robustLine(points);
	close(line.slope, 3);
	close(line.intercept, 7);
	assert.equal(c.robustLine([{ x: 1, y: 2 }, { x: 1, y: 3 }]), null);
});

test("levels are cut at a step and not in noise", () => {
	const next = random(5);
	const noise = Array.from({ length: 200 }, () => 100 + next() * 2);
	assert.equal(c.levels(noise).length, 1);
	const stepped = noise.map((v, i) => i >= 120 ? v + 10 : v);
	const found = c.levels(stepped);
	assert.equal(found.length, 2);
	assert.ok(Math.abs(found[0].to - 120) <= 3);
	close(found[1].value - found[0].value, 10, 0.5);
	assert.deepEqual(c.levels([]), []);
	assert.equal(c.levels([3]).length, 1);
});

test("thinning keeps both ends; jitter stays inside and repeats", () => {
	const items = Array.from({ length: 1000 }, (_, i) => i);
	const few = c.thin(items, 10);
	assert.equal(few.length, 10);
	assert.deepEqual([few[0], few[9]], [0, 999]);
	for (let i = 0; i < 100; i++) assert.ok(Math.abs(c.jitter(i)) <= 1);
	assert.equal(c.jitter(7), c.jitter(7));
});

test("names lose the parameters that all of a benchmark share", () => {
	assert.deepEqual(c.shortNames(["a x=1 y=2", "a x=1 y=3", "b x=1"]), ["a y=2", "a y=3", "b"]);
});

test("numbers have their digits, units and signs", () => {
	assert.equal(figure(1234.5678), "1235");
	assert.equal(figure(0.00012346), "0.0001235");
	assert.equal(figure(1234567), "1,234,567");
	assert.equal(figure(null), "-");
	assert.equal(say(1234, "ns"), "1.234 us");
	assert.equal(say(3.001, "cycles"), "3.001 cycles");
	assert.equal(change(1.032), "+3.20 %");
	assert.equal(change(0.5), "−50.0 %");
	assert.equal(change(1), "±0.00 %");
	assert.equal(sayInterval({ value: 2000, low: 1900, high: 2100 }, "ns"), "2.000 us, 95 % CI 1.900 to 2.100 us");
	assert.equal(sayInterval({ value: 2000, low: null, high: null }, "ns"), "2.000 us, no CI");
});

const result = {
	unit: "ns", bytes_per_op: 0, estimate: { value: 10, low: 9, high: 11 }, observed: { value: 12, low: 11, high: 13 },
	cycles: { estimate: { value: 30, low: 27, high: 33 }, observed: { value: 36, low: 33, high: 39 } }, core_mhz: { value: 3000 }, process_costs: [],
};

test("a result is shown in cycles where the core bounds it, in GB/s where it moves bytes, else in time", () => {
	assert.equal(quantity(result).unit, "cycles");
	close(quantity(result).of(10, 3000), 30);
	assert.equal(quantity(result, { unit: "time" }).unit, "ns");
	const moves = { ...result, bytes_per_op: 100 };
	assert.deepEqual(intervalOf(moves), { value: 10, low: 100 / 11, high: 100 / 9, unit: "GB/s" });
	assert.equal(intervalOf(result, { cost: "observed" }).value, 36);
	assert.equal(quantity({ ...result, unit: "insn" }).unit, "insn");
});

test("a sample's value is its time without the empty loop, of one operation", () => {
	const samples = {
		causes: ["clean", "irq"],
		processes: [{ process: 1, used: true, mhz: null, t: [0, 1], n: [100, 200], y: [1060, 2110], cause: "01", block: [0, 0], base: { n: [100, 200, 100], y: [60, 110, 900], cause: "001" } }],
	};
	const values = valuesOf({ result, samples }, { unit: "time" });
	assert.deepEqual(values.map((v) => [v.value, v.cause]), [[10, "clean"], [10, "irq"]]);
	assert.equal(loopOf({ causes: [], processes: [{ base: { n: [], y: [] } }] }, { base: { n: [], y: [] } }), null);
});

const swept = (benchmark, params, more = {}) => ({ ...result, benchmark, params, ...more });

test("sweeps are found in the results: a line for each combination of the other parameters", () => {
	const results = [];
	for (const stride of ["64", "256"]) for (const size of ["1M", "16K", "64K"]) results.push(swept("mem.latency", { size, stride, pages: "huge" }));
	results.push(swept("sys.null", {}), swept("mem.latency", { size: "16M", stride: "64", pages: "huge" }, { estimate: { value: null } }));
	const [family, ...others] = familiesOf(results);
	assert.equal(others.length, 0);
	assert.deepEqual([family.x, family.size, family.series.map((s) => s.name)], ["size", true, ["stride=64", "stride=256"]]);
	assert.deepEqual(family.series[0].points.map((p) => [p.x, p.index]), [[16384, 1], [65536, 2], [1048576, 0]]);
});

test("rings are over processes; bandwidths share a family; copies and interference are no sweeps", () => {
	const rings = [2, 4, 8].flatMap((n) => ["0", "4K", "16K"].map((size) => swept("ctx.ring", { processes: String(n), size })));
	assert.equal(familiesOf(rings)[0].x, "processes");
	const rates = ["1M", "2M", "4M"].flatMap((size) => ["mem.bw_read", "mem.bw_write"].map((name) => swept(name, { size }, { bytes_per_op: 64 })));
	assert.deepEqual(familiesOf(rates).map((f) => [f.key, f.series.map((s) => s.name)]), [["bandwidth", ["mem.bw_read", "mem.bw_write"]]]);
	assert.deepEqual(familiesOf(["1", "2", "4"].map((copies) => swept("sys.null", { copies }))), []);
});

test("cache sizes come from the facts, unknown ones not", () => {
	assert.deepEqual(cachesOf({ cache_l1d: "32K", cache_l2: "unknown" }), [{ name: "L1", bytes: 32768 }]);
});

test("copies of a benchmark are one curve in order of their number", () => {
	const results = [2, 1].map((copies) => swept("sys.null", { copies: String(copies) }, { parallel: { copies } }));
	assert.deepEqual(copiesOf(results).map((c) => [c.name, c.points.map((p) => p.copies)]), [["sys.null", [1, 2]]]);
});
