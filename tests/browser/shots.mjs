// Screenshots of every kind of page at three widths in both colour schemes, for people to look at.
// node shots.mjs BASE_URL OUT_DIR
import { chromium } from "playwright-core";
import { mkdirSync } from "node:fs";
import { pages } from "./pages.mjs";
import { shoot } from "./shoot.mjs";

const [base, out] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const kinds = await pages(base);
for (const scheme of ["light", "dark"]) {
  await Promise.all([320, 768, 1280].map(async width => {
    const page = await browser.newPage({ colorScheme: scheme, viewport: { width, height: 900 } });
    for (const [name, path] of kinds) {
      await page.goto(base + path);
      await shoot(page, { path: `${out}/${name}-${width}-${scheme}.png`, fullPage: process.env.FULL === "1" });
    }
    await page.close();
  }));
}
await browser.close();
