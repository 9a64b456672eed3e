// What became slower or faster? One row a result: the ratio of new to base with its 95 % CI, the margin within which two sides count as
// equal, and the smallest difference that this comparison can tell apart. Data: a kbench-compare/2 document {base, new, rows}, and `floor`
// (ratio - 1, the standard deviation of whole runs of one program, or null). Also draws the elements of `interference` and `scaling`.
import { scaleLog } from "d3-scale";
import { known, shortNames } from "./compute.js";
import { add, axisX, fit, frame, legend, mark, note, round, table, textWidth, tips, whisker, widthOf } from "./frame.js";
import { axisTicks, change, figure, rowName, sayInterval } from "./units.js";

const ROW = 22, TALL = 38;        /* px of a row; a narrow page has the name above the interval */
const NARROW = 560;
const DECISIONS = {
	slower: { shape: "right", order: 0 },
	faster: { shape: "left", order: 1 },
	equivalent: { shape: "square", order: 2 },
	inconclusive: { shape: "circle", order: 3 },
};
const decisionOf = (row) => DECISIONS[row.decision] ? row.decision : "inconclusive";

export function pick(document, { run = 0 }) {
	const { comparison, floor } = document, shown = document.runs?.[run];
	if (!comparison?.rows?.length || (comparison.new?.id && comparison.new.id !== shown?.run?.id)) return null;
	const places = comparison.rows.map((row) => shown.results.findIndex((r) => rowName(r) === row.row_new));
	return { ...comparison, places: places.map((place) => place < 0 ? undefined : place), floor: floor ?? null, title: `Comparison: ${sideName(comparison.new)} against ${sideName(comparison.base)}` };
}

const sideName = (run) => run?.label ?? run?.settings?.ab?.of ?? (run?.id ? `run ${run.id.slice(-6)}` : "?");

/** Slowest first; results without a ratio last. */
function inOrder(rows) {
	return rows.map((row, place) => ({ ...row, place })).sort((a, b) => (known(b.ratio?.value) - known(a.ratio?.value)) || (b.ratio?.value ?? 0) - (a.ratio?.value ?? 0) || a.place - b.place);
}

/** Ends of the axis: the values and their CIs, but no CI may make it wider than four times the spread of the values. */
function endsOf(rows, floor) {
	const logs = rows.filter((r) => known(r.ratio?.value)).map((r) => Math.abs(Math.log(r.ratio.value)));
	const margins = rows.map((r) => Math.log(1 + (r.margin ?? 0)));
	const far = Math.max(...logs, ...margins, Math.log(1.005), Math.log(1 + (floor ?? 0)));
	const ci = Math.max(...rows.flatMap((r) => [r.ratio?.low, r.ratio?.high]).filter((v) => known(v) && v > 0).map((v) => Math.abs(Math.log(v))), 0);
	const most = Math.max(far, Math.min(ci, far * 4)) * 1.12;
	return [Math.exp(-most), Math.exp(most)];
}

export function draw(host, data, view = {}) {
	const rows = data.keepOrder ? data.rows.map((row, place) => ({ ...row, place })) : inOrder(data.rows);
	const words = rows.map(wordOf);
	const names = shortNames(rows.map((r) => r.row));
	const wide = Math.max(...names.map((n) => textWidth(n)));
	const outer = widthOf(host, view);
	const narrow = outer < NARROW;
	const right = narrow ? 14 : Math.max(...words.map((w) => textWidth(w))) + 14;
	const left = narrow ? 14 : Math.min(wide + 14, (outer - right) * 0.5);
	const layout = { narrow, left, row: narrow ? TALL : ROW };
	const counts = Object.keys(DECISIONS).map((d) => `${rows.filter((r) => decisionOf(r) === d).length} ${d}`).join(", ");
	const chart = frame(host, {
		name: "forest", view, height: rows.length * layout.row, margin: { left, right, top: 24, bottom: 44 },
		title: data.title ?? "Comparison", desc: `Ratios of ${rows.length} results, above 1 is slower: ${counts}.`,
	});
	const ends = endsOf(rows, data.floor);
	const x = scaleLog(ends, [0, chart.width]);
	drawBands(chart, x, rows, data.floor, layout.row);
	drawAxis(chart, x, ends);
	const points = rows.map((row, i) => drawRow(chart, x, ends, { row, name: names[i], word: words[i], y: i * layout.row + (narrow ? TALL - 12 : ROW / 2), layout, pick: data.places?.[row.place] }));
	tips(chart, points, { onPick: data.places ? view.onPick : undefined });
	explain(chart, data, rows);
}

function wordOf(row) {
	const decision = decisionOf(row);
	if (!known(row.ratio?.value)) return "no ratio";
	return `${change(row.ratio.value)} ${decision}${row.regression ? " !" : ""}`;
}

function drawAxis(chart, x, ends) {
	const wide = Math.abs(Math.log(ends[1])) > 0.8;
	const change_ = axisTicks((ends[0] - 1) * 100, (ends[1] - 1) * 100, { most: chart.width / 75 });
	const ticks = wide ? [0.1, 0.2, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 5, 10, 20, 50].filter((t) => t >= ends[0] && t <= ends[1]) : change_.ticks.map((t) => 1 + t / 100);
	const format = wide ? (t) => `${figure(t, 2).replace(/\.0$/, "")}×` : (t) => { const p = change_.format((t - 1) * 100); return `${p > 0 ? "+" : ""}${p.replace("-", "−")} %`; };
	axisX(chart, x, { ticks, format, label: `new over base, log scale` });
	add(chart.plot, "line", { class: "zero", x1: round(x(1)), x2: round(x(1)), y1: -4, y2: chart.height });
	add(chart.plot, "text", { class: "soft small", x: round(x(1)) - 8, y: -9, "text-anchor": "end" }, "← faster");
	add(chart.plot, "text", { class: "soft small", x: round(x(1)) + 8, y: -9 }, "slower →");
}

function drawBands(chart, x, rows, floor, height) {
	rows.forEach((row, i) => {
		if (!(row.margin > 0)) return;
		const from = Math.max(x(1 / (1 + row.margin)), 0), to = Math.min(x(1 + row.margin), chart.width);
		add(chart.plot, "rect", { class: "margin", x: round(from), y: i * height, width: round(to - from), height });
	});
	if (!(floor > 0)) return;
	for (const at of [1 / (1 + floor), 1 + floor]) add(chart.plot, "line", { class: "guide", x1: round(x(at)), x2: round(x(at)), y1: 0, y2: chart.height });
}

function drawRow(chart, x, ends, { row, name, word, y, layout, pick: place }) {
	const decision = decisionOf(row);
	const group = add(chart.plot, "g", { class: `d-${decision}` });
	const { narrow, left } = layout, strong = row.regression ? " strong" : "";
	add(group, "text", { class: `name halo${strong}`, x: -left + 4, y: narrow ? y - 11 : y + 4 }, fit(name, narrow ? chart.outer - textWidth(word) - 24 : left - 14));
	add(group, "text", narrow ? { class: `value halo${strong}`, x: chart.width + 8, y: y - 11, "text-anchor": "end" } : { class: `value${strong}`, x: chart.width + 8, y: y + 4 }, word);
	const held = (v) => Math.min(Math.max(x(v), 0), chart.width);
	if (known(row.detectable)) {
		const from = held(1 / (1 + row.detectable)), to = held(1 + row.detectable);
		add(group, "rect", { class: "detectable", x: round(from), y: y - 2, width: round(Math.max(to - from, 1)), height: 4 });
	}
	const { value, low, high } = row.ratio ?? {};
	if (!known(value)) return { x: x(1), y, head: row.row, lines: ["no ratio", ...reasonsOf(row)], pick: place };
	if (known(low) && known(high)) whisker(group, { from: held(Math.max(low, ends[0] / 2)), to: held(high), at: y, end: 3 });
	for (const [end, beyond, shape] of [[low, low < ends[0], "left"], [high, high > ends[1], "right"]])
		if (known(end) && beyond) mark(group, shape, held(Math.max(end, ends[0] / 2)), y, "open edge", 3.4);
	mark(group, DECISIONS[decision].shape, held(value), y, `point${decision === "inconclusive" ? " open" : ""}`, 5);
	return { x: held(value), y, head: row.row, pick: place, box: { x: -left, y: y - (narrow ? TALL - 12 : ROW / 2), width: chart.outer, height: layout.row }, lines: linesOf(row) };
}

function linesOf(row) {
	const { ratio } = row;
	return [
		`${decisionOf(row)}: ${change(ratio.value)}` + (known(ratio.low) ? `, 95 % CI ${change(ratio.low)} to ${change(ratio.high)}` : ", no CI"),
		`base ${sayInterval(row.base, row.unit)}`, `new ${sayInterval(row.new, row.unit_new ?? row.unit)}`,
		`margin ±${figure(row.margin * 100, 2)} %` + (known(row.detectable) ? `, smallest difference told apart ${figure(row.detectable * 100, 2)} %` : ""),
		row.occasion && `runs differ by ${figure(row.occasion.sd * 100, 2)} % (${row.occasion.runs ? `${row.occasion.runs} runs in the store` : "the usual value"})`,
		known(row.p_holm) && `p ${figure(row.p, 2)}, ${figure(row.p_holm, 2)} after Holm`,
		row.regression && "a regression",
		...reasonsOf(row),
	];
}

const reasonsOf = (row) => (row.reasons ?? []).filter((r) => r.severity !== "note").map((r) => `${r.detail}${r.evidence ? `: ${r.evidence}` : ""}`);

function explain(chart, data, rows) {
	const seen = new Set(rows.map(decisionOf));
	legend(chart, [
		...Object.entries(DECISIONS).filter(([d]) => seen.has(d)).map(([d, { shape }]) => ({ shape, classes: `point d-${d}${d === "inconclusive" ? " open" : ""}`, text: d })),
		{ band: true, classes: "margin", text: "margin: within it both sides count as equal" },
		...(rows.some((r) => known(r.detectable)) ? [{ line: true, classes: "detectable-line", text: "noise floor: smallest difference told apart, four times in five" }] : []),
		...(data.floor > 0 ? [{ line: true, classes: "guide", text: `whole runs of one program differ by ±${figure(data.floor * 100, 2)} % (standard deviation)` }] : []),
	]);
	note(chart, "Whiskers are 95 % CIs. ! marks a regression: slower also after Holm's correction for all results.",
		rows.some((r) => !r.paired) && rows.some((r) => r.occasion) ? "The CIs hold what runs on different occasions differ by." : "");
	table(chart, ["result", "decision", "ratio", "low", "high", "base", "new", "unit", "margin", "detectable", "p after Holm", "processes"],
		() => rows.map((r) => [r.row, r.decision + (r.regression ? ", regression" : ""), figure(r.ratio?.value, 5), figure(r.ratio?.low, 5), figure(r.ratio?.high, 5), figure(r.base?.value), figure(r.new?.value), r.unit,
			figure(r.margin, 3), figure(r.detectable, 3), figure(r.p_holm, 3), r.processes ?? "-"]));
}
