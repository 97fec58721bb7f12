// An OpenAI-compatible API that does what a test tells it to.

import * as http from "node:http";

/**
 * Starts it on a free port. `answer(request)` is asked for every chat completion with {body, number,
 * headers} and gives {status?, headers?, text?, usage?, raw?, hang?, drop?}: the words of the
 * assistant, or `raw` for a body of its own; `hang` never answers, `drop` cuts the connection.
 */
export async function startUpstream(answer) {
  const upstream = new Upstream(answer);
  await new Promise((resolve) => upstream.server.listen(0, "127.0.0.1", resolve));
  return upstream;
}

class Upstream {
  requests = [];

  constructor(answer) {
    this.answer = answer;
    this.server = http.createServer((incoming, outgoing) => this.#serve(incoming, outgoing));
  }

  /** What SPINDLE_EVALUATION_UPSTREAM_URL takes. */
  get url() {
    return `http://127.0.0.1:${this.server.address().port}/v1`;
  }

  async #serve(incoming, outgoing) {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const request = { path: incoming.url, headers: incoming.headers, body, number: this.requests.length };
    this.requests.push(request);
    const { status = 200, headers = {}, text = "", usage, raw, hang, drop } = await this.answer(request);
    if (hang) return;
    if (drop) {
      incoming.socket.destroy();
      return;
    }
    const completion = {
      id: `chatcmpl-${request.number}`,
      object: "chat.completion",
      model: body.model,
      choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
      usage: usage ?? { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    };
    outgoing.writeHead(status, { "content-type": "application/json", ...headers });
    outgoing.end(raw ?? JSON.stringify(completion));
  }

  close() {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }
}

/** The last thing that the user says in a request. */
export function question({ body }) {
  return body.messages.at(-1).content;
}
