"""A client for Spindle that uses only Python's standard library."""

import http.client
import json
import threading
import urllib.parse

TIMEOUT_SECONDS = 300


class Refused(Exception):
    """An error response of the server."""

    def __init__(self, method, path, status, text):
        super().__init__(f"{method} {path} was answered with {status}: {text[:500]}")
        self.status = status


class Client:
    """Sends requests with one API key. Thread-safe: each thread has its own persistent connection."""

    def __init__(self, url, key):
        self.url = url
        self._host = urllib.parse.urlsplit(url).netloc
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self._local = threading.local()

    def get(self, path):
        return json.loads(self.send("GET", path))

    def post(self, path, body, headers=None):
        answer = self.send("POST", path, body, headers)
        return json.loads(answer) if answer else None

    def put(self, path, body=None):
        answer = self.send("PUT", path, body)
        return json.loads(answer) if answer else None

    def lines(self, method, path, body=None):
        """Returns the lines of a JSONL response."""
        return [json.loads(line) for line in self.send(method, path, body).splitlines() if line]

    def send(self, method, path, body=None, headers=None):
        """Returns the bytes of the response. Reconnects once if the server has closed the connection."""
        content = None if body is None else json.dumps(body)
        for fresh in (False, True):
            connection = self._connection(fresh)
            try:
                connection.request(method, path, content, {**self._headers, **(headers or {})})
                answer = connection.getresponse()
                text = answer.read()
            except (ConnectionError, http.client.BadStatusLine):
                if fresh:
                    raise
                continue
            if answer.status >= 300:
                raise Refused(method, path, answer.status, text.decode(errors="replace"))
            return text
        raise AssertionError("not reached")

    def _connection(self, fresh):
        if fresh or not hasattr(self._local, "connection"):
            self._local.connection = http.client.HTTPConnection(self._host, timeout=TIMEOUT_SECONDS)
        return self._local.connection
