// Keeps the pictures of the README current: node picture.mjs BASE_URL FOLDER
// They are screenshots of a search and of a record of the sample. Fonts differ between machines, so that a file is
// written again only if more than a tenth of its pixels changed, or its size.
import { chromium } from "playwright-core";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { shoot } from "./shoot.mjs";

const [base, folder] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage({ colorScheme: "light", viewport: { width: 1200, height: 660 } });

// The share of pixels that differ.
const difference = pictures => page.evaluate(async pictures => {
  const [one, other] = await Promise.all(pictures.map(async data => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
    canvas.drawImage(image, 0, 0);
    return canvas.getImageData(0, 0, image.width, image.height).data;
  }));
  if (one.length !== other.length) return 1;
  let count = 0;
  for (let at = 0; at < one.length; at += 4) {
    count += [0, 1, 2].some(channel => Math.abs(one[at + channel] - other[at + channel]) > 16);
  }
  return count * 4 / one.length;
}, pictures.map(bytes => bytes.toString("base64")));

for (const [name, path] of [["search", "/programs?q=science&open=true"], ["record", "/programs/international-security-program-predoctoral-fellowship"]]) {
  const file = `${folder}/${name}.png`;
  await page.goto(base + path);
  const picture = await shoot(page);
  if (!picture || (existsSync(file) && (await difference([readFileSync(file), picture])) <= 0.1)) continue;
  writeFileSync(file, picture);
  console.log(`${file} was out of date and is written again: commit it`);
}
await browser.close();
