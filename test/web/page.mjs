// Opens the report page in Chromium and uses it as a person does: node page.mjs TEMPLATE MODULES SCREENSHOTS [PAGE TABLE]. MODULES is where
// playwright-core is installed; PAGE is one that kbench wrote, and TABLE what it prints of the same run.
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { check, failed, same } from "./check.mjs";
import { documentOf, pageOf } from "./document.mjs";

const [template, modules, screenshots, path, table] = process.argv.slice(2);
const { chromium } = createRequire(join(resolve(modules), "package.json"))("playwright-core");
const program = process.env.CHROMIUM ?? "/usr/bin/chromium";
/* Generous: other tests run at the same time. */
const OPEN_MS = 3000, ACT_MS = 1000;

// ---- browser ------------------------------------------------------------------------------------------

/** Opens a page; whatever the browser complains of, or asks of anybody else, fails. */
async function open(browser, address, options = {}) {
	const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
	const page = await context.newPage();
	const file = address.href.split("#")[0];

	await context.grantPermissions(["clipboard-read", "clipboard-write"]);
	page.on("console", (message) => check(!["error", "warning"].includes(message.type()), `${file}: the console has "${message.text()}"`));
	page.on("pageerror", (error) => check(false, `${file}: ${error.stack}`));
	page.on("request", (request) => check(request.url().split("#")[0] === file || request.url().startsWith("data:"), `${file}: a request to ${request.url()}`));
	await page.addInitScript(() => addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`)));
	await page.goto(address.href);
	await page.waitForSelector(".results tbody tr");
	return page;
}

/** A page with a document, in a file of its own. */
function pageWith(name, document) {
	const path = resolve(`${name}.html`);

	writeFileSync(path, pageOf(readFileSync(template, "utf8"), document));
	return pathToFileURL(path);
}

const at = (address, hash) => new URL(hash, address);
const shot = (page, name) => page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
const names = (page) => page.$$eval("tr.result th a", (links) => links.map((link) => link.textContent));
const column = (page, name) => page.$$eval(`tr.result > .${name}`, (cells) => cells.map((cell) => cell.textContent));

// ---- what a person does -------------------------------------------------------------------------------

async function sorts(page) {
	const ns = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };
	const costs = async () => (await page.$$eval("tr.result", (rows) => rows.map((row) => [row.querySelector("td.c-cost").textContent, row.querySelector(".c-unit").textContent]))).map(([value, unit]) => Number(value) * ns[unit]).filter((value) => value > 0);
	const before = await names(page);

	await page.click(".choice button[data-value=time]");
	await page.click("th.c-cost button");
	const up = await costs();

	check(up.every((value, i) => i === 0 || value >= up[i - 1] * 0.999), "sorted by cost, the cheapest is first");
	same(await page.getAttribute("th.c-cost", "aria-sort"), "ascending", "aria-sort");
	await page.click("th.c-cost button");
	const down = await costs();

	check(down[0] >= down.at(-1) && down.length === up.length, "sorted by cost again, the dearest is first");
	check((await column(page, "c-cost")).at(-1) === "–", "a result without a number is last");
	await page.click("th.c-cost button");
	await page.click(".choice button[data-value=auto]");
	same(await names(page), before, "the third click brings back the order by domain");
}

async function filters(page) {
	const all = (await names(page)).length;

	await page.keyboard.press("/");
	await page.keyboard.type("pipe v1");
	const found = await names(page);

	check(found.length > 0 && found.length < all && found.every((name) => /pipe.*v1/.test(name)), `filtered by "pipe v1": ${found}`);
	check(/^\d+ of 50 results$/.test(await page.textContent(".count-line")), "the count of what is shown");
	await page.keyboard.press("Escape");
	await page.click(".controls button.invalid");
	check((await column(page, "c-verdict")).every((text) => text === "invalid"), "filtered by verdict");
	await page.selectOption(".controls select", "MEMORY");
	check((await names(page)).every((name) => name.startsWith("mem.")), "filtered by domain");
	await page.click("text=Show all");
	same((await names(page)).length, all, "Show all");
}

async function walks(page) {
	await page.focus("tr.result th a[tabindex='0']");
	await page.keyboard.press("ArrowDown");
	const second = await page.evaluate(() => document.activeElement.textContent);

	same(second, (await names(page))[1], "an arrow key goes to the next line");
	await page.keyboard.press("Enter");
	check(await page.isVisible(".detail h2"), "Enter opens the detail");
	same(await page.getAttribute("tr.open a", "aria-expanded"), "true", "aria-expanded");
	await page.waitForSelector(".detail .chart svg");
	await hovers(page);
	await page.keyboard.press("Escape");
	check(!await page.isVisible(".detail"), "Escape closes it");
	same(await page.evaluate(() => document.activeElement.textContent), second, "the focus is where it was");
}

/** Over the middle of each chart until one has something there; then with the keys. */
async function hovers(page) {
	const chart = page.locator(".detail .chart-strips .stage > svg").first();
	const box = await chart.boundingBox();

	await chart.scrollIntoViewIfNeeded();
	for (let x = 0.1; x < 1 && !await page.isVisible(".detail .tip"); x += 0.1)
		await chart.hover({ position: { x: box.width * x, y: box.height * 0.3 } });
	check(await page.isVisible(".detail .tip"), "a tip is shown under the pointer");
	await page.mouse.move(0, 0);
	await chart.focus();
	await page.keyboard.press("ArrowRight");
	check(await page.isVisible(".detail .tip"), "a tip is shown for the keys");
	await page.locator(".detail .chart summary").first().click();
	await page.waitForSelector(".detail .chart details table");
}

async function switches(page) {
	const units = async () => [...new Set(await column(page, "c-unit"))].filter(Boolean).sort();
	const chosen = () => page.$$eval("tr.result td.chosen", (cells) => [...new Set(cells.map((cell) => cell.classList[0]))]);

	check((await units()).includes("cy") && (await units()).includes("GB/s"), "units of their own");
	await page.click(".choice button[data-value=time]");
	check((await units()).every((unit) => ["ns", "us", "ms", "s"].includes(unit)), "all in time");
	await page.click(".choice button[data-value=auto]");
	same(await chosen(), ["c-cost"], "the cost stands out");
	const before = await column(page, "c-quality");

	await page.click(".choice button[data-value=observed]");
	same(await chosen(), ["c-observed"], "what was observed stands out");
	check(JSON.stringify(before) !== JSON.stringify(await column(page, "c-quality")), "±95 % is that of what was observed");
	check((await page.evaluate(() => location.hash)).includes("cost=observed"), "the address has the switch");
	await page.click(".choice button[data-value=cost]");
}

async function copies(page) {
	await page.click(".controls >> text=Copy as Markdown");
	await page.waitForSelector("text=Copied");
	const lines = (await page.evaluate(() => navigator.clipboard.readText())).split("\n").filter((line) => line.startsWith("|"));

	same(lines.length, 2 + (await names(page)).length, "lines of the Markdown table");
	same([...new Set(lines.map((line) => line.replaceAll("\\|", "").split("|").length))], [9], "cells of each line");
}

async function prints(page) {
	await page.emulateMedia({ media: "print" });
	check(!await page.isVisible(".controls") && !await page.isVisible(".parts"), "no controls on paper");
	check(await page.isVisible(".results") && await page.isVisible(".detail .chart svg"), "the table and the open detail on paper");
	const sheet = await page.pdf({ preferCSSPageSize: true, printBackground: true });

	check(sheet.length > 20000, `the print has ${sheet.length} bytes`);
	writeFileSync(join(screenshots, "print.pdf"), sheet);
	await page.emulateMedia({ media: "screen" });
}

/** Names of what a screen reader finds, and colours by more than colour. */
async function speaks(page) {
	same(await page.$$eval("button, a, input, select, [role=img], [role=region]", (all) => all.filter((each) => !(each.textContent.trim() || each.getAttribute("aria-label") || each.getAttribute("aria-labelledby"))).length), 0, "elements without a name");
	check((await column(page, "c-verdict")).every((text) => /^(ok|noisy|unverified|invalid|skipped)$/.test(text)), "each verdict is a word");
	same(await page.$$eval(".verdict", (all) => all.filter((each) => ["none", "normal"].includes(getComputedStyle(each, "::before").content)).length), 0, "verdicts without a mark");
}

// ---- pages --------------------------------------------------------------------------------------------

async function ordinary(browser) {
	const document = documentOf(50);
	const address = pageWith("ordinary", document);
	const page = await open(browser, address);

	check(await page.evaluate(() => performance.now()) < OPEN_MS, `50 results open within ${OPEN_MS} ms`);
	for (const act of [sorts, filters, walks, switches, copies, speaks])
		await act(page);
	check(/5 of 50 results are invalid/.test(await page.textContent(".diagnosis")), "the diagnosis names the worst");
	await shot(page, "table");
	/* Far down in the table. */
	const { row } = document.runs[0].results[39];
	const linked = await open(browser, at(address, `#r=${encodeURIComponent(row)}&unit=time`));

	same(await linked.textContent(".detail h2"), row, "a deep link opens its detail");
	await linked.waitForSelector(".detail .chart svg");
	check(await linked.locator(".detail").evaluate((detail) => detail.getBoundingClientRect().top < innerHeight), "and shows it");
	check(/claimed.*counted/s.test(await linked.textContent(".evidence")), "claimed against counted");
	await shot(linked, "detail");
	await prints(linked);
}

async function appearance(browser) {
	const address = at(pageWith("appearance", documentOf(50)), "#r=sys.call%20variant%3Dv5%20size%3D32K");

	for (const [name, options] of Object.entries({ narrow: { viewport: { width: 420, height: 900 } }, dark: { colorScheme: "dark" } })) {
		const page = await open(browser, address, options);

		await page.waitForSelector(".detail .chart svg");
		check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name}: nothing is wider than the window`);
		await shot(page, name);
	}
}

async function hostile(browser) {
	const text = `<img src=x onerror="hacked=1"></script><script>hacked=1</script>"'\n=1+1|\`&amp;\u2028\u202e`;
	const page = await open(browser, at(pageWith("hostile", documentOf(12, { text })), `#r=${encodeURIComponent(`sys.call variant=${text} size=1K`)}`));

	await page.waitForSelector(".detail h2");
	check(await page.evaluate(() => typeof hacked === "undefined"), "no text becomes a script");
	same(await page.$$eval("#page img, #page script, #page style", (all) => all.length), 0, "elements made by a text");
	check((await page.textContent("h1")) === text && (await page.textContent(".detail h2")).includes(text), "texts stay as they are");
	await page.click(".controls >> text=Copy as Markdown");
	await page.waitForSelector("text=Copied");
	const copied = await page.evaluate(() => navigator.clipboard.readText());

	same(copied.split("\n").map((line) => line.slice(0, 1) === "|"), [false, false, ...Array(14).fill(true), false], "a newline in a text ends no line of Markdown: lines of the table");
	check(!copied.includes("<img"), "no markup in Markdown");
}

async function many(browser) {
	const page = await open(browser, pageWith("many", documentOf(500, { each: 6 })));
	/* Until the change is on the screen. */
	const took = (act, argument) => page.evaluate(async ([body, value]) => {
		const from = performance.now();

		new Function("value", body)(value);
		document.body.offsetHeight;
		await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
		return performance.now() - from;
	}, [act, argument]);
	/* Of three: another test may have had the CPU. */
	const sort = () => took("document.querySelector('th.c-cost button').click()");
	const times = {
		sort: Math.min(await sort(), await sort(), await sort()),
		filter: await took("const field = document.getElementById('filter'); field.value = value; field.dispatchEvent(new Event('input'))", "pipe"),
		all: await took("const field = document.getElementById('filter'); field.value = ''; field.dispatchEvent(new Event('input'))"),
		unit: await took("document.querySelector('.choice button[data-value=time]').click()"),
		detail: await took("document.querySelector('tr.result th a').click()"),
	};

	console.log(`500 results, ms: ${Object.entries(times).map(([name, ms]) => `${name} ${ms.toFixed(0)}`).join(", ")}`);
	for (const [name, ms] of Object.entries(times))
		check(ms < (["unit", "detail"].includes(name) ? OPEN_MS : ACT_MS), `500 results: ${name} took ${ms.toFixed(0)} ms`);
	same((await names(page)).length, 500, "lines of 500 results");
}

async function edges(browser) {
	const bare = await (await browser.newContext()).newPage();

	await bare.goto(pathToFileURL(resolve(template)).href);
	check(await bare.isVisible("text=This file has no results"), "the template tells that it is one");
	const alone = documentOf(1);

	Object.assign(alone, { comparison: null, history: [] });
	Object.assign(alone.runs[0], { samples: [null], timeline: [] });
	await open(browser, at(pageWith("alone", alone), `#r=${encodeURIComponent(alone.runs[0].results[0].row)}&unit=nonsense&sort=nonsense&run=9`));
}

/** What kbench wrote: the page has the numbers, verdicts and causes of the table in the terminal; every detail can be drawn; its commands
    are left in commands.txt. */
async function written(browser, path, table) {
	const page = await open(browser, pathToFileURL(resolve(path)));
	const lines = readFileSync(table, "utf8").split("\n").map((line) => line.trim().replace(/\s+/g, " "));
	const rows = await page.$$eval("tr.result", (all) => all.map((row) => ({
		start: ["c-name a", "c-cost", "c-unit", "c-quality", "c-observed", "c-p99"].map((name) => row.querySelector(`.${name}`).textContent).join(" ").replaceAll("–", "-"),
		end: ["c-verdict", "c-causes"].map((name) => row.querySelector(`.${name}`).textContent).join(" ").trim(),
	})));

	/* Without a number the terminal has the reason in its place. */
	for (const { start, end } of rows.filter((row) => !row.start.startsWith("self.") && !row.start.includes(" -  ")))
		check(lines.some((line) => line.startsWith(`${start} `) && line.endsWith(` ${end}`)), `the terminal has no line "${start} ... ${end}"`);
	const evidence = lines.map((line) => /evidence: (.*)$/.exec(line)?.[1]).find(Boolean);

	check((await page.textContent("body")).includes(`Evidence: ${evidence}.`), `the page does not say "Evidence: ${evidence}."`);
	const links = await page.$$("tr.result th a");
	const commands = [];

	for (const link of links.slice(0, 60)) {
		await link.click();
		await page.waitForSelector(".detail h2");
		for (const command of await page.$$eval(".detail .command code", (codes) => codes.map((code) => code.textContent)))
			commands.push(command);
	}
	writeFileSync("commands.txt", `${commands.join("\n")}\n`);
	await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
	await shot(page, "written");
}

mkdirSync(screenshots, { recursive: true });
const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox"] });

try {
	for (const part of [ordinary, appearance, hostile, many, edges])
		await part(browser);
	if (path)
		await written(browser, path, table);
} finally {
	await browser.close();
}
process.exit(failed ? 1 : 0);
