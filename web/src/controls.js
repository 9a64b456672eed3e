// Above the table: filter by text, verdict and domain; unit, cost or observed; copy.
import { button, h } from "./dom.js";
import { countBy, STATUSES } from "./model.js";
import { verdict } from "./marks.js";

/** Buttons of which one is pressed. */
function choice(label, options, key, state, onstate) {
	const group = h("div", { class: "choice", role: "group", "aria-label": label }, options.map(([value, text, title]) =>
		button(text, () => onstate({ [key]: value }), { "data-value": value, title })));

	return { root: group, update: () => group.querySelectorAll("button").forEach((each) => each.setAttribute("aria-pressed", String(each.dataset.value === state[key]))) };
}

/** Verdicts to show: none pressed is all. */
function verdictFilter(model, state, onstate) {
	const counts = countBy(model.items, "status");
	const chosen = () => state.v.split(",").filter(Boolean);
	const flip = (status) => {
		const now = chosen();
		const next = now.includes(status) ? now.filter((other) => other !== status) : [...now, status];

		onstate({ v: next.length === counts.size ? "" : next.join(",") });
	};
	const group = h("div", { class: "choice", role: "group", "aria-label": "verdicts" }, STATUSES.filter((status) => counts.has(status)).map((status) =>
		button(verdict(status), () => flip(status), { "data-value": status, class: status })));

	return { root: group, update: () => group.querySelectorAll("button").forEach((each) => each.setAttribute("aria-pressed", String(chosen().includes(each.dataset.value)))) };
}

const UNITS = [["auto", "auto", "GB/s for bandwidth, core cycles where the core decides, else time"], ["time", "time", "time of one operation"], ["cycles", "cycles", "core cycles where they are known, else time"]];
const COSTS = [["cost", "cost", "contended samples are excluded where that was possible"], ["observed", "observed", "all undisturbed samples, neighbours on the core included"]];

/** { root, update, count }: `count` is the element that tells how many results are shown. */
export function controls(model, state, { onstate, oncopy }) {
	const text = h("input", { type: "search", id: "filter", placeholder: "Filter: name, parameter, cause", "aria-label": "filter by name, parameter or cause", autocomplete: "off", spellcheck: "false", oninput: (event) => onstate({ q: event.target.value }) });
	const domain = h("select", { "aria-label": "domain", onchange: (event) => onstate({ d: event.target.value }) }, h("option", { value: "" }, "all domains"), model.groups.map(({ heading }) => h("option", { value: heading }, heading.toLowerCase())));
	const parts = [verdictFilter(model, state, onstate), choice("unit", UNITS, "unit", state, onstate), choice("cost or observed", COSTS, "cost", state, onstate)];
	const count = h("p", { class: "count-line", role: "status" });
	const clear = button("Show all", () => onstate({ q: "", v: "", d: "" }), { class: "plain" });
	const pair = (label, part) => h("span", { class: "pair" }, h("span", { class: "quiet", "aria-hidden": "true" }, label), part.root);
	const root = h("div", { class: "controls" },
		h("div", null, text, domain, parts[0].root, h("span", { class: "end" }, clear, count)),
		h("div", null, pair("unit", parts[1]), pair("number", parts[2]), h("span", { class: "end" }, button("Copy as Markdown", (event) => oncopy(event.target)))));

	function update() {
		if (text.value !== state.q)
			text.value = state.q;
		domain.value = state.d;
		clear.hidden = !state.q && !state.v && !state.d;
		parts.forEach((part) => part.update());
	}

	return { root, update, count };
}
