"""Reading: a field of a text as JSON, an answer from given facts, and admitting that there is none."""

import json

import words
from skills.skill import EASY, UNKNOWN, Instance, Skill, asked, said, same_text, text_of

_PERSON = (
    "{name} is {age} years old, lives in {city} and works as a {job}.",
    "{name} ({age}) is a {job} from {city}.",
    "{name}, a {age} year old {job}, lives in {city}.",
    "Name: {name}\nAge: {age}\nCity: {city}\nJob: {job}",
    "My name is {name}. I am {age} and live in {city}. I am a {job}.",
    "In {city} there is a {job} called {name}, aged {age}.",
)
_FIELDS = ("name", "age", "city", "job")
_EXTRACT = (
    "Give the {fields} as JSON: {text}", "Extract the {fields} as JSON.\n{text}", "{text}\nGive the {fields} as JSON.",
    "Write the {fields} of this person as JSON: {text}", "Return JSON with the {fields}.\n\n{text}",
)


def _make_extract(draw, level):
    person = {
        "name": f"{words.name(draw)} {draw.pick(words.SURNAMES)}" if draw.chance(0.5) else words.name(draw),
        "age": draw.between(18, 90),
        "city": words.city(draw),
        "job": draw.pick(words.JOBS),
    }
    fields = draw.several(_FIELDS, 1 if level == EASY else draw.between(2, 4))
    wanted = {field: person[field] for field in fields}
    named = fields[0] if len(fields) == 1 else f"{', '.join(fields[:-1])} and {fields[-1]}"
    text = draw.pick(_PERSON).format(**person)
    question = draw.pick(_EXTRACT).format(fields=named, text=text)
    key = json.dumps([person, fields])
    return Instance("extract", level, key, asked(question), said(json.dumps(wanted, ensure_ascii=False)), wanted)


def _same_object(expected, reply):
    try:
        found = json.loads(text_of(reply))
    except ValueError:
        return 0.0
    if not isinstance(found, dict):
        return 0.0
    right = sum(found.get(field) == value and type(found[field]) is type(value) for field, value in expected.items())
    return right / max(len(found), len(expected))


def _fact_of_colour(draw, name, thing):
    colour = draw.pick(words.COLOURS)
    return f"The {thing} of {name} is {colour}.", f"What colour is the {thing} of {name}?", colour


def _fact_of_place(draw, name, thing):
    place = draw.pick(words.PLACES)
    return f"{name} put the {thing} in the {place}.", f"Where did {name} put the {thing}?", place


def _fact_of_home(draw, name, _thing):
    city = words.city(draw)
    return f"{name} lives in {city}.", f"Where does {name} live?", city


def _fact_of_number(draw, name, thing):
    count = draw.between(2, 99)
    return f"{name} has {count} {thing}s.", f"How many {thing}s does {name} have?", str(count)


_FACTS = (_fact_of_colour, _fact_of_place, _fact_of_home, _fact_of_number)
_CONTEXT = ("{facts}\n{question}", "Context: {facts}\nQuestion: {question}", "{facts} {question}",
            "Read this: {facts}\n\n{question}", "Answer from the text. {facts}\n{question}")


def _facts(draw, count):
    """Returns facts about different people, as (name, text, question, answer)."""
    people = draw.several(words.NAMES, count)
    return [(name, *draw.pick(_FACTS)(draw, name, draw.pick(words.OWNED))) for name in people]


def _told(level, skill, draw, facts, question, answer):
    texts = [text for _, text, _, _ in facts]
    put = draw.pick(_CONTEXT).format(facts=" ".join(texts), question=question)
    return Instance(skill, level, json.dumps([texts, question]), asked(put), said(answer), answer)


def _make_context(draw, level):
    facts = _facts(draw, draw.between(2, 3) if level == EASY else draw.between(4, 7))
    _, _, question, answer = draw.pick(facts)
    return _told(level, "context", draw, facts, question, answer)


_WORLD = (
    "What is the capital of {country}?", "Who wrote the book about the {noun}?", "What will the weather be in {city}?",
    "When was {name} {surname} born?", "How old is {name} {surname}?", "Who is the mayor of {city}?",
    "What does a {noun} cost in {city}?", "Why is the {noun} {colour}?", "How far is it from {city} to {other}?",
    "Who invented the {noun}?", "Tell me about the {noun} of {city}.", "What is the phone number of {name} {surname}?",
    "How many {noun}s are there in {city}?", "Where is {name} {surname} now?", "What is {name} thinking about?",
)


def _make_unknown(draw, level):
    if level == EASY:
        question = draw.pick(_WORLD).format(
            country=words.made_up(draw).capitalize(), noun=words.noun(draw), city=words.city(draw),
            other=words.city(draw), name=words.name(draw), surname=draw.pick(words.SURNAMES),
            colour=draw.pick(words.COLOURS))
        return Instance("unknown", level, question, asked(question), said(UNKNOWN), UNKNOWN)
    # The question is not answered by the facts: it is about another person, or another property of one of them.
    left_out, *facts = _facts(draw, draw.between(3, 7))
    known = {question for _, _, question, _ in facts}
    question = left_out[2]
    if draw.chance(0.5):
        name = draw.pick(facts)[0]
        question = draw.pick(_FACTS)(draw, name, draw.pick(words.OWNED))[1]
        while question in known:
            question = draw.pick(_FACTS)(draw, name, draw.pick(words.OWNED))[1]
    return _told(level, "unknown", draw, facts, question, UNKNOWN)


EXTRACT = Skill("extract", _make_extract, _same_object)
CONTEXT = Skill("context", _make_context, same_text)
UNKNOWN_SKILL = Skill("unknown", _make_unknown, same_text)
