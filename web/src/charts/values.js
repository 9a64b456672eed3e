// The samples of a result as values of one operation: a sample's time minus the line of the empty loop of its process, over its n. Takes an
// element of `results` and the element of `samples` of the same place (kbench-report/1).
import { known, robustLine } from "./compute.js";
import { quantity } from "./units.js";

/** How causes look. What is not in this list looks like `other`; colour and shape say the same. */
export const CAUSES = {
	clean: { shape: "circle", text: "uncontended" },
	contended: { shape: "up", text: "contended: another hardware thread was on the core" },
	unprobed: { shape: "circle", text: "not probed for contention" },
	ok: { shape: "circle", text: "undisturbed" },
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
export const causeClass = (cause) => `c-${CAUSES[cause] ? cause : "other"}`;
export const causeShape = (cause) => (CAUSES[cause] ?? CAUSES.other).shape;
export const causeText = (cause) => CAUSES[cause]?.text ?? cause;

/** Causes after which a sample counts for the headline or for what was observed. */
export const counts = (cause) => ["clean", "contended", "unprobed", "ok"].includes(cause);

/** Samples of all processes: {process, used, place, t, n, y (whole, in the samples' unit), per (of one operation), value (as shown), cause, block}. */
export function valuesOf({ result, samples }, view) {
	const { of } = quantity(result, view);
	const out = [];
	for (const process of samples?.processes ?? []) {
		const loop = loopOf(process);
		const mhz = process.mhz ?? costOf(result, process.process)?.core_mhz ?? result.core_mhz?.value;
		for (let i = 0; i < process.y.length; i++) {
			const y = process.y[i], n = process.n[i];
			const per = (y - (loop ? loop.intercept + loop.slope * n : 0)) / n;
			const cause = samples.causes[parseInt(process.cause?.[i] ?? "0", 36)] ?? "other";
			out.push({ process: process.process, used: process.used !== false, place: i, t: process.t?.[i] ?? null, n, y, per, value: of(per, mhz), cause, block: process.block?.[i] ?? null });
		}
	}
	return out.filter((v) => known(v.value));
}

/** The empty loop of a process: its line over n, or its constant if it has one n; null if it was not measured. */
export function loopOf(process) {
	const base = process.base;
	if (!base?.n?.length) return null;
	const points = base.n.map((x, i) => ({ x, y: base.y[i] }));
	return robustLine(points) ?? null;
}

export const costOf = (result, process) => (result.process_costs ?? []).find((c) => c.process === process);

/** "500 of 1,288 samples drawn." if the document holds fewer than were recorded. */
export function thinned(samples) {
	if (!samples || !(samples.all > samples.kept)) return "";
	const number = (n) => n.toLocaleString("en-US");
	return `${number(samples.kept)} of ${number(samples.all)} samples drawn, evenly in run order and in each cause.`;
}

/** The result and its samples at a place of the document, as the charts of one result take them. */
export function at(document, { run = 0, result }) {
	const whole = document.runs?.[run];
	if (!whole?.results?.[result]) return null;
	return { result: whole.results[result], samples: whole.samples?.[result] ?? null, facts: whole.env?.facts ?? {} };
}
