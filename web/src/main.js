// Draws the report into the page and keeps it in step with the address.
import { h } from "./dom.js";
import { controls } from "./controls.js";
import { copy, markdownTable } from "./copy.js";
import { drawDetail } from "./detail.js";
import { FLEET_SCHEMA, fleetPage } from "./fleet.js";
import { head } from "./head.js";
import { modelOf } from "./model.js";
import { readRoute, writeRoute } from "./route.js";
import { sections } from "./sections.js";
import { countText, tableView } from "./table.js";

const page = document.getElementById("page");
const state = readRoute();
let current = null;     /* what is drawn of a run */

// ---- one run ------------------------------------------------------------------------------------------

const viewOf = () => ({ unit: state.unit, cost: state.cost });

/** The page of a run; its update brings it to the state. */
function report(doc, at) {
	const model = modelOf(doc, at);
	let shown = [];
	const item = (key) => model.items.find((each) => each.key === key);
	const close = () => {
		const row = table.rowOf(item(state.r));

		change({ r: "" });
		row?.querySelector("a").focus();
	};
	const pick = (index) => {
		change({ r: model.items[index]?.key ?? "", q: "", v: "", d: "" });
		reveal();
	};
	const bar = controls(model, state, { onstate: change, oncopy: (target) => copy(markdownTable(model, shown, viewOf()), target) });
	const table = tableView(model, state, {
		onstate: change,
		drawDetail: (host, of) => drawDetail(host, model, of, viewOf(), { state, close }),
		oncount: (items) => {
			shown = items;
			bar.count.textContent = countText(items.length, model.items.length);
		},
	});
	const parts = sections(model, viewOf, { onpick: pick, onjump: (id) => jump(id) });
	const reveal = () => table.rowOf(item(state.r))?.scrollIntoView({ block: "start" });
	let drawnFor = "";

	page.replaceChildren(
		h("a", { class: "skip", href: "#s=results", onclick: (event) => { event.preventDefault(); table.root.querySelector("a[tabindex='0']")?.focus(); } }, "To the results"),
		head(model, { pickStatus: (status) => { change({ v: status, q: "", d: "" }); jump("results"); }, pickRun: (run) => change({ run, r: "" }) }),
		parts.nav,
		h("main", null, h("section", { id: "part-results", "aria-label": "Results" }, bar.root, h("div", { class: "table-box" }, table.root),
			h("p", { class: "keys" }, legend(model.items.some(({ change: other }) => other)), h("span", null, h("kbd", null, "/"), " filters, ", h("kbd", null, "↑"), h("kbd", null, "↓"), " walk, ", h("kbd", null, "Enter"), " opens, ", h("kbd", null, "Esc"), " closes"))),
		parts.root));

	return {
		at, close, reveal,
		update() {
			bar.update();
			table.update();
			if (drawnFor !== "" && drawnFor !== `${state.unit} ${state.cost}`)
				parts.redraw();
			drawnFor = `${state.unit} ${state.cost}`;
		},
		resize() {
			table.redrawDetail();
			parts.redraw();
		},
	};
}

function legend(compared) {
	return h("span", { class: "quiet" }, "● the number, ── its 95 % CI, ◇ the other cost, ╵ each process; dotted: ±5 %, beyond which a CI is noisy. The axis is linear to about ±1 %, logarithmic beyond.",
		compared && " Change: ↑ slower, ↓ faster, = equivalent, ? inconclusive.");
}

function jump(id) {
	const part = document.getElementById(`part-${id}`);

	part?.scrollIntoView({ block: "start" });
	part?.querySelector("h2, a, input")?.focus({ preventScroll: true });
}

// ---- state --------------------------------------------------------------------------------------------

function update() {
	const at = Math.min(Math.max(Math.trunc(Number(state.run)) || 1, 1), doc.runs.length) - 1;

	if (current?.at !== at)
		current = report(doc, at);
	current.update();
}

function change(changes) {
	Object.assign(state, changes, { s: "" });
	writeRoute(state);
	update();
}

function followAddress() {
	Object.assign(state, readRoute());
	update();
	if (state.r)
		current.reveal();
	else if (state.s)
		jump(state.s);
}

function keys(event) {
	const typing = event.target.closest?.("input, select, textarea");

	if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
		event.preventDefault();
		document.getElementById("filter")?.focus();
	} else if (event.key === "Escape" && typing) {
		change({ q: "" });
	} else if (event.key === "Escape" && state.r) {
		current.close();
	}
}

// ---- start --------------------------------------------------------------------------------------------

/** The document of the file; null in the template, which has none. */
function readDocument() {
	try {
		const doc = JSON.parse(document.getElementById("data").textContent);

		return doc.schema === FLEET_SCHEMA || (Array.isArray(doc.runs) && doc.runs.length > 0) ? doc : null;
	} catch {
		return null;
	}
}

function onResize(act) {
	let width = innerWidth, timer = 0;

	addEventListener("resize", () => {
		if (Math.abs(innerWidth - width) < 24)
			return;
		width = innerWidth;
		clearTimeout(timer);
		timer = setTimeout(act, 150);
	});
}

const doc = readDocument();

if (doc?.schema === FLEET_SCHEMA) {
	const fleet = fleetPage(page, doc);

	onResize(() => fleet.resize());
} else if (doc) {
	const { run } = doc.runs[0];

	document.title = `${run.label ?? run.command ?? run.id} · KBench report`;
	followAddress();
	addEventListener("hashchange", followAddress);
	addEventListener("keydown", keys);
	onResize(() => current.resize());
} else {
	page.replaceChildren(h("p", { class: "empty" }, "This file has no results: it is the template that kbench report fills."));
}
