// How are the times of an operation distributed? Histogram above, empirical distribution below, on one axis; quantiles and modes go through
// both. Data: {result, samples}. Single operations where they were measured, else the samples' values of one operation.
import { scaleLinear, scaleLog } from "d3-scale";
import { binCount, bins, bulk, ecdf, known, quantile, shareBelow, shareOfAll, sorted } from "./compute.js";
import { add, axisX, axisY, frame, legend, mark, note, round, table, tips, toggle } from "./frame.js";
import { axisTicks, count, figure, percent, quantity, say, scaleOf } from "./units.js";
import { at, counts, thinned, valuesOf } from "./values.js";

const HISTOGRAM = 150, GAP = 48, CURVE = 130;
const LINES = ["p50", "p90", "p99"];

export function pick(document, place) {
	const data = at(document, place);
	const used = data?.samples?.processes?.filter((p) => p.used !== false) ?? [];
	return used.reduce((sum, p) => sum + (p.y?.length ?? 0), 0) >= 5 ? data : null;
}

/**
 * What is distributed: ascending `values` as shown, `share(x)` at most x, and of how many (`all`). Of single operations the document has
 * quantiles, which stand for all: the mass between two neighbours is the same, so the largest one does not look like one of few.
 */
function valuesFor(data, view) {
	const { result, samples } = data;
	const own = { ...view, unit: view.unit !== "cycles" && result.bytes_per_op > 0 ? "time" : view.unit };
	const q = quantity(result, own);
	const lists = samples.processes.filter((p) => p.used !== false && p.single?.length > 1).map((p) => {
		const values = sorted(p.single.map((y) => q.of(y, p.mhz ?? result.core_mhz?.value)));
		return { values, weight: p.single_all ?? values.length };
	}).filter((l) => l.values.length > 1);
	const single = sorted(lists.flatMap((l) => Array.from(l.values)));
	if (single.length >= 20)
		return { single: true, q, values: single, all: lists.reduce((sum, l) => sum + l.weight, 0), share: (x) => shareOfAll(lists, x) };
	const values = sorted(valuesOf(data, own).filter((v) => v.used && counts(v.cause)).map((v) => v.value));
	return { single: false, q, values, all: values.length, share: (x) => shareBelow(values, x) };
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

export function draw(host, data, view = {}, log = false) {
	const of = valuesFor(data, view);
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
	drawModes(chart, x, data.result, of);
	tips(chart, [...histogram, ...curve], { reach: 60, hair: true });
	toggle(chart, host, "log scale", log, (on) => draw(host, data, view, on));
	explain(chart, { data, of, seen, scale, log });
}

function drawHistogram(chart, x, of, seen, log) {
	const inside = of.values.filter((v) => v >= seen.low && v <= seen.high);
	const number = Math.min(binCount(inside, seen.low, seen.high), Math.floor(chart.width / 6));
	const cells = bins(inside, { low: seen.low, high: seen.high, count: number, log }).map((cell) => ({
		...cell, share: of.single ? of.share(cell.to) - of.share(cell.from) : cell.count / of.values.length,
	}));
	const y = scaleLinear([0, Math.max(...cells.map((c) => c.share)) * 1.05], [HISTOGRAM, 0]);
	axisY(chart, y, { ...axisTicks(0, y.domain()[1], { most: 4, factor: 100 }), bottom: HISTOGRAM, labelY: -28, label: `% of the ${of.single ? "operations" : "samples"}, in each of ${number} bins` });
	return cells.map((cell) => {
		const from = x(cell.from), to = x(cell.to), top = y(cell.share);
		if (cell.share > 0) add(chart.plot, "rect", { class: "bar", x: round(from + 0.5), width: round(Math.max(to - from - 1, 1)), y: round(top), height: round(Math.max(HISTOGRAM - top, 0.75)) });
		return {
			x: (from + to) / 2, y: top, box: { x: from, y: 0, width: to - from, height: HISTOGRAM }, head: `${say(cell.from, of.q.unit)} to ${say(cell.to, of.q.unit)}`,
			lines: [`${percent(cell.share, 3)} of the ${of.single ? "operations" : `${count(of.all)} samples drawn`}`, `${percent(of.share(cell.to), 4)} are at most ${say(cell.to, of.q.unit)}`],
		};
	});
}

function drawCurve(chart, x, of, seen) {
	const top = HISTOGRAM + GAP;
	const y = scaleLinear([0, 1], [top + CURVE, top]);
	axisY(chart, y, { ticks: [0, 0.25, 0.5, 0.75, 1], format: (p) => `${p * 100} %`, top, bottom: top + CURVE, label: "share that is at most as long" });
	const points = ecdf(of.values).filter((p) => p.x >= seen.low && p.x <= seen.high).map((p) => ({ x: p.x, p: of.share(p.x) }));
	let d = `M0,${round(y(of.share(seen.low)))}`;
	for (const p of points) d += of.single ? `L${round(x(p.x))},${round(y(p.p))}` : `H${round(x(p.x))}V${round(y(p.p))}`;
	d += of.single ? `L${round(chart.width)},${round(y(of.share(seen.high)))}` : `H${round(chart.width)}`;
	add(chart.plot, "path", { class: "line s0", d });
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
		add(chart.plot, "text", { class: "small strong", x: round(Math.min(at_, chart.width)), y: -14, "text-anchor": "middle" }, p.name);
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
		of.single ? `${count(of.values.length)} quantiles in equal steps stand for ${count(of.all)} single operations that nothing disturbed, contended ones included.` : `${thinned(samples)} Single operations were not timed: these are means over the operations of a sample, which hide short spikes.`,
		beyond && !log ? `${of.single ? percent(1 - of.share(seen.high) + of.share(seen.low)) : beyond} lie beyond this axis (largest ${say(of.values.at(-1), of.q.unit)}); the log scale shows them.` : "");
	table(chart, ["share at most", `value, ${scale.unit}`], 
		() => Array.from({ length: 41 }, (_, i) => seen.low + i * (seen.high - seen.low) / 40).map((v) => [percent(of.share(v), 4), figure(v * scale.factor)]));
}
