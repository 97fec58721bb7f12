"""The public client of the training API, with its backend for a server elsewhere.

It is installed alone. Of what it would bring along, only these are loaded with it, and none is used by that backend: tables for
its files of trajectories, the types of other providers' answers, and the SDK of the service that it was written for.
"""

import contextlib
import os
import sys
import types
from unittest import mock

import support

NANO = support.ROOT / "models" / "spindle-nano.gguf"
BASE_MODEL = "spindle-nano"


def _stand_ins() -> dict:
    made = {name: types.ModuleType(name) for name in ("litellm", "litellm.types", "litellm.types.utils", "wandb")}
    for name in ("Choices", "ModelResponse"):
        setattr(made["litellm.types.utils"], name, type(name, (), {}))
    made["wandb"].run = None  # others ask it whether there is one
    return {**made, "polars": mock.MagicMock()}


@contextlib.contextmanager
def client():
    """The client's module, for a while: other tests want what it stands in for as it is."""
    with mock.patch.dict(sys.modules, _stand_ins()), mock.patch.dict(os.environ):
        # With this it would log to that service as well.
        os.environ.pop("WANDB_API_KEY", None)
        os.environ["TQDM_DISABLE"] = "1"
        import art
        import art.serverless

        yield art


def training_server() -> support.Server:
    """A server with a model to train, and a trainer of its own."""
    return support.Server({
        "SPINDLE_INFERENCE_DEFAULT_MODEL": str(NANO),
        "SPINDLE_INFERENCE_THREADS": "1",
        "SPINDLE_TRAINING_LOCAL": "true",
        "SPINDLE_TRAINING_THREADS": "1",
    })
