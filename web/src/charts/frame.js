// What all charts share: a figure with title and description, an SVG of a given size, axes, marks by shape and class, a tip that follows the
// pointer and the arrow keys, notes, a legend, and the table of the data. Colours are CSS classes only (charts.css), and positions are SVG
// attributes, so that the page's policy allows no inline style.

const NAMESPACE = "http://www.w3.org/2000/svg";
const FONT = "system-ui, sans-serif";          /* as in charts.css */
const NARROW = 420;             /* px: labels of axes may take two lines */
let figures = 0, ruler = null;

function put(node, attributes, text) {
	for (const [name, value] of Object.entries(attributes))
		if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
	if (text !== undefined) node.textContent = text;
	return node;
}

export const html = (name, attributes = {}, text) => put(document.createElement(name), attributes, text);
export const svg = (name, attributes = {}, text) => put(document.createElementNS(NAMESPACE, name), attributes, text);

export function add(parent, name, attributes = {}, text) {
	const node = svg(name, attributes, text);
	parent.append(node);
	return node;
}

/** Width of a text in px; a canvas measures what is not shown yet. */
export function textWidth(text, size = 12) {
	ruler ??= document.createElement("canvas").getContext("2d");
	ruler.font = `${size}px ${FONT}`;
	return ruler.measureText(text).width;
}

/** The text, cut with "…" to fit into `room` px. */
export function fit(text, room, size = 12) {
	const wide = textWidth(text, size);
	if (wide <= room) return text;
	let length = Math.max(Math.floor(text.length * room / wide), 1);
	while (length > 1 && textWidth(`${text.slice(0, length)}…`, size) > room) length--;
	return `${text.slice(0, length)}…`;
}

export const widthOf = (host, view = {}) => Math.max(Math.round(view.width || host.clientWidth || 720), 280);

/**
 * A figure in `host`: `root` (the SVG), `plot` (a group at the margin), `width` and `height` of the plot, `figure`, to which notes, legend and
 * table are added.
 */
export function frame(host, { name, title, desc, view, height, margin }) {
	const id = `chart-${++figures}`;
	const outer = widthOf(host, view);
	const room = { top: 10, right: 14, bottom: outer < NARROW ? 56 : 42, left: 60, ...margin };
	const whole = height + room.top + room.bottom;
	const box = html("figure", { class: `chart chart-${name}` });
	box.append(html("figcaption", {}, title));
	const root = svg("svg", { viewBox: `0 0 ${outer} ${whole}`, width: outer, height: whole, role: "img", "aria-labelledby": `${id}-t ${id}-d` });
	add(root, "title", { id: `${id}-t` }, title);
	add(root, "desc", { id: `${id}-d` }, desc);
	const clip = add(add(root, "defs"), "clipPath", { id: `${id}-c` });
	add(clip, "rect", { x: 0, y: -room.top, width: outer - room.left - room.right, height: height + room.top });
	const stage = html("div", { class: "stage" });
	stage.append(root);
	box.append(stage);
	host.append(box);
	return {
		figure: box, stage, root, title, room, outer, whole, height,
		width: outer - room.left - room.right,
		clip: `url(#${id}-c)`,
		plot: add(root, "g", { transform: `translate(${room.left},${room.top})` }),
	};
}

/** Horizontal axis below the plot, with grid lines up through it. `ticks` are values, `format` makes their text. */
export function axisX(chart, scale, { ticks, format = String, label, y = chart.height, top = 0, grid = true, into = chart.plot }) {
	const axis = add(into, "g", { class: "axis axis-x", "aria-hidden": "true" });
	const texts = ticks.map((tick) => format(tick)), each = stepOf(ticks.map(scale), texts);
	let free = -Infinity;
	for (const [i, tick] of ticks.entries()) {
		const x = round(scale(tick));
		if (grid) add(axis, "line", { class: "grid", x1: x, x2: x, y1: top, y2: y });
		const text = texts[i], half = textWidth(text) / 2;
		if (i % each || x - half < free + 6) continue;
		add(axis, "line", { class: "tick", x1: x, x2: x, y1: y, y2: y + 4 });
		add(axis, "text", { x: Math.min(x, chart.width + chart.room.right - half), y: y + 16, "text-anchor": "middle" }, text);
		free = x + half;
	}
	add(axis, "line", { class: "base", x1: 0, x2: chart.width, y1: y, y2: y });
	if (label) drawLabel(chart, axis, label, y + 34);
	return axis;
}

/** Centred below the axis, but inside the chart; what is too long is cut in two at a comma or a bracket. */
function drawLabel(chart, axis, label, y) {
	const cut = Math.max(label.lastIndexOf(" ("), label.lastIndexOf(", "));
	const lines = textWidth(label) > chart.outer - 8 && cut > 0 ? [label.slice(0, cut), label.slice(cut + 1)] : [label];
	lines.forEach((line, i) => {
		const text = fit(line, chart.outer - 8), half = textWidth(text) / 2;
		const x = Math.max(Math.min(chart.width / 2, chart.width + chart.room.right - half - 4), half - chart.room.left + 4);
		add(axis, "text", { class: "label", x: round(x), y: y + i * 14, "text-anchor": "middle" }, text);
	});
}

/** On an even axis every how many-th tick has room for its text; on an uneven one each is tried. */
function stepOf(places, texts) {
	const gaps = places.slice(1).map((x, i) => x - places[i]);
	const least = Math.min(...gaps), most = Math.max(...gaps);
	if (!gaps.length || most - least > 0.5) return 1;
	return Math.ceil((Math.max(...texts.map((t) => textWidth(t))) + 8) / least);
}

/** Vertical axis left of the plot; its label lies above its upper end, where it can be read without turning one's head. */
export function axisY(chart, scale, { ticks, format = String, label, labelY = -9, top = 0, bottom = chart.height, grid = true, into = chart.plot }) {
	const axis = add(into, "g", { class: "axis axis-y", "aria-hidden": "true" });
	let free = Infinity;
	for (const tick of ticks) {
		const y = round(scale(tick));
		if (grid) add(axis, "line", { class: "grid", x1: 0, x2: chart.width, y1: y, y2: y });
		if (Math.abs(y - free) < 13) continue;
		add(axis, "text", { x: -7, y: y + 4, "text-anchor": "end" }, format(tick));
		free = y;
	}
	add(axis, "line", { class: "base", x1: 0, x2: 0, y1: top, y2: bottom });
	const short = label && textWidth(label) > chart.outer - 8 ? label.replace("axis does not start at 0", "not from 0") : label;
	if (label) add(axis, "text", { class: "label", x: -chart.room.left + 4, y: top + labelY }, fit(short, chart.outer - 8));
	return axis;
}

export const round = (value) => Math.round(value * 100) / 100;

/** Outlines of unit size: shape tells apart what colour tells apart. */
const SHAPES = {
	circle: "M-1,0a1,1 0 1,0 2,0a1,1 0 1,0 -2,0Z",
	square: "M-.9,-.9H.9V.9H-.9Z",
	diamond: "M0,-1.25L1.25,0L0,1.25L-1.25,0Z",
	up: "M0,-1.2L1.15,.9H-1.15Z",
	down: "M0,1.2L1.15,-.9H-1.15Z",
	right: "M1.2,0L-.9,1.15V-1.15Z",
	left: "M-1.2,0L.9,1.15V-1.15Z",
	cross: "M-1,-1L1,1M-1,1L1,-1",
	plus: "M-1.2,0H1.2M0,-1.2V1.2",
	bar: "M0,-1.5V1.5",
	star: "M-1.2,0H1.2M-.6,-1.04L.6,1.04M-.6,1.04L.6,-1.04",
};
export const SERIES_SHAPES = ["circle", "square", "up", "diamond", "down", "plus", "cross", "star"];

export function mark(parent, shape, x, y, classes, size = 4) {
	return add(parent, "path", { class: `mark ${classes}`, d: SHAPES[shape] ?? SHAPES.circle, transform: `translate(${round(x)},${round(y)}) scale(${size})` });
}

/** A 95 % CI as a line with ends; horizontal from x1 to x2, or vertical if `up`. */
export function whisker(parent, { from, to, at, classes = "", up = false, end = 4 }) {
	const [a, b, c] = [round(from), round(to), round(at)];
	const d = up ? `M${c},${a}V${b}M${c - end},${a}h${2 * end}M${c - end},${b}h${2 * end}` : `M${a},${c}H${b}M${a},${c - end}v${2 * end}M${b},${c - end}v${2 * end}`;
	return add(parent, "path", { class: `whisker ${classes}`, d });
}

/** Items {shape, classes, text}: what each mark means. `line: true` draws a stroke instead, `band: true` an area. */
export function legend(chart, items) {
	const list = html("ul", { class: "legend" });
	for (const item of items) {
		const entry = html("li");
		const icon = svg("svg", { width: 18, height: 12, viewBox: "0 0 18 12", "aria-hidden": "true" });
		if (item.band) add(icon, "rect", { class: item.classes, x: 1, y: 1, width: 16, height: 10 });
		else if (item.line) add(icon, "line", { class: item.classes, x1: 0, x2: 18, y1: 6, y2: 6 });
		if (item.shape) mark(icon, item.shape, 9, 6, item.mark ?? item.classes, 4);
		entry.append(icon, document.createTextNode(item.text));
		list.append(entry);
	}
	chart.figure.append(list);
	return list;
}

/** A sentence below the chart, such as how many samples are drawn. Empty ones are left out. */
export function note(chart, ...sentences) {
	const text = sentences.filter(Boolean).join(" ");
	if (text) chart.figure.append(html("p", { class: "note" }, text));
}

/** The data as a table, filled when it is first opened. `columns` are headings; `rows()` gives arrays of cells, the first names the row. */
export function table(chart, columns, rows) {
	const details = html("details", { class: "data" });
	details.append(html("summary", {}, "Data as a table"));
	const fill = () => {
		const sheet = html("table");
		sheet.append(html("caption", {}, chart.title), headRow(columns));
		const body = html("tbody");
		for (const row of rows()) body.append(bodyRow(row));
		sheet.append(body);
		const scroll = html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": chart.title });
		scroll.append(sheet);
		details.append(scroll);
	};
	details.addEventListener("toggle", () => details.open && details.childElementCount === 1 && fill());
	chart.figure.append(details);
}

function headRow(columns) {
	const head = html("thead"), row = html("tr");
	for (const column of columns) row.append(html("th", { scope: "col" }, column));
	head.append(row);
	return head;
}

function bodyRow(cells) {
	const row = html("tr");
	cells.forEach((cell, i) => row.append(i ? html("td", {}, String(cell)) : html("th", { scope: "row" }, String(cell))));
	return row;
}

/**
 * Tips: `points` of {x, y (in the plot), head, lines, pick}. The nearest one to the pointer is shown; the chart takes the focus, the arrow keys
 * walk through the points in their order, Home and End go to the ends, Enter picks, Escape hides. `hair` draws a line through all panels.
 */
export function tips(chart, points, { onPick, hair = false, reach = 40 } = {}) {
	if (!points.length) return;
	const line = hair && add(chart.plot, "line", { class: "hair", y1: 0, y2: chart.height, visibility: "hidden" });
	const ring = add(chart.plot, "circle", { class: "ring", r: 7, visibility: "hidden" });
	const tip = html("div", { class: "tip", role: "status", hidden: true });
	chart.stage.append(tip);
	chart.root.setAttribute("tabindex", 0);
	chart.root.querySelector("desc").append(" The arrow keys walk through its points.");
	let at = -1;
	const hide = () => {
		tip.hidden = true;
		ring.setAttribute("visibility", "hidden");
		if (line) line.setAttribute("visibility", "hidden");
	};
	const show = (index) => {
		at = index;
		const point = points[index];
		ring.setAttribute("cx", round(point.x));
		ring.setAttribute("cy", round(point.y));
		ring.setAttribute("visibility", "visible");
		if (line) put(line, { x1: round(point.x), x2: round(point.x), visibility: "visible" });
		fillTip(tip, point);
		placeTip(chart, tip, point);
	};
	const pick = () => at >= 0 && onPick && points[at].pick !== undefined && onPick(points[at].pick);
	const follow = (event) => {
		const near = nearest(points, placeOf(chart, event), reach);
		if (near < 0) hide();
		else if (near !== at || tip.hidden) show(near);
	};
	chart.root.addEventListener("pointermove", follow);
	chart.root.addEventListener("pointerdown", follow);
	chart.root.addEventListener("pointerleave", hide);
	chart.root.addEventListener("click", () => !tip.hidden && pick());
	chart.root.addEventListener("blur", hide);
	chart.root.addEventListener("focus", () => chart.root.matches(":focus-visible") && show(Math.max(at, 0)));
	chart.root.addEventListener("keydown", (event) => {
		const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: points.length - 1 }[event.key];
		if (event.key === "Escape") hide();
		else if (event.key === "Enter") pick();
		if (to === undefined) return;
		event.preventDefault();
		show(Math.min(Math.max(to, 0), points.length - 1));
	});
	if (onPick) chart.root.classList.add("picks");
}

function fillTip(tip, point) {
	tip.replaceChildren(html("strong", {}, point.head));
	for (const line of point.lines ?? []) if (line) tip.append(html("div", {}, line));
	tip.hidden = false;
}

/** Beside the point where there is room, else below or above it. A property of the object, no style attribute, so the page's policy allows it. */
function placeTip(chart, tip, point) {
	const shown = chart.root.getBoundingClientRect().width / chart.outer || 1;
	const x = (point.x + chart.room.left) * shown, y = (point.y + chart.room.top) * shown;
	const wide = tip.offsetWidth, high = tip.offsetHeight, all = chart.outer * shown;
	let left = x + 14, top = Math.min(Math.max(y - high / 2, 0), Math.max(chart.whole * shown - high, 0));
	if (left + wide > all && x - 14 - wide >= 0) left = x - 14 - wide;
	else if (left + wide > all) {
		left = Math.max(Math.min(x - wide / 2, all - wide), 0);
		top = y + 14 + high <= chart.whole * shown || y < high + 14 ? y + 14 : y - 14 - high;
	}
	tip.style.left = `${Math.round(left)}px`;
	tip.style.top = `${Math.round(top)}px`;
}

function placeOf(chart, event) {
	const box = chart.root.getBoundingClientRect();
	const shown = box.width / chart.outer || 1;
	return { x: (event.clientX - box.left) / shown - chart.room.left, y: (event.clientY - box.top) / shown - chart.room.top };
}

function nearest(points, place, reach) {
	let best = -1, least = reach ** 2;
	points.forEach((point, i) => {
		if (point.box && inside(point.box, place)) {
			best = i;
			least = 0;
			return;
		}
		const distance = (point.x - place.x) ** 2 + (point.y - place.y) ** 2;
		if (distance < least) {
			least = distance;
			best = i;
		}
	});
	return best;
}

const inside = (box, place) => place.x >= box.x && place.x <= box.x + box.width && place.y >= box.y && place.y <= box.y + box.height;

/** A button above the chart that switches something about it. `again(pressed)` draws the chart into its emptied host. */
export function toggle(chart, host, text, pressed, again) {
	let bar = chart.figure.querySelector(".tools");
	if (!bar) {
		bar = html("div", { class: "tools" });
		chart.stage.before(bar);
	}
	const button = html("button", { type: "button", "aria-pressed": String(pressed) }, text);
	const place = bar.childElementCount;
	button.addEventListener("click", () => {
		host.replaceChildren();
		again(!pressed);
		host.querySelectorAll(".tools button")[place]?.focus();
	});
	bar.append(button);
}
