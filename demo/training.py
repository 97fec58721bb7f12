"""Training through the training API: with examples (SFT), then with rewards (RL)."""

import dataclasses
import json
import math
import time

from agent import AGENT, EXPERT

POLL_SECONDS = 0.5
TIMEOUT_SECONDS = 300
WARM_UP = 0.1
REWARD = {"feedback_type": "verifier", "path": "score"}


class Failed(Exception):
    """A training job failed."""


@dataclasses.dataclass
class Lesson:
    """A finished job with its metrics by step."""

    name: str
    job_id: str
    steps: list
    seconds: float

    def series(self, name):
        return [step[name] for step in self.steps if name in step]


def schedule(batches, peak):
    """Returns a learning rate for each batch: linear warm-up, cosine decay."""
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
    """The model `name` of a project. Starts as its base model; each training job publishes a checkpoint."""

    def __init__(self, client, project, name, base_model):
        self._client, self._project, self.name = client, project, name
        team, project_name = project.split("/")
        self.model = client.post("/v1/preview/models", {"entity": team, "project": project_name, "name": name,
                                                        "base_model": base_model})
        self.step = 0

    def address(self, alias=None):
        """Returns the `model` of a request for it."""
        return f"svc-artifact:///{self._project}/{self.name}:{alias or f'step{self.step}'}"

    def examples(self, name):
        """Exports the expert's traces with right answers, by feedback, as an artifact for SFT."""
        return self._client.post("/api/v1/trajectories", {
            "project": self._project, "name": name, "format": "sft", "unit": "trace",
            "filter": {"op_names": [EXPERT], "trace_roots_only": True}, "reward": REWARD, "min_reward": 1})

    def groups(self, name, lesson):
        """Exports the agent's traces of one phase as trajectory groups: one group per order, with rewards."""
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
        """Polls the job's events until it has ended. Calls `told` with (steps so far, total steps, seconds left)."""
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
            if time.monotonic() - heard > TIMEOUT_SECONDS:
                raise Failed(f"{name}: nothing was heard of the job for {TIMEOUT_SECONDS} s")
            detail = self._client.get(f"/api/v1/training-jobs/{job['id']}")
            if detail["status"] == "CANCELLED":
                raise Failed(f"{name}: the job was cancelled")
            told(steps, total, detail["seconds_left"])
            time.sleep(POLL_SECONDS)

    def give_alias(self, alias):
        """Sets the alias on the version of the last training job."""
        self._client.put(f"{self._versions(self.name)}/step{self.step}/aliases/{alias}")
        return self._client.get(f"{self._versions(self.name)}/{alias}")

    def _versions(self, collection):
        return f"/api/v1/projects/{self._project}/collections/{collection}/versions"
