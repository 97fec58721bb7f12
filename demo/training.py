"""Learning, through the Training API: from examples, then from rewards."""

import dataclasses
import json
import math
import time

from agent import AGENT, EXPERT

POLL_SECONDS = 0.5
PATIENCE_SECONDS = 300
WARM_UP = 0.1
REWARD = {"feedback_type": "verifier", "path": "score"}


class Failed(Exception):
    """A job that did not end well."""


@dataclasses.dataclass
class Lesson:
    """A job that is over: its numbers, step by step."""

    name: str
    job_id: str
    steps: list
    seconds: float

    def series(self, name):
        return [step[name] for step in self.steps if name in step]


def schedule(batches, peak):
    """A rate for each batch: up in a straight line, down as a cosine."""
    warm = int(batches * WARM_UP)
    rates = []
    for step in range(batches):
        if step < warm:
            rates.append(peak * (step + 1) / warm)
        else:
            way = (step - warm) / max(1, batches - warm - 1)
            rates.append(peak * 0.5 * (1 + math.cos(math.pi * way)))
    return rates


class School:
    """The model `name` of a project, which begins as its base model and gets a step better with each lesson."""

    def __init__(self, client, project, name, base_model):
        self._client, self._project, self.name = client, project, name
        team, project_name = project.split("/")
        self.model = client.post("/v1/preview/models", {"entity": team, "project": project_name, "name": name,
                                                        "base_model": base_model})
        self.step = 0

    def address(self, alias=None):
        """What `model` of a request says to ask it."""
        return f"svc-artifact:///{self._project}/{self.name}:{alias or f'step{self.step}'}"

    def examples(self, name):
        """Of the expert's traces whose feedback says that they are right: an artifact to learn from."""
        return self._client.post("/api/v1/trajectories", {
            "project": self._project, "name": name, "format": "sft", "unit": "trace",
            "filter": {"op_names": [EXPERT], "trace_roots_only": True}, "reward": REWARD, "min_reward": 1})

    def groups(self, name, lesson):
        """Of the agent's own traces of one lesson: attempts at the same order stand together, each with its reward."""
        made = self._client.post("/api/v1/trajectories", {
            "project": self._project, "name": name, "format": "rl", "unit": "trace", "group_by": "input",
            "filter": {"op_names": [AGENT], "trace_roots_only": True}, "reward": REWARD,
            "query": {"$expr": {"$eq": [{"$getField": "attributes.phase"}, {"$literal": lesson}]}}})
        return self._client.lines("GET", f"{self._versions(name)}/{made['version']}/files/trajectories.jsonl")

    def learn_from_examples(self, made, batch_size, peak, told):
        batches = math.ceil(made["num_trajectories"] / batch_size)
        job = self._client.post("/v1/preview/sft-training-jobs", {
            "model_id": self.model["id"], "training_data_url": made["artifact"],
            "config": {"batch_size": batch_size, "learning_rate": schedule(batches, peak), "assistant_turns": "last"}})
        return self._follow("SFT", job, told)

    def learn_from_rewards(self, name, groups, config, told):
        job = self._client.post("/v1/preview/training-jobs", {
            "model_id": self.model["id"], "trajectory_groups": groups, "experimental_config": config})
        return self._follow(name, job, told)

    def _follow(self, name, job, told):
        """Polls the job's events until it has ended. `told` hears (steps so far, steps in all, seconds left)."""
        began = heard = time.monotonic()
        path = f"/v1/preview/training-jobs/{job['id']}/events?limit=100"
        after, total, steps = "", 0, []
        while True:
            page = self._client.get(path + after)
            for event in page["data"]:
                after, heard = f"&after={event['id']}", time.monotonic()
                if event["type"] == "training_started":
                    total = event["data"]["num_sequences"]
                elif event["type"] == "gradient_step":
                    steps.append(event["data"])
                elif event["type"] == "training_failed":
                    raise Failed(f"{name}: {event['data'].get('error_message', json.dumps(event['data']))}")
                elif event["type"] == "training_ended":
                    self.step += 1
                    return Lesson(name, job["id"], steps, time.monotonic() - began)
            if page["has_more"]:
                continue
            if time.monotonic() - heard > PATIENCE_SECONDS:
                raise Failed(f"{name}: nothing was heard of the job for {PATIENCE_SECONDS} s")
            detail = self._client.get(f"/api/v1/training-jobs/{job['id']}")
            if detail["status"] == "CANCELLED":
                raise Failed(f"{name}: somebody cancelled the job")
            told(steps, total, detail["seconds_left"])
            time.sleep(POLL_SECONDS)

    def give_alias(self, alias):
        """In the registry, to the version that the last lesson made."""
        self._client.put(f"{self._versions(self.name)}/step{self.step}/aliases/{alias}")
        return self._client.get(f"{self._versions(self.name)}/{alias}")

    def _versions(self, collection):
        return f"/api/v1/projects/{self._project}/collections/{collection}/versions"
