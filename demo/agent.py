"""The workers at the order desk: an agent that uses a model, and an expert that answers by rule.

A run of the agent is one trace: the root call `order_desk` with three children: the model that calls the tool, the tool,
and the model that answers. Spindle's gateway records the two model calls and finds their parent by `traceparent`; this
module records the root and the tool.
"""

import collections
import concurrent.futures
import dataclasses
import json

import tracing
from desk import TOOL

AGENT, EXPERT = "order_desk", "expert"
SYSTEM = {"role": "system", "content": "Be exact."}
AT_A_TIME = 8


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The outcome of one run."""

    order: object
    trace_id: str
    call_id: str
    answer: str
    score: float


class Agent:
    """Requests `model` through the gateway; with a temperature above 0 every run is another sample. Caches orders, so that
    it looks up each order once."""

    def __init__(self, client, recorder, book, model, temperature=0.0):
        self._client, self._recorder, self._book = client, recorder, book
        self.model, self._temperature = model, temperature
        self._known = {}

    def run_all(self, orders, attributes, told=lambda done: None):
        """Returns the outcomes in the order of `orders`. Calls `told` with the number of finished runs."""
        pool = concurrent.futures.ThreadPoolExecutor(AT_A_TIME)
        try:
            running = [pool.submit(self.run, order, attributes, seed) for seed, order in enumerate(orders)]
            for done, finished in enumerate(concurrent.futures.as_completed(running), 1):
                finished.result()
                told(done)
            outcomes = [finished.result() for finished in running]
        finally:
            pool.shutdown(cancel_futures=True)
        self._recorder.flush()
        self._recorder.judge((outcome.call_id, outcome.score) for outcome in outcomes)
        return outcomes

    def run(self, order, attributes, seed):
        trace_id, root = tracing.new_trace_id(), tracing.new_call_id()
        began = tracing.moment()
        calls, usage = [], collections.Counter()
        items = self._known.get(order.number) or self._look_up(order, trace_id, root, calls, usage)
        answer = self._say(trace_id, root, [SYSTEM, {"role": "user", "content": order.question(items)}], usage,
                           sampling=self._sampling(seed))
        text = (answer["content"] or "").strip()
        calls.append(self._recorder.call(trace_id, AGENT, {"request": order.customer_request(), "order": order.number},
                                         text, began, call_id=root, thread_id=f"order-{order.number}",
                                         attributes={"agent": "order-desk", "task": order.task, **attributes},
                                         usage={self.model: usage}))
        self._recorder.add(calls)
        return Outcome(order, trace_id, root, text, order.score(text))

    def _look_up(self, order, trace_id, root, calls, usage):
        """Returns the items if the model calls the tool correctly; otherwise none, and the answer will be wrong."""
        said = self._say(trace_id, root, [{"role": "user", "content": f"Check order {order.number}."}], usage, [TOOL])
        for wanted in said.get("tool_calls") or []:
            try:
                arguments = json.loads(wanted["function"]["arguments"])
                number = arguments["order_id"]
            except (ValueError, KeyError, TypeError):
                continue
            began = tracing.moment()
            found = self._book.find(number)
            calls.append(self._recorder.call(trace_id, TOOL["function"]["name"], arguments, found, began,
                                             parent_id=root))
            self._known[order.number] = found.get("items", [])
            return self._known[order.number]
        return []

    def _sampling(self, seed):
        if self._temperature == 0:
            return {}
        # RL needs the tokens of a sample and their log probabilities.
        return {"temperature": self._temperature, "seed": seed, "logprobs": True, "return_token_ids": True}

    def _say(self, trace_id, root, messages, usage, tools=None, sampling=None):
        """Returns the model's message. Adds the tokens to `usage`, for the root call, as the SDKs do."""
        body = {"model": self.model, "messages": messages, "max_tokens": 64, "temperature": 0} | (sampling or {})
        if tools:
            body["tools"] = tools
        headers = {"Compat-Project": self._recorder.project, "traceparent": f"00-{trace_id}-{root}-01"}
        self._recorder.expect_answer()
        response = self._client.post("/v1/chat/completions", body, headers)
        usage["requests"] += 1
        for name in ("prompt_tokens", "completion_tokens", "total_tokens"):
            usage[name] += response["usage"][name]
        return response["choices"][0]["message"]


class Expert:
    """Answers correctly, by rule. Its runs are traced in the same format, under `expert`."""

    def __init__(self, recorder, book):
        self._recorder, self._book = recorder, book

    def run_all(self, orders):
        outcomes = [self._run(order) for order in orders]
        self._recorder.flush()
        self._recorder.judge((outcome.call_id, outcome.score) for outcome in outcomes)
        return outcomes

    def _run(self, order):
        trace_id, root = tracing.new_trace_id(), tracing.new_call_id()
        began = tracing.moment()
        looked_up = tracing.moment()
        found = self._book.find(order.number)
        answered = tracing.moment()
        answer = order.right_answer()
        messages = [SYSTEM, {"role": "user", "content": order.question(found["items"])}]
        self._recorder.add([
            self._recorder.call(trace_id, TOOL["function"]["name"], {"order_id": order.number}, found, looked_up,
                                parent_id=root),
            self._recorder.call(trace_id, "expert.answer", {"messages": messages},
                                {"role": "assistant", "content": answer}, answered, parent_id=root),
            self._recorder.call(trace_id, EXPERT, {"request": order.customer_request(), "order": order.number}, answer,
                                began, call_id=root, attributes={"agent": EXPERT, "task": order.task})])
        return Outcome(order, trace_id, root, answer, order.score(answer))
