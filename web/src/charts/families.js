// Finds sweeps among the results of a run: results of one benchmark that differ in a number, such as the working set. Pure, no DOM. Takes the
// elements of `results`; gives families {key, benchmark, x (name of the parameter), size (it is a number of bytes), series}, a series being
// {name, points: [{x, result, index}]}.
import { groupBy, known, parseSize } from "./compute.js";
import { rowName } from "./units.js";

const ELSEWHERE = ["copies", "interference"];          /* these have charts of their own */
const FIRST = ["size", "processes", "chases", "depth", "stride", "pages", "threads"];
const AXIS = { "ctx.ring": "processes" };              /* of benchmarks with two sweeps */
const LEAST = 3;                                       /* distinct values that make a curve */

export const sizeLike = (name) => ["size", "stride", "block", "bytes", "offset"].includes(name);

const usable = (item) => known(item.result.estimate?.value) && !ELSEWHERE.some((name) => name in (item.result.params ?? {}));

/** The parameter that a group sweeps: the first of FIRST, or any other, with enough different numbers. */
function swept(items) {
	const names = [...new Set(items.flatMap((i) => Object.keys(i.result.params ?? {})))];
	const values = (name) => new Set(items.map((i) => parseSize(i.result.params?.[name])).filter(known));
	const order = (name) => FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length;
	const enough = names.filter((name) => values(name).size >= LEAST);
	const own = AXIS[items[0].result.benchmark];
	return enough.includes(own) ? own : enough.sort((a, b) => order(a) - order(b))[0] ?? null;
}

/** All families of a run. Bandwidths over the working set go into one, so that reading, writing and copying can be compared. */
export function familiesOf(results) {
	const items = results.map((result, index) => ({ result, index })).filter(usable);
	const rate = (item) => item.result.bytes_per_op > 0 && item.result.unit === "ns" && known(parseSize(item.result.params?.size));
	const groups = groupBy(items, (item) => rate(item) ? "bandwidth" : item.result.benchmark);
	const families = [];
	for (const [key, group] of groups) {
		const x = key === "bandwidth" ? (new Set(group.map((i) => i.result.params.size)).size >= LEAST ? "size" : null) : swept(group);
		if (x) families.push({ key, benchmark: key === "bandwidth" ? null : key, x, size: sizeLike(x), series: seriesOf(group, x) });
	}
	return families;
}

/** Lines of a family: one for each combination of the other parameters, named by those of them that vary. */
function seriesOf(group, x) {
	const alone = new Set(group.map((i) => i.result.benchmark)).size === 1;
	const varying = Object.fromEntries([...groupBy(group, (i) => i.result.benchmark)].map(([benchmark, own]) => {
		const names = [...new Set(own.flatMap((i) => Object.keys(i.result.params ?? {})))].filter((name) => name !== x);
		return [benchmark, names.filter((name) => new Set(own.map((i) => i.result.params?.[name])).size > 1)];
	}));
	const nameOf = ({ result }) => {
		const params = varying[result.benchmark].map((name) => `${name}=${result.params?.[name]}`);
		return [alone ? null : result.benchmark, ...params].filter(Boolean).join(" ") || result.benchmark;
	};
	return [...groupBy(group, nameOf)].map(([name, own]) => ({
		name,
		points: own.map(({ result, index }) => ({ x: parseSize(result.params?.[x]), result, index })).filter((p) => known(p.x)).sort((a, b) => a.x - b.x),
	})).filter((s) => s.points.length);
}

/** Sizes of the data caches by the facts of the machine: [{name, bytes}]. */
export function cachesOf(facts = {}) {
	return [["L1", facts.cache_l1d], ["L2", facts.cache_l2], ["L3", facts.cache_l3]]
		.map(([name, text]) => ({ name, bytes: parseSize(text) })).filter((c) => known(c.bytes) && c.bytes > 0);
}

/** Results of one benchmark at several numbers of copies: [{name, points: [{copies, result, index}]}]. */
export function copiesOf(results) {
	const items = results.map((result, index) => ({ result, index })).filter(({ result }) => known(result.parallel?.copies) && result.parallel.copies > 0);
	const name = ({ result }) => rowName({ ...result, row: null, params: Object.fromEntries(Object.entries(result.params ?? {}).filter(([key]) => key !== "copies")) });
	return [...groupBy(items, name)].map(([row, own]) => ({
		name: row, points: own.map(({ result, index }) => ({ copies: result.parallel.copies, result, index })).sort((a, b) => a.copies - b.copies),
	}));
}
