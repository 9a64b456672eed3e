// Below the table: the charts of a whole run, what the reasons mean, what to do with the report. A chart is drawn once it comes near the window.
import { button, h } from "./dom.js";
import { commands, copy, save } from "./copy.js";
import { thinning } from "./detail.js";
import { chartsFor, drawCharts, OF_RUN } from "./gallery.js";
import { reasonGlossary } from "./reasons.js";

const NEAR = "400px";

function section(id, title, ...content) {
	return h("section", { class: "part", id: `part-${id}`, "aria-labelledby": `title-${id}` }, h("h2", { id: `title-${id}` }, title), content);
}

/** A section whose charts are drawn when it comes near; `redraw` draws them again in the state's unit. */
function chartSection({ id, title, charts }, model, view, onpick) {
	const host = h("div", { class: "run-charts" });
	const root = section(id, title, host);
	const draw = () => {
		host.replaceChildren();
		drawCharts(charts, host, model.doc, { run: model.at }, { ...view(), onPick: onpick });
	};
	let near = typeof IntersectionObserver !== "function";

	if (near)
		requestAnimationFrame(draw);
	else
		new IntersectionObserver((entries, observer) => {
			if (!entries.some((entry) => entry.isIntersecting))
				return;
			observer.disconnect();
			near = true;
			draw();
		}, { rootMargin: NEAR }).observe(root);
	return { root, id, title, redraw: () => near && draw() };
}

function about(model) {
	const { doc, run } = model;
	const line = (text) => h("p", { class: "command" }, h("code", null, text), button("Copy", (event) => copy(text, event.target), { "aria-label": `copy ${text}` }));

	return section("about", "This report",
		h("p", null, "One file: it asks no server for anything and keeps nothing. Its numbers are inside as JSON. ", thinning(model)),
		h("div", { class: "actions" }, button("Save the document as JSON", () => save("report.json", doc))),
		h("h3", null, "Measure it again"), run.command && line(run.command), Number.isFinite(run.settings?.seed) && !/--seed/.test(run.command ?? "") && h("p", { class: "quiet" }, `The order of processes and samples was that of --seed ${run.settings.seed}.`),
		h("h3", null, "Look behind a number in the terminal"), model.items.length > 0 && line(commands(model, model.items[0]).at(-1)),
		h("p", { class: "quiet" }, `${doc.schema}, written by ${doc.tool ?? "kbench"}`));
}

/** { root, nav, redraw }: all sections, and links to them. */
export function sections(model, view, { onpick, onjump }) {
	const charts = OF_RUN.filter((each) => chartsFor(each.charts, model.doc, { run: model.at }).length > 0).map((each) => chartSection(each, model, view, onpick));
	const rest = [section("reasons", "What the verdicts and reasons mean", reasonGlossary(model)), about(model)];
	const links = [{ id: "results", title: "Results" }, ...charts, { id: "reasons", title: "Reasons" }, { id: "about", title: "This report" }];
	const jump = (id) => (event) => {
		event.preventDefault();
		onjump(id);
	};

	return {
		root: h("div", { class: "parts" }, charts.map(({ root }) => root), rest),
		nav: h("nav", { class: "parts-nav", "aria-label": "Parts of the report" }, links.map(({ id, title }) => h("a", { href: `#s=${id}`, onclick: jump(id) }, title))),
		redraw: () => charts.forEach((chart) => chart.redraw()),
	};
}
