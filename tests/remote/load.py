"""What tests/remote/run.sh needs of a client: makes a bucket, changes a record, asks an edge until it is told to stop."""

import json
import pathlib
import sys
import time
import urllib.error
import urllib.request


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
    """Adds a sentence to the summary of one program."""
    folder = pathlib.Path(data)
    tables = [folder / "programs.ndjson", *sorted((folder / "programs").glob("*.ndjson"))]
    table = next(table for table in tables if table.exists())
    lines = table.read_text().splitlines()
    row = json.loads(lines[0])
    row["summary"] = (row.get("summary") or "") + " One sentence more."
    lines[0] = json.dumps(row, ensure_ascii=False)
    table.write_text("\n".join(lines) + "\n")


def ask(edge, stop):
    """Asks for pages, answers and searches in turn; every answer has to be good once there was one."""
    targets = ["/", "/api/v1/search?q=research", "/api/v1/exports/latest", "/api/v1/facets/topics", "/programs?q=art"]
    good, failed = 0, []
    end = time.time() + 600
    while not pathlib.Path(stop).exists() and time.time() < end:
        target = targets[(good + len(failed)) % len(targets)]
        try:
            with urllib.request.urlopen(edge + target, timeout=30) as answer:
                answer.read()
                good += 1
        except (urllib.error.URLError, OSError) as error:
            if good:
                failed.append(f"{target}: {error}")
            time.sleep(0.05)
    print(f"asked {good} times, {len(failed)} failed", *failed[:5], sep="\n")
    sys.exit(1 if failed or not good else 0)


if __name__ == "__main__":
    {"make": make, "change": change, "ask": ask}[sys.argv[1]](*sys.argv[2:])
