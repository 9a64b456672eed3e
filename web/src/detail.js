// What stands behind one result: its numbers, the reasons of its verdict, charts, evidence, how to measure it again.
import { button, h, plural } from "./dom.js";
import { digits, known } from "./format.js";
import { commands, copy, markdownDetail, save } from "./copy.js";
import { covariatesTable, evidenceTable, numbersTable } from "./evidence.js";
import { drawCharts, OF_RESULT } from "./gallery.js";
import { reasonList } from "./reasons.js";
import { inWords, shown } from "./shown.js";
import { verdict } from "./marks.js";
import { routeText } from "./route.js";

const HEADLINES = {
	uncontended: "the cost is of the samples during which no neighbour was seen on the core; contended samples are excluded",
	observed: "the cost is of all undisturbed samples, neighbours on the core included",
};
const STATISTICS = {
	median: "of each process the median", parts: "the sum of the medians of the parts of an operation",
	"lower-quartile": "of each process the lower quartile, because an operation lasts longer than 100 us",
};
const METHODS = { slope: "robust line through samples of n operations", single: "single operations", paired: "pairs of an operation and its empty loop", kanata: "groups, as Kanata's paper asks for", reported: "reported by another tool: only statistics exist" };

const many = (count) => count.toLocaleString("en-US");

/** How it was measured, in a few facts. */
function how(result) {
	const { n_grid: grid } = result;
	const processes = [`${result.processes} of ${result.processes_planned} planned`, result.processes_contended && `${result.processes_contended} with too little uncontended time`, result.processes_failed && `${result.processes_failed} failed`];
	const flags = Object.entries(result.flags ?? {}).filter(([, count]) => count > 0).map(([name, count]) => `${name} ${many(count)}`);
	const facts = [
		["method", METHODS[result.estimate.method] ?? result.estimate.method],
		["clock", result.clock && `${result.clock}${result.ticks_per_ns > 0 ? `, ${digits(result.ticks_per_ns, 4)} ticks per ns` : ""}`],
		["operations of a sample", grid?.max > 0 && (grid.min === grid.max ? many(grid.min) : `${many(grid.min)} to ${many(grid.max)}`)],
		["processes", result.processes_planned > 0 && processes.filter(Boolean).join(", ")],
		["samples", result.samples > 0 && `${many(result.samples)} used, ${many(result.disturbed)} excluded, effective sample size ${digits(result.n_eff, 3)}`],
		["uncontended", known(result.clean_share) && `${digits(100 * result.clean_share, 3)} % of the samples`],
		["waited for a CPU", result.waited_share >= 0.05 && `${digits(100 * result.waited_share, 2)} % of the time: other processes of this machine had it`],
		["marks of samples", flags.join(", ")],
		["range of the processes", result.range && `${digits(result.range.low, 4)} to ${digits(result.range.high, 4)} ${result.unit}`],
		["twin", result.ratio?.to], ["machine code", result.code],
	].filter(([, text]) => text);

	return h("dl", { class: "facts" }, facts.map(([name, text]) => [h("dt", null, name), h("dd", null, text)]));
}

function title(model, item, view, { state, close }) {
	const { result } = item;
	const all = shown(result, view);
	const number = known(all.main?.value) ? inWords(all.main, all) : `no number: ${item.worst?.detail ?? "nothing was measured"}`;
	const address = () => location.href.replace(/#.*$/, "") + routeText({ ...state, r: item.key });
	const of = known(all.main?.value) && HEADLINES[view.cost === "observed" ? "observed" : result.headline];

	return h("div", { class: "detail-head" },
		h("h2", null, item.row),
		h("p", { class: "detail-number" }, verdict(item.status), ` ${number}`, known(all.main?.value) && result.per && `, per ${result.per}`),
		of && h("p", { class: "quiet" }, `${of[0].toUpperCase()}${of.slice(1)}${view.cost === "cost" && STATISTICS[result.uncontended_by] ? `: ${STATISTICS[result.uncontended_by]}, then the median over processes` : ""}.`),
		h("div", { class: "actions" },
			button("Copy as Markdown", (event) => copy(markdownDetail(model, item, view), event.target)),
			button("Copy link", (event) => copy(address(), event.target)),
			button("Save JSON", () => save("result.json", { schema: "kbench-result/2", run: model.run, env: model.env, results: [result] })),
			button("Close", close)));
}

function charts(model, item, view) {
	const host = h("div", { class: "charts" });

	/* Widths are known once the detail is in the page. */
	requestAnimationFrame(() => {
		drawCharts(OF_RESULT, host, model.doc, { run: model.at, result: item.index }, view);
		if (item.samples === null && known(item.result.estimate.value))
			host.append(h("p", { class: "quiet" }, "No samples of this result are kept, so there is no picture of them."));
	});
	return host;
}

function reproduce(model, item) {
	return h("section", null, h("h3", null, "Commands"), commands(model, item).map((text) =>
		h("p", { class: "command" }, h("code", null, text), button("Copy", (event) => copy(text, event.target), { "aria-label": `copy ${text}` }))));
}

/** Draws the detail of an item into its host. */
export function drawDetail(host, model, item, view, actions) {
	const { result } = item;

	host.append(h("div", { class: "detail-body" },
		title(model, item, view, actions),
		h("div", { class: "columns detail-columns" },
			h("section", null, h("h3", null, "Reasons of the verdict"), reasonList(result, model.meanings)),
			h("section", null, numbersTable(result, view))),
		charts(model, item, view),
		h("div", { class: "columns detail-columns" },
			h("section", null, evidenceTable(result), covariatesTable(result)),
			h("section", null, h("h3", null, "How it was measured"), how(result))),
		reproduce(model, item)));
}

/** "4,645 samples in the records, 320 of them here", of all results together; "" if nothing was left out. */
export function thinning(model) {
	const kept = model.items.filter(({ samples }) => samples);
	const sum = (key) => kept.reduce((total, { samples }) => total + (samples[key] ?? 0), 0);

	if (kept.length === 0)
		return "The report has no samples: none are kept in the store.";
	if (sum("all") <= sum("kept"))
		return `All ${many(sum("all"))} samples of ${plural(kept.length, "result")} are in the report.`;
	return `${many(sum("kept"))} of ${many(sum("all"))} samples of ${plural(kept.length, "result")} are in the report, evenly in run order and each cause by its share. The numbers are of all samples.`;
}
