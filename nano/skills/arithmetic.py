"""Sums and differences of two numbers."""

from skills.skill import EASY, Instance, Skill, asked, said, same_text

_PLUS = (
    "What is {a} + {b}?", "{a} + {b} =", "Calculate {a} + {b}.", "Add {a} and {b}.", "What is {a} plus {b}?",
    "How much is {a} + {b}?", "{a}+{b}", "What is the sum of {a} and {b}?",
)
_MINUS = (
    "What is {a} - {b}?", "{a} - {b} =", "Calculate {a} - {b}.", "Subtract {b} from {a}.", "What is {a} minus {b}?",
    "How much is {a} - {b}?", "{a}-{b}", "What is the difference of {a} and {b}?",
)


def _make(draw, level):
    low, high = (0, 99) if level == EASY else (100, 999)
    a, b = draw.between(low, high), draw.between(low, high)
    if draw.chance(0.5):
        key, question, result = f"{a}+{b}", draw.pick(_PLUS), a + b
    else:
        a, b = max(a, b), min(a, b)
        key, question, result = f"{a}-{b}", draw.pick(_MINUS), a - b
    return Instance("arithmetic", level, key, asked(question.format(a=a, b=b)), said(str(result)), result)


ARITHMETIC = Skill("arithmetic", _make, same_text)
