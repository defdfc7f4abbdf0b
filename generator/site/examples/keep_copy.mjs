// Keeps a copy of the directory: node keep_copy.mjs https://directory.example copy.json, again to bring it up to date.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

const [base, file] = process.argv.slice(2);
const empty = () => ({ next: "/changes?limit=5000", records: {} });
let copy = existsSync(file) ? JSON.parse(readFileSync(file)) : empty();

async function get(path) {
  for (const wait of [1, 5, 30, 0]) {
    const answer = await fetch(base + path);
    if (answer.status !== 503 || !wait) return answer;
    await new Promise(done => setTimeout(done, wait * 1000)); // busy for a moment
  }
}

const changed = new Map();
while (true) {
  const answer = await get(copy.next);
  if (answer.status === 410) { // away for too long: begin again
    copy = empty();
    changed.clear();
    continue;
  }
  if (!answer.ok) throw new Error(`${answer.status} ${copy.next}`);
  copy.next = answer.headers.get("link").match(/<([^>]*)>; rel="next"/)[1];
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
  const answer = await get(`/api/v1/details?${batch}`);
  if (!answer.ok) throw new Error(`${answer.status} details`);
  for (const { data } of (await answer.json()).data) {
    const kind = ["program", "recipient", "organization"].find(kind => kind in data);
    copy.records[`${kind}/${data[kind].slug}`] = data;
  }
}

writeFileSync(`${file}.new`, JSON.stringify(copy));
renameSync(`${file}.new`, file);
console.log(Object.keys(copy.records).length, "records");
