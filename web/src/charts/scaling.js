// What do several copies of a benchmark cost each other? The cost of a copy against one copy alone, and what all deliver together against the
// straight line. Data: {curves (families.js), rows (`scaling` of the run: paired ratios with CIs)}.
import { known, shortNames } from "./compute.js";
import { drawCurves } from "./curves.js";
import { copiesOf } from "./families.js";
import { note, table } from "./frame.js";
import { figure, percent, rowName, say, sayCi, sayInterval } from "./units.js";

export function pick(document, { run = 0 }) {
	const whole = document.runs?.[run];
	const curves = copiesOf(whole?.results ?? []).map((c) => ({ ...c, points: c.points.filter((p) => known(p.result.estimate?.value)) }))
		.filter((c) => new Set(c.points.map((p) => p.copies)).size > 1);
	return curves.length ? { curves, rows: whole.scaling ?? [] } : null;
}

export function draw(host, data, view = {}) {
	const names = shortNames(data.curves.map((c) => c.name));
	const curves = data.curves.map((c, i) => ({ ...c, name: names[i], one: c.points[0] })).filter((c) => c.one.copies === 1);
	const numbers = [...new Set(curves.flatMap((c) => c.points.map((p) => p.copies)))].sort((a, b) => a - b);
	if (!curves.length) return;
	drawCosts(host, { curves, rows: data.rows, numbers }, view);
	drawRates(host, { curves, numbers }, view);
}

const shared = (numbers) => ({ name: "scaling", xTicks: numbers, xFormat: String, xLabel: "copies at the same time, each on its own CPU", unit: "×", xLog: numbers.length > 2 && numbers.at(-1) > 8, height: 220 });

/** The ratio that kbench computed from pairs of processes, where it has one; else that of the two costs, without a CI. */
function drawCosts(host, { curves, rows, numbers }, view) {
	const series = curves.map((curve) => ({
		name: curve.name,
		points: curve.points.map((p) => {
			const paired = rows.find((r) => r.row_new === rowName(p.result))?.ratio;
			const ratio = p.copies === 1 ? { value: 1 } : known(paired?.value) ? paired : { value: p.result.estimate.value / curve.one.result.estimate.value };
			return point(p, ratio, [sayInterval(p.result.estimate, p.result.unit), p.copies > 1 && `${sayRatio(ratio)} of one alone`]);
		}),
	}));
	const lowest = Math.min(0.95, ...series.flatMap((s) => s.points.flatMap((p) => [p.y, p.low])).filter(known));
	const chart = drawCurves(host, { ...shared(numbers), yFrom: lowest * 0.97, title: "Cost of a copy among several, over that of one alone", series, guide: numbers.map((n) => ({ x: n, y: 1 })), desc: describe(series), yLabel: "cost over that of one alone" }, view);
	note(chart, "Whiskers are 95 % CIs of the paired ratio; at the dashed line copies do not disturb each other. Lower is better.");
	listCopies(chart, curves);
}

function drawRates(host, { curves, numbers }, view) {
	const series = curves.filter((c) => known(c.one.result.parallel.aggregate_per_s?.value)).map((curve) => {
		const one = curve.one.result.parallel.aggregate_per_s.value;
		return {
			name: curve.name,
			points: curve.points.filter((p) => known(p.result.parallel.aggregate_per_s?.value)).map((p) => {
				const all = p.result.parallel.aggregate_per_s;
				const ratio = { value: all.value / one, low: known(all.low) ? all.low / one : null, high: known(all.high) ? all.high / one : null };
				return point(p, ratio, [`${figure(all.value)} a second together`, sayCi(all, "a second"), known(p.result.parallel.overlap) && `copies overlapped ${percent(p.result.parallel.overlap, 3)} of the time`]);
			}),
		};
	}).filter((s) => s.points.length > 1);
	if (!series.length) return;
	const chart = drawCurves(host, { ...shared(numbers), title: "Operations a second of all copies, over those of one", series, guide: numbers.map((n) => ({ x: n, y: n })), desc: describe(series), yLabel: "throughput over that of one" }, view);
	note(chart, "Dashed: N copies deliver N times as much. Whiskers are 95 % CIs of the sum, over the value of one copy.");
	listCopies(chart, curves);
}

const point = (p, ratio, lines) => ({
	x: p.copies, y: ratio.value, low: ratio.low, high: ratio.high, pick: p.index, open: p.result.verdict?.status !== "ok",
	head: `${p.copies} ${p.copies === 1 ? "copy" : "copies"}: ${figure(ratio.value, 3)} ×`, lines: [rowName(p.result), ...lines, p.result.verdict?.status],
});
const sayRatio = (r) => `${figure(r.value, 4)} × ${known(r.low) ? `(95 % CI ${figure(r.low, 4)} to ${figure(r.high, 4)})` : "(no CI)"}`;
const describe = (series) => series.map((s) => `${s.name}: ${s.points.map((p) => p.head).join(", ")}`).join(". ");

function listCopies(chart, curves) {
	table(chart, ["benchmark", "copies", "cost of a copy", "low", "high", "unit", "together a second", "overlap", "verdict"],
		() => curves.flatMap((c) => c.points.map(({ copies, result: r }) => [c.name, copies, figure(r.estimate.value), figure(r.estimate.low), figure(r.estimate.high), r.unit, figure(r.parallel.aggregate_per_s?.value), percent(r.parallel.overlap, 3), r.verdict?.status ?? "-"])));
}
