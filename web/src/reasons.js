// What the reasons of verdicts mean and what to do about them; which words there are for verdicts.
import { h, plural, sentence } from "./dom.js";
import { STATUSES } from "./model.js";
import { verdict } from "./marks.js";

const VERDICTS = {
	ok: "The counts agree with what the benchmark claims, and the 95 % CI is at most ±5 % wide and covers what was seen.",
	noisy: "The operation happened, but the 95 % CI is wider than ±5 %, or something was seen that it does not cover.",
	unverified: "No counter or check of this machine can confirm that the operation did what it claims.",
	invalid: "The counts contradict the claim, or an operation failed. The number must not be used.",
	skipped: "The machine does not have what the benchmark needs, or the time budget was used up.",
};
const ORDER = ["invalid", "skipped", "unverified", "noisy", "cause", "note"];

export function severityMark(severity) {
	return STATUSES.includes(severity) ? verdict(severity) : h("span", { class: "severity" }, severity);
}

/** The meaning of a reason where it adds something to its detail, then its hint where it adds something to that. */
function explained({ detail, text, hint }) {
	const meaning = text && text !== detail ? sentence(text) : "";

	return `${meaning} ${meaning.includes(hint) ? "" : sentence(hint)}`.trim();
}

/** The reasons of one result: what decided first, notes last. */
export function reasonList(result, meanings) {
	const reasons = [...result.verdict.reasons].sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));

	if (reasons.length === 0)
		return h("p", { class: "quiet" }, "Nothing was seen that would weaken this number.");
	return h("ul", { class: "reasons" }, reasons.map((reason) => h("li", { class: reason.severity }, severityMark(reason.severity),
		h("div", null, h("b", null, reason.detail), reason.evidence && `: ${reason.evidence}`,
			h("span", { class: "hint" }, explained({ ...reason, text: meanings[reason.code]?.text }))))));
}

/** The reasons that occur in these results, the most serious first: meaning, remedy, and where. */
export function reasonGlossary(model) {
	const where = new Map();

	for (const item of model.items)
		item.result.verdict.reasons.forEach(({ code }) => where.set(code, [...(where.get(code) ?? []), item]));
	const entries = [...where].map(([code, items]) => {
		const { severity, detail, hint } = items[0].result.verdict.reasons.find((reason) => reason.code === code);

		return { code, items, severity, detail, hint, ...model.meanings[code] };
	});

	entries.sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity) || b.items.length - a.items.length);
	return [
		h("dl", { class: "verdict-words" }, STATUSES.map((status) => [h("dt", null, verdict(status)), h("dd", null, VERDICTS[status])])),
		entries.length > 0 && h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Reasons" }, h("table", { class: "sheet glossary" }, h("caption", null, "Reasons that occur in this run"),
			h("thead", null, h("tr", null, ["weight", "reason", "what it means, what was done or is to be done", "seen in"].map((text) => h("th", { scope: "col" }, text)))),
			h("tbody", null, entries.map(entryRow)))),
	];
}

function entryRow({ severity, detail, tag, code, text, hint, items }) {
	return h("tr", null, h("td", null, severityMark(severity)), h("th", { scope: "row" }, detail, h("code", null, tag && tag !== detail ? ` ${tag}` : "", ` ${code}`)),
		h("td", null, explained({ detail, text, hint })),
		h("td", { class: "num", title: items.slice(0, 20).map(({ name }) => name).join(", ") }, plural(items.length, "result")));
}
