"""The evaluation: the same held-out orders for every model, stored in Spindle as an evaluation with runs."""

import concurrent.futures
import dataclasses
import inspect
import math
import statistics

import desk
from evaluate import interval  # from nano/: the 95 % Wilson interval

SCORER = "verifier"
AT_A_TIME = 4


@dataclasses.dataclass(frozen=True)
class Share:
    """The number of right answers, with a 95 % confidence interval of their share."""

    right: int
    asked: int

    @property
    def share(self):
        return self.right / self.asked if self.asked else 0.0

    @property
    def interval(self):
        return interval(self.right, self.asked)

    def __str__(self):
        low, high = self.interval
        return (f"{100 * self.share:.0f} % right ({self.right} of {self.asked}; "
                f"95 %: {100 * low:.0f}–{100 * high:.0f} %)")


@dataclasses.dataclass(frozen=True)
class Reward:
    """The mean of scores from 0 to 1, with a 95 % confidence interval (normal distribution)."""

    mean: float
    low: float
    high: float
    count: int

    @staticmethod
    def of(scores):
        mean = statistics.fmean(scores)
        half = 1.96 * statistics.pstdev(scores) / math.sqrt(len(scores))
        return Reward(mean, max(0.0, mean - half), min(1.0, mean + half), len(scores))


@dataclasses.dataclass(frozen=True)
class Result:
    """One evaluation run."""

    name: str
    model: str
    run_id: str
    outcomes: list

    def of(self, task):
        scores = [outcome.score for outcome in self.outcomes if outcome.order.task == task]
        return Share(sum(score == 1 for score in scores), len(scores))

    def all(self):
        return Share(sum(outcome.score == 1 for outcome in self.outcomes), len(self.outcomes))


@dataclasses.dataclass(frozen=True)
class Difference:
    """The improvement of one run over another on the same orders, with the server's 95 % bootstrap interval."""

    mean: float
    low: float
    high: float
    wins: int
    losses: int

    def __str__(self):
        return (f"{100 * self.mean:+.0f} points (95 %: {100 * self.low:+.0f} to {100 * self.high:+.0f}); "
                f"{self.wins} order{'' if self.wins == 1 else 's'} better, {self.losses} worse")


class Exam:
    """A dataset, a scorer and an evaluation in a project."""

    def __init__(self, client, project, orders):
        self._client, self._project, self._orders = client, project, orders
        rows = [self._row(order) for order in orders]
        dataset = self._make("datasets", {"name": "held-out-orders", "rows": rows})
        self._scorer = self._make("scorers", {"name": SCORER,
                                              "op_source_code": inspect.getsource(desk.Order.score)})["scorer"]
        self._evaluation = self._make("evaluations", {
            "name": "order-desk-exam", "scorers": [self._scorer],
            "dataset": f"svc:///{project}/object/{dataset['object_id']}:{dataset['digest']}"})["evaluation_ref"]

    def _make(self, path, body):
        return self._client.post(f"/v2/{self._project}/{path}", body)

    @staticmethod
    def _row(order):
        return {"question": order.question(order.items), "expected": order.right_answer(), "task": order.task,
                "order": order.number}

    def sit(self, name, agent, told):
        """Runs the agent on all orders and stores the outcomes as an evaluation run."""
        model = self._make("models", {"name": "order-desk", "source_code": inspect.getsource(type(agent)),
                                      "attributes": {"model": agent.model, "exam": name}})["model_ref"]
        run = self._make("evaluation_runs", {"evaluation": self._evaluation, "model": model})["evaluation_run_id"]
        outcomes = agent.run_all(self._orders, {"phase": name}, told)
        with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
            list(pool.map(lambda outcome: self._keep(run, model, outcome), outcomes))
        self._make(f"evaluation_runs/{run}/finish", {"summary": {"exam": name}})
        return Result(name, agent.model, run, outcomes)

    def _keep(self, run, model, outcome):
        prediction = self._make("predictions", {
            "evaluation_run_id": run, "model": model, "inputs": self._row(outcome.order),
            "output": outcome.answer,
            "genai_span_ref": [{"trace_id": outcome.trace_id, "span_id": outcome.call_id}]})["prediction_id"]
        self._make("scores", {"evaluation_run_id": run, "prediction_id": prediction, "scorer": self._scorer,
                              "value": {"right": outcome.score == 1, "score": outcome.score}})
        self._make(f"predictions/{prediction}/finish", {})

    def compare(self, before, after, task=None):
        """Compares two runs order by order, on the server."""
        body = {"evaluation_call_ids": [before.run_id, after.run_id], "include_rows": False,
                "compare": {"metrics": [f"{SCORER}.right"]}}
        if task:
            body["filters"] = [{"query": {"$expr": {"$eq": [{"$getField": "inputs.task"}, {"$literal": task}]}}}]
        comparison = self._make("eval_results/query", body)["comparison"]
        found = comparison["evaluations"][0]["metrics"][0]
        return Difference(found["mean_difference"], found["interval"]["low"], found["interval"]["high"], found["wins"],
                          found["losses"])
