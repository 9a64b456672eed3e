// Small drawings inside text: the mark of a verdict (its shape tells as much as its colour), and the dot with its CI of the table.
import { s } from "./dom.js";
import { known } from "./format.js";

const SHAPES = {
	ok: "M2 6.5 5 9.5 10 3",
	noisy: "M1 6.5C2.7 1.5 4.3 1.5 6 6.5S9.3 11.500 11 6.5",
	unverified: "M3.500 4.300C3.500 1 8.800 1 8.800 4.300 8.800 6.300 6.100 6.200 6.100 8.200M6.100 10.200V11.200",
	invalid: "M2.500 2.500 9.500 9.500M9.500 2.500 2.500 9.500",
	skipped: "M2 6H10",
};

export function verdictMark(status) {
	return s("svg", { class: `mark-${status} verdict-mark`, viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" },
		s("path", { d: SHAPES[status] ?? SHAPES.skipped }));
}

// ---- the dot ------------------------------------------------------------------------------------------

export const PLOT = { width: 168, height: 20 };
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
