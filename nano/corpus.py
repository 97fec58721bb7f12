"""The training text of spindle-nano as a stream of documents."""

import bisect
import itertools

import chat
import recipe
from skills import TALK, TRAINING, Draw, one_of

DOCUMENT_END = b"\x1e"
SPEAKER_CHANGE = b"\x1f"  # before and after each assistant message

_KINDS = list(recipe.TAUGHT)
_SUMS = list(itertools.accumulate(recipe.TAUGHT.values()))
_TOOL_SKILLS = ("call", "result")


def _instance(draw, evenly):
    if evenly:
        return one_of(draw, *draw.pick(_KINDS), TRAINING)
    place = draw.below(int((_SUMS[-1] + recipe.TALK) * 1_000_000)) / 1_000_000
    kind = bisect.bisect(_SUMS, place)
    if kind == len(_KINDS):
        return TALK.make(draw, "easy")
    return one_of(draw, *_KINDS[kind], TRAINING)


def conversation(draw, evenly=False):
    """Returns messages and tools of one document; all kinds evenly, or in the shares of the recipe."""
    instance = _instance(draw, evenly)
    messages = [*instance.messages, instance.answer]
    tools = instance.tools
    several = draw.pick((1, 2)) if draw.chance(recipe.SEVERAL_SHARE) else 0
    several = draw.between(4, recipe.LONG_QUESTIONS) if draw.chance(recipe.LONG_SHARE) else several
    if not tools and several:
        for _ in range(several):
            further = _instance(draw, evenly)
            if not further.tools:
                messages += [*further.messages, further.answer]
    # A question without an answer stays one only if no tool is offered.
    elif not tools and instance.skill not in ("unknown", *_TOOL_SKILLS) and draw.chance(recipe.IDLE_TOOLS_SHARE):
        tools = one_of(draw, "call", "easy", TRAINING).tools
    if draw.chance(recipe.SYSTEM_SHARE):
        messages.insert(0, {"role": "system", "content": draw.pick(recipe.SYSTEM)})
    return messages, tools


def documents(seed, part, count, evenly=False):
    """Yields documents of one part of the corpus as bytes. Parts differ, and each part is reproducible."""
    draw = Draw(f"{seed}|corpus|{part}|{evenly}")
    for _ in range(count):
        messages, tools = conversation(draw, evenly)
        marked = bytearray()
        for text, spoken in chat.pieces(messages, tools):
            marked += SPEAKER_CHANGE + text.encode() + SPEAKER_CHANGE if spoken else text.encode()
        yield bytes(marked) + chat.END_OF_TEXT.encode() + DOCUMENT_END
