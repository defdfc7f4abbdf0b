// Keeps a copy of the directory: node copy.mjs https://directory.example copy.json, again whenever it may have changed.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

const [base, file] = process.argv.slice(2);
const empty = () => ({ next: "/changes?limit=5000", records: {} });
let copy = existsSync(file) ? JSON.parse(readFileSync(file)) : empty();

const changed = new Map();
while (true) {
  const answer = await fetch(base + copy.next);
  if (answer.status === 410) { // away for too long: begin again
    copy = empty();
    changed.clear();
    continue;
  }
  if (!answer.ok) throw new Error(`${answer.status} ${copy.next}`);
  copy.next = answer.headers.get("link").match(/<https?:\/\/[^/]+([^>]*)>; rel="next"/)[1];
  const lines = (await answer.text()).split("\n").filter(Boolean).map(line => JSON.parse(line));
  if (lines.length === 0) break;
  for (const { op, kind, slug } of lines) {
    changed.delete(`${kind}/${slug}`);
    if (op === "upsert") changed.set(`${kind}/${slug}`, [kind, slug]);
    else delete copy.records[`${kind}/${slug}`];
  }
}

const left = [...changed.values()];
while (left.length > 0) {
  const batch = new URLSearchParams();
  while (left.length > 0 && batch.size < 100 && `${batch}`.length < 7000) batch.append(...left.pop());
  const answer = await fetch(`${base}/api/v1/details?${batch}`);
  if (!answer.ok) throw new Error(`${answer.status} details`);
  for (const { data } of (await answer.json()).data) {
    const kind = ["program", "recipient", "organization"].find(kind => kind in data);
    copy.records[`${kind}/${data[kind].slug}`] = data;
  }
}

writeFileSync(`${file}.new`, JSON.stringify(copy));
renameSync(`${file}.new`, file);
console.log(Object.keys(copy.records).length, "records");
