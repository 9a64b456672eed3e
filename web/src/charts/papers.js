// How does this run compare with what the two papers published? Page faults: time against the pages that a fault brings in, with the lines of
// figure 8. The document of method kanata: A/N against N of its tables. Data: {papers (of kbench-report/1), results, samples}.
import { groupBy, known, median, shortNames } from "./compute.js";
import { drawCurves } from "./curves.js";
import { note, table } from "./frame.js";
import { count, figure, rowName, say } from "./units.js";
import { counts, valuesOf } from "./values.js";

export function pick(document, { run = 0 }) {
	const whole = document.runs?.[run];
	const { papers } = document;
	if (run !== 0 || !(papers?.yamba || papers?.kanata)) return null;
	return { papers, results: whole.results, samples: whole.samples ?? [] };
}

export function draw(host, data, view = {}) {
	if (data.papers.yamba) drawFaults(host, data.papers.yamba, view);
	if (data.papers.kanata) drawGroups(host, data, view);
}

/* ---- page faults ---------------------------------------------------------------------------------------------- */

/** The line over the range of its own points only; a part below zero has no place on a log scale. */
function lineOver(xs, slope, intercept) {
	const [low, high] = [Math.min(...xs), Math.max(...xs)];
	return Array.from({ length: 41 }, (_, i) => low * (high / low) ** (i / 40)).map((x) => ({ x, y: intercept + slope * x })).filter((p) => p.y > 0);
}

function drawFaults(host, yamba, view) {
	const published = yamba.published.figure_8.map((line) => ({
		name: line.label.replace("_", " "), fit: lineOver(line.x, line.slope, line.intercept),
		points: line.x.map((x, i) => ({ x, y: line.y[i], open: true, head: `${figure(x)} pages: ${say(line.y[i] * 1e3, "ns")}`, lines: [`published, ${line.label}`, `line: ${figure(line.slope)} us a page`] })),
	}));
	const own = yamba.points.filter((p) => known(p.us) && p.us > 0 && p.page_ins > 0);
	const plain = yamba.line?.plain;
	const here = {
		name: "this run", fit: plain ? lineOver(own.map((p) => p.page_ins), plain.slope_us_per_page.value, plain.intercept_us.value) : [],
		points: own.map((p) => ({ x: p.page_ins, y: p.us, head: `${figure(p.page_ins)} pages: ${say(p.us * 1e3, "ns")}`, lines: ["this run"] })),
	};
	const series = [...(own.length ? [here] : []), ...published].map((s) => ({ ...s, points: s.points.map((p) => ({ ...p, y: p.y * 1e3 })), fit: s.fit.map((p) => ({ ...p, y: p.y * 1e3 })) }));
	const chart = drawCurves(host, {
		name: "papers", title: "Page faults: time against the pages that a fault brings in", series, unit: "ns", xLog: true, yLog: true, xTicks: [1, 2, 4, 8, 16, 32, 64, 128, 256].filter((t) => t <= Math.max(32, ...own.map((p) => p.page_ins)) * 1.2), xFormat: String,
		xLabel: "pages that a fault brings in, log scale", yLabel: "time of a fault", desc: `This run: ${here.points.map((p) => p.head).join(", ") || "no points"}. Published: ${published.map((s) => `${s.name} ${s.points.map((p) => p.head).join(", ")}`).join("; ")}.`,
	}, view);
	note(chart, plain ? `This run: ${interval(plain.slope_us_per_page, "us a page")} and ${interval(plain.intercept_us, "us")} (equal weights, ${yamba.line.points} points).` : "This run has fewer than three points: no line.",
		"Open marks and their lines are figure 8 of the paper. A straight line is curved on log scales.", wrongOf(yamba.published.figure_8));
	table(chart, ["platform", "pages", "us", "source"], () => [
		...own.map((p) => ["this run", figure(p.page_ins), figure(p.us), "this run"]),
		...yamba.published.figure_8.flatMap((l) => l.x.map((x, i) => [l.label, figure(x), figure(l.y[i]), "figure 8"])),
		...yamba.published.tables_1_2.map((t) => [t.platform, figure(t.page_ins_per_fault), figure(t.original_us), "tables 1, 2: time an access"]),
		...yamba.published.figures_4_7.map((t) => [`${t.platform}, one page in ${t.scale}`, figure(t.page_ins_per_fault), figure(t.latency_us), "figures 4 to 7"]),
	]);
}

const interval = ({ value, low, high }, unit) => `${figure(value)} ${unit}${known(low) ? ` (95 % CI ${figure(low)} to ${figure(high)})` : " (no CI)"}`;

function wrongOf(lines) {
	const wrong = lines.flatMap((l) => l.printed.filter((p) => p.is === "wrong").map((p) => `${p.name} ${p.printed} of ${l.label}`));
	return wrong.length ? `The paper's own points do not give its ${wrong.join(", ")}; the lines drawn are those of the points.` : "";
}

/* ---- method kanata ---------------------------------------------------------------------------------------------- */

function drawGroups(host, { papers, results, samples }, view) {
	const bySize = [...groupBy(papers.kanata.groups, (g) => g.n)].sort((a, b) => a[0] - b[0]);
	const published = { name: "published", points: bySize.map(([n, own]) => groupPoint(n, own.flatMap((g) => g.a.map((a) => a / n)), "published: tables 3.4, 3.5, A.2", true)) };
	const here = results.map((result, index) => ({ result, index, samples: samples[index] })).filter(({ result, samples: own }) => result.estimate?.method === "kanata" && own)
		.map((item) => seriesOf(item)).filter((s) => s.points.length);
	const names = shortNames(here.map((s) => s.name));
	const series = [published, ...here.map((s, i) => ({ ...s, name: names[i] }))];
	const ns = [...new Set(series.flatMap((s) => s.points.map((p) => p.x)))];
	const chart = drawCurves(host, {
		name: "papers", title: "Method kanata: time of a test over its size", series, unit: "cycles", xLog: true, yLog: false, xTicks: [1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 1000].filter((t) => t >= Math.min(...ns) && t <= Math.max(...ns)), xFormat: String,
		xLabel: "operations of a test, N (log scale)", yLabel: "A / N, median of the tests", desc: series.map((s) => `${s.name}: ${s.points.map((p) => p.head).join(", ")}`).join(". "),
	}, view);
	note(chart, "Open marks: the published tests, on another machine. Bars reach from the lowest to the highest tenth of the tests; they are no CIs.",
		here.length ? "This run's times are converted by the core clock that each process saw." : "Of this run no samples with a core clock are kept.");
	const means = new Map(papers.kanata.statistics.filter((s) => s.name === "mean_A_over_N").map((s) => [s.group, s.printed]));
	table(chart, ["table", "group", "N", "tests", "median A/N", "printed mean A/N"],
		() => papers.kanata.groups.map((g) => [g.table, g.group, g.n, g.a.length, figure(median(g.a) / g.n, 5), means.get(g.group) ?? "-"]));
}

function seriesOf({ result, index, samples }) {
	const inCycles = valuesOf({ result: { ...result, cycles: { estimate: { value: 1 } }, bytes_per_op: 0 }, samples }, { unit: "cycles" });
	const groups = [...groupBy(inCycles.filter((v) => v.used && counts(v.cause)), (v) => v.n)].filter(([, own]) => own.length >= 3).sort((a, b) => a[0] - b[0]);
	return { name: rowName(result), points: groups.map(([n, own]) => ({ ...groupPoint(n, own.map((v) => v.value), rowName(result), false), pick: index })) };
}

function groupPoint(n, values, what, open) {
	const own = [...values].sort((a, b) => a - b);
	const at = (p) => own[Math.round(p * (own.length - 1))];
	return { x: n, y: median(own), low: at(0.1), high: at(0.9), open, head: `N = ${n}: ${figure(median(own))} cycles`, lines: [what, `${count(own.length)} tests, the middle 80 % from ${figure(at(0.1))} to ${figure(at(0.9))}`] };
}
