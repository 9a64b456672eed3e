// The table of results: like that of the terminal, and it can be sorted, filtered and walked through by keyboard. A detail opens below its line.
import { h, plural } from "./dom.js";
import { change, known, missing } from "./format.js";
import { reasonText, STATUSES } from "./model.js";
import { deviations, quality, shown, texts } from "./shown.js";
import { dotAxis, dotPlot, verdict } from "./marks.js";

// ---- columns ------------------------------------------------------------------------------------------

/* A cost in ns sorts before what has another unit, and no number is last either way. */
const costKey = (interval, { result }) => known(interval?.value) ? interval.value * (result.unit === "ns" ? 1 : 1e30) : null;

/* `first`: the direction of the first click, 1 from small to large. `key` gives a number, a text or null. */
const COLUMNS = [
	{ id: "name", title: "result", first: 1, key: (item) => item.name, class: "c-name" },
	{ id: "plot", title: "", class: "c-plot" },
	{ id: "cost", title: "cost", first: 1, key: (item) => costKey(item.result.estimate, item), class: "c-cost num", span: 2 },
	{ id: "quality", title: "±95 %", first: -1, key: (item, view) => item.result.bound === "nothing" ? null : quality(shown(item.result, view).measured), class: "c-quality num" },
	{ id: "change", title: "change", first: -1, key: (item) => known(item.change?.ratio?.value) ? item.change.ratio.value : null, class: "c-change num" },
	{ id: "observed", title: "observed", first: 1, key: (item) => costKey(item.result.observed, item), class: "c-observed num" },
	{ id: "p99", title: "p99", first: -1, key: (item, view) => shown(item.result, view).kind === "time" ? costKey({ value: item.result.quantiles?.p99 }, item) : null, class: "c-p99 num" },
	{ id: "verdict", title: "verdict", first: -1, key: (item) => STATUSES.indexOf(item.status), class: "c-verdict" },
	{ id: "causes", title: "causes", class: "c-causes" },
];

const columnsOf = (model) => COLUMNS.filter(({ id }) => id !== "change" || model.items.some((item) => item.change));

// ---- cells --------------------------------------------------------------------------------------------

const DECISIONS = { faster: "↓", slower: "↑", equivalent: "=", inconclusive: "?" };

function changeCell({ change: compared }) {
	if (!known(compared?.ratio?.value))
		return h("td", { class: "c-change num" }, missing);
	const text = `${DECISIONS[compared.decision] ?? ""} ${change(compared.ratio.value)}`;

	return h("td", { class: `c-change num ${compared.decision}`, title: compared.decision, "aria-label": `${compared.decision}, ${text}` }, text);
}

/** What decided and what was seen; where the verdict is worse than noisy, the reason itself. */
function causesCell(item) {
	const worse = STATUSES.indexOf(item.status) > STATUSES.indexOf("noisy") && item.worst;
	const tags = item.causes.map(({ tag, reason }) => h("span", { class: "tag", title: reasonText(reason) }, tag));

	return h("td", { class: "c-causes" }, worse ? h("span", { class: "cut", title: reasonText(item.worst) }, reasonText(item.worst)) : tags.flatMap((tag, at) => at ? [", ", tag] : [tag]));
}

function nameCell(item, onopen) {
	const { benchmark } = item.result;

	return h("th", { scope: "row", class: "c-name" }, h("a", { href: `#r=${encodeURIComponent(item.key)}`, tabindex: -1, title: item.row, "aria-expanded": "false", onclick: onopen },
		benchmark.split(/(?<=[._])/).flatMap((part) => [part, h("wbr")]), item.params.map((text) => h("span", { class: "param" }, ` ${text}`))));
}

function picture(item, all, view) {
	const { main, cost, observed } = all;
	const by = (value) => known(value) ? value / main.value - 1 : null;
	const other = main === observed && main !== cost ? cost : observed;

	return dotPlot({
		low: by(main.low), high: by(main.high), processes: deviations(item.result, all, view),
		other: by(other?.value), otherName: other === cost ? "cost" : "observed",
	});
}

function cells(item, { view, columns, onopen, later }) {
	const all = shown(item.result, view);
	const numbers = texts(item.result, all);
	const has = known(all.main?.value) && all.main.value > 0 && item.result.bound !== "nothing";
	const chosen = (id) => view.cost === id ? " chosen" : "";
	const make = {
		name: () => nameCell(item, onopen),
		plot: () => has ? later(h("td", { class: "c-plot" }), () => picture(item, all, view)) : h("td", { class: "c-plot" }),
		cost: () => [h("td", { class: `c-cost num${chosen("cost")}` }, numbers.cost), h("td", { class: "c-unit" }, known(all.main?.value) ? all.unit : "")],
		quality: () => h("td", { class: "c-quality num" }, numbers.width),
		observed: () => h("td", { class: `c-observed num${chosen("observed")}` }, numbers.observed),
		p99: () => h("td", { class: "c-p99 num" }, numbers.p99),
		change: () => changeCell(item),
		verdict: () => h("td", { class: "c-verdict" }, verdict(item.status)),
		causes: () => causesCell(item),
	};

	return columns.map(({ id }) => make[id]());
}

// ---- order --------------------------------------------------------------------------------------------

function compareKeys(a, b, direction) {
	if (a === null || b === null)
		return (a === null) - (b === null);
	return direction * (typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b);
}

function sorted(items, sort, view) {
	const column = COLUMNS.find(({ id, key }) => key && id === sort.replace("-", ""));

	if (!column)
		return null;
	const direction = sort.startsWith("-") ? -1 : 1;
	const keyed = items.map((item) => ({ item, key: column.key(item, view) }));

	return keyed.sort((a, b) => compareKeys(a.key, b.key, direction) || a.item.index - b.item.index).map(({ item }) => item);
}

/** The sort after a click on a column: its first direction, the other one, then by domain again. */
function nextSort(sort, { id, first }) {
	const order = first > 0 ? [id, `-${id}`, ""] : [`-${id}`, id, ""];

	return order[order.indexOf(sort) + 1] ?? order[0];
}

/** Whether an item is shown: every word of the text is in its name, causes or reason, and verdict and domain are among the chosen ones. */
export function filterOf(state) {
	const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
	const statuses = state.v ? state.v.split(",") : null;

	return (item) => {
		item.text ??= [item.row, item.heading, item.status, ...item.causes.map(({ tag }) => tag), item.worst ? reasonText(item.worst) : ""].join(" ").toLowerCase();
		return words.every((word) => item.text.includes(word)) && (!statuses || statuses.includes(item.status)) && (!state.d || state.d === item.heading);
	};
}

// ---- pictures -----------------------------------------------------------------------------------------

/** Draws into a cell once it comes near the window, or all of them for paper: of 500 pictures few are looked at. */
function drawLater() {
	const waiting = new Map();
	const draw = (cell) => {
		cell.append(waiting.get(cell)());
		waiting.delete(cell);
	};
	const observer = typeof IntersectionObserver === "function" && new IntersectionObserver((entries) => entries.forEach(({ isIntersecting, target }) => {
		if (isIntersecting && waiting.has(target)) {
			observer.unobserve(target);
			draw(target);
		}
	}), { rootMargin: "500px" });
	const drawAll = () => [...waiting.keys()].forEach(draw);

	addEventListener("beforeprint", drawAll);
	matchMedia("print").addEventListener("change", ({ matches }) => matches && drawAll());
	return {
		/** Forgets the cells of before. */
		reset() {
			observer?.disconnect();
			waiting.clear();
		},
		later(cell, make) {
			waiting.set(cell, make);
			if (observer)
				observer.observe(cell);
			else
				draw(cell);
			return cell;
		},
	};
}

// ---- the table ----------------------------------------------------------------------------------------

const ariaSort = (sort, id) => sort === id ? "ascending" : sort === `-${id}` ? "descending" : "none";

function headCells(columns, view, sort, onsort) {
	return columns.map((column) => {
		const { id, title, first, span } = column;

		if (id === "plot")
			return h("th", { scope: "col", class: "c-plot" }, h("span", { class: "plot-title" }, view.cost === "cost" ? "spread around the cost" : "spread around observed"), dotAxis());
		if (!first)
			return h("th", { scope: "col", class: column.class }, title);
		return h("th", { scope: "col", class: column.class, colspan: span, "aria-sort": ariaSort(sort, id) },
			h("button", { type: "button", onclick: () => onsort(column) }, title, h("span", { class: "arrow", "aria-hidden": "true" }, { ascending: "▲", descending: "▼" }[ariaSort(sort, id)] ?? "")));
	});
}

/**
 * { root, update }: `update` brings the table to the state. `drawDetail(host, item)` draws into the line below; `onstate(changes)` is called
 * with what a person has changed; `oncount(shown)` with the items that are shown.
 */
export function tableView(model, state, { drawDetail, onstate, oncount }) {
	const columns = columnsOf(model);
	const width = columns.reduce((sum, { span }) => sum + (span ?? 1), 0);
	const thead = h("thead");
	const cols = columns.flatMap(({ id, span }) => [h("col", { class: `c-${id}` }), span && h("col", { class: "c-unit" })]);
	const root = h("table", { class: "results" }, h("caption", { class: "unseen" }, "Results. A line opens with Enter; arrow keys go from line to line."), h("colgroup", null, cols), thead);
	const rows = new Map();
	const { reset, later } = drawLater();
	let drawnFor = "";
	let open = null;

	const toggle = (item) => onstate({ r: state.r === item.key ? "" : item.key });

	function rowOf(item) {
		const onopen = (event) => {
			if (event.ctrlKey || event.metaKey || event.shiftKey)
				return;
			event.preventDefault();
			event.stopPropagation();
			toggle(item);
		};
		const row = h("tr", { class: `result ${item.status}`, onclick: () => String(getSelection()) || toggle(item) }, cells(item, { view: state, columns, onopen, later }));

		row.item = item;
		return row;
	}

	/** Lines are made once for each choice of unit and cost. */
	function makeRows() {
		const wanted = `${state.unit} ${state.cost}`;

		if (drawnFor === wanted)
			return;
		drawnFor = wanted;
		reset();
		model.items.forEach((item) => rows.set(item, rowOf(item)));
	}

	function body(heading, per, items) {
		const title = heading && h("tr", { class: "group" }, h("th", { scope: "rowgroup", colspan: width }, heading, per && h("small", null, `, ${per}`)));

		return h("tbody", null, title, items.map((item) => rows.get(item)));
	}

	function place(visible) {
		const flat = sorted([...visible], state.sort, state);

		root.querySelectorAll("tbody").forEach((old) => old.remove());
		if (visible.size === 0)
			root.append(h("tbody", null, h("tr", { class: "none" }, h("td", { colspan: width }, "No result matches the filter."))));
		else if (flat)
			root.append(body("", "", flat));
		else
			root.append(...model.groups.map(({ heading, per, items }) => [heading, per, items.filter((item) => visible.has(item))]).filter(([, , items]) => items.length).map((group) => body(...group)));
	}

	function placeDetail(item, visible) {
		root.querySelectorAll("a[aria-expanded=true]").forEach((link) => link.setAttribute("aria-expanded", "false"));
		rows.forEach((row) => row.classList.toggle("open", row.item === item));
		if (!item || !visible.has(item)) {
			open?.row.remove();
			open = null;
			return;
		}
		const view = `${item.key} ${drawnFor}`;

		if (open?.view !== view) {
			open?.row.remove();
			const host = h("td", { colspan: width });

			open = { view, row: h("tr", { class: "detail" }, host) };
			rows.get(item).after(open.row);
			drawDetail(host, item);
		}
		rows.get(item).after(open.row);
		rows.get(item).querySelector("a").setAttribute("aria-expanded", "true");
	}

	function reachable() {
		const links = [...root.querySelectorAll("tr.result th a")];

		if (!links.some((link) => link.tabIndex === 0) && links.length > 0)
			links[0].tabIndex = 0;
	}

	/** The button that was pressed keeps the focus. */
	function placeHead() {
		const focused = [...thead.querySelectorAll("button")].indexOf(document.activeElement);

		thead.replaceChildren(h("tr", null, headCells(columns, state, state.sort, (column) => onstate({ sort: nextSort(state.sort, column) }))));
		thead.querySelectorAll("button")[focused]?.focus();
	}

	function update() {
		const visible = new Set(model.items.filter(filterOf(state)));

		makeRows();
		placeHead();
		place(visible);
		placeDetail(model.items.find((item) => item.key === state.r), visible);
		reachable();
		oncount([...visible]);
	}

	/** After the width of the page has changed. */
	function redrawDetail() {
		const host = open?.row.firstChild;

		host?.replaceChildren();
		if (host)
			drawDetail(host, model.items.find((item) => item.key === state.r));
	}

	root.addEventListener("keydown", (event) => walk(event, root));
	return { root, update, redrawDetail, rowOf: (item) => rows.get(item) };
}

const STEPS = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: 10, PageUp: -10, Home: -1e9, End: 1e9 };

/** Arrow keys go from line to line; Tab stops at one line only. */
function walk(event, root) {
	const links = [...root.querySelectorAll("tr.result th a")];
	const at = links.indexOf(document.activeElement);
	const step = STEPS[event.key];

	if (at < 0 || !step || event.ctrlKey || event.altKey || event.metaKey)
		return;
	const next = links[Math.min(Math.max(at + step, 0), links.length - 1)];

	event.preventDefault();
	links.forEach((link) => { link.tabIndex = link === next ? 0 : -1; });
	next.focus();
	next.closest("tr").scrollIntoView({ block: "nearest" });
}

/** "12 of 41 results" */
export const countText = (shownCount, all) => shownCount === all ? plural(all, "result") : `${shownCount} of ${plural(all, "result")}`;
