// Which charts there are, in the order of their value: of one result, and of a run. Each module has pick(document, place), which takes its data
// out of the document (null: there is none), and draw(host, data, view).
import * as distribution from "./charts/distribution.js";
import * as forest from "./charts/forest.js";
import * as heat from "./charts/heat.js";
import * as history from "./charts/history.js";
import * as interference from "./charts/interference.js";
import * as line from "./charts/line.js";
import * as papers from "./charts/papers.js";
import * as rings from "./charts/rings.js";
import * as samples from "./charts/samples.js";
import * as scaling from "./charts/scaling.js";
import * as strips from "./charts/strips.js";
import * as sweep from "./charts/sweep.js";
import * as timeline from "./charts/timeline.js";

export const OF_RESULT = [strips, samples, distribution, line, history];

/* `id` is the name in the address. */
export const OF_RUN = [
	{ id: "comparison", title: "Comparison", charts: [forest] },
	{ id: "sweeps", title: "Sweeps", charts: [sweep, rings] },
	{ id: "timeline", title: "Time line of the run", charts: [timeline] },
	{ id: "parallel", title: "Copies and interference", charts: [scaling, heat, interference] },
	{ id: "papers", title: "Published figures", charts: [papers] },
];

/** Those of the charts that the document has data for. */
export const chartsFor = (charts, doc, place) => charts.filter((chart) => chart.pick(doc, place) !== null);

/** Draws charts into hosts of their own below `host`, each as wide as it got. */
export function drawCharts(charts, host, doc, place, view) {
	const drawn = chartsFor(charts, doc, place).map((chart) => ({ chart, cell: host.appendChild(document.createElement("div")) }));

	drawn.forEach(({ cell }) => cell.classList.add("chart-cell"));
	for (const { chart, cell } of drawn) {
		chart.draw(cell, chart.pick(doc, place), { ...view, width: cell.clientWidth });
		if (cell.childElementCount === 0)
			cell.remove();
	}
}
