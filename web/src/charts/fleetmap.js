// Which nodes of a fleet deviate, and in what: nodes across, results down, a colour for how far off a cell is: costs in margins, what is lost to
// others in standard errors. Cells that deviate have a mark besides. Data: {nodes, rows, margin} of kbench-fleet/1, rows of one environment and kind; nodes that deviate stand first.
import { known } from "./compute.js";
import { add, fit, frame, html, mark, note, round, svg, table, textWidth, tips } from "./frame.js";
import { change, figure, say } from "./units.js";

const ROW = 20, SLIM = 4, WIDE = 44, NAMES = 74;
const MARGINS = { name: "margins", steps: [0.5, 1, 2, 5] }, ERRORS = { name: "standard errors", steps: [1, 2, 4, 8] };

/** Nodes that have a cell in these rows: those that deviate first, then by name. */
function nodesOf({ nodes, rows, kind }) {
	const there = new Set(rows.flatMap((row) => row.cells.map((cell) => cell.node)));
	const off = (i) => nodes[i].deviates.includes(kind) ? 0 : 1;
	return [...there].sort((a, b) => off(a) - off(b) || a - b);
}

/** In which unit cells have their colours, and at which limits. */
const unitOf = (kind, margin) => kind === "cost" && margin > 0 ? MARGINS : ERRORS;

function classOf(cell, unit, margin) {
	if (!cell.deviation) return "q-none";
	const size = unit === MARGINS ? margin : cell.se > 0 ? cell.se : 1;
	const level = unit.steps.filter((limit) => Math.abs(cell.deviation.value) / size >= limit).length;
	return level ? `f-${cell.deviation.value < 0 ? "less" : "more"}${level}` : "f-0";
}

export function draw(host, { nodes, rows, margin, kind, title }, view = {}) {
	const order = nodesOf({ nodes, rows, kind });
	const label = Math.min(Math.max(...rows.map((row) => textWidth(row.row))) + 14, Math.max((host.clientWidth || 720) * 0.34, 90));
	const room = Math.max((view.width || host.clientWidth || 720) - label - 14, 160);
	const wide = Math.min(Math.max(room / order.length, SLIM), WIDE), each = Math.max(Math.floor(room / wide), 1);
	const names = wide >= 16 ? NAMES : 18, band = names + rows.length * ROW + 12, bands = Math.ceil(order.length / each);
	const off = order.filter((i) => nodes[i].deviates.includes(kind));
	const chart = frame(host, {
		name: "fleet", view, height: bands * band, margin: { left: label, right: 14, top: 4, bottom: 6 }, title,
		desc: `${order.length} nodes, ${rows.length} rows. ${off.length ? `These deviate: ${off.map((i) => nodes[i].node).join(", ")}.` : "No node deviates."}`,
	});
	const points = [], unit = unitOf(kind, margin);
	for (let b = 0; b < bands; b++) {
		const part = order.slice(b * each, (b + 1) * each), top = b * band + names;
		drawNames(chart, { part, nodes, kind, wide, top, names, from: b * each });
		rows.forEach((row, r) => {
			add(chart.plot, "text", { class: row.all_results ? "small strong" : "small", x: -8, y: top + r * ROW + 14, "text-anchor": "end" }, fit(row.row, label - 12, 11));
			points.push(...drawRow(chart, { row, part, nodes, unit, margin, wide, y: top + r * ROW }));
		});
	}
	tips(chart, points, { reach: 8 });
	explain(chart, { nodes, rows, unit, margin, order });
}

/** Names where they have room, upwards; else numbers of the first and of each tenth column. */
function drawNames(chart, { part, nodes, kind, wide, top, names, from }) {
	part.forEach((i, at) => {
		const x = round((at + 0.5) * wide), strong = nodes[i].deviates.includes(kind);
		if (names === NAMES)
			add(chart.plot, "text", { class: strong ? "small strong" : "small soft", x: 0, y: 0, transform: `translate(${round(x + 4)},${top - 5}) rotate(-60)` }, fit(nodes[i].node, NAMES, 11));
		else if ((from + at) % 10 === 0 && wide * 10 > 24)
			add(chart.plot, "text", { class: "small soft", x, y: top - 5, "text-anchor": "middle" }, String(from + at + 1));
	});
}

function drawRow(chart, { row, part, nodes, unit, margin, wide, y }) {
	const cells = new Map(row.cells.map((cell) => [cell.node, cell]));
	const gap = wide > 8 ? 1 : 0, points = [];
	part.forEach((i, at) => {
		const cell = cells.get(i), x = at * wide;
		if (!cell) return;
		add(chart.plot, "rect", { class: `cell ${wide > 8 ? "" : "slim"} ${classOf(cell, unit, margin)}`, x: round(x), y: y + gap, width: round(wide - gap), height: ROW - 2 * gap });
		if (cell.deviates) {
			add(chart.plot, "rect", { class: "off", x: round(x + 0.75), y: y + gap + 0.75, width: round(Math.max(wide - gap - 1.5, 2)), height: ROW - 2 * gap - 1.5 });
			if (wide > 9) mark(chart.plot, cell.deviation.value < 0 ? "down" : "up", x + wide / 2, y + ROW / 2, "off-mark", 4);
		}
		points.push({ x: x + wide / 2, y: y + ROW / 2, box: { x, y, width: wide, height: ROW }, head: headOf(nodes[i], cell), lines: linesOf(row, cell) });
	});
	return points;
}

const headOf = (node, cell) => `${node.node}: ${cell.deviation ? `${change(1 + cell.deviation.value)}${cell.deviates ? ", deviates" : ""}` : "left out"}`;

function linesOf(row, cell) {
	if (!cell.deviation) return [row.row, cell.left_out];
	const { low, high } = cell.deviation;
	const value = row.all_results ? "median over its results" : row.kind === "cost" ? `cost ${say(cell.value, row.unit)}` : row.kind === "loss" ? `mean ${figure(cell.value, 3)} × its cost` : `took ${figure(cell.value, 3)} × its time with a CPU`;
	return [row.row, `95 % CI ${change(1 + low)} to ${change(1 + high)}`, value, cell.noisy ? "noisy: it names nobody" : known(cell.q) && `q ${cell.q < 0.0001 ? "below 0.0001" : figure(cell.q, 2)}`];
}

function explain(chart, { nodes, rows, unit, margin, order }) {
	const list = html("ul", { class: "legend" }), { steps } = unit;
	const entry = (classes, text, mask) => {
		const item = html("li"), icon = svg("svg", { width: 18, height: 12, "aria-hidden": "true" });
		add(icon, "rect", { class: `cell ${classes}`, x: 1, y: 1, width: 16, height: 10 });
		if (mask) add(icon, "rect", { class: "off", x: 1.75, y: 1.75, width: 14.5, height: 8.5 });
		if (mask) mark(icon, "up", 9, 6, "off-mark", 3);
		item.append(icon, document.createTextNode(text));
		list.append(item);
	};
	[...steps].reverse().forEach((limit, i) => entry(`f-less${steps.length - i}`, i ? `−${limit}` : `−${limit} and below`));
	entry("f-0", `within ±${steps[0]} ${unit.name}`);
	steps.forEach((limit, i) => entry(`f-more${i + 1}`, i < steps.length - 1 ? `+${limit}` : `+${limit} and above`));
	entry("f-more3", "deviates", true);
	entry("q-none", "left out");
	chart.figure.append(list);
	note(chart, unit === MARGINS ? `A margin is ${figure(margin * 100, 2)} %.` : "", "A cell is held against the other healthy nodes; the mark says that it is no chance, the colour only how far off it is.");
	table(chart, ["node", ...rows.map((row) => row.row)], () => {
		const cells = rows.map((row) => new Map(row.cells.map((cell) => [cell.node, cell])));
		return order.map((i) => [nodes[i].node, ...cells.map((of) => of.get(i)?.deviation ? `${change(1 + of.get(i).deviation.value)}${of.get(i).deviates ? " deviates" : ""}` : "–")]);
	});
}
