// What does a context switch cost when more processes take turns and each has a working set? One line a working set over the number of processes
// in the ring. Data: {family (families.js) of ctx.ring, facts}.
import { formatSize, parseSize } from "./compute.js";
import { drawCurves } from "./curves.js";
import { cachesOf, familiesOf } from "./families.js";
import { note } from "./frame.js";
import { listPoints, MARKS, pointsOf, quantityOf } from "./sweep.js";

export function pick(document, { run = 0 }) {
	const whole = document.runs?.[run];
	const family = familiesOf(whole?.results ?? []).find((f) => f.benchmark === "ctx.ring" && f.x === "processes");
	return family ? { family, facts: whole.env?.facts ?? {} } : null;
}

export function draw(host, { family, facts }, view = {}) {
	const q = quantityOf(family, view);
	const series = pointsOf(family, q, (n) => `${n} processes`).map((s) => ({ ...s, name: nameOf(s), points: s.points.map((p) => withTotal(p)) }));
	const numbers = [...new Set(series.flatMap((s) => s.points.map((p) => p.x)))].sort((a, b) => a - b);
	const chart = drawCurves(host, {
		name: "rings", title: "Context switch in a ring of processes", series, unit: q.unit, xLog: true, yLog: false, xTicks: numbers, xFormat: String,
		desc: `${q.label} over the number of processes. ` + series.map((s) => `${s.name}: ${s.points.map((p) => p.head).join(", ")}`).join(". "),
		xLabel: "processes in the ring, log scale", yLabel: "one switch to the next process",
	}, view);
	const caches = cachesOf(facts).map((c) => `${c.name} ${formatSize(c.bytes)}`).join(", ");
	note(chart, "Summing the array and the calls are subtracted, so a line that rises shows caches and translations that the switch leaves cold.",
		caches && `Caches: ${caches}.`, MARKS);
	listPoints(chart, series, q, "processes", String);
}

function nameOf(series) {
	const size = parseSize(/size=(\S+)/.exec(series.name)?.[1]);
	return size === null ? series.name : `${size ? formatSize(size) : "no array"} each`;
}

function withTotal(p) {
	const size = parseSize(p.result.params?.size);
	return size ? { ...p, lines: [...p.lines, `together ${formatSize(size * p.x)}`] } : p;
}
