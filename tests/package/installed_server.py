"""A server that was installed from a package: start, requests, stop."""

import base64
import json
import pathlib
import re
import socket
import time
import urllib.error
import urllib.request
import uuid

from chroot import Chroot, Failed, Process

START_SECONDS = 60
STOP_SECONDS = 60
MODEL_SECONDS = 120
PROJECT = "research/package-test"


class Client:
    """Requests to a running server. Each check raises Failed if the server does not respond as it must."""

    def __init__(self, url: str, key: str):
        self.url = url
        self._key = key

    def request(self, method: str, path: str, body=None, seconds: float = 30) -> bytes:
        """Sends a request that must succeed."""
        data = None if body is None else json.dumps(body).encode()
        credential = base64.b64encode(f"api:{self._key}".encode()).decode()
        request = urllib.request.Request(self.url + path, data, method=method, headers={
            "Authorization": f"Basic {credential}", "Content-Type": "application/json"})
        if path.startswith("/v1/"):
            request.add_header("Authorization", f"Bearer {self._key}")
        try:
            with urllib.request.urlopen(request, timeout=seconds) as response:
                return response.read()
        except urllib.error.HTTPError as problem:
            raise Failed(f"{method} {path}: {problem.code} {problem.read().decode(errors='replace')}") from problem

    def check_health(self) -> None:
        health = json.loads(self.request("GET", "/health"))
        if health != {"status": "ok"}:
            raise Failed(f"/health answered {health}")

    def record_call(self) -> str:
        """Records a call and returns its id."""
        call, trace = str(uuid.uuid4()), str(uuid.uuid4())
        self.request("POST", "/call/start", {"start": {
            "project_id": PROJECT, "id": call, "trace_id": trace, "op_name": "greet",
            "started_at": "2026-01-01T00:00:00Z", "attributes": {}, "inputs": {"name": "Ada"}}})
        self.request("POST", "/call/end", {"end": {
            "project_id": PROJECT, "id": call, "ended_at": "2026-01-01T00:00:01Z", "output": "Hello, Ada!", "summary": {}}})
        return call

    def check_call(self, call: str) -> None:
        rows = self.request("POST", "/calls/stream_query", {"project_id": PROJECT}).decode().splitlines()
        found = {row["id"]: row for row in map(json.loads, rows)}
        if found.get(call, {}).get("output") != "Hello, Ada!":
            raise Failed(f"call {call} is not stored as it was recorded: {rows}")

    def check_completion(self) -> str:
        """Asks the packaged model and returns its answer."""
        answer = json.loads(self.request("POST", "/v1/chat/completions", {
            "model": "spindle-nano", "temperature": 0, "max_tokens": 20,
            "messages": [{"role": "user", "content": "What is 12 plus 30?"}]}, MODEL_SECONDS))
        text = answer["choices"][0]["message"]["content"]
        if "42" not in text:
            raise Failed(f"spindle-nano answered {text!r} to 12 plus 30")
        return text


class InstalledServer:
    """Runs the start command of the package as its service user, on a free port of the loopback interface."""

    def __init__(self, chroot: Chroot, command: list[str], user: str | None, key_file: str, log: pathlib.Path):
        notified = chroot.file("/run/spindle-notify")
        notified.unlink(missing_ok=True)
        self._manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._manager.bind(str(notified))
        notified.chmod(0o666)
        started = time.monotonic()
        self._process: Process = chroot.start(
            *command, user=user, log=log,
            variables={"SPINDLE_LISTEN": "127.0.0.1:0", "NOTIFY_SOCKET": "/run/spindle-notify"})
        try:
            self._manager.settimeout(START_SECONDS)
            if self._manager.recv(100) != b"READY=1":
                raise Failed("the first message to the service manager is not READY=1")
            self.start_seconds = time.monotonic() - started
            url = re.search(r"listening on (http://\S+)", self._log_with("listening on "))[1]
            self.client = Client(url, chroot.file(key_file).read_text().strip())
        except (Failed, TimeoutError) as problem:
            self._process.kill()
            raise Failed(f"{problem}\nthe server does not start:\n{self._process.output()[-4000:]}") from problem

    def _log_with(self, text: str) -> str:
        """Waits for a line that the server writes at the same moment as its message to the service manager."""
        limit = time.monotonic() + START_SECONDS
        while text not in (output := self._process.output()):
            if not self._process.is_running() or time.monotonic() > limit:
                raise Failed(f"the log has no line with '{text}'")
            time.sleep(0.01)
        return output

    def log(self) -> str:
        return self._process.output()

    def stop(self) -> None:
        """Stops the server, which must complete its shutdown."""
        status = self._process.terminate(STOP_SECONDS)
        if status != 0 or '"event":"stopped"' not in self.log():
            raise Failed(f"the server ended with status {status}:\n{self.log()[-2000:]}")

    def kill(self) -> None:
        self._process.kill()
        self._manager.close()
