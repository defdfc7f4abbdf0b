"""Holds the downloads of a snapshot against checkers that others wrote: frictionless (Data Package),
csvw (CSV on the Web), rdflib (DCAT) and mlcroissant (Croissant).

check.py FOLDER BASE_URL, where FOLDER is `public/data` of a snapshot that was built for BASE_URL.
"""

import csv
import hashlib
import json
import pathlib
import sys

import csvw
import frictionless
import mlcroissant
import rdflib

folder, base = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
failures = []


def check(name, good, detail=""):
    print(("ok   " if good else "FAIL ") + name, "" if good else detail)
    if not good:
        failures.append(name)


for line in (folder / "sha256sums.txt").read_text().splitlines():
    digest, name = line.split("  ")
    check(f"sha256 of {name}", hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest)

for table in sorted(folder.glob("*.csv")):
    with table.open(newline="", encoding="utf-8") as lines:
        rows = sum(1 for _ in csv.DictReader(lines))
    documents = table.with_suffix(".ndjson").read_text("utf-8").splitlines()
    check(f"rows of {table.name}", rows == len([json.loads(it) for it in documents if it]))

report = frictionless.validate(str(folder / "datapackage.json"))
told = [f"{task.name}: {error.message}" for task in report.tasks for error in task.errors]
told += [error.message for error in report.errors]
check("Data Package", report.valid, told[:5])

group = csvw.TableGroup.from_file(folder / "csv-metadata.json")
for table in group.tables:
    try:
        count = sum(1 for _ in table.iterdicts(strict=True))
        check(f"CSVW {table.url}", True)
    except ValueError as error:
        check(f"CSVW {table.url}", False, error)
check("CSVW references", group.check_referential_integrity() is not False)

graph = rdflib.Graph().parse(folder / "catalog.jsonld", format="json-ld")
dcat = rdflib.Namespace("http://www.w3.org/ns/dcat#")
downloads = set(map(str, graph.objects(None, dcat.downloadURL)))
expected = {f"{base}/data/{it.name}" for end in ("csv", "ndjson") for it in folder.glob(f"*.{end}")}
check("DCAT names every download", downloads == expected, downloads ^ expected)

local = {it.name: str(it) for it in folder.glob("*.csv")}
dataset = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"), mapping=local)
for problem in sorted(dataset.metadata.ctx.issues.errors):
    check("Croissant", False, problem)
records = dataset.records("programs")
first = next(iter(records))
check("Croissant reads programs", bool(first["programs/id"]), first)

print(f"{len(failures)} failed" if failures else "all good")
sys.exit(bool(failures))
