"""Requests the addresses of an export from a static host and an edge, with and without gzip: the host must answer each
like the edge (status, type, body), in the requested coding where there is one, and with 304 to a current validator.
Addresses that only an export has are compared with its files. Takes the folder of the export, both hosts, and how many addresses at most."""

import gzip
import http.client
import pathlib
import re
import sys

folder, host, origin, most = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
faults = []


class Asker:
    def __init__(self, address):
        self.connection = http.client.HTTPConnection(address, timeout=30)

    def ask(self, target, **headers):
        headers = {"Host": "directory.example", **headers}
        self.connection.request("GET", target, headers=headers)
        answer = self.connection.getresponse()
        return answer.status, answer.headers, answer.read()


def address(path):
    """The address of a file, as an edge has it."""
    if path.startswith("api/v1/") and path != "api/v1/openapi.json":
        stem, extension = path.rsplit(".", 1)
        if extension == "csv":
            return f"/{stem}?format=csv"
        return f"/{stem[:-3]}?locale=es" if stem.endswith(".es") else f"/{stem}"
    if path in ("index.html", "es/index.html"):
        return "/" + path[: -len("/index.html")] if "/" in path else "/"
    return "/" + path.removesuffix(".html")


def media_type(headers):
    return headers.get("Content-Type", "").split(";")[0].strip()


def check(target, path):
    def wrong(what):
        faults.append(f"{target}: {what}")

    status, headers, body = static.ask(target)
    if status != 200:
        return wrong(f"answers {status}")
    if body != (folder / path).read_bytes():
        return wrong(f"is not {path}")
    # What changed is files here and an answer there; the sums are of the export.
    if not path.startswith("changes/") and path != "SHA256SUMS":
        edge_status, edge_headers, edge_body = edge.ask(target)
        if edge_status != 200 or edge_body != body:
            wrong(f"is another answer at the edge, {edge_status}, {len(edge_body)} bytes")
        for name in ("Content-Security-Policy", "Access-Control-Allow-Origin", "X-Content-Type-Options"):
            if headers.get(name) != edge_headers.get(name):
                wrong(f"{name} is {headers.get(name)}, at the edge {edge_headers.get(name)}")
        if media_type(headers) != media_type(edge_headers):
            wrong(f"is {media_type(headers)}, at the edge {media_type(edge_headers)}")
    status, coded, bytes_ = static.ask(target, **{"Accept-Encoding": "gzip"})
    has_coding = (folder / f"{path}.gz").exists()
    if (coded.get("Content-Encoding") == "gzip") != has_coding:
        wrong(f"is in coding {coded.get('Content-Encoding')}")
    elif has_coding and (gzip.decompress(bytes_) != body or "Accept-Encoding" not in coded.get("Vary", "")):
        wrong("differs in gzip, or lacks Vary: Accept-Encoding")
    for accepted, known in (({}, headers), ({"Accept-Encoding": "gzip"}, coded)):
        if static.ask(target, **accepted, **{"If-None-Match": known["ETag"]})[0] != 304:
            wrong("is sent again to a client with a current validator")


static, edge = Asker(host), Asker(origin)
files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
# Pages that stand in for what is not there have no address.
missing = ("404.html", "es/404.html")
pages = {address(path): path for path in files if not path.endswith(".gz") and path not in missing}
listed = set()
for path in files:
    if re.fullmatch(r"sitemap-[0-9]+\.xml", path):
        listed.update(re.findall(r"<loc>https://directory\.example([^<]*)</loc>", (folder / path).read_text()))
listed = {target or "/" for target in listed}
faults += [f"{target}: in the sitemap, and no file" for target in sorted(listed - pages.keys())]
chosen = sorted(listed & pages.keys()) + sorted(pages.keys() - listed)
if len(chosen) > most:
    # Evenly, so that every kind of file is among them.
    chosen = [chosen[at * len(chosen) // most] for at in range(most)]
for target in chosen:
    check(target, pages[target])
for target in ("/nothing-here", "/programs/nothing-here", "/es/nothing-here", "/404", "/index", "/es/index", "/es/404.html"):
    (status, _, body), (edge_status, _, edge_body) = static.ask(target), edge.ask(target)
    if (status, body) != (404, edge_body) or edge_status != 404:
        faults.append(f"{target}: answers {status}, not the page for what is not there")
for target in ("/api/v1/programs/nothing-here", "/changes", "/changes/", "/programs/", "/%2e%2e/%2e%2e/etc/passwd", "/.git/config"):
    status = static.ask(target)[0]
    if status not in (400, 404):
        faults.append(f"{target}: answers {status}")
for fault in faults[:20]:
    print(fault, file=sys.stderr)
if faults:
    sys.exit(f"{len(faults)} faults at {len(chosen)} addresses")
print(f"{len(chosen)} addresses of {len(pages)}, {len(listed)} in sitemaps: all good")
