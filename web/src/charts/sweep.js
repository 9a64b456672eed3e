// How do latency and bandwidth change with the working set, the stride, or another number? Log-log, one line for each combination of the other
// parameters, with the sizes of the caches. Data: {families (families.js), facts}.
import { formatSize, known, powerTicks } from "./compute.js";
import { drawCurves, EDGE } from "./curves.js";
import { cachesOf, familiesOf } from "./families.js";
import { note, table } from "./frame.js";
import { figure, intervalOf, quantity, rowName, say, sayCi, scaleOf } from "./units.js";

export const MARKS = "Whiskers are 95 % CIs. An open mark is a result that is not ok; a cross is an invalid one, which the line leaves out.";
const RINGS = "ctx.ring";           /* drawn by rings.js */

export function pick(document, { run = 0 }) {
	const whole = document.runs?.[run];
	const families = familiesOf(whole?.results ?? []).filter((f) => f.benchmark !== RINGS);
	return families.length ? { families, facts: whole.env?.facts ?? {} } : null;
}

export function draw(host, data, view = {}) {
	for (const family of data.families) drawFamily(host, family, data.facts, view);
}

/** One quantity for all points: the one that the first has, if all have it, else time. */
export function quantityOf(family, view) {
	const results = family.series.flatMap((s) => s.points.map((p) => p.result));
	const units = new Set(results.map((r) => quantity(r, view).unit));
	const own = units.size === 1 ? view : { ...view, unit: "time" };
	return { view: own, ...quantity(results[0], own) };
}

/** Points of a family as curves draw them. */
export function pointsOf(family, q, sayX) {
	return family.series.map((series) => ({
		name: series.name,
		points: series.points.map(({ x, result, index }) => {
			const { value, low, high } = intervalOf(result, q.view);
			const status = result.verdict?.status ?? "ok";
			return {
				x, y: value, low, high, open: status !== "ok", bad: status === "invalid", pick: index, result, head: `${sayX(x)}: ${say(value, q.unit)}`,
				lines: [rowName(result), sayCi({ value, low, high }, q.unit), status !== "ok" && status, known(result.range?.low) && `processes from ${say(result.range.low, result.unit)} to ${say(result.range.high, result.unit)}`],
			};
		}).filter((p) => known(p.y) && p.y > 0),
	})).filter((s) => s.points.length);
}

function drawFamily(host, family, facts, view) {
	const q = quantityOf(family, view);
	const sayX = family.size ? formatSize : String;
	const series = pointsOf(family, q, sayX);
	if (!series.length) return;
	const xs = series.flatMap((s) => s.points.map((p) => p.x));
	const what = family.benchmark ?? (q.flips ? "Bandwidth" : "Reading and writing memory");
	const over = family.x === "size" ? "working set" : family.x;
	const caches = family.x === "size" ? cachesOf(facts) : [];
	const chart = drawCurves(host, {
		name: "sweep", title: `${what} over ${over}`, series, unit: q.unit, xLog: true, yLog: true,
		desc: `${series.length} lines, ${q.label} over ${over}. ` + series.map((s) => `${s.name}: ${s.points.map((p) => p.head).join(", ")}`).join(". "),
		xLabel: `${over}, log scale`, xTicks: ticksOf(xs), xFormat: sayX, yLabel: q.label, marks: caches.map((c) => ({ x: c.bytes, text: `${c.name} ${formatSize(c.bytes)}` })),
	}, view);
	const outside = caches.filter((c) => c.bytes < Math.min(...xs) / EDGE || c.bytes > Math.max(...xs) * EDGE);
	note(chart, MARKS,
		caches.length ? `Dashed: cache sizes that the machine reports${outside.length ? `, not drawn ${outside.map((c) => `${c.name} ${formatSize(c.bytes)}`).join(", ")}` : ""}; a shared machine leaves less of L3.` : "",
		q.flips ? "Higher is better." : "Lower is better.");
	listPoints(chart, series, q, over, sayX);
}

function ticksOf(xs) {
	const own = [...new Set(xs)].sort((a, b) => a - b);
	return own.length <= 10 ? own : powerTicks(own[0], own.at(-1), 10);
}

export function listPoints(chart, series, q, over, sayX) {
	const scale = scaleOf(Math.max(...series.flatMap((s) => s.points.map((p) => p.y))), q.unit);
	table(chart, ["line", over, `${q.label}, ${scale.unit}`, "low", "high", "verdict"],
		() => series.flatMap((s) => s.points.map((p) => [s.name, sayX(p.x), ...[p.y, p.low, p.high].map((v) => figure(known(v) ? v * scale.factor : null)), p.result.verdict?.status ?? "-"])));
}
