"""The public client of the training API, with its backend for a remote server.

It is installed without its dependencies. Importing it needs only the modules faked here, and that backend uses none of them: polars
(tables of trajectory files), litellm (types of other providers' responses) and wandb (the SDK of the original service).
"""

import contextlib
import os
import sys
import types
from unittest import mock

import support

NANO = support.ROOT / "models" / "spindle-nano.gguf"
BASE_MODEL = "spindle-nano"


def _fake_modules() -> dict:
    made = {name: types.ModuleType(name) for name in ("litellm", "litellm.types", "litellm.types.utils", "wandb")}
    for name in ("Choices", "ModelResponse"):
        setattr(made["litellm.types.utils"], name, type(name, (), {}))
    made["wandb"].run = None  # other modules check for an active run
    return {**made, "polars": mock.MagicMock()}


@contextlib.contextmanager
def client():
    """Imports the client's module with fake dependencies, and restores the real modules afterwards."""
    with mock.patch.dict(sys.modules, _fake_modules()), mock.patch.dict(os.environ):
        # With this variable it would also log to that service.
        os.environ.pop("WANDB_API_KEY", None)
        os.environ["TQDM_DISABLE"] = "1"
        import art
        import art.serverless

        yield art


def training_server() -> support.Server:
    """Starts a server with a trainable model and its own trainer."""
    return support.Server({
        "SPINDLE_INFERENCE_DEFAULT_MODEL": str(NANO),
        "SPINDLE_INFERENCE_THREADS": "1",
        "SPINDLE_TRAINING_LOCAL": "true",
        "SPINDLE_TRAINING_THREADS": "1",
    })
