"""Keeps a copy of the directory: python3 copy.py https://directory.example copy.json, again whenever it may have changed."""
import json, os, re, sys, urllib.error, urllib.parse, urllib.request

base, file = sys.argv[1:]
copy = {"next": "/changes?limit=5000", "records": {}}
if os.path.exists(file):
    copy = json.load(open(file))

def get(path):
    with urllib.request.urlopen(base + path) as answer:
        following = re.search(r'<https?://[^/]+([^>]*)>; rel="next"', answer.headers["Link"])
        return answer.read().decode(), following and following[1]

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
