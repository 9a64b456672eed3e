// Opens the page of a fleet in Chromium: node fleet.mjs MODULES SCREENSHOTS PAGE. MODULES is where playwright-core is installed; PAGE is what kbench
// wrote of the fleet sick-1 of test/integration/store/fleet_store.c.
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { check, failed, same } from "./check.mjs";

const [modules, screenshots, path] = process.argv.slice(2);
const { chromium } = createRequire(join(resolve(modules), "package.json"))("playwright-core");
const address = pathToFileURL(resolve(path)).href;

async function open(browser, options) {
	const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })).newPage();

	page.on("console", (message) => check(!["error", "warning"].includes(message.type()), `the console has "${message.text()}"`));
	page.on("pageerror", (error) => check(false, error.stack));
	page.on("request", (request) => check(request.url() === address || request.url().startsWith("data:"), `a request to ${request.url()}`));
	await page.addInitScript(() => addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective}`)));
	await page.goto(address);
	await page.waitForSelector(".chart-fleet");
	return page;
}

const texts = (page, selector) => page.$$eval(selector, (all) => all.map((each) => each.textContent));

/** Who is named, and that the map marks the same cells as the lists. */
async function names(page) {
	same((await texts(page, ".fleet-node h3 .verdict")).sort(), ["node-3", "node-6", "node-7"], "nodes that deviate");
	same(await page.$$eval(".chart-fleet", (all) => all.map((chart) => chart.querySelectorAll(".stage .off").length > 0)), [true, true, false, false, false, false], "maps with marked cells");
	same(await page.$$eval(".chart-fleet", (all) => all.map((chart) => chart.querySelectorAll(".stage .off").length === chart.querySelectorAll(".stage .off-mark").length)), Array(6).fill(true), "a mark besides the outline");
	same((await texts(page, ".chart-fleet:first-child .stage > svg text.strong")).slice(0, 2), ["node-3", "node-7"], "those that deviate stand first");
	check((await page.content()).includes("&lt;img src=x"), "a name of a stranger stays text");
	same(await page.$$eval("#page img", (all) => all.length), 0, "elements that a name made");
}

/** Without a mouse, and without the picture. */
async function keyboard(page) {
	await page.focus(".chart-fleet svg");
	await page.keyboard.press("Home");
	const tip = await page.textContent(".chart-fleet .tip");

	check(/^node-3: \+[45]\.\d+ %, deviatesall results95 % CI \+\d.*q (below )?0\.\d+$/.test(tip), `the tip of the first cell: ${tip}`);
	await page.keyboard.press("ArrowRight");
	check((await page.textContent(".chart-fleet .tip")).startsWith("node-7: "), "the arrow walks");
	await page.click(".chart-fleet .data summary");
	await page.waitForSelector(".chart-fleet .data tbody tr");
	const first = await page.$eval(".chart-fleet .data tbody tr", (row) => [...row.cells].map((cell) => cell.textContent));

	check(first[0] === "node-3" && / deviates$/.test(first[1]), `the table of the map: ${first}`);
}

async function narrow(page) {
	await page.setViewportSize({ width: 420, height: 900 });
	await page.waitForTimeout(400);
	check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "a narrow window scrolls sideways");
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });

for (const colorScheme of ["light", "dark"]) {
	const page = await open(browser, { colorScheme });

	await names(page);
	await page.screenshot({ path: join(screenshots, `fleet-${colorScheme}.png`), fullPage: true });
	if (colorScheme === "light") {
		await keyboard(page);
		await narrow(page);
		await page.screenshot({ path: join(screenshots, "fleet-narrow.png"), fullPage: true });
	}
}
await browser.close();
process.exit(failed > 0 ? 1 : 0);
