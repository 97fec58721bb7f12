"""Records traces like an SDK: complete calls with parents, and feedback on them."""

import datetime
import secrets
import threading
import time

BATCH = 200
TIMEOUT_SECONDS = 60
GATEWAY_OP = "openai.chat.completions.create"  # the op name of the calls that the gateway records


def moment():
    return datetime.datetime.now(datetime.timezone.utc).isoformat()


def new_trace_id():
    return secrets.token_hex(16)


def new_call_id():
    return secrets.token_hex(8)  # the format of OpenTelemetry span ids, so that `traceparent` can refer to the call


class Recorder:
    """Sends the calls of a project in batches. Thread-safe."""

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
        """Counts one more completion that the gateway will record."""
        with self._lock:
            self._answers += 1

    def call(self, trace_id, op_name, inputs, output, started_at, *, call_id=None, parent_id=None, attributes=None,
             thread_id=None, usage=None):
        """Records a call that has just ended. With `thread_id` it is a turn of that conversation."""
        identifier = call_id or new_call_id()
        return {"project_id": self.project, "id": identifier, "trace_id": trace_id, "parent_id": parent_id,
                "op_name": op_name, "started_at": started_at, "ended_at": moment(), "inputs": inputs, "output": output,
                "attributes": attributes or {}, "summary": {"usage": usage} if usage else {}, "thread_id": thread_id,
                "turn_id": identifier if thread_id else None}

    def judge(self, scores):
        """Sends feedback of the verifier, given as (call id, score) pairs."""
        rows = [{"project_id": self.project, "svc_ref": f"svc:///{self.project}/call/{call}",
                 "feedback_type": "verifier", "payload": {"score": score, "right": score == 1}}
                for call, score in scores]
        for begin in range(0, len(rows), BATCH):
            self._client.post("/feedback/batch/create", {"batch": rows[begin:begin + BATCH]})

    def wait_for_answers(self):
        """Waits until the gateway has recorded all completions, which it does shortly after each response."""
        body = {"project_id": self.project, "filter": {"op_names": [GATEWAY_OP]}}
        for _ in range(TIMEOUT_SECONDS * 20):
            if (found := self._client.post("/calls/query_stats", body)["count"]) >= self._answers:
                return found
            time.sleep(0.05)
        raise TimeoutError(f"only {found} of {self._answers} completions were recorded")
