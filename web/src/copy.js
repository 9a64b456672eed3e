// What leaves the page: Markdown to the clipboard, JSON to a file, commands.
import { h } from "./dom.js";
import { known, moment } from "./format.js";
import { reasonText, STATUSES } from "./model.js";
import { inWords, shown, texts } from "./shown.js";

// ---- Markdown -----------------------------------------------------------------------------------------

/** A text as Markdown shows it, on one line: no markup, no end of a cell. */
export const markdown = (text) => String(text).replace(/[\r\n]+/g, " ").replace(/[\\`*_[\]|#~]/g, "\\$&").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const line = (cells) => `| ${cells.join(" | ")} |`;

function causesText(item) {
	if (STATUSES.indexOf(item.status) > STATUSES.indexOf("noisy") && item.worst)
		return reasonText(item.worst);
	return item.causes.map(({ tag }) => tag).join(", ");
}

function tableLine(item, view) {
	const all = shown(item.result, view);
	const numbers = texts(item.result, all);
	const unit = known(all.main?.value) ? ` ${all.unit}` : "";

	return line([markdown(item.name), `${numbers.cost}${unit}`, numbers.width, numbers.observed, numbers.p99, item.status, markdown(causesText(item))]);
}

const caption = ({ run, env }) => [run.label ?? run.command ?? run.id, env.facts?.cpu_model, env.facts?.kernel, moment(run.started)].filter(Boolean).map(markdown).join(" · ");

/** The results that are shown, in their order, as a table of Markdown. */
export function markdownTable(model, items, view) {
	return [caption(model), "", line(["result", "cost", "±95 %", "observed", "p99", "verdict", "causes"]), "|:--|--:|--:|--:|--:|:--|:--|", ...items.map((item) => tableLine(item, view)), ""].join("\n");
}

/** One result with its reasons and its evidence. */
export function markdownDetail(model, item, view) {
	const { result } = item;
	const all = shown(result, view);
	const reasons = result.verdict.reasons.filter(({ severity }) => severity !== "note").map((reason) => `- ${reason.severity}: ${markdown(reasonText(reason))}${reason.hint ? ` (${markdown(reason.hint)})` : ""}`);
	const counted = result.evidence.map((claim) => line([markdown(claim.counter), markdown(claim.who), claim.expected ?? "", claim.per_op ?? "not available"]));

	return [
		`### ${markdown(item.row)}: ${result.verdict.status}`, "", caption(model), "",
		`- cost (${result.headline}): ${inWords(all.cost, all)} per ${markdown(result.per || "operation")}`, `- observed: ${inWords(all.observed, all)}`, ...reasons, "",
		...counted.length ? [line(["counter", "of", "claimed", "counted"]), "|:--|:--|--:|--:|", ...counted, ""] : [],
	].join("\n");
}

// ---- clipboard, files ---------------------------------------------------------------------------------

/** Of old browsers, and where a page from a file may not use the clipboard directly. */
function copyBySelection(text) {
	const field = h("textarea", { class: "unseen", readonly: true });

	field.value = text;
	document.body.append(field);
	field.select();
	const done = document.execCommand("copy");

	field.remove();
	return done;
}

/** Copies, and reports on the button for a moment whether that worked. */
export async function copy(text, at) {
	const done = await (navigator.clipboard?.writeText(text) ?? Promise.reject()).then(() => true, () => copyBySelection(text));
	const before = at.dataset.text ?? at.textContent;

	at.dataset.text = before;
	at.textContent = done ? "Copied" : "This browser does not allow it";
	at.focus();
	setTimeout(() => { at.textContent = before; }, 1500);
}

export function save(name, value) {
	const address = URL.createObjectURL(new Blob([JSON.stringify(value, null, 1)], { type: "application/json" }));
	const link = h("a", { href: address, download: name });

	link.click();
	setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// ---- commands -----------------------------------------------------------------------------------------

const shellWord = (word) => /^[\w.,:\/=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/* What results have as parameters, and the command line as options. */
const OPTIONS = { copies: "--parallel", interference: "--interfere" };

function option(name, value) {
	if (name in OPTIONS)
		return value === "nothing" ? [] : [OPTIONS[name], shellWord(value)];
	return ["-p", shellWord(`${name}=${value}`)];
}

/** Commands that measure a result again, and that show what stands behind it. */
export function commands({ run }, { result }) {
	const params = Object.entries(result.params ?? {}).flatMap(([name, value]) => option(name, value));
	const here = (result.environment?.target ?? "linux") === "linux" && result.estimate?.method !== "reported";
	const seed = known(run.settings?.seed) ? ["--seed", run.settings.seed] : [];

	return [
		here ? ["kbench", "run", shellWord(result.benchmark), ...params, ...seed].join(" ") : run.command,
		`kbench show ${shellWord(run.id)} ${shellWord(result.benchmark)}`,
	].filter(Boolean);
}
