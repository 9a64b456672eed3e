// Do the processes of a result agree? One strip a process on a shared axis: its samples as dots under their outline, its cost as a bar, and
// the result with its 95 % CI through all strips. Data: {result (element of results), samples (element of samples, or null)}; without samples
// only costs are drawn.
import { scaleLinear } from "d3-scale";
import { jitter, known, outline, bulk } from "./compute.js";
import { add, axisX, frame, legend, mark, note, round, table, textWidth, tips } from "./frame.js";
import { axisTicks, count, figure, intervalOf, onAxis, percent, quantity, say, sayInterval, scaleOf } from "./units.js";
import { at, beyondAxis, causeClass, causeShape, causeText, counts, thinned, valuesOf } from "./values.js";

/** Height of a strip: less if there are many, so that all can be compared at a glance. */
const heightOf = (processes) => Math.round(Math.min(Math.max(560 / processes, 9), 38));

export function pick(document, place) {
	const data = at(document, place);
	return data?.result.process_costs?.length ? data : null;
}

export function draw(host, data, view = {}) {
	const { result, samples } = data;
	const q = quantity(result, view);
	const processes = processesOf(result, q, view);
	const strip = heightOf(processes.length);
	const values = valuesOf(data, view);
	const interval = intervalOf(result, view);
	const seen = bulk(values.filter((v) => counts(v.cause)).map((v) => v.value), {
		keep: [...processes.map((p) => p.shown), interval.low, interval.high, interval.value],
	});
	if (!seen) return;
	const scale = scaleOf(Math.max(Math.abs(seen.high), Math.abs(seen.low)), q.unit);
	const costs = processes.map((p) => known(p.shown) ? onAxis(p.shown, seen, scale) : "not used");
	const chart = frame(host, {
		name: "strips", view, height: processes.length * strip, margin: { left: 46, right: Math.max(...costs.map((c) => textWidth(c)), 40) + 14, top: 22 },
		title: "Processes: do they agree?",
		desc: `${processes.length} processes; ${view.cost === "observed" ? "observed" : result.headline} ${q.label} ${sayInterval(interval, q.unit)}. ` + processes.map((p) => `process ${p.process}: ${say(p.shown, q.unit)}`).join("; "),
	});
	const x = scaleLinear([seen.low, seen.high], [0, chart.width]);
	axisX(chart, x, { ...axisTicks(seen.low, seen.high, { factor: scale.factor, most: chart.width / 75 }), label: `${q.label}, ${scale.unit}${seen.low > 0 ? " (axis does not start at 0)" : ""}` });
	drawInterval(chart, x, interval, seen, scale);
	const points = processes.flatMap((process, i) => drawStrip(chart, { process, unit: result.unit, cost: costs[i], x, seen, q, strip, y: i * strip, values: values.filter((v) => v.process === process.process) }));
	tips(chart, points, { reach: 30 });
	explain(chart, { data, view, values, seen, interval, q });
}

function processesOf(result, q, view) {
	return result.process_costs.map((p) => {
		const cost = view.cost === "observed" ? p.observed ?? p.cost : p.cost;
		const mhz = p.core_mhz ?? result.core_mhz?.value;
		return { ...p, shown: known(cost) ? q.of(cost, mhz) : null };
	});
}

function drawInterval(chart, x, interval, seen, scale) {
	const high = chart.height;
	if (known(interval.low) && known(interval.high))
		add(chart.plot, "rect", { class: "ci-band", x: round(x(interval.low)), y: 0, width: Math.max(round(x(interval.high) - x(interval.low)), 1), height: high });
	if (!known(interval.value)) return;
	const at_ = round(x(interval.value));
	add(chart.plot, "line", { class: "ci-line", x1: at_, x2: at_, y1: -4, y2: high });
	add(chart.plot, "text", { class: "value", x: Math.min(Math.max(at_, 20), chart.width - 10), y: -9, "text-anchor": "middle" }, onAxis(interval.value, seen, scale));
}

function drawStrip(chart, { process, unit, cost, x, seen, q, strip, y, values }) {
	const group = add(chart.plot, "g", { class: "strip" });
	const middle = y + strip / 2;
	const roomy = strip >= 13;
	add(group, "line", { class: "grid", x1: 0, x2: chart.width, y1: y + strip, y2: y + strip });
	if (roomy || process.process % 10 === 1) add(group, "text", { class: "name", x: -8, y: middle + 4, "text-anchor": "end" }, `#${process.process}`);
	if (roomy) drawOutline(group, x, middle, strip / 2 - 3, values.filter((v) => counts(v.cause)).map((v) => v.value), seen);
	for (const v of values) drawSample(group, v, { x, seen, y: middle + jitter(v.place) * (strip / 2 - 2.5) * 0.8 });
	const points = [];
	if (known(process.shown)) {
		mark(group, "bar", x(process.shown), middle, "process-cost", Math.min(strip / 4, 9));
		points.push({
			x: x(process.shown), y: middle, head: `process ${process.process}: ${say(process.shown, q.unit)}`,
			lines: [
				`observed ${say(process.observed, unit)}, uncontended ${say(process.uncontended, unit)}`,
				`${percent(process.clean_share, 3)} of its samples uncontended`,
				known(process.core_mhz) && `core clock ${figure(process.core_mhz)} MHz`,
				`${count(process.samples)} samples used`,
			],
		});
	}
	if (roomy) add(group, "text", { class: "value", x: chart.width + 8, y: middle + 4 }, cost);
	return points;
}

function drawOutline(strip, x, middle, half, values, seen) {
	if (values.length < 12) return;
	const points = outline(values, seen.low, seen.high, 90).map((p) => ({ x: round(x(p.x)), by: p.d * half }));
	const upper = points.map((p) => `${p.x},${round(middle - p.by)}`), lower = points.map((p) => `${p.x},${round(middle + p.by)}`).reverse();
	add(strip, "path", { class: "outline", d: `M${[...upper, ...lower].join("L")}Z` });
}

/** Beyond the axis a sample is an arrow at the edge, so that none is hidden. */
function drawSample(strip, v, { x, seen, y }) {
	if (v.value > seen.high) mark(strip, "right", x(seen.high) - 3, y, `sample beyond ${causeClass(v.cause)}`, 2.4);
	else if (v.value < seen.low) mark(strip, "left", x(seen.low) + 3, y, `sample beyond ${causeClass(v.cause)}`, 2.4);
	else mark(strip, causeShape(v.cause), x(v.value), y, `sample ${causeClass(v.cause)}`, 2);
}

function explain(chart, { data, view, values, seen, interval, q }) {
	const { result, samples } = data;
	const causes = [...new Set(values.map((v) => v.cause))];
	legend(chart, [
		{ line: true, classes: "ci-line", text: `result, ${view.cost === "observed" ? "observed" : result.headline}` },
		{ band: true, classes: "ci-band", text: known(interval.low) ? "its 95 % CI" : "no CI" },
		{ shape: "bar", classes: "process-cost", text: "cost of a process" },
		...causes.map((cause) => ({ shape: causeShape(cause), classes: causeClass(cause), text: causeText(cause) })),
	]);
	const beyond = values.filter((v) => v.value > seen.high || v.value < seen.low).length;
	note(chart,
		values.length ? "A dot is a sample: its time minus the empty loop's, of one operation; its height in the strip means nothing." : "No record of the samples is kept: only the costs of the processes are drawn.",
		thinned(samples),
		beyondAxis(beyond));
	table(chart, ["process", `cost, ${result.unit}`, `shown, ${q.unit}`, "observed", "uncontended", "clean share", "core MHz", "samples"],
		() => result.process_costs.map((p) => [p.process, figure(p.cost), figure(known(p.cost) ? q.of(p.cost, p.core_mhz) : null), figure(p.observed), figure(p.uncontended), percent(p.clean_share, 3), figure(p.core_mhz), p.samples]));
}
