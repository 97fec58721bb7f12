"""The order desk: orders, requests about them, the tool that finds them, and the verifier of answers."""

import dataclasses
import pathlib
import sys
import typing

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "nano"))

import skills  # noqa: E402

REVERSE, SORT = "reverse", "sort"
TASKS = (REVERSE, SORT)
TITLES = {REVERSE: "the way back", SORT: "by price"}
# The desk's wording for a skill that the model knows under another wording.
PRICES_REQUEST = "Lowest to highest: {items}"
DRAW = 7  # the seed of all orders, so that every run has the same orders
FIRST_NUMBER = 1000

TOOL = {"type": "function",
        "function": {"name": "find_order", "description": "Look up an order.",
                     "parameters": {"type": "object", "properties": {"order_id": {"type": "integer"}},
                                    "required": ["order_id"]}}}


@dataclasses.dataclass(frozen=True)
class Order:
    """An order and a request about it. `request` has a placeholder for the items, which only the tool returns."""

    number: int
    task: str
    request: str
    items: tuple
    expected: typing.Any

    def question(self, items):
        return self.request.format(items=", ".join(items))

    def customer_request(self):
        """Returns the request as the customer makes it, without the items."""
        return self.question([f"the items of order {self.number}"])

    def right_answer(self):
        return ", ".join(map(str, self.expected))

    def score(self, answer):
        """Returns the score of the skill's verifier, from 0 to 1 (right)."""
        return skills.score({"skill": self.task, "expected": self.expected}, {"content": answer})


def _orders(task, split, count, first):
    level = skills.HARD if task == REVERSE else skills.EASY
    for number, instance in enumerate(skills.instances(task, split, count, DRAW, level), first):
        if task == REVERSE:
            items = tuple(reversed(instance.expected))
            request = instance.messages[-1]["content"].replace(", ".join(items), "{items}", 1)
        else:
            items = tuple(instance.key.strip("[]").split(", "))
            request = PRICES_REQUEST
        yield Order(number, task, request, items, instance.expected)


class OrderBook:
    """All orders of the demo. Held-out orders are used only in evaluations, never in training."""

    def __init__(self, asked, taught, tried):
        self.exam, self.taught, self.tried = [], [], []
        for orders, task, split, count in ((self.exam, REVERSE, skills.HELD_OUT, asked),
                                           (self.exam, SORT, skills.HELD_OUT, asked),
                                           (self.taught, REVERSE, skills.TRAINING, taught),
                                           (self.tried, SORT, skills.TRAINING, tried)):
            orders += _orders(task, split, count, FIRST_NUMBER + self._size())
        self._by_number = {order.number: order for order in self.exam + self.taught + self.tried}

    def _size(self):
        return len(self.exam) + len(self.taught) + len(self.tried)

    def find(self, number):
        """Returns the result of the tool `find_order`."""
        order = self._by_number.get(number)
        return {"items": list(order.items)} if order else {"error": f"there is no order {number}"}
