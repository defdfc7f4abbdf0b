"""A wire that fails: stands before a server of S3 and does what a file says, read anew for each request.

wire.py PORT SERVER FILE; the file holds a fault and how often it comes, such as `cut 3`: every third request.
  none   all is handed on
  cut    half of the answer's body, then nothing
  stall  the answer after four seconds
  busy   503 in the place of an answer, and nothing is done
  lose   what is asked is done, and the answer does not come
  any    each of them in turn
"""

import http.client
import http.server
import itertools
import pathlib
import sys
import threading
import time

FAULTS = ["cut", "stall", "busy", "lose"]
port, server, told = int(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
count, fault = itertools.count(1), itertools.cycle(FAULTS)
lock = threading.Lock()


class Wire(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def hand_on(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        # Empty while it is written.
        what, often = (told.read_text() or "none 1").split()
        with lock:
            what = what if next(count) % int(often) == 0 else "none"
            what = next(fault) if what == "any" else what
        if what == "busy":
            self.send_response(503)
            self.send_header("content-length", "0")
            self.end_headers()
            return
        to = http.client.HTTPConnection(server, timeout=60)
        to.request(self.command, self.path, body, dict(self.headers))
        answer = to.getresponse()
        came = answer.read()
        to.close()
        if what == "stall":
            time.sleep(4)
        self.close_connection = what in ("cut", "lose")
        if what == "lose":
            return
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "date", "server", "transfer-encoding", "content-length"):
                self.send_header(name, value)
        length = answer.getheader("content-length")
        self.send_header("content-length", length if self.command == "HEAD" and length else str(len(came)))
        self.end_headers()
        self.wfile.write(came[: len(came) // 2] if what == "cut" else came)

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = hand_on

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", port), Wire).serve_forever()
