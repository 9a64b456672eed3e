// How much slower is a benchmark while another CPU works? The ratio under each kind of interference to the same benchmark alone, drawn as a
// forest plot. Data: {rows (`interference` of the run), places}.
import { draw as drawForest } from "./forest.js";
import { rowName } from "./units.js";

export function pick(document, { run = 0 }) {
	const whole = document.runs?.[run];
	if (!whole?.interference?.length) return null;
	const places = whole.interference.map((row) => whole.results.findIndex((r) => rowName(r) === row.row_new)).map((place) => place < 0 ? undefined : place);
	return { rows: whole.interference, places, floor: null, keepOrder: true, title: "Under interference from another CPU, against alone" };
}

export const draw = drawForest;
