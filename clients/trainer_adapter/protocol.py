"""The trainer protocol (docs/trainer_protocol.md), with the standard library only.

`Server` leases jobs. `LeasedJob` renews the lease in a thread, downloads the inputs, sends events without gaps, and ends the
job. All calls repeat while the server does not respond, because every call of the protocol may be repeated.
"""

from __future__ import annotations

import http.client
import json
import pathlib
import shutil
import threading
import urllib.error
import urllib.parse
import urllib.request

HEARTBEAT_SECONDS = 15
MOST_EVENTS = 500
PIECE = 1 << 20
FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 30.0


class ProtocolError(Exception):
    """The server refused a request."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code


class JobLost(Exception):
    """The job was cancelled, or the lease expired: stop without a further call."""


class Stopped(Exception):
    """The trainer is to stop."""


class Server:
    """The trainer's side of a server. Thread-safe."""

    def __init__(self, url: str, key: str, worker: str, stop: threading.Event | None = None) -> None:
        self.base = url.rstrip("/") + "/api/v1/trainer"
        self.key = key
        self.worker = worker
        self.stop = stop or threading.Event()

    def lease(self, wait_seconds: int, device: str, capabilities: dict) -> LeasedJob | None:
        """Waits for a job. Returns nothing if none arrived."""
        body = {"worker": self.worker, "wait_seconds": wait_seconds, "device": device, "capabilities": capabilities}
        answer = self.request("POST", "/lease", body=body, timeout=wait_seconds + 30)
        return LeasedJob(self, answer) if answer is not None else None

    def request(self, method: str, path: str, *, token: str = "", body=None, file: pathlib.Path | None = None,
                into: pathlib.Path | None = None, timeout: float = 60):
        """Sends a request until the server responds. Returns the JSON of the response; nothing for 204.

        file    the request body, instead of `body`
        into    the file for the response body, which appears when it is complete
        """
        pause = FIRST_PAUSE_SECONDS
        while True:
            try:
                return self._send(method, path, token, body, file, into, timeout)
            except ProtocolError as error:
                if error.status not in (408, 425, 429, 500, 502, 503, 504):
                    raise
                problem: Exception = error
            except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
                problem = error
            if self.stop.wait(pause):
                raise Stopped from problem
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)

    def _send(self, method, path, token, body, file, into, timeout):
        headers = {"Authorization": f"Bearer {self.key}"}
        if token:
            headers["Lease-Token"] = token
        data = None
        if file is not None:
            data = file.open("rb")
            headers["Content-Type"] = "application/octet-stream"
            headers["Content-Length"] = str(file.stat().st_size)
        elif body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                if into is not None:
                    return _save(answer, into)
                text = answer.read()
                return json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            raise _refusal(error) from None
        finally:
            if file is not None:
                data.close()


def _refusal(error: urllib.error.HTTPError) -> Exception:
    try:
        body = json.loads(error.read(PIECE))
    except (ValueError, OSError):
        body = {}
    detail = body.get("detail") if isinstance(body, dict) else None
    code = str(body.get("code", "")) if isinstance(body, dict) else ""
    if error.code == 409 and code in ("lease_lost", "job_cancelled"):
        return JobLost(code)
    return ProtocolError(error.code, code, detail if isinstance(detail, str) else json.dumps(detail))


def _save(answer, into: pathlib.Path) -> None:
    part = into.with_name(into.name + ".part")
    size = answer.headers.get("Content-Length")
    with part.open("wb") as out:
        shutil.copyfileobj(answer, out, PIECE)
    if size is not None and part.stat().st_size != int(size):
        raise http.client.IncompleteRead(b"")
    part.replace(into)


class LeasedJob:
    """A job that this worker holds. Use it as a context: the lease is renewed inside.

    `lost` is set when the job was cancelled or its lease is gone. Only one process may use a job: of a distributed training,
    that is the one that started it.
    """

    def __init__(self, server: Server, offer: dict) -> None:
        self.server = server
        self.offer = offer
        self.id = offer["job"]["id"]
        self.kind = offer["job"]["kind"]
        self.config = offer["config"]
        self.lost = threading.Event()
        self.last_sequence = offer["last_sequence"]
        self._token = offer["lease"]["token"]
        self._seconds_left: float | None = None
        self._ended = threading.Event()
        self._heart = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> LeasedJob:
        self._heart.start()
        return self

    def __exit__(self, *_) -> None:
        self._ended.set()
        self._heart.join()

    def call(self, method: str, path: str, **options):
        """Sends a request about the job. Raises JobLost when the lease is gone."""
        try:
            return self.server.request(method, f"/jobs/{self.id}{path}", token=self._token, **options)
        except JobLost:
            self.lost.set()
            raise

    def estimate(self, seconds_left: float) -> None:
        """Sets the remaining time that the next heartbeat reports."""
        self._seconds_left = seconds_left

    def _beat(self) -> None:
        period = min(HEARTBEAT_SECONDS, self.offer["lease"]["seconds"] / 4)
        while not self._ended.wait(period):
            body = {} if self._seconds_left is None else {"seconds_left": self._seconds_left}
            try:
                if self.call("POST", "/heartbeat", body=body)["cancel"]:
                    self.lost.set()
                    return
            except (JobLost, Stopped):
                return
            except ProtocolError:
                self.lost.set()
                return

    def download(self, path: str, into: pathlib.Path) -> pathlib.Path:
        into.parent.mkdir(parents=True, exist_ok=True)
        self.call("GET", path, into=into, timeout=600)
        return into

    def download_base(self, cache: pathlib.Path) -> pathlib.Path:
        """Returns the Hugging Face folder of the base model: the one on this host, else a download, kept for later jobs."""
        folder = self.offer["base_model"]["folder"]
        files = {file["name"]: file["size"] for file in folder["files"]}
        local = pathlib.Path(folder["path"])
        if all(_has_size(local / name, size) for name, size in files.items()):
            return local
        place = cache / folder["revision"]
        for name, size in files.items():
            if not _has_size(place / name, size):
                self.download(f"/base/{urllib.parse.quote(name)}", place / name)
        return place

    def download_adapter(self, into: pathlib.Path) -> pathlib.Path | None:
        """Downloads the adapter to continue from. Returns nothing if a new one is to be made."""
        adapter = self.offer["adapter"]
        if adapter is None or adapter["step"] == 0:
            return None
        for file in adapter["files"]:
            if file["name"].startswith("adapter_"):
                self.download(f"/adapter/{urllib.parse.quote(file['name'])}", into / file["name"])
        return into

    def send_events(self, first: int, events: list) -> None:
        """Sends events that the server does not have. `first` is the number of the first one."""
        skip = max(self.last_sequence + 1 - first, 0)
        for at in range(skip, len(events), MOST_EVENTS):
            answer = self.call("POST", "/events", body={"first": first + at, "events": events[at:at + MOST_EVENTS]})
            self.last_sequence = answer["last_sequence"]

    def save_state(self, file: pathlib.Path, sequence: int) -> None:
        self.call("PUT", f"/state?sequence={sequence}", file=file, timeout=600)

    def upload(self, file: pathlib.Path) -> None:
        self.call("PUT", f"/files/{urllib.parse.quote(file.name)}", file=file, timeout=600)

    def complete(self, metrics: dict | None = None, unchanged: bool = False) -> dict:
        body = {"metrics": metrics or {}, **({"unchanged": True} if unchanged else {})}
        return self.call("POST", "/complete", body=body)

    def fail(self, message: str) -> None:
        self.call("POST", "/fail", body={"message": message[:10_000]})

    def release(self) -> None:
        self.call("POST", "/release", body={})


def _has_size(file: pathlib.Path, size: int) -> bool:
    try:
        return file.stat().st_size == size
    except OSError:
        return False

