// A preview as a maintainer has it: started over broken data, mended, broken again, mended; with a new file, and
// with one that goes. The page is never loaded by hand.
// node preview.mjs OPDIR [SHOTS]: the program, and a folder for screenshots.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";
import { shoot } from "./shoot.mjs";

const [opdir, shots] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "opdir-preview-"));
const data = join(folder, "data");
execFileSync(opdir, ["init", "--sample", data]);
const aliases = join(data, "aliases.csv"), table = join(data, "organizations.csv");
const good = readFileSync(aliases, "utf8"), rows = readFileSync(table, "utf8");
const bad = () => appendFileSync(aliases, "organisation,00000000-0000-4000-8000-000000000000,x\n");
bad();

const preview = spawn(opdir, ["preview", "--data", data, "--listen", "127.0.0.1:0"]);
const lines = [], waiting = new Set();
for (const stream of [preview.stdout, preview.stderr]) {
  createInterface({ input: stream }).on("line", (text) => {
    lines.push({ text, at: Date.now() });
    waiting.forEach((look) => look());
  });
}
/** Waits for a line that comes after `from`. */
const says = (words, from = 0) => new Promise((done, fail) => {
  const late = setTimeout(() => fail(new Error(`it never said ${words}:\n${lines.map((line) => line.text).join("\n")}`)), 60_000);
  const look = () => {
    const line = lines.slice(from).find((line) => line.text.includes(words));
    if (!line) return;
    clearTimeout(late);
    waiting.delete(look);
    done(line);
  };
  waiting.add(look);
  look();
});

let browser;
try {
  const base = (await says("serving http://")).text.match(/http:\S+/)[0];
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: 1100, height: 800 } });
  const faults = [];
  page.on("pageerror", (error) => faults.push(error.message));
  // Errors in data are answered with 503, which is in the console too; a policy that is broken is a fault.
  page.on("console", (message) => message.text().includes("Content Security Policy") && faults.push(message.text()));
  const shot = async (name) => {
    if (!shots) return;
    mkdirSync(shots, { recursive: true });
    await shoot(page, { path: join(shots, `preview-${name}.png`) });
  };
  const shown = () => page.evaluate(() => document.querySelector("body > div:last-child")?.shadowRoot?.querySelector("section")?.innerText ?? "");
  const until = async (what, holds) => {
    for (const end = Date.now() + 60_000; Date.now() < end; ) {
      // A page that is just being loaded answers nothing.
      if (await holds().catch(() => false)) return;
      await new Promise((done) => setTimeout(done, 20));
    }
    assert.fail(`${what}: ${await page.title()}`);
  };

  const first = await page.goto(base);
  assert.equal(first.status(), 503);
  assert.match(await page.innerText("main"), /1 error in the data[^]*aliases\.csv:\d+ E0201[^]*did you mean `organization`/);
  await shot("broken-from-the-start");

  writeFileSync(aliases, good);
  await until("the page becomes the site", async () => (await page.locator("header .brand").count()) === 1);
  assert.equal(await shown(), "");
  await page.goto(`${base}/organizations/nsf`);
  await shot("mended");

  bad();
  await until("the error lies over the page", async () => (await shown()).includes("E0201"));
  assert.match(await shown(), /1 error in the data[^]*still of the snapshot of[^]*aliases\.csv:\d+[^]*did you mean/);
  assert.equal(await page.locator("header .brand").count(), 1, "the last good page is still there");
  await shot("broken");
  await page.getByRole("button", { name: "Close" }).click();
  assert.equal(await shown(), "");
  await page.reload();
  await new Promise((done) => setTimeout(done, 500));
  assert.equal(await shown(), "", "closed stays closed until something else is wrong");
  appendFileSync(aliases, "organisation,00000000-0000-4000-8000-000000000001,y\n");
  await until("another error is told", async () => (await shown()).includes("2 errors"));
  writeFileSync(aliases, good);
  await until("what was mended is no longer told", async () => (await shown()) === "");

  const times = [];
  for (let turn = 0; turn < 3; turn++) {
    const name = `Science Foundation ${turn}`, from = lines.length, saved = Date.now();
    writeFileSync(table, rows.replace(/National Science Foundation|Science Foundation \d/, name));
    await until("the new name is on the page", async () => (await page.innerText("h1")).includes(name));
    const seen = Date.now();
    const [began, built] = [await says("files changed", from), await says("serving the new snapshot", from)];
    times.push({ whole: seen - saved, build: built.at - began.at, beside: seen - saved - (built.at - began.at) });
  }
  writeFileSync(table, rows);
  // Otherwise its build may be the change that is waited for, and the file be back before it is missed.
  await until("the first name is back", async () => (await page.innerText("h1")) === "National Science Foundation");

  const file = join(data, "channels.csv");
  const before = readFileSync(file, "utf8");
  for (const change of [() => rmSync(file), () => writeFileSync(file, before)]) {
    const generation = () => page.evaluate(() => document.querySelector("script[data-generation]").dataset.generation);
    const served = await generation();
    change();
    await until("a file less, or more, is seen", async () => (await generation()) !== served);
  }
  assert.deepEqual(faults, []);
  const most = Math.max(...times.map((time) => time.beside));
  console.log(`all good; from save to page ${times.map((time) => `${time.whole} ms (build ${time.build})`).join(", ")}; at most ${most} ms beside the build`);
} finally {
  await browser?.close();
  preview.kill();
  rmSync(folder, { recursive: true, force: true });
}
