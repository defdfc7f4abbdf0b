"""What tests/remote/run.sh needs of a client: makes a bucket, changes a record, asks an edge until it is told to stop."""

import hashlib
import io
import json
import pathlib
import sys
import time
import urllib.error
import urllib.request
import zipfile


def make(bucket):
    """Makes a bucket, once the server is there."""
    for _ in range(300):
        try:
            urllib.request.urlopen(urllib.request.Request(bucket, method="PUT", data=b""))
            return
        except urllib.error.URLError:
            time.sleep(0.1)
    sys.exit("no server")


def change(data):
    """Ends the summary of one program with a sentence that was never there."""
    folder = pathlib.Path(data)
    tables = [folder / "programs.ndjson", *sorted((folder / "programs").glob("*.ndjson"))]
    table = next(table for table in tables if table.exists())
    lines = table.read_text().splitlines()
    row = json.loads(lines[0])
    row["summary"] = (row.get("summary") or "").split(" One sentence more")[0] + f" One sentence more, of {time.time_ns()}."
    lines[0] = json.dumps(row, ensure_ascii=False)
    table.write_text("\n".join(lines) + "\n")


def flip(server):
    """Changes a byte in the middle of the longest body in the live archive, or changes it back."""
    import boto3

    bucket = boto3.resource("s3", endpoint_url=server).Bucket("bucket")
    read = lambda name: bucket.Object(f"site/{name}").get()["Body"].read()
    live = json.loads(read("CURRENT").split(b"\n")[0])["live"]
    archive = f"g/{live['generation']}.{live['manifest'][:16]}/site.zip"
    body = bytearray(read(archive))
    entry = max(zipfile.ZipFile(io.BytesIO(body)).infolist(), key=lambda entry: entry.compress_size)
    # Behind the header, which has 30 bytes and the name.
    body[entry.header_offset + 30 + len(entry.filename) + entry.compress_size // 2] ^= 1
    bucket.Object(f"site/{archive}").put(Body=bytes(body))


def files(folder):
    """The bodies of builds by the hash that names them and by file, as their lists have them."""
    lists = {}
    for sums in pathlib.Path(folder).iterdir():
        lines = (line.split("  ", 1) for line in sums.read_text().splitlines())
        lists[sums.name.split("-")[1]] = {path: digest for digest, path in lines}
    return lists


def targets_of(paths):
    """What to ask an edge for, and the file that is then to come."""
    pages = [(path.removesuffix(".html"), path) for path in paths if path.startswith("programs/") and path.endswith(".html")]
    records = [(path.removesuffix(".json"), path) for path in paths if path.startswith("api/v1/programs/") and path.count(".") == 1]
    return sorted(pages + records) + [("data/dataset.json", "data/dataset.json"), ("sitemap.xml", "sitemap.xml")]


def ask(edge, stop, sums):
    """Asks for pages, records and searches in turn; every answer has to be good, and a body one of the generation that
    its header names."""
    targets = targets_of(next(iter(files(sums).values()))) + [("api/v1/search?q=research", None), ("", None)]
    good, failed, came = 0, [], set()
    end = time.time() + 900
    while not pathlib.Path(stop).exists() and time.time() < end:
        target, file = targets[(good + len(failed)) % len(targets)]
        try:
            with urllib.request.urlopen(f"{edge}/{target}", timeout=30) as answer:
                body = answer.read()
                came.add((answer.headers["opdir-generation"], file, hashlib.sha256(body).hexdigest()))
                good += 1
        except urllib.error.HTTPError as error:
            failed.append(f"{target}: {error}")
        except OSError as error:
            if good:
                failed.append(f"{target}: {error}")
            time.sleep(0.05)
    lists = files(sums)
    mixed = [f"{file} of {named}" for named, file, digest in came if file and lists.get(named, {}).get(file) != digest]
    generations = len({named for named, _, _ in came})
    print(f"asked {good} times over {generations} generations: {len(failed)} failed, {len(mixed)} mixed")
    print(*failed[:5], *mixed[:5], sep="\n")
    sys.exit(1 if failed or mixed or not good else 0)


if __name__ == "__main__":
    {"make": make, "change": change, "flip": flip, "ask": ask}[sys.argv[1]](*sys.argv[2:])
