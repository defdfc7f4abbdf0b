"""Stands before an edge and answers as a later version of v1 may: every object has a member more, and values that the
contract lists as extensible are ones that it does not list yet.

  grown.py http://localhost:8080 FILE

Writes its own address to FILE and serves until it is ended."""

import json
import sys
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LATER = "added_later"
edge = sys.argv[1].rstrip("/")


def listed(schema):
    """All values of extensible vocabularies."""
    if isinstance(schema, list):
        return {value for part in schema for value in listed(part)}
    if not isinstance(schema, dict):
        return set()
    return set(schema.get("x-extensible-enum", [])) | {value for part in schema.values() for value in listed(part)}


def grown(value, vocabulary):
    if isinstance(value, dict):
        return {name: grown(its, vocabulary) for name, its in value.items()} | {"addedLater": {"values": [1, None, ""]}}
    if isinstance(value, list):
        return [grown(its, vocabulary) for its in value]
    return LATER if isinstance(value, str) and value in vocabulary else value


class Grown(BaseHTTPRequestHandler):
    def do_GET(self):
        headers = {name: its for name, its in self.headers.items() if name.lower() not in ("host", "accept-encoding")}
        try:
            answer = urllib.request.urlopen(urllib.request.Request(edge + self.path, headers=headers))
        except urllib.error.HTTPError as error:
            answer = error
        body, media = answer.read(), answer.headers.get("Content-Type", "")
        if "openapi" not in self.path and media.startswith("application/json"):
            body = json.dumps(grown(json.loads(body), VOCABULARY)).encode()
        elif media.startswith("application/x-ndjson"):
            lines = (json.dumps(grown(json.loads(line), ())) for line in body.splitlines())
            body = "".join(f"{line}\n" for line in lines).encode()
        self.send_response(answer.status)
        for name, its in answer.headers.items():
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                self.send_header(name, its.replace(edge, ADDRESS))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


VOCABULARY = listed(json.load(urllib.request.urlopen(f"{edge}/api/v1/openapi.json")))
assert len(VOCABULARY) > 10, VOCABULARY
server = ThreadingHTTPServer(("127.0.0.1", 0), Grown)
ADDRESS = f"http://127.0.0.1:{server.server_port}"
with open(sys.argv[2], "w") as file:
    file.write(ADDRESS)
server.serve_forever()
