// Makes elements. Text becomes text nodes and attributes are set by name, so nothing that a document holds is ever read as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
	for (const [name, value] of Object.entries(attributes ?? {})) {
		if (value === null || value === undefined || value === false)
			continue;
		if (name.startsWith("on"))
			node.addEventListener(name.slice(2), value);
		else
			node.setAttribute(name, value === true ? "" : String(value));
	}
	for (const child of children.flat(Infinity)) {
		if (child !== null && child !== undefined && child !== false)
			node.append(child instanceof Node ? child : String(child));
	}
	return node;
}

/** h("a", { href: "#top", onclick: f }, "text", [more]): an element; what is null or false is left out. */
export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

/** The same for SVG. */
export const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

/** A button with an action. */
export const button = (text, onclick, attributes) => h("button", { type: "button", onclick, ...attributes }, text);

/** A text as a sentence. */
export function sentence(text) {
	const bare = text.trim().replace(/[.;]$/, "");

	return bare ? `${bare[0].toUpperCase()}${bare.slice(1)}.` : "";
}

/** Words that a text reads as one: "2 results", "1 result". */
export const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
