"""Lists of words and numbers: sorting, repeating, reversing, picking, counting, the largest."""

import words
from skills.skill import EASY, Instance, Skill, asked, said, same_list, same_text

_SORT = (
    "Sort these numbers: {items}", "Sort from small to large: {items}", "Put these numbers in order: {items}",
    "Sort {items}.", "Arrange in ascending order: {items}", "Sort the list {items}",
)
_REPEAT = ("Repeat: {items}", "Repeat this list: {items}", "Say this again: {items}", "Copy the words: {items}")
_REVERSE = (
    "Reverse: {items}", "Reverse this list: {items}", "Write this list backwards: {items}",
    "Put these words in reverse order: {items}", "Reverse the order of {items}.",
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_PICK = (
    "What is the {nth} word of: {items}", "Which word is the {nth} in this list: {items}",
    "Give me the {nth} word: {items}", "Tell me the {nth} of {items}.",
)
_COUNT_ALL = ("How many words are in this list: {items}", "Count the words: {items}", "How many words? {items}")
_COUNT_ONE = (
    "How many times does {word} appear in: {items}", "Count {word} in this list: {items}",
    "How often is {word} in this list: {items}",
)
_LARGEST = (
    "What is the largest number: {items}", "Which of these numbers is the largest: {items}",
    "Give me the largest of {items}.",
)


def _question(draw, ways, items, **more):
    return asked(draw.pick(ways).format(items=", ".join(map(str, items)), **more))


def _words(draw, count):
    items = draw.several(words.NOUNS, count)
    return [words.made_up(draw) if draw.chance(0.05) else item for item in items]


def _make_sort(draw, level):
    count = draw.between(3, 5) if level == EASY else draw.between(6, 8)
    numbers = [draw.below(100) for _ in range(count)]
    ordered = sorted(numbers)
    return Instance("sort", level, str(numbers), _question(draw, _SORT, numbers),
                    said(", ".join(map(str, ordered))), ordered)


def _make_repeat(draw, level):
    items = _words(draw, draw.between(2, 5) if level == EASY else draw.between(6, 10))
    return Instance("repeat", level, " ".join(items), _question(draw, _REPEAT, items), said(", ".join(items)), items)


def _make_reverse(draw, level):
    items = _words(draw, draw.between(2, 4) if level == EASY else draw.between(5, 8))
    turned = items[::-1]
    return Instance("reverse", level, " ".join(items), _question(draw, _REVERSE, items), said(", ".join(turned)), turned)


def _make_pick(draw, level):
    place = draw.below(2) if level == EASY else draw.between(2, 5)
    items = _words(draw, draw.between(max(3, place + 1), 8))
    return Instance("pick", level, f"{place} {' '.join(items)}",
                    _question(draw, _PICK, items, nth=_ORDINALS[place]), said(items[place]), items[place])


def _make_count(draw, level):
    if level == EASY:
        items = _words(draw, draw.between(2, 6))
        question, count = _question(draw, _COUNT_ALL, items), len(items)
        key = " ".join(items)
    else:
        count = draw.between(1, 5)
        others = _words(draw, draw.between(3, 4))
        word, others = others[0], others[1:]
        rest = [draw.pick(others) for _ in range(draw.between(1, 5))]
        items = draw.shuffled([word] * count + rest)
        question = _question(draw, _COUNT_ONE, items, word=word)
        key = f"{word}: {' '.join(items)}"
    return Instance("count", level, key, question, said(str(count)), count)


def _make_largest(draw, level):
    numbers = [draw.below(100) for _ in range(draw.between(3, 4) if level == EASY else draw.between(5, 7))]
    largest = max(numbers)
    return Instance("largest", level, str(numbers), _question(draw, _LARGEST, numbers), said(str(largest)), largest)


SORT = Skill("sort", _make_sort, same_list)
REPEAT = Skill("repeat", _make_repeat, same_list)
REVERSE = Skill("reverse", _make_reverse, same_list, easy_share=0.4)
PICK = Skill("pick", _make_pick, same_text, easy_share=0.4)
COUNT = Skill("count", _make_count, same_text, easy_share=0.3)
LARGEST = Skill("largest", _make_largest, same_text)
