"""The real Python SDK, configured for a test server, and the server's view of the data it wrote."""

import atexit
import base64
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BINARY = os.environ.get("SPINDLE_BIN", str(ROOT / "build" / "bin" / "spindle"))
ADMIN_KEY = "test-bootstrap-key-0123456789"
START_SECONDS = 30

_counter = itertools.count(1)


class Server:
    """A running server with its own data folder and port. Stops when the process ends."""

    def __init__(self, settings: dict[str, str] | None = None) -> None:
        self.folder = tempfile.mkdtemp(prefix="spindle-python-")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("SPINDLE_")}
        self.process = subprocess.Popen(
            [BINARY, "serve", "--listen", "127.0.0.1:0", "--data-dir", f"{self.folder}/data"],
            env={**inherited, **(settings or {}), "SPINDLE_ADMIN_API_KEY": ADMIN_KEY},
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        atexit.register(self.stop)
        self.url = self._wait_for_url()
        # A thread keeps reading, or the server would block on a full pipe.
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def _wait_for_url(self) -> str:
        timer = threading.Timer(START_SECONDS, self.process.kill)
        timer.start()
        try:
            for line in self.process.stderr:
                if found := re.search(r"listening on (http://[^\s\"]+)", line):
                    return found.group(1)
            raise RuntimeError("the server did not start")
        finally:
            timer.cancel()

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def post(self, path: str, body: dict, status: int = 200) -> str:
        """Sends a POST, expects this status, and returns the response text. It has neutral names, as for other clients than the SDK."""
        credential = base64.b64encode(f"api:{ADMIN_KEY}".encode()).decode()
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), {
            "Authorization": f"Basic {credential}", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                assert answer.status == status, answer.status
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path}: {error.code} {error.read().decode()}") from error


def point_sdk_at(server: Server) -> None:
    """Configures the SDK. Call before its import, because it reads its environment once."""
    home = tempfile.mkdtemp(prefix="spindle-home-")
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    os.environ.update({
        "HOME": home,
        "WANDB_API_KEY": ADMIN_KEY,
        "WANDB_BASE_URL": server.url,
        "WANDB_ERROR_REPORTING": "false",
        "WEAVE_PRINT_CALL_LINK": "false",
        "WF_TRACE_SERVER_URL": server.url,
    })


SERVER = Server()
point_sdk_at(SERVER)

import weave  # noqa: E402  (see above)


def fresh_project() -> str:
    """Returns an unused project name."""
    return f"python-{os.getpid()}/p{next(_counter)}"


class Traced:
    """A new project and the SDK's client for it."""

    def __init__(self) -> None:
        self.project = fresh_project()
        self.client = weave.init(self.project)

    def post(self, path: str, **body):
        return json.loads(SERVER.post(path, {"project_id": self.project, **body}))

    def calls(self, **more) -> list[dict]:
        """Waits until the SDK has sent its calls, and returns the server's calls, oldest first."""
        self.client.flush()
        text = SERVER.post("/calls/stream_query", {"project_id": self.project, **more})
        return [json.loads(line) for line in text.splitlines()]

    def call_of(self, name: str, **more) -> dict:
        found = [call for call in self.calls(**more) if op_name(call) == name]
        assert len(found) == 1, f"{len(found)} calls of {name}"
        return found[0]

    def feedback(self) -> list[dict]:
        self.client.flush()
        return self.post("/feedback/query")["result"]


def op_name(call: dict) -> str:
    """Returns `greet` for `svc:///team/project/op/greet:digest`."""
    found = re.fullmatch(r"svc:///[^/]+/[^/]+/op/([^:]+):[^:]+", call["op_name"])
    return urllib.request.unquote(found.group(1)) if found else call["op_name"]
