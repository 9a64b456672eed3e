// Is the time proportional to the number of operations? Time of whole samples against n with the line through their medians, the empty loop
// with its own, and below what the line leaves over. Data: {result, samples}.
import { scaleLinear } from "d3-scale";
import { bulk, jitter, known, median, robustLine } from "./compute.js";
import { add, axisX, axisY, frame, legend, mark, note, round, table, tips, whisker } from "./frame.js";
import { axisTicks, count, figure, percent, say, scaleOf } from "./units.js";
import { at, beyondAxis, causeAt, causeClass, causeShape, causeText, counts, loopPoints, thinned } from "./values.js";

const UPPER = 230, GAP = 44, LOWER = 110;

export function pick(document, place) {
	const data = at(document, place);
	return data && new Set(operationsOf(data.samples).map((p) => p.n)).size > 1 ? data : null;
}

/** Samples that were not disturbed, in the unit of the record. */
function operationsOf(samples) {
	return (samples?.processes ?? []).filter((p) => p.used !== false).flatMap((p) => p.y.map((y, i) => ({
		n: p.n[i], y, process: p.process, cause: causeAt(samples, p, i),
	}))).filter((p) => counts(p.cause));
}

const loopsOf = (samples) => samples.processes.filter((p) => p.used !== false).flatMap((p) => loopPoints(samples, p)).map(({ x, y }) => ({ n: x, y }));

const lineOf = (points) => robustLine(points.map((p) => ({ x: p.n, y: p.y })));

export function draw(host, data, view = {}) {
	const { result, samples } = data;
	const all = operationsOf(samples), loops = loopsOf(samples);
	const clean = all.filter((p) => p.cause === "clean");
	const fitted = new Set(clean.map((p) => p.n)).size > 1 && clean.length >= 10 ? clean : all;
	const line = lineOf(fitted), loop = lineOf(loops);
	if (!line) return;
	const most = Math.max(...all.map((p) => p.n)) * 1.08;
	const high = Math.max(bulk(all.map((p) => p.y), { keep: [line.intercept + line.slope * most], tail: 0.02 }).high, 0);
	const { unit } = samples;
	const scale = scaleOf(high / 2, unit);
	const chart = frame(host, {
		name: "line", view, height: UPPER + GAP + LOWER, margin: { left: 60, top: 26 }, title: "Time against the number of operations",
		desc: `Samples of ${[...new Set(all.map((p) => p.n))].length} different n. The line rises by ${say(line.slope, unit)} an operation` + (loop ? `, that of the empty loop by ${say(loop.slope, unit)}.` : "."),
	});
	const x = scaleLinear([0, most], [0, chart.width]);
	const y = scaleLinear([0, high], [UPPER, 0]);
	axisY(chart, y, { ...axisTicks(0, high, { factor: scale.factor }), bottom: UPPER, label: `time of a sample, ${scale.unit}` });
	drawLine(chart, x, y, line, most, "s0");
	if (loop) drawLine(chart, x, y, loop, most, "s6 dashed");
	for (const p of loops) mark(chart.plot, "plus", x(p.n), y(p.y), "s6 loop", 2.6);
	const points = all.map((p, i) => drawSample(chart, p, i, { x, y, high, line, unit }));
	drawResiduals(chart, x, { all, fitted, line, most });
	tips(chart, points, { hair: true });
	explain(chart, { data, all, line, loop, fitted, clean, unit, high });
}

/** Thin and dashed where there are no samples: from 0 to the smallest n. */
function drawLine(chart, x, y, line, most, classes) {
	const at = (n) => ({ x: round(x(n)), y: round(Math.min(y(line.intercept + line.slope * n), UPPER)) });
	const piece = (from, to, more) => add(chart.plot, "line", { class: `line ${classes}${more}`, x1: from.x, y1: from.y, x2: to.x, y2: to.y });
	const first = at(line.middle[0].x);
	piece(at(0), first, " dashed thin");
	piece(first, at(most), "");
}

/** Samples of one n are drawn side by side, a few pixels wide, so that they do not hide each other. */
const aside = (i) => jitter(i) * 7;

function drawSample(chart, p, i, { x, y, high, line, unit }) {
	const px = x(p.n) + aside(i), py = p.y > high ? 3 : y(p.y);
	if (p.y > high) mark(chart.plot, "up", px, py, `sample beyond ${causeClass(p.cause)}`, 2.6);
	else mark(chart.plot, causeShape(p.cause), px, py, `sample ${causeClass(p.cause)}`, 2.2);
	const off = p.y / (line.intercept + line.slope * p.n) - 1;
	return { x: px, y: py, head: `${count(p.n)} operations: ${say(p.y, unit)}`, lines: [`${percent(Math.abs(off), 3)} ${off < 0 ? "below" : "above"} the line`, `process ${p.process}, ${causeText(p.cause)}`] };
}

/** What the line leaves over, in % of the line: each sample, and the median of each n. */
function drawResiduals(chart, x, { all, fitted, line, most }) {
	const top = UPPER + GAP;
	const off = (p) => (p.y / (line.intercept + line.slope * p.n) - 1) * 100;
	const seen = bulk(fitted.map(off), { keep: [-0.5, 0.5], tail: 0.05 });
	const y = scaleLinear([seen.low, seen.high], [top + LOWER, top]);
	axisY(chart, y, { ...axisTicks(seen.low, seen.high, { most: 5 }), top, bottom: top + LOWER, label: "residual, % of the line" });
	axisX(chart, x, { ...axisTicks(0, most, { most: chart.width / 80 }), y: top + LOWER, top: 0, label: "operations of a sample, n" });
	add(chart.plot, "line", { class: "zero", x1: 0, x2: chart.width, y1: round(y(0)), y2: round(y(0)) });
	all.forEach((p, i) => {
		const value = off(p);
		if (value > seen.high || value < seen.low) mark(chart.plot, value > 0 ? "up" : "down", x(p.n) + aside(i), value > 0 ? top + 3 : top + LOWER - 3, `sample beyond ${causeClass(p.cause)}`, 2.2);
		else mark(chart.plot, causeShape(p.cause), x(p.n) + aside(i), y(value), `sample ${causeClass(p.cause)}`, 1.8);
	});
	for (const n of new Set(fitted.map((p) => p.n))) {
		const middle = median(fitted.filter((p) => p.n === n).map(off));
		whisker(chart.plot, { from: x(n) - 12, to: x(n) + 12, at: y(middle), classes: "middle", end: 0 });
	}
}

function explain(chart, { data, all, line, loop, fitted, clean, unit, high }) {
	const { result, samples } = data;
	const causes = [...new Set(all.map((p) => p.cause))];
	legend(chart, [
		{ line: true, classes: "line s0", text: `line through the medians${fitted === clean ? " of uncontended samples" : ""}: ${say(line.slope, unit)} an operation` },
		...(loop ? [{ line: true, shape: "plus", classes: "line s6 dashed", mark: "s6 loop", text: `empty loop: ${say(loop.slope, unit)} a turn` }] : []),
		...causes.map((cause) => ({ shape: causeShape(cause), classes: causeClass(cause), text: causeText(cause) })),
		{ line: true, classes: "whisker middle", text: "median residual of an n" },
	]);
	const beyond = all.filter((p) => p.y > high).length;
	note(chart,
		compareSlopes({ result, line, loop, unit }),
		"Both axes of the upper part start at 0. Samples of one n are drawn side by side.", thinned(samples),
		beyondAxis(beyond));
	table(chart, ["n", "samples", `median, ${unit}`, "line", "residual of the median"],
		() => line.middle.map((m) => [count(m.x), m.n, figure(m.y), figure(line.intercept + line.slope * m.x), percent(m.y / (line.intercept + line.slope * m.x) - 1, 2)]));
}

/** The slope of this chart is of all processes together: a check of the result, and not the result. */
function compareSlopes({ result, line, loop, unit }) {
	if (!known(result.estimate?.value) || unit !== result.unit) return "";
	const net = line.slope - (loop?.slope ?? 0);
	const slope = `Slope ${say(line.slope, unit)}${loop ? ` minus the empty loop's ${say(loop.slope, unit)} is ${say(net, unit)}` : ""}`;
	if (result.estimate.method !== "slope") return `${slope}; the result, ${say(result.estimate.value, result.unit)}, is by method ${result.estimate.method} and no slope.`;
	return `${slope}; kbench fits each process alone and reports ${say(result.estimate.value, result.unit)}.`;
}
