// Tables of a detail: the numbers with their intervals, claimed against counted, what the benchmark reported with its samples.
import { h } from "./dom.js";
import { bytes, digits, known, missing } from "./format.js";
import { shown, timeScale } from "./shown.js";
import { verdict } from "./marks.js";

const cell = (text) => h("td", { class: "num" }, text);

function sheet(title, heads, rows, className) {
	return h("table", { class: `sheet ${className ?? ""}` }, h("caption", null, title), h("thead", null, h("tr", null, heads.map((text) => h("th", { scope: "col" }, text)))), h("tbody", null, rows));
}

// ---- numbers ------------------------------------------------------------------------------------------

function numberRow(name, interval, { unit, factor }, strong) {
	if (!known(interval?.value))
		return null;
	const show = (value) => digits(value * factor, 5);
	const ends = known(interval.low) && known(interval.high) ? `${show(interval.low)} to ${show(interval.high)}` : "no CI";

	return h("tr", { class: strong ? "strong" : null }, h("th", { scope: "row" }, name), cell(show(interval.value)), cell(ends), h("td", null, unit));
}

function quantileRows(result, scale) {
	return Object.entries(result.quantiles ?? {}).map(([name, value]) => numberRow(`${name} of single operations`, { value, ...result.quantile_intervals?.[name] }, scale));
}

/** Every interval that a result has, in one unit, its cycles and its clock. */
export function numbersTable(result, view) {
	const all = shown(result, view);
	const scale = result.unit === "ns" ? timeScale(result.estimate.value ?? result.observed?.value ?? 0) : { unit: result.unit, factor: 1 };
	const names = { uncontended: "cost, uncontended", observed: "cost, as observed" };
	const cycles = { unit: "cycles", factor: 1 };
	const rows = [
		all.kind === "rate" && numberRow("bandwidth", all.cost, all, true),
		numberRow(names[result.headline] ?? "cost", result.estimate, scale, true),
		result.headline === "uncontended" && numberRow("observed, neighbours included", result.observed, scale),
		numberRow("mean of all samples", result.mean, scale),
		numberRow("fixed cost of a sample", result.fixed, scale),
		numberRow("cost in core cycles", result.cycles?.estimate, cycles),
		result.headline === "uncontended" && numberRow("observed in core cycles", result.cycles?.observed, cycles),
		numberRow("core clock", result.core_mhz, { unit: "MHz", factor: 1 }),
		numberRow("ratio to its twin", result.ratio, { unit: "", factor: 1 }),
		...quantileRows(result, scale),
		...(result.parallel?.per_copy ?? []).map((each, at) => numberRow(`copy ${at + 1}`, each, scale)),
	].filter(Boolean);

	return rows.length === 0 ? null : sheet(`Numbers, of one ${result.per || "operation"}`, ["", "value", "95 % CI", "unit"], rows, "numbers");
}

// ---- evidence -----------------------------------------------------------------------------------------

const OF_BYTES = new Set(["working_set", "huge_bytes"]);
const HOLDS = { true: ["ok", "holds"], false: ["invalid", "contradicted"], null: ["unverified", "not available here"], undefined: ["skipped", "not claimed"] };

function claimRow(claim) {
	const [status, words] = HOLDS[claim.ok];
	const show = (value) => !known(value) ? missing : OF_BYTES.has(claim.counter) ? bytes(value) : Number(value.toPrecision(6)).toString();
	const tolerance = known(claim.tolerance) && claim.tolerance > 0 ? ` ±${show(claim.tolerance)}` : "";

	return h("tr", null, h("th", { scope: "row" }, claim.counter), h("td", null, claim.who),
		cell(known(claim.expected) ? show(claim.expected) + tolerance : missing), cell(show(claim.per_op)),
		h("td", null, verdict(status, words)));
}

/** What the benchmark claims that one operation does, against what was counted. */
export function evidenceTable(result) {
	if (result.evidence.length === 0)
		return h("p", { class: "quiet" }, result.bound === "nothing" ? "An empty loop claims nothing that could be counted." : "The benchmark makes no claim that a counter could confirm.");
	return sheet(`Evidence: claimed against counted, per ${result.per || "operation"}`, ["counter", "of", "claimed", "counted", ""], result.evidence.map(claimRow), "evidence");
}

export function covariatesTable(result) {
	if (!result.covariates?.length)
		return null;
	return sheet("What the benchmark reported with its samples", ["", "median", "lowest", "highest", "samples"], result.covariates.map((at) =>
		h("tr", null, h("th", { scope: "row" }, at.name), cell(digits(at.median, 5)), cell(digits(at.min, 5)), cell(digits(at.max, 5)), cell(at.count))));
}
