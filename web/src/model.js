// The document as the page needs it: one item a result, with its name, group, causes, and what other parts of the document know of it.
import { known } from "./format.js";

/* Limits of the table in a terminal (src/report/text/table.c, table_cells.h). */
const CONTENDED_LEAST = 0.05;
const MOVED_LEAST = 4;
export const STATUSES = ["ok", "noisy", "unverified", "invalid", "skipped"];
const rank = (severity) => Math.max(STATUSES.indexOf(severity), 0);

/** The name of a result with all of its parameters. */
export function rowOf(result) {
	return result.row ?? [result.benchmark, ...Object.entries(result.params ?? {}).map(([name, value]) => `${name}=${value}`)].join(" ");
}

const isSelfTest = (result) => /^self(\.|$)/.test(result.benchmark);

// ---- names --------------------------------------------------------------------------------------------

const BARE = new Set(["on", "off", "yes", "no", "none", "both", "auto", "nothing"]);

/** "same-cpu" explains itself, and so does a single "64K"; "on" and "4" need the name of their parameter. */
function parameter(name, value, alone) {
	const plain = !BARE.has(value) && (/^[a-z]/i.test(value) || (alone && /[A-Z]$/.test(value)));

	return plain ? value : `${name}=${value}`;
}

/** The parameters in which results of one benchmark differ, of each benchmark. */
function varyingParams(results) {
	const seen = new Map();

	for (const { benchmark, params } of results) {
		const of = seen.get(benchmark) ?? { count: 0, values: new Map() };

		seen.set(benchmark, of);
		of.count++;
		for (const [name, value] of Object.entries(params ?? {}))
			of.values.set(name, [...(of.values.get(name) ?? []), value]);
	}
	return (result) => {
		const { count, values } = seen.get(result.benchmark);

		return Object.entries(result.params ?? {}).filter(([name]) => values.get(name).length < count || new Set(values.get(name)).size > 1);
	};
}

// ---- reasons ------------------------------------------------------------------------------------------

/** The reason that decided the verdict: the first of the worst. */
export function worstReason(result) {
	const worse = result.verdict.reasons.filter((reason) => rank(reason.severity) > 0);

	return worse.reduce((worst, reason) => worst === null || rank(reason.severity) > rank(worst.severity) ? reason : worst, null);
}

/** A reason as one text: what, and what was seen. "not verified" of an unverified result adds nothing to what was seen. */
export function reasonText(reason) {
	if (reason.code === "expect_unknown" && reason.evidence)
		return reason.evidence;
	return reason.evidence ? `${reason.detail}: ${reason.evidence}` : reason.detail;
}

const has = (result, code) => result.verdict.reasons.some((reason) => reason.code === code);

/** What concerns all results at once: it is told once, and is no cause of each. */
function survey(results) {
	const all = results.filter((result) => !isSelfTest(result));
	const included = (result) => has(result, "contention_not_excluded") || has(result, "partner_not_probed");
	/* Where nobody knows what uncontended is, there is no share of it. */
	const probed = all.filter((result) => known(result.clean_share) || included(result));
	const contended = probed.reduce((sum, { clean_share: share }) => sum + (known(share) ? 1 - share : 0), 0) / probed.length;
	const moved = results.filter((result) => known(result.estimate.value) && has(result, "freq_drift")).length;
	const numbers = all.filter(({ estimate }) => known(estimate.value)).length;

	if (results.length < 2)
		return { contended: null, notExcluded: false, clocksMoved: 0 };
	return {
		contended: contended >= CONTENDED_LEAST ? contended : null, notExcluded: probed.length > 1 && probed.every(included),
		clocksMoved: moved >= MOVED_LEAST && 2 * moved >= numbers ? moved : 0,
	};
}

const isTold = (code, all) => (code === "contention" && all.contended !== null) || (code === "contention_not_excluded" && all.notExcluded) || (code === "freq_drift" && all.clocksMoved > 0);

/** Of results whose costs all include contention: for what others do on another CPU, nobody is noisy. */
function notExcludedText(results) {
	const reasons = results.flatMap((result) => result.verdict.reasons);
	const noisy = reasons.some(({ code }) => code === "contention_not_excluded");
	const partners = [...new Set(reasons.filter(({ code }) => code === "partner_not_probed").map(({ evidence }) => evidence))];

	if (!noisy)
		return partners.length === 1 && partners[0] ? `a partner was not probed: ${partners[0]}` : "a partner on another CPU was not probed for contention: costs include it";
	return `contention is not excluded${partners.length === 0 ? ", which makes results noisy" : ""}: costs include it`;
}

/** The same in words; "" if there is nothing. */
function warningOf(all, results) {
	const contention = all.notExcluded ? notExcludedText(results)
		: all.contended !== null ? `the core was contended ${Math.round(100 * all.contended)} % of the time: costs exclude it, observed costs include it` : "";
	const clock = all.clocksMoved > 0 ? `the core clock moved in ${all.clocksMoved} results, and their CIs cover that` : "";

	return [contention, clock].filter(Boolean).join("; ");
}

/* Of a code that a later version wrote the tag is not known; its name is. */
const tagOf = (code, meanings) => meanings[code]?.tag || code.replaceAll("_", " ");

/** First what decided, then what was seen besides: { tag, reason }, each tag once. */
function causes(result, all, meanings) {
	const tags = new Map();

	for (const severity of ["noisy", "cause"]) {
		for (const reason of result.verdict.reasons) {
			const tag = tagOf(reason.code, meanings);

			if (reason.severity === severity && !isTold(reason.code, all) && tag && !tags.has(tag))
				tags.set(tag, reason);
		}
	}
	/* The warning that costs exclude contention is not true of this one, though it may be good without, as where a partner was not probed. */
	if (all.contended !== null && !all.notExcluded && result.headline === "observed" && known(result.clean_share) && result.clean_share <= 1 - CONTENDED_LEAST) {
		const tag = tagOf("contention", meanings);

		if (!tags.has(tag))
			tags.set(tag, { code: "contention", detail: "the observed cost includes contention", evidence: "" });
	}
	return [...tags].map(([tag, reason]) => ({ tag, reason }));
}

// ---- all ----------------------------------------------------------------------------------------------

/* The order of the table in a terminal (src/report/text/table.c); what it does not name comes behind, the self-tests last. */
export const HEADINGS = [
	"SYSTEM CALLS", "SIGNALS AND TIMERS", "PROCESSES AND THREADS", "SCHEDULING", "IPC", "NETWORK", "VIRTUAL MEMORY", "FILES AND DISKS", "CPU",
	"MEMORY", "LIBRARY FUNCTIONS", "BPF", "KERNEL FUNCTIONS", "SEL4", "MACHINE CODE", "PARAMETERS", "PLUG-INS", "COMMANDS",
];
const SELF_TESTS = "SELF-TESTS";

const placeOf = ({ self, heading }) => self ? HEADINGS.length + 1 : HEADINGS.includes(heading) ? HEADINGS.indexOf(heading) : HEADINGS.length;

function numberedKeys(items) {
	const count = new Map();

	for (const item of items) {
		const before = count.get(item.row) ?? 0;

		count.set(item.row, before + 1);
		item.key = before === 0 ? item.row : `${item.row} #${before + 1}`;
	}
}

function byRow(rows) {
	return new Map((rows ?? []).map((row) => [row.row_new ?? row.row, row]));
}

/** Items of the same heading, in the order of headings. */
function groupsOf(items) {
	const groups = new Map();

	for (const item of [...items].sort((a, b) => placeOf(a) - placeOf(b))) {
		if (!groups.has(item.heading))
			groups.set(item.heading, { heading: item.heading, items: [] });
		groups.get(item.heading).items.push(item);
	}
	for (const group of groups.values()) {
		const kinds = [...new Set(group.items.filter(({ result }) => result.per && !(result.bytes_per_op > 0)).map(({ result }) => result.per))];

		group.per = kinds.length > 0 && kinds.length <= 3 ? `per ${kinds.join(", ").replace(/, ([^,]*)$/, " or $1")}` : "";
		group.items.forEach((item) => { item.group = group; });
	}
	return [...groups.values()];
}

/** The model of one run of the document. */
export function modelOf(doc, at) {
	const run = doc.runs[at];
	const meanings = doc.reasons ?? {};
	const varying = varyingParams(run.results);
	const all = survey(run.results);
	const compared = doc.comparison && (!doc.comparison.new?.id || doc.comparison.new.id === run.run.id) ? byRow(doc.comparison.rows) : new Map();
	const histories = at === 0 ? byRow(doc.history) : new Map();
	const items = run.results.map((result, index) => {
		const params = varying(result);
		const row = rowOf(result);

		return {
			index, result, row, params: params.map(([name, value]) => parameter(name, value, params.length === 1)),
			name: [result.benchmark, ...params.map(([name, value]) => parameter(name, value, params.length === 1))].join(" "),
			status: result.verdict.status, self: isSelfTest(result), heading: isSelfTest(result) ? SELF_TESTS : result.domain || "OTHER",
			causes: causes(result, all, meanings), worst: worstReason(result),
			samples: run.samples?.[index] ?? null, change: compared.get(row) ?? null, history: histories.get(row) ?? null,
		};
	});

	numberedKeys(items);
	return { doc, at, run: run.run, env: run.env ?? {}, data: run, items, groups: groupsOf(items), meanings, warning: warningOf(all, run.results), ...all };
}

/** How many items there are of each value of a key. */
export function countBy(items, key) {
	const counts = new Map();

	for (const item of items)
		counts.set(item[key], (counts.get(item[key]) ?? 0) + 1);
	return counts;
}
