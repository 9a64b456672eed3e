// How did the samples of a result come in, one after another? Each sample in the order of the run, process after process, coloured and shaped
// by what hit it; levels are drawn where a process changed its cost. Data: {result, samples}.
import { scaleLinear } from "d3-scale";
import { bulk, groupBy, known, levels } from "./compute.js";
import { add, axisX, axisY, frame, legend, mark, note, round, table, tips, toggle } from "./frame.js";
import { axisTicks, change, count, figure, intervalOf, quantity, say, scaleOf } from "./units.js";
import { at, beyondAxis, causeClass, causeShape, causeText, counts, thinned, valuesOf } from "./values.js";

export function pick(document, place) {
	const data = at(document, place);
	return data?.samples?.processes?.some((p) => p.y?.length) ? data : null;
}

export function draw(host, data, view = {}, zoomed = false) {
	const { result } = data;
	const q = quantity(result, view), interval = intervalOf(result, view);
	const values = valuesOf(data, view);
	const clean = values.filter((v) => v.cause === "clean");
	const seen = bulk((zoomed ? clean : values).map((v) => v.value), { keep: [interval.low, interval.high, interval.value], tail: 0.03 });
	if (!seen) return;
	const scale = scaleOf(Math.max(Math.abs(seen.low), Math.abs(seen.high)), q.unit);
	const spans = spansOf(values);
	const chart = frame(host, {
		name: "samples", view, height: 240, margin: { top: 42, left: 56 }, title: "Samples in the order of the run",
		desc: `${values.length} samples of ${spans.length} processes, ${q.label} in ${scale.unit}. ` + causesOf(values).map(([cause, n]) => `${n} ${causeText(cause)}`).join(", "),
	});
	const x = scaleLinear([0, spans.at(-1).to], [0, chart.width]);
	const y = scaleLinear([seen.low, seen.high], [chart.height, 0]);
	axisY(chart, y, { ...axisTicks(seen.low, seen.high, { factor: scale.factor, most: 6 }), labelY: -27, label: `${q.label}, ${scale.unit}${seen.low > 0 ? " (axis does not start at 0)" : ""}` });
	drawTime(chart, x, spans);
	drawInterval(chart, y, interval);
	const points = spans.flatMap((span) => span.values.map((v) => drawSample(chart, v, { x, y, seen, q, unit: data.samples.unit, span })));
	if (stepOf(result)) drawSteps(chart, spans, x, y);
	tips(chart, points);
	if (clean.length >= 10 && clean.length < values.length) toggle(chart, host, "zoom to the uncontended", zoomed, (on) => draw(host, data, view, on));
	explain(chart, { data, values, seen, q, scale });
}

/** Where each process lies on the common axis: its samples' times in ms, one process after the other, 2 % of the whole between them. */
function spansOf(values) {
	const spans = [...groupBy(values, (v) => v.name)].map(([name, own]) => {
		const timed = own.every((v) => known(v.t));
		return { name, values: own, used: own[0].used, timed, long: timed ? Math.max(...own.map((v) => v.t)) : own.length };
	});
	const gap = spans.reduce((sum, s) => sum + s.long, 0) * Math.min(0.02, 0.3 / spans.length);
	let from = 0;
	for (const span of spans) {
		span.from = from;
		span.to = from + span.long;
		from = span.to + gap;
	}
	return spans;
}

const placeOf = (v, span) => span.from + (span.timed ? v.t : v.place);

function drawTime(chart, x, spans) {
	for (const [i, span] of spans.entries()) {
		const from = round(x(span.from)), to = round(x(span.to)), middle = (from + to) / 2;
		if (i) add(chart.plot, "line", { class: "boundary", x1: from - 3, x2: from - 3, y1: -12, y2: chart.height });
		if (to - from < 22 && i % Math.ceil(22 / (to - from + 1))) continue;
		add(chart.plot, "text", { class: `soft small${span.used ? "" : " unused"}`, x: middle, y: -5, "text-anchor": "middle" }, to - from > 70 ? `process ${span.name}${span.used ? "" : ", not used"}` : `#${span.name}`);
	}
	const timed = spans.every((s) => s.timed);
	const whole = spans.at(-1).to;
	const ticks = axisTicks(0, whole, { factor: timed && whole > 3000 ? 1e-3 : 1, most: chart.width / 80 });
	axisX(chart, x, { ...ticks, grid: false, label: timed ? `measuring time of all processes together, ${whole > 3000 ? "s" : "ms"}` : "samples" });
}

function drawInterval(chart, y, interval) {
	if (known(interval.low) && known(interval.high))
		add(chart.plot, "rect", { class: "ci-band", x: 0, width: chart.width, y: round(y(interval.high)), height: Math.max(round(y(interval.low) - y(interval.high)), 1) });
	if (known(interval.value)) add(chart.plot, "line", { class: "ci-line thin", x1: 0, x2: chart.width, y1: round(y(interval.value)), y2: round(y(interval.value)) });
}

/** kbench's own finding that the cost changed while it was measured. The document does not say where, so the page looks for the places. */
const stepOf = (result) => result.verdict?.reasons?.find((r) => r.code === "changepoint");

/** Levels of the samples that count for the headline; a dashed line where one ends, with the change if there is room for it. */
function drawSteps(chart, spans, x, y) {
	let free = -Infinity;
	for (const span of spans) {
		const own = ofHeadline(span.values);
		const found = levels(own.map((v) => v.value));
		found.forEach((level, i) => {
			if (found.length < 2) return;
			const from = round(x(placeOf(own[level.from], span))), to = round(x(placeOf(own[level.to - 1], span)));
			add(chart.plot, "line", { class: "level", x1: from, x2: to, y1: round(y(level.value)), y2: round(y(level.value)) });
			if (!i) return;
			add(chart.plot, "line", { class: "guide", x1: from, x2: from, y1: 0, y2: chart.height });
			if (from < free || from > chart.width - 36 || !(found[i - 1].value > 0 && level.value > 0)) return;
			add(chart.plot, "text", { class: "small strong halo", x: from + 3, y: 12 }, change(level.value / found[i - 1].value, 2));
			free = from + 48;
		});
	}
}

function ofHeadline(values) {
	const clean = values.filter((v) => v.cause === "clean");
	return clean.length >= 30 ? clean : values.filter((v) => counts(v.cause));
}

function drawSample(chart, v, { x, y, seen, q, unit, span }) {
	const px = x(placeOf(v, span));
	const above = v.value > seen.high, below = v.value < seen.low;
	const py = above ? 4 : below ? chart.height - 4 : y(v.value);
	if (above || below) mark(chart.plot, above ? "up" : "down", px, py, `sample beyond ${causeClass(v.cause)}`, 2.6);
	else mark(chart.plot, causeShape(v.cause), px, py, `sample ${causeClass(v.cause)}`, 2.4);
	return {
		x: px, y: py, head: say(v.value, q.unit), lines: [
			causeText(v.cause), `process ${v.name}${v.used ? "" : " (not used)"}, block ${v.block ?? "-"}`,
			known(v.t) && `${figure(v.t)} ms after the process's first sample`, `${count(v.n)} operations in ${say(v.y, unit)}`,
		],
	};
}

/** [cause, number of samples], the most frequent first. */
const causesOf = (values) => [...groupBy(values, (v) => v.cause)].map(([cause, own]) => [cause, own.length]).sort((a, b) => b[1] - a[1]);

function explain(chart, { data, values, seen, q, scale }) {
	const { result, samples } = data;
	const among = (cause) => samples.counts?.[samples.causes.indexOf(cause)];
	const number = (cause, n) => known(among(cause)) && among(cause) !== n ? `${count(n)} of ${count(among(cause))}` : count(n);
	legend(chart, [
		...causesOf(values).map(([cause, n]) => ({ shape: causeShape(cause), classes: causeClass(cause), text: `${causeText(cause)} (${number(cause, n)})` })),
		{ line: true, classes: "ci-line", text: "result" }, ...(chart.root.querySelector(".ci-band") ? [{ band: true, classes: "ci-band", text: "its 95 % CI" }] : []),
	]);
	const step = stepOf(result);
	const beyond = values.filter((v) => v.value > seen.high || v.value < seen.low).length;
	note(chart, thinned(samples, true), beyondAxis(beyond),
		"A sample's time is without the empty loop's, of one operation.",
		step ? `kbench found: ${step.detail}${step.evidence ? ` (${step.evidence})` : ""}.` : "",
		chart.root.querySelector(".level") ? "Dashed lines are where this page sees steps in the samples drawn." : "");
	table(chart, ["sample", "process", "time, ms", "block", "n", `time of the sample, ${samples.unit}`, `of one operation, ${scale.unit}`, "cause"],
		() => values.map((v) => [v.place, v.name, figure(v.t), v.block ?? "-", v.n, figure(v.y), figure(v.value * scale.factor), v.cause]));
}
