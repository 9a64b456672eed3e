// One diagnosis of a run with one remedy: the worst that is true of it.
import { digits } from "./format.js";
import { countBy, reasonText } from "./model.js";
import { quality } from "./shown.js";
import { plural, sentence } from "./dom.js";

const are = (count) => count === 1 ? "is" : "are";

/** The reason that decided most of these results: { reason, count }. */
function mostFrequent(items) {
	const counts = countBy(items.map((item) => ({ code: item.worst?.code })), "code");
	const [code, count] = [...counts].reduce((most, each) => each[1] > most[1] ? each : most);

	return { reason: items.find((item) => item.worst?.code === code).worst, count };
}

/* Some hints tell what to do, others what follows. */
const TO_DO = /^(raise|see|try|measure|stop|use|build|compose|correct|mend|declare|leave|start|report|select)\b/;
const LOOK = "Open a line of the table: it has the reason, and the samples behind it.";

function ofStatus(items, status, all) {
	const { reason, count } = mostFrequent(items);
	const many = items.length === 1 ? `${items[0].name} is ${status}` : items.length === all ? `All ${all} results are ${status}` : `${items.length} of ${plural(all, "result")} are ${status}`;
	const why = !reason ? "" : items.length === 1 ? `: ${reasonText(reason)}` : count === items.length ? `: ${reason.detail}` : `, ${count} of them because of this: ${reason.detail}`;

	return { text: `${many}${why}.`, remedy: TO_DO.test(reason?.hint) ? sentence(reason.hint) : LOOK };
}

function medianQuality(items) {
	const all = items.map((item) => quality(item.result.estimate)).filter((value) => value !== null).sort((a, b) => a - b);

	return all.length ? all[all.length >> 1] : null;
}

/** { text, remedy, status }: what to know first, and what to do about it. */
export function diagnose(model) {
	const items = model.items.filter((item) => !item.self);
	const self = model.items.find((item) => item.self && item.status !== "ok");
	const of = (status) => items.filter((item) => item.status === status);

	if (self)
		return { status: self.status, text: `The self-test ${self.name} is ${self.status}${self.worst ? `: ${reasonText(self.worst)}` : ""}.`, remedy: "Trust no number of this run before that is understood: see kbench doctor." };
	if (of("invalid").length > 0)
		return { status: "invalid", ...ofStatus(of("invalid"), "invalid", items.length), remedy: "Do not use these numbers. Open a line for its reason, and for claimed against counted." };
	if (model.notExcluded)
		return { status: "noisy", text: "Contention could not be excluded from any result: costs include what neighbours on the core took.", remedy: "Measure when the host is quieter, or raise --budget." };
	if (of("noisy").length > 0)
		return { status: "noisy", ...ofStatus(of("noisy"), "noisy", items.length) };
	if (of("unverified").length > 0)
		return { status: "unverified", ...ofStatus(of("unverified"), "unverified", items.length) };
	return calm(items, of("skipped").length, model.contended !== null);
}

function calm(items, skipped, contended) {
	const width = medianQuality(items);
	const measured = items.length - skipped;

	if (measured === 0)
		return { status: "skipped", text: "Nothing was measured.", remedy: "The reasons are in the table." };
	return {
		status: "ok", remedy: contended ? "Where the load of this machine matters, read the observed cost." : "Compare it with another run: kbench compare A B.",
		text: `${plural(measured, "result")} ${are(measured)} ok${width === null ? "" : `, with 95 % CIs of ±${digits(width, 2)} % in the middle`}${skipped ? `; ${skipped} ${are(skipped)} skipped` : ""}.`,
	};
}
