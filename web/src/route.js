// What the page shows stands in its address, behind the #: a link leads to the same view, and nothing has to be stored.

const DEFAULTS = { run: "1", r: "", unit: "auto", cost: "cost", sort: "", q: "", v: "", d: "", s: "" };
const CHOICES = { unit: ["auto", "time", "cycles"], cost: ["cost", "observed"] };

/** The state that an address describes; what it does not know, or has no such value, keeps its default. */
export function readRoute(hash = location.hash) {
	const state = { ...DEFAULTS };

	for (const [name, value] of new URLSearchParams(hash.replace(/^#/, "").replaceAll("+", "%2B"))) {
		if (name in DEFAULTS && (!CHOICES[name] || CHOICES[name].includes(value)))
			state[name] = value;
	}
	return state;
}

/** The address of a state, defaults left out. */
export function routeText(state) {
	const parts = Object.entries(DEFAULTS).filter(([name, usual]) => state[name] !== usual);

	return `#${parts.map(([name]) => `${name}=${encodeURIComponent(state[name])}`).join("&")}`;
}

export function writeRoute(state) {
	const text = routeText(state);

	if (text === (location.hash || "#"))
		return;
	try {
		history.replaceState(null, "", text);
	} catch {
		/* Some viewers refuse: the page works without an address. */
	}
}
