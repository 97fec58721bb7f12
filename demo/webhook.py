"""The webhook endpoint, which accepts only signed requests, and the automations that call it."""

import base64
import dataclasses
import hashlib
import hmac
import http.server
import json
import secrets
import threading
import time

OLDEST_SECONDS = 300


def signature(secret, body):
    """Returns the value of `X-Svc-Signature`."""
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def standard_signature(secret, message_id, timestamp, body):
    """Returns the value of `Webhook-Signature` (standardwebhooks.com)."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(secret.encode(), signed, hashlib.sha256).digest()).decode()


def is_genuine(secret, headers, body, now=None):
    """Returns true if both signatures are valid and the request is no replay of an old one."""
    timestamp = headers.get("Webhook-Timestamp", "")
    if not timestamp.isdigit() or abs((time.time() if now is None else now) - int(timestamp)) > OLDEST_SECONDS:
        return False
    standard = standard_signature(secret, headers.get("Webhook-Id", ""), timestamp, body)
    offered = headers.get("Webhook-Signature", "").split(" ")
    plain = hmac.compare_digest(signature(secret, body), headers.get("X-Svc-Signature", ""))
    return plain and any(hmac.compare_digest(standard, one) for one in offered)


@dataclasses.dataclass(frozen=True)
class Call:
    """A received request."""

    event: str
    headers: dict
    body: dict
    genuine: bool


class Receiver:
    """Listens on a free local port until it is closed. Requests may arrive on any thread."""

    def __init__(self):
        self.secret = secrets.token_hex(24)
        self.calls = []
        self._came = threading.Condition()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                genuine = receiver.take(self.headers, body)
                self.send_response(204 if genuine else 401)
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/desk"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def take(self, headers, body):
        genuine = is_genuine(self.secret, headers, body)
        call = Call(headers.get("X-Svc-Event", ""), dict(headers.items()), json.loads(body) if genuine else {}, genuine)
        with self._came:
            self.calls.append(call)
            self._came.notify_all()
        return genuine

    def wait(self, event, count=1, seconds=30):
        """Waits for `count` valid requests for that event and returns them; fewer after a timeout."""
        def found():
            return [call for call in self.calls if call.genuine and call.event == event]
        with self._came:
            self._came.wait_for(lambda: len(found()) >= count, seconds)
            return found()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def automate(client, project, receiver):
    """Creates automations that call the receiver when a training job completes and when a version gets the alias `production`."""
    team, name = project.split("/")
    client.post(f"/api/v1/teams/{team}/secrets", {"name": "DESK_SECRET", "value": receiver.secret})
    webhook = client.post(f"/api/v1/teams/{team}/webhooks", {"name": "desk", "url_endpoint": receiver.url,
                                                             "secret_ref": "DESK_SECRET"})
    payload = {"event": "${event_type}", "what": "${artifact_version_string}", "by": "${event_author}", "at": "${event_time}"}
    for automation, event in (("lesson-over", {"type": "TRAINING_JOB_FINISHED"}),
                              ("to-production", {"type": "ADD_ARTIFACT_ALIAS", "alias_regex": "^production$"})):
        client.post("/api/v1/automations", {
            "name": automation, "scope": {"type": "project", "team": team, "project": name}, "event": event,
            "action": {"type": "webhook", "webhook_id": webhook["id"], "payload": json.dumps(payload)}})
