// The charts, in the order of their value: of one result, and of a run. Each module has pick(document, place), which takes its data out of the
// document (null: there is none), and draw(host, data, view).

import * as distribution from "./charts/distribution.js";
import * as forest from "./charts/forest.js";
import * as line from "./charts/line.js";
import * as samples from "./charts/samples.js";
import * as strips from "./charts/strips.js";

export const OF_RESULT = [strips, samples, distribution, line];

/* `id` is the name in the address, `title` that of the section. */
export const OF_RUN = [
	{ id: "comparison", title: "Comparison", ...forest },
];

/** Draws a chart if the document has its data; whether it did. */
export function drawChart(chart, host, doc, place, view) {
	const data = chart.pick(doc, place);

	if (data === null)
		return false;
	chart.draw(host, data, view);
	return host.childElementCount > 0;
}
