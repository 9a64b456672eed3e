// Did a result change over the runs that the store holds? Values with 95 % CIs in the order of the runs; a level ends where kbench found a
// change. Data: an element of `rows` of kbench-history/2, whose points also have `commit`.
import { scaleLinear } from "d3-scale";
import { known, median } from "./compute.js";
import { add, axisX, axisY, frame, legend, mark, note, round, table, textWidth, tips, whisker } from "./frame.js";
import { axisTicks, change, count, figure, say, sayCi, sayInterval, scaleOf, rowName } from "./units.js";

const STATUS = { ok: "circle", noisy: "diamond", unverified: "square", invalid: "cross", skipped: "cross" };

export function pick(document, { run = 0, result }) {
	const element = document.runs?.[run]?.results?.[result];
	if (!element || run !== 0) return null;
	const name = rowName(element);
	const row = (document.history ?? []).find((r) => r.row === name);
	return row?.points?.filter((p) => known(p.value)).length >= 2 ? row : null;
}

export function draw(host, row, view = {}) {
	const points = row.points.filter((p) => known(p.value)).map((p, at) => ({ ...p, at, commit: p.commit ?? commitOf(p.tool) }));
	const ends = [...points.flatMap((p) => [p.value, p.low, p.high])].filter(known);
	const low = Math.min(...ends), high = Math.max(...ends), air = (high - low) * 0.12 || high * 0.02;
	const scale = scaleOf(median(points.map((p) => p.value)), row.unit);
	const steps = points.filter((p) => known(p.step));
	const chart = frame(host, {
		name: "history", view, height: 190, margin: { left: 60, top: 40, bottom: 58 }, title: "History in the store",
		desc: `${points.length} runs of ${row.row} from ${day(points[0])} to ${day(points.at(-1))}, last ${sayInterval(points.at(-1), row.unit)}. ` + (steps.length ? steps.map((p) => `${change(p.step)} at ${day(p)}`).join(", ") : "No change of level."),
	});
	const x = scaleLinear([-0.5, points.length - 0.5], [0, chart.width]);
	const y = scaleLinear([Math.max(low - air, 0), high + air], [chart.height, 0]);
	axisY(chart, y, { ...axisTicks(y.domain()[0], y.domain()[1], { factor: scale.factor, most: 5 }), labelY: -26, label: `${row.per ? `cost of one ${row.per}` : "cost of one operation"}, ${scale.unit}${low - air > 0 ? " (axis does not start at 0)" : ""}` });
	drawRuns(chart, x, points);
	drawLevels(chart, x, y, points);
	for (const p of points) drawPoint(chart, x, y, p);
	tips(chart, points.map((p) => tipOf(p, row, x, y)));
	explain(chart, row, points, scale);
}

const commitOf = (tool) => /\+([0-9a-f]{6,}\S*)/.exec(tool ?? "")?.[1] ?? null;
const day = (p) => String(p.started ?? "").slice(0, 10);
const minute = (p) => String(p.started ?? "").slice(0, 16).replace("T", " ");

/** Days below the axis, and a tick with the commit where the program changed. */
function drawRuns(chart, x, points) {
	const several = new Set(points.map(day)).size > 1;
	const text = (p) => several ? day(p) : minute(p).slice(11);
	const first = points.filter((p, i) => !i || text(p) !== text(points[i - 1]));
	axisX(chart, x, { ticks: first.map((p) => p.at), format: (at) => text(points[at]), label: `runs in their order, ${several ? "by day" : `${day(points[0])}, UTC`}`, y: chart.height });
	let free = -Infinity;
	for (const [i, p] of points.entries()) {
		if (!p.commit || p.commit === points[i - 1]?.commit) continue;
		const px = round(x(p.at));
		add(chart.plot, "path", { class: "commit", d: `M${px},${chart.height}l-4,-7h8Z` });
		if (px < free) continue;
		add(chart.plot, "text", { class: "small soft", x: px, y: chart.height + 52, "text-anchor": "middle" }, p.commit.slice(0, 7) + (p.commit.includes("dirty") ? "+" : ""));
		free = px + textWidth("0000000") + 8;
	}
}

/** The median of each level; levels end where kbench's change points are. */
function drawLevels(chart, x, y, points) {
	const starts = [0, ...points.filter((p) => known(p.step) && p.at > 0).map((p) => p.at)];
	starts.forEach((from, i) => {
		const to = starts[i + 1] ?? points.length;
		const level = round(y(median(points.slice(from, to).map((p) => p.value))));
		add(chart.plot, "line", { class: "level", x1: round(x(from - 0.4)), x2: round(x(to - 0.6)), y1: level, y2: level });
		if (!i) return;
		const px = round(x(from - 0.5));
		add(chart.plot, "line", { class: "guide", x1: px, x2: px, y1: -2, y2: chart.height });
		add(chart.plot, "text", { class: "small strong halo", x: Math.min(px + 3, chart.width - 46), y: -6 }, change(points[from].step));
	});
}

function drawPoint(chart, x, y, p) {
	const good = p.status === "ok" || p.status === undefined;
	if (known(p.low) && known(p.high)) whisker(chart.plot, { from: y(p.low), to: y(p.high), at: x(p.at), up: true, classes: "s0", end: 3 });
	mark(chart.plot, STATUS[p.status] ?? "circle", x(p.at), y(p.value), `s0 ${good ? "filled" : "open"}`, 3.8);
}

function tipOf(p, row, x, y) {
	return {
		x: x(p.at), y: y(p.value), head: say(p.value, row.unit), lines: [
			sayCi(p, row.unit), `${minute(p)} UTC${p.label ? `, ${p.label}` : ""}`, p.commit ? `commit ${p.commit}` : p.tool,
			known(p.step) && `a new level: ${change(p.step)}`, `${p.processes ?? "-"} processes, ${p.status}`,
		],
	};
}

function explain(chart, row, points, scale) {
	const seen = [...new Set(points.map((p) => p.status))];
	legend(chart, [
		...seen.map((status) => ({ shape: STATUS[status] ?? "circle", classes: `s0 ${status === "ok" ? "filled" : "open"}`, text: status })),
		{ line: true, classes: "level", text: "median of a level" },
		...(points.some((p) => known(p.step)) ? [{ line: true, classes: "guide", text: "change point" }] : []),
		...(points.some((p) => p.commit) ? [{ shape: "down", classes: "commit", text: "another commit of kbench" }] : []),
	]);
	const { sd, detectable, runs } = row.occasion ?? {};
	note(chart, "Whiskers are 95 % CIs.",
		known(sd) ? `${count(runs)} runs differ by ${figure(sd * 100, 2)} % beyond their CIs; ${detectable < 1 ? `two runs must differ by ${figure(detectable * 100, 2)} % to be told apart` : "too few runs to tell a change apart"}.` : "",
		row.left_out > 0 ? `${count(row.left_out)} results of other machines, CPUs, units or methods are not shown.` : "");
	table(chart, ["run", "started, UTC", "label", "commit", `value, ${scale.unit}`, "low", "high", "change", "status"],
		() => points.map((p) => [String(p.run ?? "").slice(0, 13), minute(p), p.label ?? "-", p.commit ?? "-", ...[p.value, p.low, p.high].map((v) => figure(known(v) ? v * scale.factor : null)), known(p.step) ? change(p.step) : "-", p.status]));
}
