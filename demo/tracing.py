"""Traces, recorded as an SDK would: calls with parents, sent whole, and feedback on them."""

import datetime
import secrets
import threading
import time

BATCH = 200
PATIENCE_SECONDS = 60
GATEWAY_OP = "openai.chat.completions.create"  # what the gateway calls the answers that it records


def moment():
    return datetime.datetime.now(datetime.timezone.utc).isoformat()


def new_trace_id():
    return secrets.token_hex(16)


def new_call_id():
    return secrets.token_hex(8)  # as OpenTelemetry has them, so that `traceparent` can name the call


class Recorder:
    """Sends the calls of a project in batches. Threads may share it."""

    def __init__(self, client, project):
        self._client, self.project = client, project
        self._lock = threading.Lock()
        self._waiting = []
        self._answers = 0

    def add(self, calls):
        with self._lock:
            self._waiting += calls
            if len(self._waiting) < BATCH:
                return
            ready, self._waiting = self._waiting, []
        self._send(ready)

    def flush(self):
        with self._lock:
            ready, self._waiting = self._waiting, []
        self._send(ready)

    def _send(self, calls):
        if calls:
            self._client.post(f"/v2/{self.project}/calls/complete", {"batch": calls})

    def expect_answer(self):
        """The gateway will record one more."""
        with self._lock:
            self._answers += 1

    def call(self, trace_id, op_name, inputs, output, started_at, *, call_id=None, parent_id=None, attributes=None):
        """A call that has just ended."""
        return {"project_id": self.project, "id": call_id or new_call_id(), "trace_id": trace_id,
                "parent_id": parent_id, "op_name": op_name, "started_at": started_at, "ended_at": moment(),
                "inputs": inputs, "output": output, "attributes": attributes or {}, "summary": {}}

    def judge(self, scores):
        """Feedback of the verifier: (call id, score) each."""
        rows = [{"project_id": self.project, "svc_ref": f"svc:///{self.project}/call/{call}",
                 "feedback_type": "verifier", "payload": {"score": score, "right": score == 1}}
                for call, score in scores]
        for begin in range(0, len(rows), BATCH):
            self._client.post("/feedback/batch/create", {"batch": rows[begin:begin + BATCH]})

    def wait_for_answers(self):
        """The gateway records its answers a moment after it has given them: until all are there."""
        wish = {"project_id": self.project, "filter": {"op_names": [GATEWAY_OP]}}
        for _ in range(PATIENCE_SECONDS * 20):
            if (found := self._client.post("/calls/query_stats", wish)["count"]) >= self._answers:
                return found
            time.sleep(0.05)
        raise TimeoutError(f"{found} of {self._answers} answers were recorded")
