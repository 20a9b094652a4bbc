"""A proxy before an S3 server that answers some requests in the ways that real stores do."""

import http.client
import socket
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import urlsplit


class Fault(NamedTuple):
    """What happens to a request of a method whose path has a part: once, then it is over."""

    method: str
    part: str
    kind: str  # "500", "503", "reset", "lost answer" or "slow"


class FaultyProxy:
    """Forwards requests to `endpoint`, but for those that `faults` name; `met` are those so far.

    `watch` is called before and after each request is forwarded.
    """

    def __init__(self, endpoint):
        self.faults = []
        self.met = []
        self.watch = lambda: None
        self._target = urlsplit(endpoint).netloc
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._make_handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def take_fault(self, method, path):
        with self._lock:
            for fault in self.faults:
                if fault.method == method and fault.part in path:
                    self.faults.remove(fault)
                    self.met.append(fault)
                    return fault.kind
        return None

    def forward(self, method, path, headers, body):
        connection = http.client.HTTPConnection(self._target)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            connection.close()

    def _make_handler(proxy):  # noqa: N805 (`self` is the handler)
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                kind = proxy.take_fault(self.command, self.path)
                if kind == "reset":
                    return self.reset()
                if kind in ("500", "503"):
                    return self.refuse(int(kind))
                if kind == "slow":
                    time.sleep(0.5)  # the slowness of the store itself
                proxy.watch()
                answer = proxy.forward(self.command, self.path, dict(self.headers), body)
                proxy.watch()
                if kind == "lost answer":
                    return self.reset()
                return self.answer(*answer)

            def reset(self):
                linger = struct.pack("ii", 1, 0)  # closing sends a reset
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                self.close_connection = True
                self.connection.close()
                self.rfile.close()

            def refuse(self, status):
                code = {500: "InternalError", 503: "SlowDown"}[status]
                text = f"<Error><Code>{code}</Code><Message>injected</Message></Error>"
                self.answer(status, [("Content-Type", "application/xml")], text.encode())

            def answer(self, status, headers, content):
                self.send_response(status)
                for name, value in headers:
                    if name.lower() not in ("content-length", "connection", "transfer-encoding"):
                        self.send_header(name, value)
                is_head = self.command == "HEAD"
                length = dict(headers).get("Content-Length", "0") if is_head else len(content)
                self.send_header("Content-Length", str(length))
                self.end_headers()
                if not is_head:
                    self.wfile.write(content)

            do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_any  # noqa: N815

        return Handler
