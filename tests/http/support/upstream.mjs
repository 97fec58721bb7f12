// A fake upstream with an OpenAI-compatible API, controlled by a test.

import * as http from "node:http";

/**
 * Starts the upstream on a free port. Calls `answer({body, number, headers})` for every chat completion; it
 * returns {status?, headers?, text?, usage?, raw?, hang?, drop?}: `text` is the assistant's message, `raw` a
 * complete body, `hang` never responds, `drop` closes the connection.
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

  /** The value for SPINDLE_EVALUATION_UPSTREAM_URL. */
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

/** Returns the last user message of a request. */
export function question({ body }) {
  return body.messages.at(-1).content;
}
