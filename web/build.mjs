// Makes page.html of src/: one file with script and style inside. The same sources give the same bytes, in any directory.
//   node build.mjs [OUTPUT]
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

async function bundle(entry, options) {
	const made = await build({
		entryPoints: [here(entry)], bundle: true, minify: true, write: false, charset: "utf8", legalComments: "none",
		target: ["es2022"], logLevel: "warning", absWorkingDir: here("."), ...options,
	});

	return made.outputFiles[0].text.trim();
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const script = await bundle("src/main.js", { format: "iife" });
const style = await bundle("src/page.css", {});
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data:; base-uri 'none'; form-action 'none'`;
const parts = { policy, style, script };
const page = readFileSync(here("src/page.html"), "utf8").replace(/\{\{(\w+)\}\}/g, (all, name) => parts[name]);

// kbench puts the document there.
if (page.split("@KBENCH_DATA@").length !== 2)
	throw new Error("page.html must have the marker of the data once");
writeFileSync(process.argv[2] ?? here("page.html"), page);
