// The site in a real browser: accessibility, layout, journeys with and without JavaScript, counts,
// budgets and policies. Prints one line for each check; exits 1 when any failed.
// node suite.mjs BASE_URL
import { chromium } from "playwright-core";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pages } from "./pages.mjs";

const base = process.argv[2];
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
let failures = 0;
const check = (name, good, detail = "") => {
  if (!good) failures++;
  if (!good || process.env.VERBOSE) console.log(`${good ? "ok  " : "FAIL"} ${name} ${good ? "" : detail}`);
};
const open = async (options = {}) => {
  const page = await browser.newPage(options);
  page.problems = [];
  page.on("console", message => message.type() === "error" && !/404/.test(message.text()) && page.problems.push(message.text()));
  page.on("pageerror", error => page.problems.push(String(error)));
  return page;
};
// A number of results, as the page says it.
const total = async page => Number((await page.textContent("#count")).replace(/[^0-9]/g, ""));

async function accessible() {
  for (const colorScheme of ["light", "dark"]) for (const width of [320, 1280]) {
    const page = await open({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
    for (const [name, path] of await pages(base)) {
      await page.goto(base + path);
      const where = `${name} ${width} ${colorScheme}`;
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => axe.run());
      check(`axe ${where}`, violations.length === 0, violations.map(v => `${v.id}: ${v.nodes[0].html.slice(0, 120)}`).join(" | "));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      check(`no overflow ${where}`, wide <= 0, `${wide} px`);
    }
    await page.close();
  }
}

async function quiet() {
  const page = await open();
  for (const [name, path] of await pages(base)) {
    const hosts = new Set();
    const seen = request => request.url().startsWith("data:") || hosts.add(new URL(request.url()).origin);
    page.on("request", seen);
    await page.goto(base + path);
    page.off("request", seen);
    check(`only its own host ${name}`, [...hosts].every(host => host === base), [...hosts].join(" "));
  }
  check("no console errors, no policy violations", page.problems.length === 0, page.problems.join(" | "));
  check("no cookies", (await page.context().cookies()).length === 0);
  const ld = await page.goto(base + (await pages(base)).find(([name]) => name === "program")[1]).then(() => page.textContent("script[type='application/ld+json']"));
  check("linked data parses", !!JSON.parse(ld)["@type"]);
  for (const feed of ["/programs.atom", "/es/programs.atom?q=beca", "/sitemap.xml", "/opensearch.xml"]) {
    const text = await (await fetch(base + feed)).text();
    const bad = await page.evaluate(text => new DOMParser().parseFromString(text, "application/xml").querySelector("parsererror")?.textContent, text);
    check(`well-formed ${feed}`, !bad, bad);
  }
  await page.close();
}

async function budget() {
  const page = await open();
  const client = await page.context().newCDPSession(page);
  await client.send("Network.enable");
  let bytes = 0, requests = 0;
  const inline = new Set();
  client.on("Network.requestWillBeSent", event => event.request.url.startsWith("data:") && inline.add(event.requestId));
  client.on("Network.loadingFinished", event => {
    if (inline.has(event.requestId)) return;
    bytes += event.encodedDataLength;
    requests++;
  });
  await page.goto(base + "/programs", { waitUntil: "networkidle" });
  check("cold search page in 3 requests", requests <= 3, requests);
  check("cold search page in 14 KB of bodies and 2 KB of headers", bytes <= 16 * 1024, bytes);
  await page.close();
}

async function without_script() {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(base + "/");
  await page.fill("#q", "research");
  await page.click("form.ask button");
  check("the form asks", page.url().includes("/programs?q=research"), page.url());
  await page.check("input[name=open]");
  await page.click("aside button");
  check("filters apply", page.url().includes("open=true"), page.url());
  await page.click(".chips a:has-text('Open now') >> nth=1");
  check("a chip goes away", !page.url().includes("open=true"), page.url());
  await page.goto(base + "/programs");
  if (await page.locator("a[rel=next]").count()) {
    await page.click("a[rel=next]");
    check("the next page", page.url().endsWith("page=2"), page.url());
  }
  await page.click(".rows h3 a >> nth=0");
  check("a record", (await page.locator("h1").count()) === 1 && page.url().includes("/programs/"), page.url());
  check("its official page", await page.locator("a.go[rel~=external]").count() === 1);
  await context.close();
}

async function enhanced() {
  const page = await open();
  await page.goto(base + "/programs");
  const before = await total(page);
  await page.focus("input[name=open]");
  await page.keyboard.press("Space");
  await page.waitForURL(/open=true/);
  const after = await total(page);
  check("results change in place", after < before, `${before} → ${after}`);
  check("focus stays", await page.evaluate(() => document.activeElement.name === "open"));
  check("the number is announced", (await page.textContent("#said")).length > 0);
  await page.goBack();
  await page.waitForFunction(n => Number(document.querySelector("#count").textContent.replace(/[^0-9]/g, "")) === n, before);
  check("Back restores the filters", !(await page.isChecked("input[name=open]")));
  await page.goForward();
  await page.waitForFunction(n => Number(document.querySelector("#count").textContent.replace(/[^0-9]/g, "")) === n, after);
  check("Forward restores the filters", await page.isChecked("input[name=open]"));
  await page.goto(base + "/programs");
  let slow = true;
  await page.route(/q=fell/, async route => { if (slow) { slow = false; await new Promise(r => setTimeout(r, 900)); } await route.continue().catch(() => {}); });
  await page.fill("#q", "fell");
  await page.waitForTimeout(300);
  await page.fill("#q", "research");
  await page.waitForURL(/q=research/);
  await page.waitForTimeout(1000);
  check("the last question wins", page.url().includes("q=research"), page.url());
  check("no errors while enhanced", page.problems.length === 0, page.problems.join(" | "));
  await page.close();
}

// The number beside a value is the number of results once it is picked.
async function counts() {
  const page = await open({ javaScriptEnabled: false });
  let seed = 7;
  const random = n => (seed = (seed * 48271) % 2147483647) % n;
  for (const start of ["/programs", "/es/programs?open=true", "/programs?q=research"]) {
    for (let round = 0; round < 8; round++) {
      await page.goto(base + start);
      const boxes = await page.$$eval("aside details fieldset label:has(i)", labels => labels.map(label => {
        const box = label.querySelector("input");
        return { name: box.name, value: box.value, checked: box.checked, count: Number(label.querySelector("i").textContent) };
      }));
      const pick = boxes[random(boxes.length)];
      if (!pick || pick.checked) continue;
      const url = new URL(base + start);
      url.searchParams.append(pick.name, pick.value);
      await page.goto(url.href);
      check(`count of ${pick.name}=${pick.value} on ${start}`, await total(page) === pick.count, `${pick.count}, found ${await total(page)}`);
    }
  }
  await page.close();
}

for (const part of [quiet, budget, without_script, enhanced, counts, accessible]) {
  try { await part(); } catch (error) { check(part.name, false, error.message); }
}
await browser.close();
console.log(failures ? `${failures} checks failed` : "all good");
process.exit(failures ? 1 : 0);
