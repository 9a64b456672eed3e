// Numbers as kbench's own table prints them (src/report/text/number_format.c): a value ends where its CI ends.

const DIGITS_MAX = 6;
const USUAL = 4;

export const known = (value) => typeof value === "number" && Number.isFinite(value);
export const missing = "–";

const clamp = (n, low, high) => Math.min(Math.max(n, low), high);

/** Decimal places that show `digits` significant digits of the value. */
const places = (value, digits) => value !== 0 ? digits - 1 - Math.floor(Math.log10(Math.abs(value))) : digits - 1;

/* As C's round(), half away from zero: toFixed alone makes 1.4 of 1.45. Adding 0 turns -0 into 0. */
function fixed(value, decimals) {
	const scale = 10 ** decimals;

	return (Math.sign(value) * Math.round(Math.abs(value) * scale) / scale + 0).toFixed(decimals);
}

/** The larger half of an interval; null if it has no ends. */
export function half(interval) {
	if (!known(interval?.value) || !known(interval.low) || !known(interval.high))
		return null;
	return Math.max(interval.high - interval.value, interval.value - interval.low);
}

/** Places for a value that is known to within `half`: two digits of it if the first is a 1, else one. */
function placesFor(value, halfWidth) {
	if (!(halfWidth > 0))
		return places(value, USUAL);
	const one = places(halfWidth, 1);
	const decimals = halfWidth * 10 ** one < 2 ? one + 1 : one;

	return Math.abs(value) > halfWidth ? Math.min(decimals, places(value, DIGITS_MAX)) : decimals;
}

/** The value of an interval with at least and at most so many significant digits, between them as many as its CI supports. */
export function number(interval, factor, least, most) {
	if (!known(interval?.value))
		return missing;
	const value = interval.value * factor;
	const width = half(interval);
	const decimals = width === null ? places(value, USUAL) : placesFor(value, width * factor);

	return fixed(value, clamp(clamp(decimals, places(value, least), places(value, most)), 0, DIGITS_MAX));
}

/** A number with so many significant digits and no exponent. */
export function digits(value, count) {
	return known(value) ? fixed(value, clamp(places(value, count), 0, DIGITS_MAX + 2)) : missing;
}

/** A percentage, without its sign: that of a half-width. */
export function percent(value) {
	if (!known(value))
		return missing;
	return value >= 1000 ? ">999 %" : `${value.toFixed(value >= 9.95 ? 0 : value >= 0.095 ? 1 : 2)} %`;
}

/** A ratio as a change: 1.032 is "+3.2 %". */
export function change(ratio) {
	if (!known(ratio))
		return missing;
	const by = 100 * (ratio - 1);
	const size = Math.abs(by);

	if (size < 0.005)
		return "0.00 %";
	return `${by < 0 ? "−" : "+"}${size.toFixed(size >= 9.95 ? 0 : size >= 0.95 ? 1 : 2)} %`;
}

/** A duration in words: 0.5 is "0.5 s". */
export function seconds(value) {
	if (!known(value))
		return missing;
	return value >= 120 ? `${Math.floor(value / 60)} min ${Math.round(value % 60)} s` : `${value.toFixed(value < 9.5 ? 1 : 0)} s`;
}

const POWERS = [[1e9, "GB"], [1e6, "MB"], [1e3, "KB"]];

/** A number of bytes of a file. */
export function bytes(count) {
	const [power, unit] = POWERS.find(([least]) => count >= least) ?? [1, "bytes"];

	return `${digits(count / power, 3)} ${unit}`;
}

/** "2026-05-04T10:00:00Z" as people write it. */
export const moment = (iso) => typeof iso === "string" ? iso.replace("T", " ").replace(/(:\d\d)(\.\d+)?Z$/, "$1 UTC") : "time unknown";
