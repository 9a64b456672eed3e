// The samples of a result as values of one operation: a sample's time minus the line of the empty loop of its process, over its n. Takes an
// element of `results` and the element of `samples` of the same place (kbench-report/1).
import { known, robustLine } from "./compute.js";
import { count, quantity } from "./units.js";

/** How causes look. What is not in this list looks like `other`; colour and shape say the same. */
export const CAUSES = {
	clean: { shape: "circle", text: "uncontended" },
	contended: { shape: "up", text: "contended: another hardware thread was on the core" },
	"not probed": { shape: "circle", text: "undisturbed, not probed for contention" },
	warmup: { shape: "left", text: "warm-up" },
	irq: { shape: "cross", text: "interrupt" },
	ctxsw: { shape: "square", text: "context switch" },
	migrated: { shape: "right", text: "changed the CPU" },
	fault: { shape: "diamond", text: "page fault" },
	steal: { shape: "star", text: "stolen by the hypervisor" },
	gap: { shape: "plus", text: "thread off the CPU" },
	backwards: { shape: "down", text: "clock stepped back" },
	refuted: { shape: "down", text: "refuted by the benchmark's check" },
	other: { shape: "diamond", text: "other" },
};
export const causeClass = (cause) => `c-${CAUSES[cause] ? cause.replace(" ", "-") : "other"}`;
export const causeShape = (cause) => (CAUSES[cause] ?? CAUSES.other).shape;
export const causeText = (cause) => CAUSES[cause]?.text ?? cause;

/** Causes after which a sample counts for the headline or for what was observed. */
export const counts = (cause) => ["clean", "contended", "not probed"].includes(cause);

/** The cause of the i-th sample of a list with `cause` letters. */
export const causeAt = (samples, list, i) => samples.causes[parseInt(list.cause?.[i] ?? "0", 36)] ?? "other";

/** "3", or "3.2" of the second copy of several. */
export const processName = (process) => process.copy ? `${process.process}.${process.copy}` : `${process.process}`;

/** Samples of all processes: {process, copy, name, used, place, t, n, y (whole, in the samples' unit), per (of one operation), value (as shown), cause, block}. */
export function valuesOf({ result, samples }, view) {
	const { of } = quantity(result, view);
	const out = [];
	for (const process of samples?.processes ?? []) {
		const loop = loopOf(samples, process), name = processName(process);
		const mhz = process.mhz ?? costOf(result, process.process)?.core_mhz ?? result.core_mhz?.value;
		for (let i = 0; i < process.y.length; i++) {
			const y = process.y[i], n = process.n[i];
			const per = (y - (loop ? loop.intercept + loop.slope * n : 0)) / n;
			out.push({ process: process.process, copy: process.copy ?? null, name, used: process.used !== false, place: i, t: process.t?.[i] ?? null, n, y, per, value: of(per, mhz), cause: causeAt(samples, process, i), block: process.block?.[i] ?? null });
		}
	}
	return out.filter((v) => known(v.value));
}

/** Undisturbed samples of the empty loop of a process, as points. */
export function loopPoints(samples, process) {
	const base = process.base ?? {};
	return (base.n ?? []).map((x, i) => ({ x, y: base.y[i], cause: causeAt(samples, base, i) })).filter((p) => counts(p.cause));
}

/** The line of the empty loop of a process over n; if few of its samples are in the document, of the loops of all processes. */
export function loopOf(samples, process) {
	const own = loopPoints(samples, process);
	return own.length >= 6 ? robustLine(own) : loopOfAll(samples);
}

export const loopOfAll = (samples) => robustLine(samples.processes.flatMap((p) => loopPoints(samples, p)));

export const costOf = (result, process) => (result.process_costs ?? []).find((c) => c.process === process);

/** "500 of 1,288 samples drawn" if the document holds fewer than were recorded, and how they were chosen if `how`. */
export function thinned(samples, how = false) {
	if (!samples) return "";
	const shown = new Set(samples.processes.map((p) => p.process)).size;
	const some = samples.processes_all > samples.processes.length ? `, of ${shown} of ${count(samples.processes_all)} processes` : "";
	return samples.all > samples.kept || some ? `${count(samples.kept)} of ${count(samples.all)} samples drawn${some}${how ? ": evenly in run order, each cause by its share" : ""}.` : "";
}

/** What is said of samples that the axis does not reach. */
export function beyondAxis(n) {
	if (!n) return "";
	return n === 1 ? "1 lies beyond the axis and is drawn as an arrow at its edge." : `${count(n)} lie beyond the axis and are drawn as arrows at its edge.`;
}

/** The result and its samples at a place of the document, as the charts of one result take them. */
export function at(document, { run = 0, result }) {
	const whole = document.runs?.[run];
	if (!whole?.results?.[result]) return null;
	return { result: whole.results[result], samples: whole.samples?.[result] ?? null, facts: whole.env?.facts ?? {} };
}
