// What did the machine do while the run measured? Each process of each result as a bar over time, coloured by its uncontended share; below the
// core clock, the uncontended share and stolen time on the same axis. Data: {entries (`timeline` of kbench-report/1), results}.
import { scaleLinear } from "d3-scale";
import { bulk, known } from "./compute.js";
import { add, axisX, axisY, frame, html, mark, note, round, svg, table, tips } from "./frame.js";
import { axisTicks, count, figure, percent, rowName } from "./units.js";

const LANE = 18, PANEL = 64, GAP = 34;

export function pick(document, { run = 0 }) {
	const whole = document.runs?.[run];
	return whole?.timeline?.length ? { entries: whole.timeline, results: whole.results } : null;
}

/** Entries with a place on the axis: seconds since the run began, or, where no time was recorded, their order. */
function placed(entries) {
	const timed = entries.filter((e) => known(e.start_s) && known(e.end_s));
	const byTime = timed.length >= entries.length / 2;
	const own = byTime ? timed : entries;
	return { byTime, left: entries.length - own.length, bars: own.map((e, i) => ({ ...e, from: byTime ? e.start_s : i, to: byTime ? Math.max(e.end_s, e.start_s) : i + 1 })).sort((a, b) => a.from - b.from) };
}

/** Lanes: in each, bars that do not overlap. Processes run one after another, so there are as many lanes as rounds; copies share one. */
function lanesOf(bars) {
	const numbers = [...new Set(bars.map((b) => b.process))].sort((a, b) => a - b);
	const most = 12;
	const each = Math.ceil(numbers.length / most);
	return numbers.length <= most ? numbers.map((n) => ({ text: `#${n}`, has: (b) => b.process === n }))
		: Array.from({ length: Math.ceil(numbers.length / each) }, (_, i) => {
			const own = numbers.slice(i * each, (i + 1) * each);
			return { text: own.length > 1 ? `#${own[0]}–${own.at(-1)}` : `#${own[0]}`, has: (b) => b.process >= own[0] && b.process <= own.at(-1) };
		});
}

const shareClass = (share) => known(share) ? `q${Math.min(Math.floor(share * 6), 5)}` : "q-none";

export function draw(host, { entries, results }, view = {}) {
	const { bars, byTime, left } = placed(entries);
	if (!bars.length) return;
	const lanes = lanesOf(bars);
	const panels = panelsOf(bars);
	const top = lanes.length * LANE;
	const chart = frame(host, {
		name: "timeline", view, height: top + panels.length * (PANEL + GAP), margin: { left: 62, top: 12 }, title: "The run over time",
		desc: `${bars.length} processes of ${new Set(bars.map((b) => b.result)).size} results in ${figure(bars.at(-1).to, 3)} ${byTime ? "s" : "steps"}. ` + panels.map((p) => p.desc).join(" "),
	});
	const x = scaleLinear([Math.min(0, bars[0].from), Math.max(...bars.map((b) => b.to))], [0, chart.width]);
	axisX(chart, x, { ...axisTicks(...x.domain(), { most: chart.width / 80 }), label: byTime ? "seconds since the run began" : "processes in their order (no times are recorded)" });
	const points = bars.map((bar) => drawBar(chart, x, bar, lanes.findIndex((l) => l.has(bar)), results));
	lanes.forEach((lane, i) => add(chart.plot, "text", { class: "small soft", x: -8, y: i * LANE + LANE / 2 + 4, "text-anchor": "end" }, lane.text));
	panels.forEach((panel, i) => drawPanel(chart, x, bars, panel, top + GAP + i * (PANEL + GAP)));
	tips(chart, points, { onPick: view.onPick, reach: 60, hair: true });
	explain(chart, { entries, bars, results, left });
}

function drawBar(chart, x, bar, lane, results) {
	const from = round(x(bar.from)), wide = Math.max(round(x(bar.to)) - from - 0.4, 1), y = lane * LANE + 2;
	add(chart.plot, "rect", { class: `cell ${shareClass(bar.clean_share)}${wide < 5 ? " slim" : ""}`, x: from, y, width: wide, height: LANE - 4 });
	if (bar.outcome) mark(chart.plot, "cross", from + wide / 2, y + (LANE - 4) / 2, "failed", 4);
	const result = results[bar.result];
	return {
		x: from + wide / 2, y: y + (LANE - 4) / 2, box: { x: from, y, width: wide, height: LANE - 4 }, pick: bar.result, head: result ? rowName(result) : `result ${bar.result}`,
		lines: [
			`process ${bar.process}, ${figure(bar.start_s, 4)} to ${figure(bar.end_s, 4)} s`, known(bar.clean_share) ? `${percent(bar.clean_share, 3)} uncontended` : "not probed for contention",
			known(bar.mhz) && `core clock ${figure(bar.mhz)} MHz`, known(bar.steal) && `stolen ${percent(bar.steal)}`, bar.outcome,
		],
	};
}

/** Panels below the bars, of what is known of at least two processes. */
function panelsOf(bars) {
	const all = (of) => bars.map(of).filter(known);
	const range = (values, unit) => `from ${figure(Math.min(...values))} to ${figure(Math.max(...values))} ${unit}`;
	const panels = [
		{ of: (b) => b.mhz, label: "core clock, MHz", classes: "s0", zero: false, sayAll: (v) => `Core clock ${range(v, "MHz")}.` },
		{ of: (b) => known(b.clean_share) ? b.clean_share * 100 : null, label: "uncontended, % of the samples", classes: "s2", zero: true, top: 100, sayAll: (v) => `Uncontended ${range(v, "%")}.` },
		{ of: (b) => known(b.steal) ? b.steal * 100 : null, label: "stolen by the hypervisor, % of the time", classes: "s1", zero: true, sayAll: (v) => `Stolen ${range(v, "%")}.` },
	];
	return panels.filter((p) => all(p.of).length >= 2).map((p) => ({ ...p, desc: p.sayAll(all(p.of)) }));
}

function drawPanel(chart, x, bars, panel, top) {
	const values = bars.map(panel.of).filter(known);
	const seen = panel.zero ? { low: 0, high: panel.top ?? Math.max(...values, 1) * 1.08 } : bulk(values, { tail: 0 });
	const y = scaleLinear([seen.low, seen.high], [top + PANEL, top]);
	axisY(chart, y, { ...axisTicks(seen.low, seen.high, { most: 3 }), top, bottom: top + PANEL, label: `${panel.label}${panel.zero ? "" : " (axis does not start at 0)"}` });
	let d = "";
	for (const bar of bars) {
		const value = panel.of(bar);
		if (known(value)) d += `M${round(x(bar.from))},${round(y(value))}H${round(Math.max(x(bar.to), x(bar.from) + 1.5))}`;
	}
	add(chart.plot, "path", { class: `line piece ${panel.classes}`, d });
}

function explain(chart, { entries, bars, results, left }) {
	const list = html("ul", { class: "legend" });
	const entry = (classes, text) => {
		const item = html("li"), icon = svg("svg", { width: 18, height: 12, "aria-hidden": "true" });
		add(icon, "rect", { class: `cell ${classes}`, x: 1, y: 1, width: 16, height: 10 });
		item.append(icon, document.createTextNode(text));
		list.append(item);
	};
	[0, 1, 2, 3, 4, 5].forEach((i) => entry(`q${i}`, `${Math.round(i * 100 / 6)}–${Math.round((i + 1) * 100 / 6)} %${i ? "" : " uncontended"}`));
	if (bars.some((b) => !known(b.clean_share))) entry("q-none", "not probed");
	chart.figure.append(list);
	note(chart, "A bar is a process of a result; its row is that of its number.", bars.some((b) => b.outcome) ? "A cross is a process that failed." : "", left ? `Not drawn: ${count(left)} of ${count(entries.length)} processes, of which no time is recorded.` : "");
	table(chart, ["result", "process", "start, s", "end, s", "core MHz", "uncontended", "stolen", "outcome"],
		() => bars.map((b) => [results[b.result] ? rowName(results[b.result]) : b.result, b.process, figure(b.start_s), figure(b.end_s), figure(b.mhz), percent(b.clean_share, 3), percent(b.steal), b.outcome || "-"]));
}
