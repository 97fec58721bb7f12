#!/usr/bin/env python3
"""Receives LoRA adapters on a vLLM host that shares no folder with the Spindle server. Needs Python 3.9 and no packages.

    ADAPTER_KEY=... python3 adapter_receiver.py --folder /srv/adapters --listen 10.0.0.5:8001

The server sends the files of an adapter before it has vLLM load the adapter from the folder (docs/training_hosts.md):

    GET /adapters/{name}          200 if the adapter is complete, else 404
    PUT /adapters/{name}/{file}   adapter_config.json and adapter_model.safetensors
"""

import argparse
import hmac
import http.server
import os
import pathlib
import re
import secrets
import shutil
import sys
import threading
import time

NAME = re.compile(r"spindle-[0-9a-f]{40}")
FILES = ("adapter_config.json", "adapter_model.safetensors")
PIECE = 1 << 20
GIB = 1 << 30
#: vLLM may read an adapter again while it is loaded: newer adapters are not deleted.
LEAST_AGE_SECONDS = 3600
TIMEOUT_SECONDS = 300


class Refused(Exception):
    """A request with the status of its response."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def _is_complete(adapter: pathlib.Path) -> bool:
    return all((adapter / file).is_file() for file in FILES)


class AdapterFolder:
    """A folder with one folder per adapter. Deletes the least recently requested adapters above its size limit."""

    def __init__(self, path: pathlib.Path, most: int) -> None:
        self.path = path
        self.most = most
        self._lock = threading.Lock()
        path.mkdir(parents=True, exist_ok=True)
        for unfinished in path.glob(".part-*"):
            unfinished.unlink(missing_ok=True)
        for unfinished in path.glob(".incoming-*"):
            shutil.rmtree(unfinished, ignore_errors=True)

    def has(self, name: str) -> bool:
        """Returns true if the adapter is complete, and marks it as used."""
        with self._lock:
            if not _is_complete(self.path / name):
                return False
            os.utime(self.path / name)
            return True

    def receive(self, name: str, file: str, size: int, source) -> None:
        """Writes one file from a stream. The adapter appears when it has both."""
        if size > self.most:
            raise Refused(413, "the adapter is larger than the folder may be")
        incoming = self.path / f".incoming-{name}"
        part = self.path / f".part-{secrets.token_hex(16)}"
        try:
            with part.open("wb") as out:
                while size > 0:
                    piece = source.read(min(PIECE, size))
                    if not piece:
                        raise Refused(400, "the file is truncated")
                    out.write(piece)
                    size -= len(piece)
            with self._lock:
                if _is_complete(self.path / name):
                    return  # another server sent the same adapter
                incoming.mkdir(exist_ok=True)
                part.replace(incoming / file)
                if _is_complete(incoming):
                    shutil.rmtree(self.path / name, ignore_errors=True)
                    incoming.replace(self.path / name)
                    self._evict()
        finally:
            part.unlink(missing_ok=True)

    def _evict(self) -> None:
        adapters = [place for place in self.path.iterdir() if NAME.fullmatch(place.name)]
        adapters.sort(key=lambda place: place.stat().st_mtime)
        sizes = {place: sum(file.stat().st_size for file in place.iterdir()) for place in adapters}
        total = sum(sizes.values())
        for place in adapters:
            if total <= self.most or place.stat().st_mtime > time.time() - LEAST_AGE_SECONDS:
                return
            shutil.rmtree(place, ignore_errors=True)
            total -= sizes[place]


def handler(folder: AdapterFolder, key: str) -> type:
    """Returns the request handler of a folder. An empty key accepts every request."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = TIMEOUT_SECONDS

        def do_GET(self) -> None:
            self._respond(lambda parts: 200 if len(parts) == 1 and folder.has(parts[0]) else 404)

        def do_PUT(self) -> None:
            self._respond(self._put)

        def _put(self, parts: list) -> int:
            if len(parts) != 2 or parts[1] not in FILES:
                raise Refused(404, "no such file")
            size = self.headers.get("Content-Length", "")
            if not re.fullmatch(r"[0-9]{1,18}", size):
                raise Refused(411, "Content-Length is missing")
            folder.receive(parts[0], parts[1], int(size), self.rfile)
            return 200

        def _respond(self, respond) -> None:
            try:
                sent = self.headers.get("Authorization", "").encode()
                if key and not hmac.compare_digest(sent, f"Bearer {key}".encode()):
                    raise Refused(401, "the key is wrong")
                parts = self.path.split("/")[1:]
                if parts[0] != "adapters" or not 2 <= len(parts) <= 3 or not NAME.fullmatch(parts[1]):
                    raise Refused(404, "no such adapter")
                self._send(respond(parts[1:]), "")
            except Refused as refused:
                self.close_connection = True  # the rest of the body is not read
                self._send(refused.status, str(refused))
            except OSError as error:
                self.close_connection = True
                self.log_error("%s", error)
                self._send(507 if error.errno == 28 else 500, "the folder cannot be written")

        def _send(self, status: int, message: str) -> None:
            body = message.encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/plain")
            self.send_header("Content-Length", str(len(body)))
            if self.close_connection:
                self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body)

    return Handler


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", required=True, type=pathlib.Path, help="folder of adapters, which vLLM can read")
    parser.add_argument("--listen", default="127.0.0.1:8001", help="ADDRESS:PORT (default: %(default)s)")
    parser.add_argument("--limit-gib", type=float, default=50, help="size limit of the folder (default: %(default)s)")
    parser.add_argument("--no-key", action="store_true", help="accept requests without a key")
    given = parser.parse_args()
    key = "" if given.no_key else os.environ.get("ADAPTER_KEY", "")
    if not key and not given.no_key:
        parser.error("set ADAPTER_KEY to the key of the upstream, or pass --no-key")
    address, _, port = given.listen.rpartition(":")
    folder = AdapterFolder(given.folder, int(given.limit_gib * GIB))
    server = http.server.ThreadingHTTPServer((address, int(port)), handler(folder, key))
    server.daemon_threads = True
    print(f"listening on http://{address}:{server.server_port}/adapters", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
