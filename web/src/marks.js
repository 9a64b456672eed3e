// Small things inside text: the word of a verdict, and the dot with its CI of the table.
import { h, s } from "./dom.js";
import { known } from "./format.js";

/** A verdict as a word; the mark before it comes from the style, so that copied text is the word alone. */
export const verdict = (status, text = status) => h("span", { class: `verdict ${status}` }, text);

// ---- the dot ------------------------------------------------------------------------------------------

export const PLOT = { width: 152, height: 20 };
const MIDDLE = PLOT.width / 2;
const MOST = 1;         /* ±100 % at the ends */
const LINEAR = 0.01;    /* about ±1 % the axis is linear, beyond it logarithmic: both 0.1 % and 50 % can be seen */

/** The place of a deviation: 0.02 is 2 % above. */
export function place(deviation) {
	const held = Math.min(Math.max(deviation, -MOST), MOST);

	return MIDDLE + (MIDDLE - 4) * Math.asinh(held / LINEAR) / Math.asinh(MOST / LINEAR);
}

const at = (deviation) => place(deviation).toFixed(1);

/** The whisker: a cap where the CI ends, an open end where it leaves the axis. */
function ciPath(low, high, y) {
	const cap = (deviation) => Math.abs(deviation) > MOST ? "" : `M${at(deviation)} ${y - 3}v6`;

	return `M${at(low)} ${y}H${at(high)}${cap(low)}${cap(high)}`;
}

const LIMITS = [-0.05, 0.05].map((by) => `M${at(by)} 0V${PLOT.height}`).join("");
const ZERO = `M${MIDDLE} 0V${PLOT.height}`;

const signed = (deviation) => `${deviation < 0 ? "−" : "+"}${Math.abs(100 * deviation).toFixed(Math.abs(deviation) < 0.095 ? 1 : 0)} %`;

/** What the picture shows, in words. */
function words({ low, high, other, processes, otherName }) {
	const seen = processes.filter(known);

	return [
		known(low) && known(high) ? `95 % CI ${signed(low)} to ${signed(high)}` : "no CI",
		known(other) ? `${otherName} ${signed(other)}` : "",
		seen.length > 1 ? `processes ${signed(Math.min(...seen))} to ${signed(Math.max(...seen))}` : "",
	].filter(Boolean).join(", ");
}

/** `low`, `high`, `other` and `processes` are deviations from the number of the line: a dot, its CI, each process, the other cost. */
export function dotPlot(data) {
	const y = PLOT.height / 2;
	const ticks = data.processes.filter(known).map((by) => `M${at(by)} ${y + 4}v5`).join("");
	const text = words(data);

	return s("svg", { class: "dot-plot", viewBox: `0 0 ${PLOT.width} ${PLOT.height}`, width: PLOT.width, height: PLOT.height, role: "img", "aria-label": text },
		s("title", null, text),
		s("path", { class: "limit", d: LIMITS }), s("path", { class: "zero", d: ZERO }),
		s("path", { class: "process", d: ticks }),
		known(data.low) && known(data.high) && s("path", { class: "ci", d: ciPath(data.low, data.high, y) }),
		known(data.other) && Math.abs(data.other) > 0.0005 && s("path", { class: "other", d: `M${at(data.other)} ${y - 4}l4 4-4 4-4-4z` }),
		s("circle", { class: "dot", cx: MIDDLE, cy: y, r: 3 }));
}

/** The axis above the column: where ±5 % and ±50 % are. */
export function dotAxis() {
	const label = (by, text, anchor) => s("text", { x: at(by), y: 9, "text-anchor": anchor ?? "middle" }, text);

	return s("svg", { class: "dot-axis", viewBox: `0 0 ${PLOT.width} 12`, width: PLOT.width, height: 12, "aria-hidden": "true" },
		label(-0.5, "−50"), label(-0.05, "−5"), label(0, "0"), label(0.05, "+5"), label(0.5, "+50 %"));
}
