"""Tools: calling the right tool with the right arguments, and answering with its result."""

import dataclasses
import json
import typing

import words
from skills.skill import EASY, UNKNOWN, Instance, Skill, asked, said, same_text


@dataclasses.dataclass(frozen=True)
class _Kind:
    """A tool with several names, so that the model reads names instead of memorizing them. `ask(draw)` returns the argument
    values, the question and its key; `find(draw, values)` returns a result and the corresponding answer."""

    names: tuple
    descriptions: tuple
    arguments: tuple  # of (names, JSON type)
    ask: typing.Callable
    find: typing.Callable


def _ask_weather(draw):
    city = words.city(draw)
    ways = ("What is the weather in {0}?", "How is the weather in {0}?", "Is it sunny in {0}?", "Weather in {0}?")
    return (city,), draw.pick(ways).format(city)


def _find_weather(draw, values):
    degrees, sky = draw.between(-9, 38), draw.pick(words.WEATHER)
    return {"temperature": degrees, "sky": sky}, f"It is {degrees} degrees and {sky} in {values[0]}."


def _ask_time(draw):
    city = words.city(draw)
    return (city,), draw.pick(("What time is it in {0}?", "Tell me the time in {0}.", "How late is it in {0}?")).format(city)


def _find_time(draw, values):
    time = f"{draw.below(24):02}:{draw.below(60):02}"
    return {"time": time}, f"It is {time} in {values[0]}."


def _ask_order(draw):
    number = draw.between(100, 9999)
    ways = ("Where is my order {0}?", "What is the status of order {0}?", "Has order {0} been sent?", "Check order {0}.")
    return (number,), draw.pick(ways).format(number)


def _find_order(draw, values):
    state = draw.pick(words.STATES)
    return {"status": state}, f"Order {values[0]} is {state}."


def _ask_timer(draw):
    minutes = draw.between(1, 90)
    ways = ("Set a timer for {0} minutes.", "Wake me in {0} minutes.", "Start a timer of {0} minutes.")
    return (minutes,), draw.pick(ways).format(minutes)


def _find_timer(_draw, values):
    return {"ok": True}, f"The timer is set for {values[0]} minutes."


def _ask_message(draw):
    name, text = words.name(draw), " ".join(words.noun(draw) for _ in range(draw.between(1, 4)))
    ways = ("Tell {0}: {1}", "Send {0} this message: {1}", "Write to {0}: {1}")
    return (name, text), draw.pick(ways).format(name, text)


def _find_message(_draw, values):
    return {"sent": True}, f"I sent it to {values[0]}."


def _ask_price(draw):
    item = words.noun(draw)
    ways = ("What does a {0} cost?", "What is the price of a {0}?", "How much is a {0}?")
    return (item,), draw.pick(ways).format(item)


def _find_price(draw, values):
    price = draw.between(1, 999)
    return {"price": price}, f"A {values[0]} costs {price}."


def _ask_product(draw):
    text = f"{draw.between(11, 999)} * {draw.between(11, 999)}"
    return (text,), draw.pick(("What is {0}?", "Calculate {0}.", "{0} =", "How much is {0}?")).format(text)


def _find_product(_draw, values):
    a, b = values[0].split(" * ")
    return {"result": int(a) * int(b)}, str(int(a) * int(b))


_KINDS = (
    _Kind(("get_weather", "weather", "current_weather", "weather_now"),
          ("The weather in a city.", "Get the current weather.", "Says how the weather is."),
          ((("city", "location", "place"), "string"),), _ask_weather, _find_weather),
    _Kind(("get_time", "local_time", "time_in", "clock"),
          ("The time in a city.", "Get the local time.", "Says what time it is."),
          ((("city", "location", "place"), "string"),), _ask_time, _find_time),
    _Kind(("get_order", "order_status", "find_order", "track_order"),
          ("The state of an order.", "Look up an order.", "Says where an order is."),
          ((("order_id", "order", "number"), "integer"),), _ask_order, _find_order),
    _Kind(("set_timer", "start_timer", "timer"), ("Sets a timer.", "Start a timer.", "Rings after some minutes."),
          ((("minutes", "duration", "time"), "integer"),), _ask_timer, _find_timer),
    _Kind(("send_message", "message", "send_text"), ("Sends a message.", "Send someone a text.", "Writes to a person."),
          ((("to", "recipient", "name"), "string"), (("text", "message", "body"), "string")), _ask_message,
          _find_message),
    _Kind(("get_price", "price_of", "find_price"), ("The price of a thing.", "Look up a price.", "Says what it costs."),
          ((("item", "product", "thing"), "string"),), _ask_price, _find_price),
    _Kind(("calculate", "calculator", "compute"), ("Calculates.", "Evaluate an expression.", "Does arithmetic."),
          ((("expression", "formula", "input"), "string"),), _ask_product, _find_product),
)


@dataclasses.dataclass(frozen=True)
class _Offer:
    """Returns the tool definition with one name, and names for its arguments."""

    kind: _Kind
    name: str
    arguments: tuple
    definition: dict


def _offered(draw, kind):
    name, arguments = draw.pick(kind.names), tuple(draw.pick(names) for names, _ in kind.arguments)
    properties = {}
    for argument, (_, json_type) in zip(arguments, kind.arguments):
        properties[argument] = {"type": json_type}
        if draw.chance(0.2):
            properties[argument]["description"] = f"The {argument}."
    function = {"name": name, "description": draw.pick(kind.descriptions),
                "parameters": {"type": "object", "properties": properties, "required": list(arguments)}}
    return _Offer(kind, name, arguments, {"type": "function", "function": function})


def _called(offer, values):
    call = {"name": offer.name, "arguments": dict(zip(offer.arguments, values))}
    turn = {"role": "assistant", "content": "",
            "tool_calls": [{"id": "call00001", "type": "function",
                            "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])}}]}
    return turn, call


def _offers(draw, level):
    kinds = draw.several(_KINDS, 1 if level == EASY else draw.between(2, 4))
    return [_offered(draw, kind) for kind in kinds]


def _key(offers, question):
    return json.dumps([[offer.definition["function"]["name"] for offer in offers],
                       [offer.arguments for offer in offers], question])


def _make_call(draw, level):
    offers = _offers(draw, level)
    tools = [offer.definition for offer in offers]
    chosen = draw.pick(offers)
    values, question = chosen.kind.ask(draw)
    if level != EASY and draw.chance(0.15):  # no offered tool helps
        others = [offer for offer in offers if offer is not chosen]
        return Instance("call", level, _key(others, question), asked(question), said(UNKNOWN), None,
                        [offer.definition for offer in others])
    turn, call = _called(chosen, values)
    return Instance("call", level, _key(offers, question), asked(question), turn, call, tools)


def _same_call(expected, reply):
    calls = [call["function"] for call in reply.get("tool_calls") or []]
    if expected is None:
        return 0.0 if calls else same_text(UNKNOWN, reply)
    if len(calls) != 1 or calls[0]["name"] != expected["name"]:
        return 0.0
    try:
        found = json.loads(calls[0]["arguments"])
    except ValueError:
        return 0.0
    return float(found == expected["arguments"])


def _make_result(draw, level):
    offers = _offers(draw, level)
    chosen = draw.pick(offers)
    values, question = chosen.kind.ask(draw)
    result, answer = chosen.kind.find(draw, values)
    turn, _ = _called(chosen, values)
    messages = [*asked(question), turn, {"role": "tool", "tool_call_id": "call00001", "content": json.dumps(result)}]
    call = _key(offers, question)
    return Instance("result", level, json.dumps([call, result]), messages, said(answer), answer,
                    [offer.definition for offer in offers], f"call|{call}")


CALL = Skill("call", _make_call, _same_call)
RESULT = Skill("result", _make_result, same_text)
