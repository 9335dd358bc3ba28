"""A proxy that fails before it forwards, for tests of retries. Usage: unsteady.py ADDRESS OF TAXD; prints its own address.

The first part of a path names the caller. Of the first calls of each caller one ends without an answer, one is answered 502
as proxies do, by a page of HTML, and one 429; the others are forwarded. A call that comes before its Retry-After is over is
answered 400. The caller `broken` is answered that page always.
"""

import sys
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FAULTS = [None, 502, 429]
RETRY_AFTER_S = 1
PAGE = b"<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"
# Calls of each caller so far, and the instant before which it must not call again.
calls, not_before = {}, {}


class Unsteady(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        _, caller, path = self.path.split("/", 2)
        count = calls[caller] = calls.get(caller, 0) + 1
        if caller == "broken":
            self.answer(502, PAGE, {"Content-Type": "text/html"})
        elif time.monotonic() < not_before.get(caller, 0):
            self.answer(400, b"too early", {})
        elif count > len(FAULTS):
            self.forward("/" + path, body)
        elif FAULTS[count - 1] is None:
            self.close_connection = True
        else:
            not_before[caller] = time.monotonic() + RETRY_AFTER_S * 0.9
            body = PAGE if FAULTS[count - 1] == 502 else b'{"codigo":"falha_de_teste"}'
            self.answer(FAULTS[count - 1], body, {"Retry-After": str(RETRY_AFTER_S)})

    def forward(self, path, body):
        kept = {name: self.headers[name] for name in ("Content-Type", "X-API-Key")}
        try:
            answer = urllib.request.urlopen(urllib.request.Request(sys.argv[1] + path, body, kept))
        except urllib.error.HTTPError as error:
            answer = error
        self.answer(answer.status, answer.read(), {"Content-Type": answer.headers["Content-Type"]})

    def answer(self, status, body, headers):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Unsteady)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
