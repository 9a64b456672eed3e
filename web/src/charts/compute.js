// Pure computations behind the charts: order statistics, bins, the empirical distribution, ticks, robust lines, levels, sizes. No DOM here,
// so that node's test runner can run them (web/test/compute.test.mjs). The numbers that a result reports come from kbench and are never
// computed again; what is computed here only places marks and says how samples lie.

export const known = (value) => typeof value === "number" && Number.isFinite(value);

export const sorted = (values) => Float64Array.from(values.filter(known)).sort();

/** Items by key, a Map of arrays in the order of their first items. */
export function groupBy(items, key) {
	const groups = new Map();
	for (const item of items) {
		const name = key(item);
		if (groups.has(name)) groups.get(name).push(item);
		else groups.set(name, [item]);
	}
	return groups;
}

/** Quantile p of ascending values, between neighbours by straight line (type 7). */
export function quantile(ascending, p) {
	if (!ascending.length) return null;
	const at = Math.min(Math.max(p, 0), 1) * (ascending.length - 1);
	const below = Math.floor(at);
	const above = Math.min(below + 1, ascending.length - 1);
	return ascending[below] + (ascending[above] - ascending[below]) * (at - below);
}

export const median = (values) => quantile(sorted(values), 0.5);

/** Share of ascending values that are at most x. */
export function shareBelow(ascending, x) {
	let low = 0, high = ascending.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (ascending[middle] <= x) low = middle + 1;
		else high = middle;
	}
	return ascending.length ? low / ascending.length : null;
}

/**
 * The part of an axis that shows the bulk: from the smallest to the largest of `keep` and of the quantiles `tail` and 1 - tail of the
 * values, and a little air. What lies outside is counted, so that a chart can say so.
 */
export function bulk(values, { keep = [], tail = 0.02, air = 0.06, log = false } = {}) {
	const all = sorted(log ? values.filter((v) => v > 0) : values);
	const must = keep.filter((v) => known(v) && (!log || v > 0));
	if (!all.length && !must.length) return null;
	const inside = all.length < 20 ? [all[0], all[all.length - 1]] : [quantile(all, tail / 4), quantile(all, 1 - tail)];
	const ends = [...inside, ...must].filter(known);
	let low = Math.min(...ends), high = Math.max(...ends);
	const top = all.length ? all[all.length - 1] : high;
	const bottom = all.length ? all[0] : low;
	/* A tail that is short anyway is shown whole. */
	if (top <= high + (high - low) * 0.25) high = Math.max(high, top);
	if (bottom >= low - (high - low) * 0.25) low = Math.min(low, bottom);
	if (log) {
		const factor = Math.max((high / low) ** air, 1.02);
		low /= factor;
		high *= factor;
	} else {
		const more = (high - low) * air || Math.abs(high) * 0.05 || 1;
		if (low >= 0 && low - more < 0) low = 0;
		else low -= more;
		high += more;
	}
	const beyond = (test) => { let n = 0; for (const v of all) if (test(v)) n++; return n; };
	return { low, high, below: beyond((v) => v < low), above: beyond((v) => v > high) };
}

/** Number of bins: Freedman and Diaconis, but no fewer than show two modes (their spread is wide), held between 8 and `most`. */
export function binCount(ascending, low, high, most = 80) {
	const spread = quantile(ascending, 0.75) - quantile(ascending, 0.25);
	const wide = 2 * spread / Math.cbrt(ascending.length || 1);
	const wanted = wide > 0 ? Math.ceil((high - low) / wide) : 8;
	return Math.min(Math.max(wanted, Math.round(Math.sqrt(ascending.length) * 1.5), 8), most);
}

/** Bins of equal width (of equal ratio if `log`) from low to high: {from, to, count}. Values outside are in no bin. */
export function bins(values, { low, high, count, log = false }) {
	const place = log ? Math.log : (v) => v;
	const back = log ? Math.exp : (v) => v;
	const from = place(low), width = (place(high) - from) / count;
	const out = Array.from({ length: count }, (_, i) => ({ from: back(from + i * width), to: back(from + (i + 1) * width), count: 0 }));
	if (!(width > 0)) return out;
	for (const v of values) {
		if (!known(v) || v < low || v > high) continue;
		out[Math.min(Math.floor((place(v) - from) / width), count - 1)].count++;
	}
	return out;
}

/** Points {x, p} of the empirical distribution: p is the share at most x. One point a different value, at most `most` of them. */
export function ecdf(values, most = 400) {
	const all = sorted(values);
	const points = [];
	for (let i = 0; i < all.length; i++)
		if (i + 1 === all.length || all[i + 1] !== all[i]) points.push({ x: all[i], p: (i + 1) / all.length });
	if (points.length <= most) return points;
	return Array.from({ length: most }, (_, i) => points[Math.round(i * (points.length - 1) / (most - 1))]);
}

/** Share at most x of what ascending quantiles in equal steps from 0 to 1 stand for: between two neighbours by straight line. */
export function shareByQuantiles(ascending, x) {
	const last = ascending.length - 1;
	if (last < 1 || x < ascending[0]) return x < ascending[0] ? 0 : 1;
	if (x >= ascending[last]) return 1;
	const at = Math.round(shareBelow(ascending, x) * (last + 1)) - 1;
	return (at + (x - ascending[at]) / (ascending[at + 1] - ascending[at])) / last;
}

/** The same of several lists {values, weight} together. */
export function shareOfAll(lists, x) {
	const whole = lists.reduce((sum, l) => sum + l.weight, 0);
	return lists.reduce((sum, l) => sum + l.weight * shareByQuantiles(l.values, x), 0) / whole;
}

/** Outline of a density: counts of narrow bins, smoothed by a triangle of five, the highest 1. */
export function outline(values, low, high, count = 60) {
	const raw = bins(values, { low, high, count });
	const weight = [1, 2, 3, 2, 1];
	const smooth = raw.map((bin, i) => ({
		x: (bin.from + bin.to) / 2,
		d: weight.reduce((sum, w, k) => sum + w * (raw[i + k - 2]?.count ?? 0), 0),
	}));
	const most = Math.max(...smooth.map((s) => s.d));
	return most > 0 ? smooth.map((s) => ({ x: s.x, d: s.d / most })) : [];
}

/** About `count` round numbers from low to high, and the decimal places that tell them apart. */
export function linearTicks(low, high, count = 6) {
	if (!(high > low)) return { ticks: [low], decimals: 3 };
	const raw = (high - low) / Math.max(count, 1);
	const unit = 10 ** Math.floor(Math.log10(raw));
	const step = unit * [1, 2, 5, 10].reduce((best, s) => Math.abs(Math.log(s * unit / raw)) < Math.abs(Math.log(best * unit / raw)) ? s : best);
	const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
	const ticks = [];
	for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) ticks.push(Number((i * step).toFixed(Math.min(decimals, 12))));
	return { ticks, decimals };
}

/** Ticks of a log axis: 1, 2, 5 of each decade; only the decades if there are many; finer if there is less than one. */
export function logTicks(low, high) {
	const decades = Math.log10(high / low);
	if (decades < 0.35) return null;
	const steps = decades > 4 ? [1] : decades > 1 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9];
	const ticks = [];
	for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++)
		for (const s of steps) {
			const tick = Number((s * 10 ** e).toPrecision(3));
			if (tick >= low && tick <= high) ticks.push(tick);
		}
	return ticks;
}

/** Powers of two from low to high, at most `most`: every second, every third ... of them if there are more. */
export function powerTicks(low, high, most = 8) {
	const first = Math.ceil(Math.log2(low) - 1e-9), last = Math.floor(Math.log2(high) + 1e-9);
	const step = Math.max(1, Math.ceil((last - first + 1) / most));
	const ticks = [];
	for (let e = first; e <= last; e += step) ticks.push(2 ** e);
	return ticks;
}

/** "16K", "1M", "64" to a number of bytes; null if it is no size. */
export function parseSize(text) {
	const found = /^(\d+(?:\.\d+)?)([KMGT]?)i?B?$/i.exec(String(text ?? "").trim());
	if (!found) return null;
	return Number(found[1]) * 1024 ** "_KMGT".indexOf((found[2] || "_").toUpperCase());
}

export function formatSize(bytes) {
	const units = ["B", "KB", "MB", "GB", "TB"];
	let at = 0, value = bytes;
	while (value >= 1024 && at < units.length - 1) {
		value /= 1024;
		at++;
	}
	return `${Number(value.toPrecision(4))} ${units[at]}`;
}

/** Line through the medians of y at each x (Theil and Sen: median of the slopes between them, weighted by distance). */
export function robustLine(points) {
	const at = groupBy(points.filter(({ x, y }) => known(x) && known(y)), (p) => p.x);
	const middle = [...at].map(([x, own]) => ({ x, y: median(own.map((p) => p.y)), n: own.length })).sort((a, b) => a.x - b.x);
	if (middle.length < 2) return null;
	const slopes = [];
	for (let i = 0; i < middle.length; i++)
		for (let k = i + 1; k < middle.length; k++)
			slopes.push({ slope: (middle[k].y - middle[i].y) / (middle[k].x - middle[i].x), weight: middle[k].x - middle[i].x });
	const slope = weightedMedian(slopes);
	return { slope, intercept: median(middle.map((m) => m.y - slope * m.x)), middle };
}

function weightedMedian(slopes) {
	slopes.sort((a, b) => a.slope - b.slope);
	const half = slopes.reduce((sum, s) => sum + s.weight, 0) / 2;
	let sum = 0;
	for (const s of slopes) {
		sum += s.weight;
		if (sum >= half) return s.slope;
	}
	return null;
}

/**
 * Cuts a series into levels: [{from, to, value}] by positions, value the median. A cut is made where both sides' medians differ by more
 * than five times the noise of a median, at the place of the largest such difference; then each side again. Nothing shorter than `least`.
 */
export function levels(values, least = 12) {
	const noise = stepNoise(values);
	const cut = (from, to) => {
		const best = bestCut(values, from, to, least, noise);
		if (best === null) return [{ from, to, value: median(values.slice(from, to)) }];
		return [...cut(from, best), ...cut(best, to)];
	};
	return values.length ? cut(0, values.length) : [];
}

/** Robust standard deviation of a value, from the differences of neighbours: steps hardly change it. */
function stepNoise(values) {
	const differences = [];
	for (let i = 1; i < values.length; i++) differences.push(Math.abs(values[i] - values[i - 1]));
	return (median(differences) ?? 0) * 1.4826 / Math.SQRT2;
}

function bestCut(values, from, to, least, noise) {
	let best = null, most = 5;
	const stride = Math.max(1, Math.floor((to - from) / 64));
	for (let at = from + least; at <= to - least; at += stride) {
		const left = median(values.slice(from, at)), right = median(values.slice(at, to));
		const error = Math.max(noise * 1.25 * Math.sqrt(1 / (at - from) + 1 / (to - at)), Math.abs(left) * 0.0025);
		const score = error > 0 ? Math.abs(left - right) / error : 0;
		if (score > most) {
			most = score;
			best = at;
		}
	}
	return best;
}

/** A place in [-1, 1] for the i-th dot that is the same at each drawing and spreads neighbours evenly (golden ratio). */
export const jitter = (i) => ((i * 0.6180339887498949) % 1) * 2 - 1;

/** At most `most` items, evenly chosen, the first and the last among them. */
export function thin(items, most) {
	if (items.length <= most) return items;
	return Array.from({ length: most }, (_, i) => items[Math.round(i * (items.length - 1) / (most - 1))]);
}

/** Names of results without the parameters that all results of the same benchmark share: what a table of them needs. */
export function shortNames(names) {
	const parts = names.map((name) => name.split(" "));
	return parts.map(([benchmark, ...params]) => {
		const alike = parts.filter(([other]) => other === benchmark);
		return [benchmark, ...params.filter((p) => !alike.every((other) => other.includes(p)))].join(" ");
	});
}
