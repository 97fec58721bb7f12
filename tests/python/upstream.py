"""A scripted model with the OpenAI API: for a weather prompt it returns reasoning and a tool call, and answers after the tool result."""

import http.server
import json
import threading

QUESTION = "Weather in Oslo?"
THOUGHT = "The forecast will tell."
ANSWER = "It is 4 C in Oslo."
MODEL = "m-large"
CALL = {"name": "forecast", "arguments": '{"city":"Oslo"}'}


def forecast(city: str) -> str:
    """The weather in a city."""
    return f"4 C in {city}"


def complete(request: dict) -> dict:
    answered = any(message["role"] == "tool" for message in request["messages"])
    asking = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": CALL}]}
    return {
        "id": "chat_1", "object": "chat.completion", "created": 1_714_521_600, "model": MODEL,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": ANSWER} if answered else asking,
                     "finish_reason": "stop" if answered else "tool_calls"}],
        "usage": {"prompt_tokens": 50, "completion_tokens": 12, "total_tokens": 62},
    }


def respond(request: dict) -> dict:
    items = request["input"] if isinstance(request["input"], list) else []
    answered = any(item.get("type") == "function_call_output" for item in items)
    text = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": ANSWER, "annotations": []}]}
    asking = [{"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": THOUGHT}]},
              {"type": "function_call", "id": "fc_1", "call_id": "c1", "status": "completed", **CALL}]
    return {
        "id": "resp_1", "object": "response", "created_at": 1_714_521_600, "status": "completed", "model": MODEL,
        "output": [text] if answered else asking, "error": None, "incomplete_details": None, "instructions": None,
        "metadata": {}, "parallel_tool_calls": True, "temperature": 1, "top_p": 1, "tool_choice": "auto", "tools": [],
        "usage": {"input_tokens": 50, "output_tokens": 12, "total_tokens": 62,
                  "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 5}},
    }


SCRIPT = {"/v1/chat/completions": complete, "/v1/responses": respond}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        script = SCRIPT.get(self.path)
        answer = json.dumps(script(request) if script else {"error": {"message": self.path}}).encode()
        self.send_response(200 if script else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_) -> None:
        """Suppresses the access log."""


def start() -> str:
    """Starts the upstream on a free port until the process ends. Returns its URL, which ends in /v1."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1"
