"""The official client with the gateway and a fake upstream: tools, streams, errors, retries."""

import http.server
import json
import threading
import unittest

import openai
from openai import OpenAI

import support

USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
TOOL = {"type": "function", "function": {"name": "add", "parameters": {"type": "object", "properties": {}}}}


def whole(message: dict, reason: str = "stop") -> dict:
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "usage": USAGE,
            "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}]}


class Handler(http.server.BaseHTTPRequestHandler):
    """Sends the responses in `answers`, (status, headers, body), one after another."""

    protocol_version = "HTTP/1.1"
    answers: list[tuple[int, dict, bytes]] = []
    asked: list[dict] = []

    def do_POST(self) -> None:
        Handler.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        status, headers, body = Handler.answers.pop(0)
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments) -> None:
        pass


def script(*answers: tuple[int, dict, object]) -> None:
    Handler.asked = []
    Handler.answers = [(status, headers, body if isinstance(body, bytes) else json.dumps(body).encode())
                       for status, headers, body in answers]


class ScriptedUpstream(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.upstream = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=cls.upstream.serve_forever, daemon=True).start()
        cls.server = support.Server({"SPINDLE_INFERENCE_DEFAULT_MODEL": "none"})
        url = f"http://127.0.0.1:{cls.upstream.server_port}/v1"
        cls.server.post("/api/v1/upstreams", {"name": "scripted", "url": url, "health_path": ""}, status=201)
        cls.server.post("/api/v1/models", {"name": "m", "targets": [{"upstream": "scripted"}]}, status=201)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.server.stop()
        cls.upstream.shutdown()
        cls.upstream.server_close()

    def ask(self, retries: int = 0, **more):
        client = OpenAI(base_url=f"{self.server.url}/v1", api_key=support.ADMIN_KEY, max_retries=retries)
        return client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}], **more)

    def test_answer_and_usage(self) -> None:
        script((200, {}, whole({"content": "hello"})))
        answer = self.ask(extra_body={"unheard_of": [1, 2.5]})
        self.assertEqual(answer.choices[0].message.content, "hello")
        self.assertEqual(answer.usage.total_tokens, 15)
        self.assertEqual(Handler.asked[0]["unheard_of"], [1, 2.5])

    def test_tool_calls(self) -> None:
        call = {"id": "call_1", "type": "function", "function": {"name": "add", "arguments": "{}"}}
        script((200, {}, whole({"content": None, "tool_calls": [call]}, "tool_calls")))
        [choice] = self.ask(tools=[TOOL]).choices
        self.assertEqual(choice.finish_reason, "tool_calls")
        self.assertEqual(choice.message.tool_calls[0].function.name, "add")

    def test_a_stream(self) -> None:
        chunks = [{"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
                   "choices": [{"index": 0, "delta": {"content": word}}]} for word in ("hel", "lo")]
        events = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
        script((200, {"Content-Type": "text/event-stream"}, events.encode()))
        self.assertEqual("".join(chunk.choices[0].delta.content for chunk in self.ask(stream=True)), "hello")

    def test_error_classes(self) -> None:
        refusal = {"error": {"message": "no", "type": "invalid_request_error", "param": None, "code": None}}
        script((400, {}, refusal))
        with self.assertRaises(openai.BadRequestError):
            self.ask()
        with self.assertRaises(openai.UnprocessableEntityError):
            self.ask(n=0)
        with self.assertRaises(openai.AuthenticationError):
            self.ask(extra_headers={"OpenAI-Project": "nonsense"})

    def test_client_retries_when_requested(self) -> None:
        script((429, {"Retry-After": "0"}, {"error": {"message": "busy"}}), (200, {}, whole({"content": "at last"})))
        self.assertEqual(self.ask(retries=3).choices[0].message.content, "at last")


if __name__ == "__main__":
    unittest.main()
