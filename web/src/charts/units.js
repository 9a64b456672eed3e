// Numbers as people read them, and the quantity in which a result is shown: time, core cycles, or bandwidth. The switch of the page gives
// view.unit (auto, time, cycles) and view.cost (cost, observed).
import { known, linearTicks, logTicks } from "./compute.js";

const TIMES = [["ns", 1], ["us", 1e3], ["ms", 1e6], ["s", 1e9]];
const NAMES = { cycles: "cycles", ticks: "ticks", insn: "instructions" };

/** A number with `digits` significant digits and without an exponent. */
export function figure(value, digits = 4) {
	if (!known(value)) return "-";
	if (value === 0) return "0";
	const size = Math.floor(Math.log10(Math.abs(value))) + 1;
	const text = value.toFixed(Math.min(Math.max(digits - size, 0), 12));
	const [whole, rest] = text.split(".");
	const grouped = Math.abs(value) >= 1e4 ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole;
	return rest === undefined ? grouped : `${grouped}.${rest}`;
}

/** A whole number with its thousands apart. */
export const count = (n) => known(n) ? Math.round(n).toLocaleString("en-US") : "-";

/** Ticks from low to high of an axis whose numbers are shown times `factor`: {ticks (in the scale's own numbers), format}. */
export function axisTicks(low, high, { factor = 1, most = 6, log = false } = {}) {
	const shown = log ? logTicks(low * factor, high * factor) : null;
	if (shown) return { ticks: shown.map((t) => t / factor), format: (t) => plain(t * factor) };
	const { ticks, decimals } = linearTicks(low * factor, high * factor, most);
	return { ticks: ticks.map((t) => t / factor), format: (t) => fixed(t * factor, decimals) };
}

const fixed = (value, decimals) => {
	const text = (Number(value.toFixed(decimals)) + 0).toFixed(decimals);
	return Math.abs(value) >= 1e4 ? text.replace(/\B(?=(\d{3})+(?!\d))/g, ",") : text;
};
const plain = (value) => value >= 1e4 ? count(value) : String(Number(value.toPrecision(3)));

/** A number as an axis from low to high needs it: four digits, but none below a thousandth of the axis. */
export function onAxis(value, { low, high }, scale) {
	if (!known(value)) return "-";
	const text = figure(value * scale.factor);
	const decimals = Math.max(Math.ceil(-Math.log10((high - low) * scale.factor / 500)), 0);
	const most = text.split(".")[1]?.length ?? 0;
	return `${most > decimals ? fixed(value * scale.factor, decimals) : text} ${scale.unit}`;
}

export const percent = (ratio, digits = 2) => known(ratio) ? `${figure(ratio * 100, digits)} %` : "-";

/** A change as people say it: 1.032 is "+3.2 %". */
export function change(ratio, digits = 3) {
	if (!known(ratio)) return "-";
	const by = (ratio - 1) * 100;
	if (Math.abs(by) < 0.005) return "±0.00 %";
	return `${by < 0 ? "−" : "+"}${Math.abs(by) < 1 ? Math.abs(by).toFixed(2) : figure(Math.abs(by), digits)} %`;
}

/** Unit in which numbers around `value` (in `unit`) are best read: {unit, factor}; a number times factor is in it. */
export function scaleOf(value, unit) {
	const size = Math.abs(value) || 1;
	if (unit === "GB/s" && size < 1) return { unit: "MB/s", factor: 1e3 };
	if (unit !== "ns") return { unit: NAMES[unit] ?? unit, factor: 1 };
	const best = TIMES.filter(([, ns]) => size >= ns * 0.9995).pop() ?? TIMES[0];
	return { unit: best[0], factor: 1 / best[1] };
}

/** One number with its unit: 1234 of "ns" is "1.234 us". */
export function say(value, unit, digits = 4) {
	if (!known(value)) return "-";
	const scale = scaleOf(value, unit);
	return `${figure(value * scale.factor, digits)} ${scale.unit}`;
}

/** "95 % CI 186.7 to 187.5 ns" of an interval, in the unit of its value. */
export function sayCi({ value, low, high }, unit, digits = 4) {
	if (!known(low) || !known(high)) return "no CI";
	const scale = scaleOf(value, unit);
	return `95 % CI ${figure(low * scale.factor, digits)} to ${figure(high * scale.factor, digits)} ${scale.unit}`;
}

/** "187.1 ns, 95 % CI 186.7 to 187.5 ns" of an interval. */
export const sayInterval = (interval, unit, digits = 4) => known(interval?.value) ? `${say(interval.value, unit, digits)}, ${sayCi(interval, unit, digits)}` : "no number";

/**
 * The quantity that a result is shown in: `unit`, and `of(cost, mhz)`, which turns a cost of one operation in the result's unit into it.
 * GB/s where it moves bytes, cycles where the core bounds the cost, else its own unit, as in the table of kbench.
 */
export function quantity(result, view = {}) {
	const wanted = view.unit ?? "auto";
	const own = { unit: result.unit ?? "ns", label: "cost of one operation", of: (cost) => cost, flips: false };
	if (own.unit !== "ns") return own;
	if (wanted === "auto" && result.bytes_per_op > 0)
		return { unit: "GB/s", label: "bandwidth", flips: true, of: (cost) => cost > 0 ? result.bytes_per_op / cost : null };
	if (wanted !== "time" && known(result.cycles?.estimate?.value))
		return { unit: "cycles", label: "core cycles of one operation", flips: false, of: (cost, mhz = result.core_mhz?.value) => known(mhz) ? cost * mhz / 1e3 : null };
	return { ...own, label: "time of one operation" };
}

/** The interval of a result in that quantity: the headline, or what was observed. */
export function intervalOf(result, view = {}, kind = view.cost) {
	const which = kind === "observed" ? "observed" : "estimate";
	const { unit, of, flips } = quantity(result, view);
	if (unit === "cycles") return { ...result.cycles[which], unit };
	const { value, low, high } = result[which] ?? {};
	const turn = (v) => known(v) ? of(v) : null;
	return { value: turn(value), low: turn(flips ? high : low), high: turn(flips ? low : high), unit };
}

/** The name of a result: benchmark and parameters. */
export function rowName(result) {
	if (result.row) return result.row;
	return [result.benchmark, ...Object.entries(result.params ?? {}).map(([name, value]) => `${name}=${value}`)].join(" ");
}
