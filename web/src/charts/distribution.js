// How are the times of an operation distributed? Histogram above, empirical distribution below, on one axis; quantiles and modes go through
// both. Data: {result, samples}. Single operations where they were measured, else the samples' values of one operation.
import { scaleLinear, scaleLog } from "d3-scale";
import { binCount, bins, bulk, ecdf, known, quantile, shareBelow, shareOfAll, sorted } from "./compute.js";
import { add, axisX, axisY, frame, legend, mark, note, round, table, tips, toggle } from "./frame.js";
import { axisTicks, count, figure, percent, quantity, say, scaleOf } from "./units.js";
import { at, counts, loopOfAll, thinned, valuesOf } from "./values.js";

const HISTOGRAM = 150, GAP = 48, CURVE = 130;
const LINES = ["p50", "p90", "p99"];

export function pick(document, place) {
	const data = at(document, place);
	const used = data?.samples?.processes?.filter((p) => p.used !== false) ?? [];
	return used.reduce((sum, p) => sum + (p.y?.length ?? 0), 0) >= 5 ? data : null;
}

/** Lists of quantiles of single operations, one a process, and how many operations each stands for. */
function singlesOf({ result, samples }, q) {
	return samples.processes.filter((p) => p.used !== false && p.single?.length > 1).map((p) => {
		const values = sorted(p.single.map((y) => q.of(y, p.mhz ?? result.core_mhz?.value)));
		return { values, weight: p.single_all ?? values.length };
	}).filter((l) => l.values.length > 1);
}

const enough = (lists) => lists.reduce((sum, l) => sum + l.values.length, 0) >= 20;

/**
 * What is distributed: ascending `values` as shown, `share(x)` at most x, of how many (`all`), and of samples the uncontended ones (`clean`).
 * Of single operations the document has quantiles, which stand for all: the mass between two neighbours is the same, so the largest one does
 * not look like one of few.
 */
function valuesFor(data, view, wanted) {
	const own = { ...view, unit: view.unit !== "cycles" && data.result.bytes_per_op > 0 ? "time" : view.unit };
	const q = quantity(data.result, own), lists = singlesOf(data, q), both = enough(lists);
	if (both && wanted) {
		const values = sorted(lists.flatMap((l) => Array.from(l.values)));
		return { single: true, both, q, values, all: lists.reduce((sum, l) => sum + l.weight, 0), share: (x) => shareOfAll(lists, x) };
	}
	const drawn = valuesOf(data, own).filter((v) => v.used && counts(v.cause));
	const values = sorted(drawn.map((v) => v.value)), clean = sorted(drawn.filter((v) => v.cause === "clean").map((v) => v.value));
	return { single: false, both, q, values, clean, all: values.length, share: (x) => shareBelow(values, x) };
}

/** The axis: of single operations from p1 to p99 and a little more, because their largest are among few values; else the bulk. */
function axisOf(of, result, log) {
	const values = Array.from(of.values);
	if (log) return bulk(values, { log, tail: 0 });
	const [p1, p99] = [result.quantiles?.p1, result.quantiles?.p99].map((v) => known(v) ? of.q.of(v) : null);
	if (!of.single || !known(p1) || !(p99 > p1)) return bulk(values, { tail: 0.015, keep: quantilesOf(result, of).slice(0, 2).map((p) => p.x) });
	const seen = { low: Math.max(p1 - (p99 - p1) * 0.08, 0), high: p99 + (p99 - p1) * 0.12 };
	return { ...seen, below: values.filter((v) => v < seen.low).length, above: values.filter((v) => v > seen.high).length };
}

export function draw(host, data, view = {}, { log = false, single = true } = {}) {
	const of = valuesFor(data, view, single);
	if (of.values.length < 2) return;
	const seen = axisOf(of, data.result, log);
	const scale = scaleOf(quantile(of.values, 0.5), of.q.unit);
	const what = of.single ? "single operations" : "samples";
	const middle = say(quantile(of.values, 0.5), of.q.unit);
	const chart = frame(host, {
		name: "distribution", view, height: HISTOGRAM + GAP + CURVE, margin: { top: 44, left: 56 }, title: `Distribution of ${what}`,
		desc: `Histogram and empirical distribution of ${of.values.length} ${what}: half are at most ${middle}, 99 % at most ${say(quantile(of.values, 0.99), of.q.unit)}.`,
	});
	const x = (log ? scaleLog : scaleLinear)([seen.low, seen.high], [0, chart.width]);
	const histogram = drawHistogram(chart, x, of, seen, log);
	const curve = drawCurve(chart, x, of, seen);
	const ticks = axisTicks(seen.low, seen.high, { factor: scale.factor, most: chart.width / 80, log });
	axisX(chart, x, { ...ticks, y: HISTOGRAM, label: "" });
	axisX(chart, x, { ...ticks, top: HISTOGRAM + GAP, label: `${of.single ? "time of a single operation, the clock reading included" : of.q.label}, ${scale.unit}${log ? ", log scale" : seen.low > 0 ? " (axis does not start at 0)" : ""}` });
	drawQuantiles(chart, x, data.result, of);
	drawModes(chart, x, data, of);
	tips(chart, [...histogram, ...curve], { reach: 60, hair: true });
	toggle(chart, host, "log scale", log, (on) => draw(host, data, view, { log: on, single }));
	if (of.both) toggle(chart, host, "single operations", single, (on) => draw(host, data, view, { log, single: on }));
	explain(chart, { data, of, seen, scale, log });
}

function drawHistogram(chart, x, of, seen, log) {
	const inside = of.values.filter((v) => v >= seen.low && v <= seen.high);
	const number = Math.min(binCount(inside, seen.low, seen.high), Math.floor(chart.width / 6));
	const edges = { low: seen.low, high: seen.high, count: number, log };
	const clean = someContended(of) ? bins(of.clean, edges) : null;
	const cells = bins(inside, edges).map((cell, i) => ({
		...cell, share: of.single ? of.share(cell.to) - of.share(cell.from) : cell.count / of.values.length, clean: clean ? clean[i].count / of.values.length : null,
	}));
	const y = scaleLinear([0, Math.max(...cells.map((c) => c.share)) * 1.05], [HISTOGRAM, 0]);
	axisY(chart, y, { ...axisTicks(0, y.domain()[1], { most: 4, factor: 100 }), bottom: HISTOGRAM, labelY: -28, label: `% of the ${of.single ? "operations" : "samples"}, in each of ${number} bins` });
	return cells.map((cell) => {
		const from = x(cell.from), to = x(cell.to), top = y(cell.share);
		const bar = (classes, y1, y2) => y2 > y1 && add(chart.plot, "rect", { class: `bar ${classes}`, x: round(from + 0.5), width: round(Math.max(to - from - 1, 1)), y: round(y1), height: round(Math.max(y2 - y1, 0.75)) });
		const middle = y(cell.clean ?? cell.share);
		bar("", middle, HISTOGRAM);
		bar("rest", top, middle);
		return {
			x: (from + to) / 2, y: top, box: { x: from, y: 0, width: to - from, height: HISTOGRAM }, head: `${say(cell.from, of.q.unit)} to ${say(cell.to, of.q.unit)}`,
			lines: [`${percent(cell.share, 3)} of the ${of.single ? "operations" : `${count(of.all)} samples drawn`}`, cell.clean !== null && cell.clean < cell.share && `${percent(cell.clean, 3)} uncontended`, `${percent(of.share(cell.to), 4)} are at most ${say(cell.to, of.q.unit)}`],
		};
	});
}

function drawCurve(chart, x, of, seen) {
	const top = HISTOGRAM + GAP;
	const y = scaleLinear([0, 1], [top + CURVE, top]);
	axisY(chart, y, { ticks: [0, 0.25, 0.5, 0.75, 1], format: (p) => `${p * 100} %`, top, bottom: top + CURVE, label: "share that is at most as long" });
	if (someContended(of)) drawSteps(chart, x, y, ecdf(of.clean), seen, (v) => shareBelow(of.clean, v), "line s0 dashed thin");
	const points = ecdf(of.values).filter((p) => p.x >= seen.low && p.x <= seen.high).map((p) => ({ x: p.x, p: of.share(p.x) }));
	if (of.single) drawSlopes(chart, x, y, points, seen, of.share);
	else drawSteps(chart, x, y, points, seen, of.share, "line s0");
	return points.filter((_, i) => i % Math.ceil(points.length / 100) === 0).map((p) => ({ x: x(p.x), y: y(p.p), head: `${percent(p.p, 4)} at most ${say(p.x, of.q.unit)}` }));
}

const someContended = (of) => !of.single && of.clean.length > 0 && of.clean.length < of.values.length;

/** A value that was seen is a step. */
function drawSteps(chart, x, y, points, seen, share, classes) {
	let d = `M0,${round(y(share(seen.low)))}`;
	for (const p of points) if (p.x >= seen.low && p.x <= seen.high) d += `H${round(x(p.x))}V${round(y(p.p))}`;
	add(chart.plot, "path", { class: classes, d: `${d}H${round(chart.width)}` });
}

/** Between two quantiles nothing is known but how many lie there. */
function drawSlopes(chart, x, y, points, seen, share) {
	const inner = points.map((p) => `L${round(x(p.x))},${round(y(p.p))}`).join("");
	add(chart.plot, "path", { class: "line s0", d: `M0,${round(y(share(seen.low)))}${inner}L${round(chart.width)},${round(y(share(seen.high)))}` });
}

/** Quantiles of the result where single operations are drawn; else of what is drawn. */
function quantilesOf(result, of) {
	const own = of.single && known(result.quantiles?.p50);
	return LINES.map((name) => {
		const value = own ? result.quantiles[name] : quantile(of.values, Number(name.slice(1)) / 100);
		const ends = own ? result.quantile_intervals?.[name] : null;
		const turn = (v) => known(v) ? (own ? of.q.of(v) : v) : null;
		return { name, x: turn(value), low: turn(ends?.low), high: turn(ends?.high), own };
	}).filter((p) => known(p.x));
}

function drawQuantiles(chart, x, result, of) {
	let free = -Infinity;
	for (const p of quantilesOf(result, of)) {
		const px = x(p.x);
		if (!(px >= 0 && px <= chart.width)) continue;
		if (known(p.low) && known(p.high)) {
			const from = Math.max(x(p.low), 0), to = Math.min(x(p.high), chart.width);
			add(chart.plot, "rect", { class: "ci-band", x: round(from), width: round(Math.max(to - from, 1)), y: 0, height: chart.height });
		}
		add(chart.plot, "line", { class: "quantile", x1: round(px), x2: round(px), y1: 0, y2: chart.height });
		const at_ = Math.max(px, free + 14);
		add(chart.plot, "text", { class: "small strong", x: round(Math.min(at_, chart.width)), y: -14, "text-anchor": "middle" }, p.name);
		free = at_ + 12;
	}
}

/** Modes are of what the method measured: of single operations, or of samples with the turn of the loop, which is not in the values drawn. */
function drawModes(chart, x, { result, samples }, of) {
	const { modes = [], unit } = result.series ?? {};
	if (modes.length < 2 || of.single !== (result.estimate?.method === "single")) return;
	const mhz = result.core_mhz?.value, loop = of.single ? 0 : loopOfAll(samples)?.slope ?? 0;
	for (const mode of modes) {
		const cost = unit === "cycles" ? mode.location * 1e3 / mhz : mode.location;
		const px = known(cost) ? x(of.q.of(cost - loop)) : -1;
		if (!(px >= 0 && px <= chart.width)) continue;
		mark(chart.plot, "down", px, -5, "mode", 4.5);
		add(chart.plot, "text", { class: "small soft", x: round(px) + 8, y: -1 }, percent(mode.weight, 2));
	}
}

function explain(chart, { data, of, seen, scale, log }) {
	const { result, samples } = data;
	const quantiles = quantilesOf(result, of);
	legend(chart, [
		...(someContended(of) ? [
			{ band: true, classes: "bar", text: "uncontended" }, { band: true, classes: "bar rest", text: "contended" },
			{ line: true, classes: "line s0", text: "all" }, { line: true, classes: "line s0 dashed thin", text: "uncontended alone" },
		] : []),
		{ line: true, classes: "quantile", text: quantiles.map((p) => `${p.name} ${say(p.x, of.q.unit)}`).join(", ") },
		...(quantiles.some((p) => known(p.low)) ? [{ band: true, classes: "ci-band", text: "95 % CI of a quantile" }] : []),
		...(chart.root.querySelector(".mode") ? [{ shape: "down", classes: "mode", text: `${result.series.modes.length} modes found by kbench, with their share` }] : []),
	]);
	const beyond = seen.above + seen.below;
	note(chart,
		of.single ? `${count(of.values.length)} quantiles in equal steps stand for ${count(of.all)} single operations that nothing disturbed, contended ones included.` : `${thinned(samples)} A sample is a mean over its operations, which hides short spikes${of.both ? "" : "; single operations were not timed"}.`,
		beyond && !log ? `${of.single ? percent(1 - of.share(seen.high) + of.share(seen.low)) : beyond} lie beyond this axis (largest ${say(of.values.at(-1), of.q.unit)}); the log scale shows them.` : "");
	table(chart, ["share at most", `value, ${scale.unit}`],
		() => Array.from({ length: 41 }, (_, i) => seen.low + i * (seen.high - seen.low) / 40).map((v) => [percent(of.share(v), 4), figure(v * scale.factor)]));
}
