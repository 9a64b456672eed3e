// A result in its one unit, as in kbench's table: GB/s for bandwidth, core cycles where the core decides, else time; or as the switches ask.
import { digits, half, known, missing, number, percent } from "./format.js";

const TIMES = [["s", 1e-9], ["ms", 1e-6], ["us", 1e-3], ["ns", 1]];
const NAMES = { insn: "insn", ticks: "ticks", cycles: "cy" };

/** The unit in which so many ns are at least 1, and its factor. */
export function timeScale(ns) {
	const [unit, factor] = TIMES.find(([, by]) => Math.abs(ns) * by >= 1) ?? TIMES[3];

	return { unit, factor };
}

/** The rate of a time: the upper end of the cost is the lower end of the rate. */
function rate(cost, bytes) {
	const turn = (ns) => known(ns) && ns > 0 ? bytes / ns : null;

	return { value: turn(cost?.value), low: turn(cost?.high), high: turn(cost?.low) };
}

function inCycles(result, view) {
	if (!known(result.cycles?.estimate?.value))
		return false;
	const core = result.bound === "latency" || result.bound === "issue";

	return view.unit === "cycles" || (view.unit === "auto" && core && !(result.bytes_per_op > 0));
}

/**
 * { kind, unit, factor, cost, observed, main, p99 }: intervals in the result's own unit (bytes per ns for a rate), to be multiplied by
 * `factor`. `main` is the one that the page is about: cost or observed, by the switch; `measured` the same before it was made a rate.
 */
export function shown(result, view) {
	const all = { kind: "time", cost: result.estimate, observed: result.observed, p99: null };

	if (inCycles(result, view)) {
		Object.assign(all, { kind: "cycles", unit: "cy", factor: 1, cost: result.cycles.estimate, observed: result.cycles.observed });
	} else if (view.unit === "auto" && result.bytes_per_op > 0 && result.unit === "ns" && result.estimate.value > 0) {
		const cost = rate(result.estimate, result.bytes_per_op);

		Object.assign(all, { kind: "rate", cost, observed: rate(result.observed, result.bytes_per_op) });
		Object.assign(all, cost.value >= 1 ? { unit: "GB/s", factor: 1 } : { unit: "MB/s", factor: 1000 });
	} else if (result.unit === "ns") {
		Object.assign(all, timeScale(result.estimate.value ?? result.observed?.value ?? 0), { p99: result.quantiles?.p99 ?? null });
	} else {
		Object.assign(all, { unit: NAMES[result.unit] ?? result.unit, factor: 1, p99: result.quantiles?.p99 ?? null });
	}
	all.main = view.cost === "observed" && known(all.observed?.value) ? all.observed : all.cost;
	all.measured = all.kind !== "rate" ? all.main : all.main === all.cost ? result.estimate : result.observed;
	return all;
}

/* What is below a hundredth of a nanosecond is nothing: a percentage of it would mean nothing either. */
function emptyLoop({ cost, factor, unit }) {
	const width = half(cost);
	const hundredths = (value) => (value + 0).toFixed(2);

	return {
		cost: known(cost?.value) ? hundredths(Math.round(100 * cost.value * factor) / 100) : missing, observed: missing, p99: missing,
		width: width === null ? missing : `±${hundredths(Math.max(1, Math.ceil(100 * width * factor)) / 100)} ${unit}`,
	};
}

const decimals = (text) => text.split(".")[1]?.length ?? 0;

/** The texts of the number columns. Cycles keep the digits that their CI supports; a fifth digit of a time would not be read. */
export function texts(result, all) {
	const cycles = all.kind === "cycles";
	const cost = number(all.cost, all.factor, cycles ? all.cost.value < 1 ? 3 : 4 : 2, cycles ? 6 : 4);
	if (result.bound === "nothing")
		return emptyLoop(all);
	let observed = number(all.observed, all.factor, cycles ? 4 : 3, cycles ? 6 : 3);

	/* To be held against the cost, so never with more decimals than that. */
	if (cost !== missing && observed !== missing && decimals(observed) > decimals(cost))
		observed = (all.observed.value * all.factor).toFixed(decimals(cost));
	return {
		cost, observed: result.headline === "observed" ? cost : observed,
		p99: known(all.p99) ? digits(all.p99 * all.factor, 3) : missing,
		width: percent(quality(all.measured)),
	};
}

/** Half of the 95 % CI over the value, in percent. */
export function quality(interval) {
	const width = known(interval?.low) && known(interval?.high) ? (interval.high - interval.low) / 2 : null;

	return width !== null && interval.value !== 0 ? Math.abs(100 * width / interval.value) : null;
}

/** "187.1 ns, 95 % CI 186.7 to 187.5 ns": an interval of the result in words. */
export function inWords(interval, all) {
	if (!known(interval?.value))
		return "no number";
	const width = half(interval);
	const value = digits(interval.value * all.factor, 5);

	if (width === null)
		return `${value} ${all.unit}, no CI`;
	return `${value} ${all.unit}, 95 % CI ${digits(interval.low * all.factor, 5)} to ${digits(interval.high * all.factor, 5)} ${all.unit}`;
}

/** What each process found, relative to the main number: 0.02 is 2 % above; null where not known. */
export function deviations(result, all, view) {
	return (result.process_costs ?? []).map((at) => {
		const own = view.cost === "observed" ? at.observed : at.cost;
		const cycles = view.cost === "observed" ? known(at.core_mhz) && known(own) ? own * at.core_mhz / 1000 : null : at.cycles;
		const value = all.kind === "cycles" ? cycles : all.kind === "rate" ? own > 0 ? result.bytes_per_op / own : null : own;

		return known(value) && all.main?.value > 0 ? value / all.main.value - 1 : null;
	});
}
