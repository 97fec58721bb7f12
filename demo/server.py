"""The Spindle server of the demo, in a new folder and on a free port."""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODEL_FILE = ROOT / "models" / "spindle-nano.gguf"
PROGRAMS = ("spindle", "spindle-engine", "spindle-trainer")
START_SECONDS = 60
STOP_SECONDS = 30


class Broken(Exception):
    """A program did not start; the message contains its output."""


class Server:
    """Runs `spindle serve` with embedded storage, which starts engines and a trainer on demand. All its data is in
    `folder`."""

    def __init__(self, programs, folder):
        self.folder, self._programs = folder, programs
        self.data = folder / "data"
        self.log = folder / "server.log"
        for program in PROGRAMS:
            if not os.access(programs / program, os.X_OK):
                raise Broken(f"{programs / program} is not there: make build")
        # For a model this small, one thread is faster than several that synchronize.
        self._process = _start([programs / "spindle", "serve", "--listen", "127.0.0.1:0", "--data-dir", self.data,
                                "--inference-default-model", MODEL_FILE, "--inference-threads", "1",
                                "--training-threads", "1"], self.log)
        self.url = self._wait_until_it_listens()
        self.key = (self.data / "admin-api-key").read_text().strip()

    def _wait_until_it_listens(self):
        for _ in range(START_SECONDS * 20):
            said = self.log.read_text(encoding="utf-8", errors="replace")
            if found := re.search(r"^listening on (http://\S+)", said, re.MULTILINE):
                return found[1]
            if self._process.poll() is not None:
                raise Broken(f"spindle serve ended with status {self._process.returncode}:\n{said[-2000:]}")
            time.sleep(0.05)
        self.stop()
        raise Broken(f"spindle serve does not listen after {START_SECONDS} s; see {self.log}")

    def console(self, path):
        """Returns the address of a screen of the console."""
        return f"{self.url}/console/{path}"

    def sign_in_link(self, path):
        """Returns a link to a screen of the console that signs the administrator in, once, for 15 minutes."""
        made = subprocess.run([self._programs / "spindle", "login-link", "--json", "--data-dir", self.data], check=False,
                              capture_output=True, text=True, env=_clean_environment())
        if made.returncode != 0:
            raise Broken(f"spindle login-link: {made.stderr.strip()}")
        return f"{self.console(path)}#{json.loads(made.stdout)['link'].partition('#')[2]}"

    def wait(self):
        self._process.wait()

    def stop(self):
        _stop(self._process)


def _clean_environment():
    """Returns the environment without settings of other servers of the user."""
    return {name: value for name, value in os.environ.items() if not name.startswith("SPINDLE_")}


def _start(command, log):
    with log.open("w") as said:
        return subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                                env=_clean_environment())


def _stop(process):
    """Stops a process: SIGTERM first, SIGKILL after a timeout."""
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(STOP_SECONDS)
        return
    process.kill()
    process.wait()
