// Draws lines of costs over a number, one a series, with CIs, a label at the end of each line, and marks such as cache sizes. Used by sweep,
// rings and scaling. Takes {title, desc, name, xLabel, xTicks, xFormat, yLabel, yLog, yFrom (else 0), xLog, series: [{name, points: [{x, y, low, high, open,
// head, lines, pick}], fit}], marks: [{x, text}], guide: [{x, y}]}; y is in `unit`.
import { scaleLinear, scaleLog } from "d3-scale";
import { known } from "./compute.js";
import { add, axisX, axisY, fit, frame, legend, mark, round, SERIES_SHAPES, textWidth, tips, whisker, widthOf } from "./frame.js";
import { axisTicks, scaleOf } from "./units.js";

const SERIES = 8;
export const EDGE = 1.15;       /* by which a log axis reaches beyond its points */
const NARROW = 560;             /* px: below, names stand in a legend and not beside the lines */
export const seriesClass = (i) => `s${i % SERIES}`;
export const seriesShape = (i) => SERIES_SHAPES[i % SERIES_SHAPES.length];

export function drawCurves(host, data, view) {
	const points = data.series.flatMap((s) => s.points);
	const ends = endsOf(points, data);
	const scale = scaleOf(data.yLog ? Math.sqrt(ends.y[0] * ends.y[1]) : ends.y[1] / 2, data.unit);
	const outer = widthOf(host, view);
	const beside = data.series.length > 1 && data.series.length <= 40 && outer >= NARROW;
	const labels = beside ? Math.min(Math.max(...data.series.map((s) => textWidth(s.name, 11))) + 14, outer * 0.34) : 14;
	const chart = frame(host, { name: data.name, title: data.title, desc: data.desc, view, height: Math.max(data.height ?? 280, beside ? data.series.length * 14 : 0), margin: { right: labels, top: 40, left: 60 } });
	const x = (data.xLog ? scaleLog : scaleLinear)(ends.x, [0, chart.width]);
	const y = (data.yLog ? scaleLog : scaleLinear)(ends.y, [chart.height, 0]);
	axisX(chart, x, { ticks: data.xTicks, format: data.xFormat, label: data.xLabel });
	axisY(chart, y, { ...axisTicks(ends.y[0], ends.y[1], { factor: scale.factor, log: data.yLog, most: 6 }), labelY: -26, label: `${data.yLabel}, ${scale.unit}${data.yLog ? " (log scale)" : ends.y[0] === 0 ? "" : " (axis does not start at 0)"}` });
	drawMarks(chart, x, data.marks ?? []);
	if (data.guide) drawPath(chart, x, y, data.guide, "guide");
	data.series.forEach((series, i) => drawSeries(chart, x, y, series, i));
	if (beside) drawLabels(chart, x, y, data.series, labels);
	else if (data.series.length > 1) legend(chart, data.series.map((s, i) => ({ line: true, shape: seriesShape(i), classes: `line ${seriesClass(i)}`, mark: `${seriesClass(i)} filled`, text: s.name })));
	tips(chart, points.map((p) => ({ ...p, x: x(p.x), y: y(p.y) })), { onPick: view.onPick });
	return chart;
}

function endsOf(points, data) {
	const xs = [...points.map((p) => p.x), ...(data.xTicks ?? [])];
	const ys = [...points, ...(data.guide ?? []), ...data.series.flatMap((s) => s.fit ?? [])].flatMap((p) => [p.y, p.low, p.high]).filter((v) => known(v) && (!data.yLog || v > 0));
	const low = Math.min(...ys), high = Math.max(...ys);
	const [left, right] = [Math.min(...xs), Math.max(...xs)];
	const y = data.yLog ? [low / 1.25, high * 1.25] : [data.yFrom ?? 0, high + (high - (data.yFrom ?? 0)) * 0.08];
	return { y, x: data.xLog ? [left / EDGE, right * EDGE] : [left - (right - left) * 0.04, right + (right - left) * 0.04] };
}

function drawMarks(chart, x, marks) {
	const [from, to] = x.domain();
	let free = -Infinity;
	for (const m of marks) {
		if (m.x < from || m.x > to) continue;
		const px = round(x(m.x));
		add(chart.plot, "line", { class: "guide", x1: px, x2: px, y1: -4, y2: chart.height });
		const half = textWidth(m.text, 11) / 2;
		const text = px - half < free ? m.text.split(" ")[0] : m.text;
		add(chart.plot, "text", { class: "small soft", x: Math.min(px, chart.width + chart.room.right - textWidth(text, 11) / 2), y: -8, "text-anchor": "middle" }, text);
		free = px + textWidth(text, 11) / 2 + 8;
	}
}

const drawPath = (chart, x, y, points, classes) => points.length && add(chart.plot, "path", { class: classes, d: points.map((p, i) => `${i ? "L" : "M"}${round(x(p.x))},${round(y(p.y))}`).join("") });

function drawSeries(chart, x, y, series, i) {
	const [low] = y.domain();
	drawPath(chart, x, y, series.fit ?? series.points.filter((p) => !p.bad), `line ${seriesClass(i)}${i >= SERIES ? " dashed" : ""}`);
	for (const p of series.points) {
		if (known(p.low) && known(p.high)) whisker(chart.plot, { from: y(Math.max(p.low, low)), to: y(p.high), at: x(p.x), up: true, classes: seriesClass(i), end: 4 });
		mark(chart.plot, p.bad ? "cross" : seriesShape(i), x(p.x), y(p.y), `${seriesClass(i)} ${p.open ? "open" : "filled"}`, 3.6);
	}
}

/** The name of each line at its end; names that would overlap are moved apart. */
function drawLabels(chart, x, y, series, room) {
	const ends = series.map((s, i) => ({ i, name: s.name, x: x(s.points.at(-1).x), y: y(s.points.at(-1).y) })).sort((a, b) => a.y - b.y);
	let free = -Infinity;
	for (const end of ends) {
		end.at = Math.max(end.y, free);
		free = end.at + 14;
	}
	const over = Math.max(free - 14 - chart.height, 0);
	for (const end of ends) {
		const at = Math.max(end.at - over, 6);
		add(chart.plot, "line", { class: `leader ${seriesClass(end.i)}`, x1: round(end.x) + 5, y1: round(end.y), x2: chart.width + 4, y2: round(at) });
		add(chart.plot, "text", { class: "small", x: chart.width + 8, y: round(at) + 4 }, fit(end.name, room - 8, 11));
	}
}
