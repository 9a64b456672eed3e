// How are the times of an operation distributed? Histogram above, empirical distribution below, on one axis; quantiles and modes go through
// both. Data: {result, samples}. Single operations where they were measured, else the samples' values of one operation.
import { scaleLinear, scaleLog } from "d3-scale";
import { binCount, bins, bulk, ecdf, known, quantile, shareBelow, sorted } from "./compute.js";
import { add, axisX, axisY, frame, legend, mark, note, round, table, tips, toggle } from "./frame.js";
import { axisTicks, count, figure, percent, quantity, say, scaleOf } from "./units.js";
import { at, counts, thinned, valuesOf } from "./values.js";

const HISTOGRAM = 150, GAP = 48, CURVE = 130;
const LINES = ["p50", "p90", "p99"];

export function pick(document, place) {
	const data = at(document, place);
	return data?.samples?.processes?.some((p) => p.single?.length || p.y?.length) ? data : null;
}

/** What is distributed: {single, values, q, left}: ascending values as shown. */
function valuesFor(data, view) {
	const { result, samples } = data;
	const q = quantity(result, { ...view, unit: view.unit === "auto" && result.bytes_per_op > 0 ? "time" : view.unit });
	const single = samples.processes.filter((p) => p.used !== false).flatMap((p) => (p.single ?? []).map((y) => q.of(y, p.mhz ?? result.core_mhz?.value)));
	if (single.length >= 20) return { single: true, q, values: sorted(single) };
	const all = valuesOf(data, { ...view, unit: q.unit === "ns" ? "time" : view.unit }).filter((v) => v.used && counts(v.cause));
	return { single: false, q, values: sorted(all.map((v) => v.value)) };
}

export function draw(host, data, view = {}, log = false) {
	const of = valuesFor(data, view);
	if (of.values.length < 5) return;
	const seen = bulk(Array.from(of.values), log ? { log, tail: 0 } : { tail: 0.015, keep: quantilesOf(data.result, of).slice(0, 2).map((p) => p.x) });
	const scale = scaleOf(quantile(of.values, 0.5), of.q.unit);
	const what = of.single ? "single operations" : "samples";
	const middle = say(quantile(of.values, 0.5), of.q.unit);
	const chart = frame(host, {
		name: "distribution", view, height: HISTOGRAM + GAP + CURVE, margin: { top: 26, left: 56 }, title: `Distribution of ${what}`,
		desc: `Histogram and empirical distribution of ${of.values.length} ${what}: half are at most ${middle}, 99 % at most ${say(quantile(of.values, 0.99), of.q.unit)}.`,
	});
	const x = (log ? scaleLog : scaleLinear)([seen.low, seen.high], [0, chart.width]);
	const histogram = drawHistogram(chart, x, of, seen, log);
	const curve = drawCurve(chart, x, of, seen);
	const ticks = axisTicks(seen.low, seen.high, { factor: scale.factor, most: chart.width / 80, log });
	axisX(chart, x, { ...ticks, y: HISTOGRAM, label: "" });
	axisX(chart, x, { ...ticks, top: HISTOGRAM + GAP, label: `${of.single ? "time of a single operation, the clock reading included" : of.q.label}, ${scale.unit}${log ? ", log scale" : seen.low > 0 ? " (axis does not start at 0)" : ""}` });
	drawQuantiles(chart, x, data.result, of);
	drawModes(chart, x, data.result, of);
	tips(chart, [...histogram, ...curve], { reach: 60 });
	toggle(chart, host, "log scale", log, (on) => draw(host, data, view, on));
	explain(chart, { data, of, seen, scale, log });
}

function drawHistogram(chart, x, of, seen, log) {
	const inside = of.values.filter((v) => v >= seen.low && v <= seen.high);
	const number = Math.min(binCount(inside, seen.low, seen.high), Math.floor(chart.width / 6));
	const cells = bins(inside, { low: seen.low, high: seen.high, count: number, log });
	const y = scaleLinear([0, Math.max(...cells.map((c) => c.count)) * 1.05], [HISTOGRAM, 0]);
	axisY(chart, y, { ...axisTicks(0, y.domain()[1], { most: 4 }), bottom: HISTOGRAM, label: of.single ? "operations in a bin" : "samples in a bin" });
	return cells.map((cell) => {
		const from = x(cell.from), to = x(cell.to), top = y(cell.count);
		if (cell.count) add(chart.plot, "rect", { class: "bar", x: round(from + 0.5), width: round(Math.max(to - from - 1, 1)), y: round(top), height: round(HISTOGRAM - top) });
		return { x: (from + to) / 2, y: top, box: { x: from, y: 0, width: to - from, height: HISTOGRAM }, head: `${say(cell.from, of.q.unit)} to ${say(cell.to, of.q.unit)}`, lines: [`${cell.count} of ${of.values.length}, ${percent(cell.count / of.values.length, 3)}`] };
	});
}

function drawCurve(chart, x, of, seen) {
	const top = HISTOGRAM + GAP;
	const y = scaleLinear([0, 1], [top + CURVE, top]);
	axisY(chart, y, { ticks: [0, 0.25, 0.5, 0.75, 1], format: (p) => `${p * 100} %`, top, bottom: top + CURVE, label: "share that is at most as long" });
	const points = ecdf(of.values).filter((p) => p.x >= seen.low && p.x <= seen.high);
	let d = `M0,${round(y(shareBelow(of.values, seen.low)))}`;
	for (const p of points) d += `H${round(x(p.x))}V${round(y(p.p))}`;
	add(chart.plot, "path", { class: "line s0", d: `${d}H${round(chart.width)}` });
	return points.filter((_, i) => i % Math.ceil(points.length / 100) === 0).map((p) => ({ x: x(p.x), y: y(p.p), head: `${percent(p.p, 4)} at most ${say(p.x, of.q.unit)}` }));
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
		add(chart.plot, "text", { class: "small strong", x: round(at_), y: -14, "text-anchor": "middle" }, p.name);
		free = at_ + 12;
	}
}

/** Modes of the result, if they are of what is drawn: their unit is that of the series. */
function drawModes(chart, x, result, of) {
	const { modes = [], unit } = result.series ?? {};
	for (const mode of modes.length > 1 ? modes : []) {
		const value = unit === of.q.unit ? mode.location : unit === "ns" ? of.q.of(mode.location) : known(result.core_mhz?.value) && of.q.unit === "ns" ? mode.location * 1e3 / result.core_mhz.value : null;
		const px = known(value) ? x(value) : -1;
		if (!(px >= 0 && px <= chart.width)) continue;
		mark(chart.plot, "down", px, -5, "mode", 4.5);
		add(chart.plot, "text", { class: "small soft", x: round(px) + 8, y: -1 }, percent(mode.weight, 2));
	}
}

function explain(chart, { data, of, seen, scale, log }) {
	const { result, samples } = data;
	const quantiles = quantilesOf(result, of);
	legend(chart, [
		{ line: true, classes: "quantile", text: quantiles.map((p) => `${p.name} ${say(p.x, of.q.unit)}`).join(", ") },
		...(quantiles.some((p) => known(p.low)) ? [{ band: true, classes: "ci-band", text: "95 % CI of a quantile" }] : []),
		...(chart.root.querySelector(".mode") ? [{ shape: "down", classes: "mode", text: `${result.series.modes.length} modes found by kbench, with their share` }] : []),
	]);
	const beyond = seen.above + seen.below;
	note(chart,
		of.single ? `${count(of.values.length)} values of single operations drawn, chosen evenly over their quantiles; neighbours on the core included.` : `${thinned(samples)} Single operations were not timed: these are means over the operations of a sample, which hide short spikes.`,
		beyond && !log ? `${beyond} lie beyond this axis (largest ${say(of.values.at(-1), of.q.unit)}); the log scale shows all.` : "");
	table(chart, ["share", `value, ${scale.unit}`], () => [0, 1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9, 100].map((p) => [`${p} %`, figure(quantile(of.values, p / 100) * scale.factor)]));
}
