// Do all copies suffer alike? Cost of each copy over that of one copy alone: number of copies by copy, which has a CPU of its own. Data:
// {curves (families.js), cpus (of the run's settings)}.
import { known } from "./compute.js";
import { copiesOf } from "./families.js";
import { add, fit, frame, html, note, round, svg, table, tips } from "./frame.js";
import { figure, percent, say, sayInterval } from "./units.js";

const ROW = 24, LABEL = 14;
const STEPS = [1.02, 1.1, 1.25, 1.5, 2];           /* limits of the classes of the ratio */

export function pick(document, { run = 0 }) {
	const whole = document.runs?.[run];
	const maps = copiesOf(whole?.results ?? []).map(mapOf).filter((m) => m !== null);
	return maps.length ? { maps, cpus: whole.run?.settings?.cpus ?? [] } : null;
}

/** Rows of one benchmark; null if it has fewer than two numbers of copies, or none alone. */
function mapOf({ name, points }) {
	const alone = points.find((p) => p.copies === 1)?.result.parallel.per_copy?.[0]?.value;
	const rows = points.filter((p) => p.result.parallel.per_copy?.some((c) => known(c?.value)));
	return known(alone) && alone > 0 && rows.length > 1 ? { name, alone, rows } : null;
}

const classOf = (ratio) => `q${STEPS.filter((limit) => ratio >= limit).length}`;

export function draw(host, { maps, cpus }, view = {}) {
	const most = Math.max(...maps.flatMap((m) => m.rows.map((r) => r.copies)));
	const height = maps.reduce((sum, m) => sum + LABEL + 8 + m.rows.length * ROW + 10, 0);
	const chart = frame(host, {
		name: "heat", view, height, margin: { left: 66, right: 8, top: 26, bottom: 8 }, title: "Cost of each copy, over that of one alone",
		desc: maps.map((m) => `${m.name}: ${m.rows.map((r) => `${r.copies} copies ${r.result.parallel.per_copy.map((c) => figure(c.value / m.alone, 3)).join(", ")}`).join("; ")}`).join(". "),
	});
	const wide = Math.min(chart.width / most, 96);
	for (let i = 0; i < most; i++)
		if (wide >= 26 || i % Math.ceil(26 / wide) === 0) add(chart.plot, "text", { class: "small soft", x: round((i + 0.5) * wide), y: -8, "text-anchor": "middle" }, columnName(i, cpus, wide));
	let top = 0;
	const points = [];
	for (const map of maps) {
		add(chart.plot, "text", { class: "name", x: -chart.room.left + 4, y: top + LABEL }, fit(map.name, chart.outer - 8));
		top += LABEL + 8;
		for (const row of map.rows) {
			points.push(...drawRow(chart, { map, row, top, wide, cpus }));
			top += ROW;
		}
		top += 10;
	}
	tips(chart, points, { onPick: view.onPick });
	explain(chart, maps);
}

const columnName = (i, cpus, wide) => cpus[i] !== undefined && wide > 74 ? `copy ${i + 1}, CPU ${cpus[i]}` : wide > 46 ? `copy ${i + 1}` : `${i + 1}`;

function drawRow(chart, { map, row, top, wide, cpus }) {
	add(chart.plot, "text", { class: "small soft", x: -8, y: top + ROW / 2 + 4, "text-anchor": "end" }, `${row.copies} ${row.copies === 1 ? "copy" : "copies"}`);
	return row.result.parallel.per_copy.map((copy, i) => {
		const ratio = copy.value / map.alone, x = i * wide;
		add(chart.plot, "rect", { class: `cell ${known(ratio) ? classOf(ratio) : "q-none"}`, x: round(x + 1), y: top + 1, width: round(wide - 2), height: ROW - 2 });
		if (wide > 34 && known(ratio)) add(chart.plot, "text", { class: `small ${STEPS.filter((l) => ratio >= l).length > 3 ? "on-dark" : ""}`, x: round(x + wide / 2), y: top + ROW / 2 + 4, "text-anchor": "middle" }, figure(ratio, 3));
		return {
			x: x + wide / 2, y: top + ROW / 2, box: { x, y: top, width: wide, height: ROW }, pick: row.index, head: `${figure(ratio, 4)} × the cost of one alone`,
			lines: [map.name, `copy ${i + 1} of ${row.copies}${cpus[i] === undefined ? "" : `, CPU ${cpus[i]}`}`, sayInterval(copy, row.result.unit), `alone ${say(map.alone, row.result.unit)}`],
		};
	});
}

function explain(chart, maps) {
	const list = html("ul", { class: "legend" });
	["below 1.02", ...STEPS.map((limit, i) => STEPS[i + 1] ? `${limit}–${STEPS[i + 1]}` : `${limit} and more`)].forEach((text, i) => {
		const item = html("li"), icon = svg("svg", { width: 18, height: 12, "aria-hidden": "true" });
		add(icon, "rect", { class: `cell q${i}`, x: 1, y: 1, width: 16, height: 10 });
		item.append(icon, document.createTextNode(text));
		list.append(item);
	});
	chart.figure.append(list);
	note(chart, "Ratio of the estimates; a difference below the CI of a copy (in the tip) means nothing.");
	table(chart, ["benchmark", "copies", "copy", "cost", "low", "high", "unit", "over one alone", "overlap"],
		() => maps.flatMap((m) => m.rows.flatMap((r) => r.result.parallel.per_copy.map((c, i) => [m.name, r.copies, i + 1, figure(c.value), figure(c.low), figure(c.high), r.result.unit, figure(c.value / m.alone), percent(r.result.parallel.overlap, 3)]))));
}
