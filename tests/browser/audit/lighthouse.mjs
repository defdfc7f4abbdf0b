// Four kinds of pages as Lighthouse sees them on a slow phone. Accessibility, practices and search engines have to be
// 100; performance is told and judged by nobody, since it says as much of this machine as of the page: budgets of
// bytes and requests hold it. Only the search page without a question is asked: those with one are kept out of
// indexes by robots.txt on purpose, which Lighthouse would count against them.
// node lighthouse.mjs BASE_URL
import lighthouse from "lighthouse";
import puppeteer from "puppeteer-core";
import { pages } from "./pages.mjs";

const base = process.argv[2];
const kinds = new Map(await pages(base));
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox"] });
const flags = { onlyCategories: ["accessibility", "best-practices", "seo", "performance"], logLevel: "error" };
let failures = 0;
for (const kind of ["home", "search", "program", "deadlines"]) {
  const page = await browser.newPage();
  const { lhr } = await lighthouse(base + kinds.get(kind), flags, undefined, page);
  const scores = Object.values(lhr.categories).map(it => `${it.id} ${Math.round(it.score * 100)}`);
  const judged = Object.values(lhr.categories).filter(it => it.id !== "performance" && it.score < 1);
  const lost = judged.flatMap(it => it.auditRefs.filter(ref => ref.weight && lhr.audits[ref.id].score < 1).map(ref => ref.id));
  failures += judged.length;
  console.log(`${judged.length ? "FAIL" : "ok  "} ${kind}: ${scores.join(", ")} ${lost.join(" ")}`);
  await page.close();
}
await browser.close();
process.exit(failures ? 1 : 0);
