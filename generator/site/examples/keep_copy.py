"""Keeps a copy of the directory: python3 keep_copy.py https://directory.example copy.json, again to bring it up to date."""
import gzip, json, os, re, sys, time, urllib.error, urllib.parse, urllib.request

base, file = sys.argv[1:]
copy = {"next": "/changes?limit=5000", "records": {}}
if os.path.exists(file):
    copy = json.load(open(file))

def get(path):
    request = urllib.request.Request(base + path, headers={"Accept-Encoding": "gzip"})
    for wait in (1, 5, 30, None):
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                text, link = answer.read(), answer.headers["Link"]
                if answer.headers["Content-Encoding"] == "gzip":
                    text = gzip.decompress(text)
                following = re.search(r'<([^>]*)>; rel="next"', link)
                return text.decode(), following and following[1]
        except urllib.error.HTTPError as error:
            if error.code != 503 or not wait:  # 503: busy for a moment
                raise
            time.sleep(wait)

changed = {}
while True:
    try:
        lines, copy["next"] = get(copy["next"])
    except urllib.error.HTTPError as error:
        if error.code != 410:
            raise
        copy, changed = {"next": "/changes?limit=5000", "records": {}}, {}  # away for too long: begin again
        continue
    if not lines:
        break
    for line in map(json.loads, lines.splitlines()):
        key = line["kind"], line["slug"]
        changed.pop(key, None)
        if line["op"] == "upsert":
            changed[key] = True
        else:
            copy["records"].pop("/".join(key), None)

while changed:
    batch = []
    while changed and len(batch) < 100 and len(urllib.parse.urlencode(batch)) < 7000:
        batch.append(changed.popitem()[0])
    for record in json.loads(get("/api/v1/details?" + urllib.parse.urlencode(batch))[0])["data"]:
        kind = next(kind for kind in ("program", "recipient", "organization") if kind in record["data"])
        copy["records"][f"{kind}/{record['data'][kind]['slug']}"] = record["data"]

with open(file + ".new", "w") as out:
    json.dump(copy, out)
os.replace(file + ".new", file)
print(len(copy["records"]), "records")
