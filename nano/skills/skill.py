"""What a skill is: instances of it, and who says whether an answer is right."""

import dataclasses
import random
import typing
import zlib

EASY, HARD = "easy", "hard"
LEVELS = (EASY, HARD)
TRAINING, HELD_OUT = "training", "held-out"
UNKNOWN = "I don't know."


class Draw:
    """Random choices from a seed: the same in every version of Python, which promises that of random() alone."""

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
        """So many different ones, in any order."""
        pool = list(items)
        return [pool.pop(self.below(len(pool))) for _ in range(count)]

    def shuffled(self, items):
        return self.several(items, len(items))


@dataclasses.dataclass(frozen=True)
class Instance:
    """A question with its right answer."""

    skill: str
    level: str
    key: str  # what is asked, however it is put: instances with one key are the same
    messages: list  # OpenAI's form, up to where the model's turn is
    answer: dict  # the assistant's message
    expected: typing.Any  # what the verifier compares with
    tools: list = dataclasses.field(default_factory=list)
    # Where a conversation holds an instance of another skill, that one: they belong to the same side.
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
    """Each key belongs to one side for ever, whatever the seed."""
    decisive = instance.holds or f"{instance.skill}|{instance.key}"
    return HELD_OUT if zlib.crc32(decisive.encode()) % 8 == 0 else TRAINING


def text_of(reply):
    """What a reply says, without what does not matter."""
    return (reply.get("content") or "").strip()


def asked(question):
    return [{"role": "user", "content": question}]


def said(text):
    return {"role": "assistant", "content": text}


def same_text(expected, reply):
    """Right but for capitals and a full stop."""
    return float(text_of(reply).rstrip(".").lower() == str(expected).rstrip(".").lower())


def same_list(expected, reply):
    """Lists score by how much stands where it should, so that training has something to climb; an item too many or too
    few costs."""
    items = [item.strip() for item in text_of(reply).rstrip(".").split(",")]
    right = sum(item.lower() == str(wanted).lower() for item, wanted in zip(items, expected))
    return right / max(len(items), len(expected))
