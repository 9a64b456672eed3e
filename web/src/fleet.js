// The page of a fleet, from a document of schema kbench-fleet/1: who deviates and in what, maps of nodes and results, the spread between nodes.
import { h, plural } from "./dom.js";
import { copy, save } from "./copy.js";
import { draw } from "./charts/fleetmap.js";
import { change, figure, percent, sayInterval } from "./charts/units.js";

export const FLEET_SCHEMA = "kbench-fleet/1";

const KINDS = { cost: "Costs", loss: "Lost to neighbours and interruptions", wait: "Waited for a CPU" };
const LISTED = 6, NODES = 12;           /* results of a node, and nodes, that are listed; the map has all */
const interval = ({ low, high }) => low === null ? "" : `${change(1 + low)} to ${change(1 + high)}`;
const sayQ = (q) => q === null ? "–" : q < 0.0001 ? "below 0.0001" : figure(q, 2);
const cellOf = (row, node) => row.cells.find((cell) => cell.node === node);

function section(id, title, ...content) {
	return h("section", { class: "part", id: `part-${id}`, "aria-labelledby": `title-${id}` }, h("h2", { id: `title-${id}`, tabindex: -1 }, title), content);
}

function sheet(caption, columns, rows) {
	return h("div", { class: "scroll" }, h("table", { class: "sheet" }, h("caption", null, caption),
		h("thead", null, h("tr", null, columns.map((column, i) => h("th", { scope: "col", class: i && "num" }, column)))),
		h("tbody", null, rows.map((row) => h("tr", null, row.map((cell, i) => i ? h("td", { class: "num" }, cell) : h("th", { scope: "row" }, cell)))))));
}

// ---- who deviates -------------------------------------------------------------------------------------

function cellsOf(doc, node, kind) {
	return doc.results.filter((row) => row.kind === kind).map((row) => ({ row, cell: cellOf(row, node) })).filter(({ cell }) => cell?.deviates)
		.sort((a, b) => b.row.all_results - a.row.all_results || Math.abs(b.cell.deviation.value) - Math.abs(a.cell.deviation.value));
}

function nodeView(doc, node, at) {
	return h("article", { class: "fleet-node" }, h("h3", null, h("span", { class: "verdict invalid" }, node.node), " deviates"),
		h("p", { class: "quiet" }, node.reason ?? "Nothing that was recorded besides sets it apart."),
		node.deviates.map((kind) => {
			const cells = cellsOf(doc, at, kind);

			return [sheet(KINDS[kind], ["against the other nodes", "off", "95 % CI", "q"], cells.slice(0, LISTED).map(({ row, cell }) => [row.row, change(1 + cell.deviation.value), interval(cell.deviation), sayQ(cell.q)])),
				cells.length > LISTED && h("p", { class: "quiet" }, `and ${plural(cells.length - LISTED, "more result")}: see the map`)];
		}));
}

function deviating(doc) {
	const least = ({ node }) => Math.min(...node.deviates.map((kind) => node.q[kind]));
	const off = doc.nodes.map((node, at) => ({ node, at })).filter(({ node }) => node.deviates.length > 0).sort((a, b) => least(a) - least(b));
	const results = doc.results.filter((row) => row.kind === "cost" && !row.all_results && row.centre).length;

	if (doc.judged_nodes === 0)
		return h("p", null, "Nothing is known of deviations: no environment ID has three nodes with one result.");
	return [h("p", null, off.length ? h("span", { class: "verdict invalid" }, plural(doc.deviating_nodes, "node")) : h("span", { class: "verdict ok" }, "No node"), doc.deviating_nodes < 2 ? " deviates" : " deviate",
		` (${plural(doc.judged_nodes, "node")}, ${plural(results, "result")}, margin ${percent(doc.margin)}). Of all that is named, ${percent(doc.false_discovery_rate)} is chance at the most.`),
	h("div", { class: "fleet-nodes" }, off.slice(0, NODES).map(({ node, at }) => nodeView(doc, node, at))),
	off.length > NODES && h("p", null, `Further: ${off.slice(NODES).map(({ node }) => node.node).join(", ")}${off.length < doc.deviating_nodes ? " ..." : "."}`)];
}

// ---- results ------------------------------------------------------------------------------------------

function spreadSheet(doc, environment) {
	const rows = doc.results.filter((row) => row.env_id === environment && row.kind === "cost" && !row.all_results);
	const lost = (of) => doc.results.find((row) => row.env_id === environment && row.kind === "loss" && row.row === of.row)?.centre?.value;

	return sheet(`Environment ID ${environment}`, ["result", "cost of the fleet", "nodes differ (sd)", "95 % CI", "boots", "runs", "lost", "nodes"], rows.map((row) => row.centre ? [
		row.row, `${sayInterval(row.centre, row.unit)} / ${row.per}`, percent(row.between_sd.value), `${percent(row.between_sd.low)} to ${percent(row.between_sd.high)}`, percent(row.boots_sd), percent(row.runs_sd),
		percent((lost(row) ?? NaN) - 1), String(row.nodes)] : [row.row, "too few nodes", "–", "–", "–", "–", "–", String(row.nodes)]));
}

/** Whether there are results of which nobody repeated a boot, or a run. */
const isSingle = (doc, key) => doc.results.some((row) => row.centre && !row.all_results && row[key] === null);

function sideSheet(doc) {
	return section("sides", "Side b over side a", sheet("Node by node; the CI holds for nodes like these", ["result", "b over a", "95 % CI", "nodes", "nodes differ (sd)", "q", "decision"],
		doc.sides.map((side) => [side.row, change(1 + side.difference.value), interval(side.difference), String(side.nodes), percent(side.between_sd), sayQ(side.q), side.decision])));
}

/** Redraws all maps. */
function drawMaps(host, doc, environments) {
	host.replaceChildren();
	for (const environment of environments) {
		for (const kind of Object.keys(KINDS)) {
			const rows = doc.results.filter((row) => row.env_id === environment && row.kind === kind && row.centre);

			if (rows.length > 0)
				draw(host, { nodes: doc.nodes, rows, margin: doc.margin, kind, title: `${KINDS[kind]}${environments.length > 1 ? `, environment ID ${environment}` : ""}` });
		}
	}
}

/** Draws the page; its `resize` draws the maps again. */
export function fleetPage(page, doc) {
	const environments = [...new Set(doc.results.map((row) => row.env_id))], maps = h("div", { class: "run-charts" });
	const name = doc.fleet ? `Fleet ${doc.fleet}` : plural(doc.node_count, "node"), command = `kbench fleet report${doc.fleet ? ` ${doc.fleet}` : ""}`;
	const resize = () => drawMaps(maps, doc, environments);

	document.title = `${name} · KBench report`;
	page.replaceChildren(
		h("header", { class: "head" }, h("div", { class: "brand" }, "KBench fleet"), h("h1", null, name),
			h("p", { class: "line" }, `${plural(doc.node_count, "node")}, ${plural(doc.runs, "run")}, ${doc.started.slice(0, 16).replace("T", " ")} to ${doc.finished.slice(0, 16).replace("T", " ")} UTC`)),
		h("main", null, section("nodes", "Nodes", deviating(doc)), section("map", "Nodes and results", doc.nodes.length < doc.node_count && h("p", null,
				`The map has ${doc.nodes.length} of ${plural(doc.node_count, "node")}: those that deviate, and others at equal distances in the order of their names. ${command} --json has all.`), maps),
			section("results", "Results, and how far healthy nodes differ", environments.map((environment) => spreadSheet(doc, environment)),
				isSingle(doc, "boots_sd") && h("p", { class: "quiet" }, "Where a node has one boot, what differs from boot to boot is in what differs between nodes."),
				isSingle(doc, "runs_sd") && h("p", { class: "quiet" }, "Where a boot has one run, what differs from run to run is in what differs between boots, or nodes.")),
			doc.sides.length > 0 && sideSheet(doc),
			section("about", "This report", h("p", null, "One file: it asks no server for anything and keeps nothing. Its numbers are inside as JSON."),
				h("div", { class: "actions" }, h("button", { type: "button", onclick: () => save("fleet.json", doc) }, "Save the document as JSON"),
					h("button", { type: "button", onclick: (event) => copy(command, event.target) }, "Copy the command")),
				h("p", { class: "quiet" }, `${doc.schema}, written by ${doc.tool}`))));
	resize();
	return { resize };
}
