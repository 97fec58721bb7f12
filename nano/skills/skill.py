"""The definition of a skill: its instances and its verifier."""

import dataclasses
import random
import typing
import zlib

EASY, HARD = "easy", "hard"
LEVELS = (EASY, HARD)
TRAINING, HELD_OUT = "training", "held-out"
UNKNOWN = "I don't know."


class Draw:
    """Random choices from a seed, equal in every version of Python, which guarantees this only for random()."""

    def __init__(self, seed):
        self._random = random.Random(seed).random

    def below(self, count):
        return int(self._random() * count)

    def between(self, low, high):
        return low + self.below(high - low + 1)

    def chance(self, share):
        return self._random() < share

    def pick(self, items):
        return items[self.below(len(items))]

    def several(self, items, count):
        """Returns different items in random order."""
        pool = list(items)
        return [pool.pop(self.below(len(pool))) for _ in range(count)]

    def shuffled(self, items):
        return self.several(items, len(items))


@dataclasses.dataclass(frozen=True)
class Instance:
    """A prompt with its right answer."""

    skill: str
    level: str
    key: str  # identifies the question independent of its wording; instances with one key are equal
    messages: list  # in the OpenAI format, up to the model's turn
    answer: dict  # the assistant's message
    expected: typing.Any  # the value that the verifier compares with
    tools: list = dataclasses.field(default_factory=list)
    # The key of an instance of another skill inside this conversation; both belong to the same split.
    holds: str = ""

    def as_json(self):
        return dataclasses.asdict(self)


@dataclasses.dataclass(frozen=True)
class Skill:
    """`make(draw, level)` makes an instance; `score(expected, reply)` says how right a reply is, from 0 to 1, where
    1 is right and less is not. A reply is a message: `content`, and `tool_calls` where it has some. `easy_share` is the
    share of easy instances in an exam."""

    name: str
    make: typing.Callable
    score: typing.Callable
    easy_share: float = 0.5


def split_of(instance):
    """Returns the split of a key, which does not depend on the seed."""
    decisive = instance.holds or f"{instance.skill}|{instance.key}"
    return HELD_OUT if zlib.crc32(decisive.encode()) % 8 == 0 else TRAINING


def text_of(reply):
    """Returns the normalized text of a reply."""
    return (reply.get("content") or "").strip()


def asked(question):
    return [{"role": "user", "content": question}]


def said(text):
    return {"role": "assistant", "content": text}


def same_text(expected, reply):
    """Compares without case and final full stop."""
    return float(text_of(reply).rstrip(".").lower() == str(expected).rstrip(".").lower())


def same_list(expected, reply):
    """Scores a list by the share of items at their right positions, so that partial success gives a reward. Extra and
    missing items reduce the score."""
    items = [item.strip() for item in text_of(reply).rstrip(".").split(",")]
    right = sum(item.lower() == str(wanted).lower() for item, wanted in zip(items, expected))
    return right / max(len(items), len(expected))
