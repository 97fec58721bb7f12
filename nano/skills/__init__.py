"""The skills of spindle-nano, by name."""

from skills.arithmetic import ARITHMETIC
from skills.lists import COUNT, LARGEST, PICK, REPEAT, REVERSE, SORT
from skills.reading import CONTEXT, EXTRACT, UNKNOWN_SKILL
from skills.skill import EASY, HARD, HELD_OUT, LEVELS, TRAINING, Draw, Instance, split_of
from skills.talk import TALK
from skills.tools import CALL, RESULT

SKILLS = {skill.name: skill for skill in (ARITHMETIC, SORT, REPEAT, REVERSE, PICK, COUNT, LARGEST,
                                          EXTRACT, CONTEXT, UNKNOWN_SKILL, CALL, RESULT)}

__all__ = ["EASY", "HARD", "HELD_OUT", "LEVELS", "SKILLS", "TALK", "TRAINING", "Draw", "Instance", "instances",
           "one_of", "score", "split_of"]


def one_of(draw, skill, level, split):
    """Returns the next instance of that split."""
    while True:
        instance = SKILLS[skill].make(draw, level)
        if split_of(instance) == split:
            return instance


def instances(skill, split, count, seed, level=None):
    """Returns different instances; without a level, easy and hard ones in the shares of the skill's evaluation."""
    draw = Draw(f"{seed}|{skill}|{split}|{level}")
    seen = set()
    while len(seen) < count:
        chosen = level or (EASY if draw.chance(SKILLS[skill].easy_share) else HARD)
        instance = one_of(draw, skill, chosen, split)
        if instance.key not in seen:
            seen.add(instance.key)
            yield instance


def score(instance, reply):
    """Returns the score of a reply (a message in the OpenAI format), from 0 to 1 (right)."""
    return SKILLS[instance["skill"]].score(instance["expected"], reply)
