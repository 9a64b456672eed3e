// The headline: which run, which machine, how many results of each verdict, one diagnosis, the facts.
import { button, h, plural, sentence } from "./dom.js";
import { diagnose } from "./diagnosis.js";
import { moment, seconds } from "./format.js";
import { countBy, STATUSES } from "./model.js";
import { verdict } from "./marks.js";

const isKnown = (text) => typeof text === "string" && text !== "" && text !== "unknown";

const fact = (env, key) => env.facts?.[key] ?? env.readings?.[key];

/** "AMD EPYC (KVM, 2 CPUs)" */
function cpuText(env) {
	const hypervisor = fact(env, "hypervisor");
	const cpus = fact(env, "cpus");
	const inside = [
		isKnown(hypervisor) && hypervisor !== "none" ? hypervisor.toUpperCase() : "",
		isKnown(cpus) ? `${cpus} CPU${cpus === "1" ? "" : "s"}` : "",
	].filter(Boolean).join(", ");
	const model = isKnown(fact(env, "cpu_model")) ? fact(env, "cpu_model") : "CPU unknown";

	return inside ? `${model} (${inside})` : model;
}

function kernelText(env) {
	const kernel = fact(env, "kernel");

	if (!isKnown(kernel))
		return "";
	if (/^[0-9a-f]{32,}$/.test(kernel))
		return `kernel ${kernel.slice(0, 12)}`;
	return /^\d+\./.test(kernel) ? `Linux ${kernel}` : kernel;
}

function duration(run) {
	const took = (Date.parse(run.finished) - Date.parse(run.started)) / 1000;

	return run.finished === null ? "the run did not finish" : took > 0 ? seconds(took) : "";
}

/** A thin bar with a part for each verdict; the words below it are buttons that filter the table. */
function verdicts(model, pick) {
	const counts = countBy(model.items, "status");
	const present = STATUSES.filter((status) => counts.has(status));
	const bar = h("div", { class: "verdict-bar", "aria-hidden": "true" });

	for (const status of present) {
		const part = h("span", { class: `part ${status}` });

		part.style.flexGrow = String(counts.get(status));
		bar.append(part);
	}
	return h("div", { class: "verdicts" }, bar, h("p", { class: "verdict-counts" },
		present.map((status) => button(verdict(status, [h("b", null, counts.get(status)), ` ${status}`]), () => pick(status),
			{ class: "count", title: `show only results that are ${status}` }))));
}

const PROOFS = [["counts", "confirmed by counts"], ["check", "by a check"], ["missing", "unverified"], ["against", "contradicted"]];

/** Whether operations did what they claim, apart from how precisely their cost is known. */
function evidenceText(model) {
	const counts = countBy(model.items.filter(({ self }) => !self).map(({ result }) => result), "confirmed_by");
	const parts = PROOFS.filter(([key]) => counts.has(key)).map(([key, words]) =>
		`${counts.get(key)} ${key === "check" && !counts.has("counts") ? "confirmed " : ""}${words}`);

	return parts.length ? `Evidence: ${parts.join(", ")}.` : "";
}

// ---- facts --------------------------------------------------------------------------------------------

const SETTINGS = [["command", "Command"], ["id", "Run"], ["started", "Started"], ["finished", "Finished"], ["label", "Label"]];

function pairs(title, entries) {
	const shown = entries.filter(([, value]) => value !== null && value !== undefined && value !== "");

	return shown.length === 0 ? null : h("section", null, h("h3", null, title),
		h("dl", { class: "facts" }, shown.map(([name, value]) => [h("dt", null, name), h("dd", null, value)])));
}

function facts(model) {
	const { run, env, doc } = model;
	const settings = run.settings ?? {};
	const words = (value) => value !== null && typeof value === "object" ? Array.isArray(value) ? value.join(", ") : Object.entries(value).map(([key, of]) => `${key} ${of ?? "unknown"}`).join(", ") : value;
	const asked = [
		...Object.entries(settings).filter(([key]) => key !== "rows" && !key.endsWith("_ns")).map(([key, value]) => [key, words(value)]),
		...Object.entries(settings).filter(([key]) => key.endsWith("_ns")).map(([key, value]) => [key.slice(0, -3), seconds(value / 1e9)]),
	];

	return h("details", { class: "machine" }, h("summary", null, "Machine and settings"), h("div", { class: "columns" },
		h("div", null, pairs("Run", [...SETTINGS.map(([key, title]) => [title, run[key]]), ["Report", `${doc.tool ?? "kbench"}, ${moment(doc.made)}`]]),
			pairs("Settings", asked)),
		pairs("Machine: what does not change by itself", [["environment ID", env.id], ...Object.entries(env.facts ?? {})]),
		pairs("Machine: what changes by itself", Object.entries(env.readings ?? {}))));
}

// ---- all ----------------------------------------------------------------------------------------------

function runChoice(model, go) {
	const { runs } = model.doc;

	if (runs.length < 2)
		return null;
	return h("label", { class: "run-choice" }, "Run ", h("select", { onchange: (event) => go(event.target.value) }, runs.map(({ run }, at) =>
		h("option", { value: at + 1, selected: at === model.at }, `${run.label ?? run.command} · ${moment(run.started)}`))));
}

export function head(model, { pickStatus, pickRun }) {
	const { run, env } = model;
	const diagnosis = diagnose(model);
	const line = [plural(model.items.length, "result"), cpuText(env), kernelText(env), duration(run), moment(run.started), run.settings?.tool ?? ""];

	return h("header", { class: "head" },
		h("div", { class: "brand" }, h("span", null, "KBench report"), runChoice(model, pickRun)),
		h("h1", null, run.label ?? run.command ?? run.id),
		h("p", { class: "line" }, line.filter(Boolean).join(" · ")),
		h("div", { class: "summary" },
			verdicts(model, pickStatus),
			h("div", { class: `diagnosis ${diagnosis.status}` }, h("p", null, diagnosis.text), diagnosis.remedy && h("p", { class: "remedy" }, h("b", null, "What to do: "), diagnosis.remedy),
				h("p", { class: "proof" }, sentence(model.warning), " ", evidenceText(model)))),
		facts(model));
}
