// The site in a real browser: accessibility, layout, journeys by mouse, by keyboard alone and without
// JavaScript, counts, budgets, feeds and policies. Says what failed; exits 1 when anything did.
// node suite.mjs BASE_URL [PART…]
import { chromium } from "playwright-core";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import ical from "node-ical";
import jsonld from "jsonld";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pages } from "./pages.mjs";
import { parts as refined } from "./refining.mjs";
import { parts as kept } from "./keeping.mjs";
import { parts as hinted } from "./hints.mjs";

const base = process.argv[2];
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const kinds = await pages(base);
const address = kind => base + kinds.find(([name]) => name === kind)[1];
const text = async path => (await fetch(base + path)).text();
let failures = 0, passed = 0;
const check = (name, good, detail = "") => {
  good ? passed++ : failures++;
  if (!good || process.env.VERBOSE) console.log(`${good ? "ok  " : "FAIL"} ${name} ${good ? "" : detail}`);
};
const open = async (options = {}) => {
  const page = await browser.newPage(options);
  page.problems = [];
  page.on("console", message => message.type() === "error" && !/404/.test(message.text()) && page.problems.push(message.text()));
  page.on("pageerror", error => page.problems.push(String(error)));
  return page;
};
// A number of results, as the page says it: the first of its numbers.
const number = text => Number(text.match(/\d[\d,\u202f]*/)?.[0].replace(/\D/g, "") ?? 0);
const total = async page => number(await page.textContent("#count"));
const until = (page, n) => page.waitForFunction(n => Number(document.querySelector("#count").textContent.match(/\d[\d,\u202f]*/)?.[0].replace(/\D/g, "") ?? 0) === n, n);
let seed = 7;
const random = n => (seed = (seed * 48271) % 2147483647) % n;

// Pairs of controls that cover each other by more than three pixels.
function overlaps() {
  const shown = [...document.querySelectorAll("a, button, input, select, summary")].filter(it => it.checkVisibility() && !it.closest(".skip, .vh"));
  const rects = shown.flatMap(it => [...it.getClientRects()].map(rect => [it, rect]));
  const found = [];
  for (const [at, [one, a]] of rects.entries()) for (const [other, b] of rects.slice(at + 1)) {
    const [wide, high] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
    if (wide > 3 && high > 3 && !one.contains(other) && !other.contains(one)) found.push(`${one.outerHTML.slice(0, 60)} and ${other.outerHTML.slice(0, 60)}`);
  }
  return found;
}

async function accessible() {
  const views = ["light", "dark"].flatMap(colorScheme => [320, 1280].map(width => [colorScheme, width]));
  await Promise.all(views.map(async ([colorScheme, width]) => {
    const page = await open({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
    for (const [name, path] of kinds) {
      await page.goto(base + path);
      const where = `${name} ${width} ${colorScheme}`;
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
      check(`axe ${where}`, violations.length === 0, violations.map(v => `${v.id}: ${v.nodes[0].html.slice(0, 120)}`).join(" | "));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      check(`no overflow ${where}`, wide <= 0, `${wide} px`);
      const covered = await page.evaluate(overlaps);
      check(`nothing overlaps ${where}`, covered.length === 0, covered.slice(0, 3).join(" | "));
    }
    await page.close();
  }));
}

async function quiet() {
  const page = await open();
  await page.addInitScript(() => addEventListener("securitypolicyviolation", event => console.error(`policy: ${event.violatedDirective}`)));
  for (const [name, path] of kinds) {
    const hosts = new Set();
    const seen = request => request.url().startsWith("data:") || hosts.add(new URL(request.url()).origin);
    page.on("request", seen);
    await page.goto(base + path);
    page.off("request", seen);
    check(`only its own host ${name}`, [...hosts].every(host => host === base), [...hosts].join(" "));
    check(`one heading ${name}`, (await page.locator("h1").count()) === 1);
    const spanish = name.endsWith("-es");
    check(`language ${name}`, (await page.getAttribute("html", "lang")) === (spanish ? "es" : "en"));
    for (const code of name.startsWith("missing") ? [] : ["en", "es"]) {
      const twin = await page.getAttribute(`link[hreflang=${code}]`, "href");
      check(`${code} twin of ${name}`, new URL(twin).pathname.startsWith("/es") === (code === "es"), twin);
    }
  }
  check("no console errors, no policy violations", page.problems.length === 0, page.problems.join(" | "));
  check("no cookies", (await page.context().cookies()).length === 0);
  await page.close();
}

// Feeds and linked data, as libraries of others read them.
async function readable() {
  const entries = {};
  for (const path of ["/programs.atom", "/es/programs.atom?q=a", "/sitemap.xml", "/sitemap-1.xml", "/opensearch.xml"]) {
    const xml = await text(path);
    const valid = XMLValidator.validate(xml);
    check(`well-formed ${path}`, valid === true, JSON.stringify(valid));
    entries[path] = new XMLParser({ ignoreAttributes: false, isArray: name => name === "entry" }).parse(xml);
  }
  const feed = entries["/programs.atom"].feed;
  const whole = feed.id && feed.title && feed.updated && feed.entry.every(it => it.id && it.title && it.updated && it.link["@_href"]);
  check("Atom has what RFC 4287 asks for", !!whole && new Set(feed.entry.map(it => it.id)).size === feed.entry.length);
  const events = Object.values(ical.sync.parseICS(await text("/programs.ics"))).filter(it => it.type === "VEVENT");
  const has_dates = /href="[/]programs[/]/.test(await text("/deadlines"));
  check("calendar events have a day and a name", events.length > 0 === has_dates && events.every(it => it.start.dateOnly && it.uid && it.summary));
  const documentLoader = async url => ({ documentUrl: url, document: { "@context": { "@vocab": "https://schema.org/" } } });
  const page = await open();
  for (const [kind, type] of [["program", "EducationalOccupationalProgram"], ["organization", "Organization"], ["data", "Dataset"]]) {
    await page.goto(address(kind));
    const linked = JSON.parse(await page.textContent("script[type='application/ld+json']"));
    const [node] = await jsonld.expand(linked, { documentLoader });
    check(`linked data of ${kind}`, node["@type"].includes(`https://schema.org/${type}`), JSON.stringify(node["@type"]));
    check(`linked data of ${kind} has a name`, !!node["https://schema.org/name"]?.[0]["@value"]);
  }
  const table = await text("/programs.csv");
  check("spreadsheet starts with a byte order mark", table.startsWith("\ufeffid,slug,name") || table.startsWith("id,slug,name"));
  await page.goto(`${base}/programs?limit=100&open=false&q=fellowship`);
  const moved = await page.$$eval(".when bdi", all => all.filter(it => it.lastElementChild.getBoundingClientRect().top < it.getBoundingClientRect().top - 1).length);
  check("a deadline in words stands behind its label", moved === 0, `${moved} before it`);
  await page.close();
}

async function budget() {
  for (const [kind, requests_max, bytes_max] of [["search", 3, 16], ["program", 3, 9], ["home", 3, 12]]) {
    const page = await open();
    const client = await page.context().newCDPSession(page);
    await client.send("Network.enable");
    let bytes = 0, headers = 0, requests = 0;
    const inline = new Set();
    client.on("Network.requestWillBeSent", event => event.request.url.startsWith("data:") && inline.add(event.requestId));
    client.on("Network.responseReceived", event => inline.has(event.requestId) || (headers += event.response.encodedDataLength));
    client.on("Network.loadingFinished", event => {
      if (inline.has(event.requestId)) return;
      bytes += event.encodedDataLength;
      requests++;
    });
    await page.goto(address(kind), { waitUntil: "networkidle" });
    check(`${kind} in ${requests_max} requests`, requests <= requests_max, requests);
    check(`${kind} in ${bytes_max} KB without headers`, bytes - headers <= bytes_max * 1024, bytes - headers);
    await page.close();
  }
  // Every record, as it is sent.
  const index = (await text("/sitemap.xml")).match(/\/sitemap-\d+\.xml/g);
  const maps = await Promise.all(index.map(text));
  const records = maps.join("").match(/<loc>[^<]*\/programs\/[^<]*/g).map(it => new URL(it.slice(5)).pathname);
  const weigh = async path => [Number((await fetch(base + path, { method: "HEAD", headers: { "accept-encoding": "gzip" } })).headers.get("content-length")), path];
  let heaviest = [0];
  for (let at = 0; at < records.length; at += 50) {
    for (const it of await Promise.all(records.slice(at, at + 50).map(weigh))) if (it[0] > heaviest[0]) heaviest = it;
  }
  check("every record in 5 KB", heaviest[0] > 0 && heaviest[0] <= 5 * 1024, `${heaviest} of ${records.length}`);
}

// Nothing moves by itself, even where the script comes late.
async function steady() {
  await Promise.all([390, 1280].map(async width => {
    const page = await open({ viewport: { width, height: 800 } });
    await page.addInitScript(() => {
      window.moved = [];
      const keep = it => window.moved.push(`${it.value.toFixed(4)} ${it.sources.map(source => source.node?.outerHTML?.slice(0, 40))}`);
      new PerformanceObserver(list => list.getEntries().forEach(keep)).observe({ type: "layout-shift", buffered: true });
    });
    await page.route(/\.js$/, async route => {
      await new Promise(done => setTimeout(done, 200));
      await route.continue();
    });
    const load = async path => {
      await page.goto(base + path, { waitUntil: "networkidle" });
      return page.evaluate(() => window.moved);
    };
    const sum = moved => moved.reduce((sum, it) => sum + parseFloat(it), 0);
    for (const [name, path] of kinds) {
      let moved = await load(path);
      // A busy browser paints a row of which it has read half. What the page itself moves, moves each time.
      for (let again = 0; again < 2 && sum(moved) >= 0.005; again++) moved = await load(path);
      check(`nothing jumps on ${name} at ${width} px`, sum(moved) < 0.005, moved.join(" | "));
    }
    await page.close();
  }));
}

async function without_script() {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(base + "/");
  await page.fill("#q", "research");
  await page.click("form.ask button");
  check("the form asks", page.url().includes("/programs?q=research"), page.url());
  await page.check("input[name=open]");
  await page.click("#apply");
  check("filters apply", page.url().includes("open=true"), page.url());
  await page.click("#results .chips a:has-text('Open now')");
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

// Presses Tab until the element is reached; every stop must show its focus.
async function tab(page, selector) {
  for (let stop = 0; stop < 150; stop++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(selector => {
      const it = document.activeElement, style = getComputedStyle(it);
      return { there: it.matches(selector), shown: parseFloat(style.outlineWidth) >= 2 && style.outlineStyle !== "none", tag: it.outerHTML.slice(0, 80) };
    }, selector);
    if (!at.shown) check(`focus shows on ${at.tag}`, false);
    if (at.there) return true;
  }
  check(`${selector} is reached by Tab`, false);
  return false;
}

async function keyboard() {
  const page = await open();
  await page.goto(base + "/");
  await tab(page, ".skip");
  await page.keyboard.press("Enter");
  await tab(page, "#q");
  await page.keyboard.type("research");
  await Promise.all([page.waitForURL(/q=research/), page.keyboard.press("Enter")]);
  const before = await total(page);
  await tab(page, "input[name=open]");
  await Promise.all([page.waitForURL(/open=true/), page.keyboard.press("Space")]);
  check("Space filters", (await total(page)) <= before);
  await page.goto(base + "/programs");
  await page.focus("#q");
  let stops = 0;
  for (let skipped = false; stops < 20 && !(await page.evaluate(() => document.activeElement.matches(".rows h3 a"))); stops++) {
    const skips = !skipped && await page.evaluate(() => document.activeElement.matches("[href='#found']"));
    skipped ||= skips;
    await page.keyboard.press(skips ? "Enter" : "Tab");
  }
  check("the first result is at most 12 keys from the field", stops <= 12, stops);
  await Promise.all([page.waitForURL(/\/programs\/[a-z0-9-]+$/), page.keyboard.press("Enter")]);
  check("the official page is reached", await tab(page, "a.go[rel~=external]"));
  await page.close();
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
  check("the number is announced", (await page.textContent("#result-count")).length > 0);
  const enhancedMain = await page.evaluate(() => document.querySelector("#results").outerHTML);
  await page.goBack();
  await until(page, before);
  check("Back restores the filters", !(await page.isChecked("input[name=open]")));
  await page.goForward();
  await until(page, after);
  check("Forward restores the filters", await page.isChecked("input[name=open]"));
  await page.reload();
  const plain = await page.evaluate(() => document.querySelector("#results").outerHTML);
  check("a reload shows the same results", plain === enhancedMain.replace(' aria-busy="true"', ""));
  check("no errors while enhanced", page.problems.length === 0, page.problems.join(" | "));
  await page.close();
}

async function racing() {
  const page = await open();
  await page.goto(base + "/programs");
  let slow = true;
  await page.route(/q=fell/, async route => {
    if (slow) { slow = false; await new Promise(done => setTimeout(done, 900)); }
    await route.continue().catch(() => {});
  });
  await page.fill("#q", "fell");
  await page.waitForTimeout(300);
  await page.fill("#q", "research");
  await page.waitForURL(/q=research/);
  await page.waitForTimeout(1000);
  check("the last question wins", page.url().includes("q=research"), page.url());
  await page.unroute(/q=fell/);
  // An answer that fails leaves the results, says so, and can be tried again.
  for (const fail of [route => route.abort(), route => route.fulfill({ status: 503, body: "busy" })]) {
    await page.goto(base + "/programs");
    const before = await page.textContent("#results");
    await page.route(/rolling=true/, fail);
    await page.check("input[name=rolling]");
    await page.waitForSelector("#failed:not([hidden])");
    check("results stay where an update fails", (await page.textContent("#results")) === before);
    check("a failed update is announced", (await page.getAttribute("#failed", "role")) === "alert" && !(await page.locator("[aria-busy=true]").count()));
    await page.unroute(/rolling=true/);
    await page.click("#failed button");
    await page.waitForURL(/rolling=true/);
    check("a second try succeeds", !(await page.isVisible("#failed")));
  }
  await page.goto(base + "/programs");
  await page.locator("#q").pressSequentially("res");
  await page.reload();
  check("a reload keeps what was typed", (await page.inputValue("#q")) === "res", page.url());
  await page.close();
}

// Text that is typed on the search page is sorted by relevance, unless another order was chosen.
async function order() {
  const chosen = page => page.$eval("#sort", select => [select.value, select.selectedOptions[0].textContent]);
  for (const javaScriptEnabled of [true, false]) {
    const page = await open({ javaScriptEnabled });
    await page.goto(base + "/programs");
    const [value, words] = await chosen(page);
    check("an order is sent only when it was chosen", value === "", words);
    await page.fill("#q", "research");
    await page.press("#q", "Enter");
    await page.waitForURL(/q=research/);
    if (javaScriptEnabled) await page.waitForFunction(words => document.querySelector("#sort").selectedOptions[0].textContent !== words, words);
    check("typed text is sorted by relevance", !new URL(page.url()).searchParams.get("sort") && (await chosen(page))[0] === "", page.url());
    await page.selectOption("#sort", "deadline");
    if (!javaScriptEnabled) await page.click("#apply");
    await page.waitForURL(/sort=deadline/);
    check("a chosen order stays", (await chosen(page))[0] === "deadline", page.url());
    await page.close();
  }
}

// The number beside a value is the number of results with that value as the only one of its group,
// over random walks. Topics and fields are one group.
async function counts() {
  const page = await open({ javaScriptEnabled: false });
  const group = name => (name === "field" ? "topic" : name);
  for (const start of ["/programs", "/es/programs?open=true", "/programs?q=research"]) {
    const url = new URL(base + start);
    for (let step = 0; step < 8; step++) {
      await page.goto(url.href);
      const boxes = await page.$$eval("aside details fieldset label:has(i)", labels => labels.map(label => {
        const box = label.querySelector("input");
        return { name: box.name, value: box.value, count: Number(label.querySelector("i").textContent) };
      }));
      if (!boxes.length) break;
      const pick = boxes[random(boxes.length)];
      const alone = new URL(url);
      for (const name of [...alone.searchParams.keys()]) if (group(name) === group(pick.name)) alone.searchParams.delete(name);
      alone.searchParams.append(pick.name, pick.value);
      await page.goto(alone.href);
      // Rounds that nothing recent confirms are a number of their own: `7 opportunities, 2 more not known to be open`.
      const found = (await page.textContent("#count")).split(", ").map(number).reduce((all, more) => all + more);
      check(`count of ${pick.name}=${pick.value} on ${url.search}`, found === pick.count, `${pick.count} shown, ${found} found`);
      url.searchParams.append(pick.name, pick.value);
    }
  }
  await page.close();
}

// What a stranger types stays text, wherever the page repeats it.
async function hostile() {
  const page = await open({ viewport: { width: 320, height: 900 } });
  page.on("dialog", dialog => { check("no dialog", false); dialog.dismiss(); });
  for (const word of [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'><svg/onload=alert(1)>", "javascript:alert(1)",
    "\u202egnp.exe", "a".repeat(3000), "{{7*7}}", "</textarea></title><b>", "\u0001d7\u0001", "%00%0d%0aSet-Cookie:a=b",
  ]) for (const path of ["/programs", "/es/programs"]) {
    await page.goto(`${base}${path}?q=${encodeURIComponent(word)}&type=${encodeURIComponent(word)}`);
    const found = await page.evaluate(() => ({
      scripts: document.querySelectorAll("script").length,
      strangers: document.querySelectorAll("main img, main svg:not(.bars svg), main b:not(.s)").length,
      wide: document.documentElement.scrollWidth - innerWidth,
      links: [...document.links].filter(link => link.protocol === "javascript:").length,
    }));
    const good = found.scripts === 1 && !found.strangers && found.wide <= 0 && !found.links;
    check(`inert ${JSON.stringify(word.slice(0, 30))}`, good, JSON.stringify(found));
  }
  check("no errors over hostile words", page.problems.length === 0, page.problems.join(" | "));
  await page.close();
}

const refining = refined({ base, open, check, total, until });
const keeping = kept({ base, open, check, total });
const hints = hinted({ base, open, check, axe });
const parts = { quiet, readable, budget, steady, without_script, keyboard, enhanced, order, racing, ...refining, ...keeping, ...hints, counts, hostile, accessible };
const wanted = process.argv.slice(3);
for (const [name, part] of Object.entries(parts)) {
  if (wanted.length && !wanted.includes(name)) continue;
  try { await part(); } catch (error) { check(name, false, error.message); }
}
await browser.close();
console.log(failures ? `${failures} checks failed, ${passed} passed` : `all ${passed} checks passed`);
process.exit(failures ? 1 : 0);
