"""Holds the downloads of a snapshot, and what stands beside them for machines, against checkers that others
wrote: frictionless (Data Package), pyshacl (DCAT) and Python's own readers of robots.txt and XML. Each that
is not installed is left out with a word.

check.py PUBLIC BASE_URL, where PUBLIC is the unpacked site.zip of a snapshot that was built for BASE_URL.
"""

import csv
import hashlib
import importlib
import json
import pathlib
import sys
import urllib.robotparser
import xml.etree.ElementTree

public, base = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
folder = public / "data"
failures = []


def check(name, good, detail=""):
    print(("ok   " if good else "FAIL ") + name, "" if good else detail)
    if not good:
        failures.append(name)


def had(package):
    """The package, or None after a word about it."""
    try:
        return importlib.import_module(package)
    except ImportError:
        print(f"left out: {package} is not here")
        return None


def sums():
    for line in (folder / "sha256sums.txt").read_text().splitlines():
        digest, name = line.split("  ")
        check(f"sha256 of {name}", hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest)


def rows():
    for table in sorted(folder.glob("*.csv")):
        with table.open(newline="", encoding="utf-8") as lines:
            count = sum(1 for _ in csv.DictReader(lines))
        documents = table.with_suffix(".ndjson").read_text("utf-8").splitlines()
        check(f"rows of {table.name}", count == len([json.loads(it) for it in documents if it]))


def robots():
    parser = urllib.robotparser.RobotFileParser()
    parser.parse((public / "robots.txt").read_text().splitlines())
    name = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}
    pages = [
        page.text
        for sitemap in sorted(public.glob("sitemap-*.xml"))
        for page in xml.etree.ElementTree.parse(sitemap).findall("s:url/s:loc", name)
    ]
    shut = [page for page in pages if not parser.can_fetch("*", page)]
    check(f"robots.txt lets everyone read all {len(pages)} pages", pages and not shut, shut[:3])
    feeds = [f"{base}{lang}/programs.atom" for lang in ("", "/es")]
    check("robots.txt shuts feeds", not any(parser.can_fetch("*", feed) for feed in feeds))


def open_search():
    name = {"o": "http://a9.com/-/spec/opensearch/1.1/"}
    short = xml.etree.ElementTree.parse(public / "opensearch.xml").findtext("o:ShortName", "", name)
    title = json.loads((folder / "dataset.json").read_text("utf-8"))["title"]
    rest = title.removeprefix(short)
    whole = rest != title and not (rest[:1].isalnum() and " " in title[:17])
    check("OpenSearch's short name is whole words", whole and 0 < len(short) <= 16, short)


def data_package(frictionless):
    report = frictionless.validate(str(folder / "datapackage.json"))
    told = [f"{task.name}: {error.message}" for task in report.tasks for error in task.errors]
    told += [error.message for error in report.errors]
    check("Data Package", report.valid, told[:5])


def catalogue(rdflib, pyshacl):
    graph = rdflib.Graph().parse(folder / "catalog.jsonld", format="json-ld")
    dcat = rdflib.Namespace("http://www.w3.org/ns/dcat#")
    downloads = set(map(str, graph.objects(None, dcat.downloadURL)))
    expected = {f"{base}/data/{it.name}" for end in ("csv", "ndjson") for it in folder.glob(f"*.{end}")}
    check("DCAT names every download", downloads == expected, downloads ^ expected)
    described = set(map(str, graph.objects(None, dcat.endpointDescription)))
    there = all((public / it.removeprefix(base).lstrip("/")).is_file() for it in described)
    check("DCAT names services and what describes them", described and there, described)
    if pyshacl:
        shapes = rdflib.Graph().parse(pathlib.Path(__file__).with_name("dcat.ttl"))
        conforms, _, text = pyshacl.validate(graph, shacl_graph=shapes)
        check("DCAT has what DCAT-AP makes mandatory", conforms, text[:2000])


sums()
rows()
robots()
open_search()
if frictionless := had("frictionless"):
    data_package(frictionless)
if rdflib := had("rdflib"):
    catalogue(rdflib, had("pyshacl"))

print(f"{len(failures)} failed" if failures else "all good")
sys.exit(bool(failures))
