// Every kind of page in both languages through an HTML validator, with its standard and its document rules.
// node valid.mjs BASE_URL
import { HtmlValidate } from "html-validate";
import { pages } from "./pages.mjs";

const base = process.argv[2];
// Style and script come from the page's own host, whose bytes need no hash to be trusted.
const rules = { "require-sri": "off" };
const validator = new HtmlValidate({ root: true, extends: ["html-validate:standard", "html-validate:document"], rules });
const kinds = await pages(base);
// Pages of a question have what no other has: what was not understood, near rows, ways out, marks.
kinds.push(["asked", "/programs?q=phd+nigeria&organization=national&type=nonsense"], ["asked-es", "/es/programs?q=research&all=citizenship&fundingMin=1000"], ["none", "/programs?q=zebra+research&open=true&topic=energy"]);
let faults = 0;
for (const [name, path] of kinds) {
  const { results } = await validator.validateString(await (await fetch(base + path)).text(), name);
  for (const { messages } of results) for (const it of messages) {
    faults++;
    console.log(`FAIL ${path}:${it.line}:${it.column} ${it.ruleId}: ${it.message}`);
  }
}
console.log(faults ? `${faults} faults of HTML` : `all ${kinds.length} pages are valid HTML`);
process.exit(faults ? 1 : 0);
