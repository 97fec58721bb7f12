// A fake vLLM server: a base model, and LoRA adapters that are loaded and unloaded by name. Beside it runs a fake
// adapter receiver. A test can replace the response to a request, hold requests, and restart the server.

import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import * as http from "node:http";
import { join } from "node:path";

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/**
 * Starts the server on a free port.
 *
 * base    name of the base model
 * files   read adapter files from `lora_path`, as vLLM does; otherwise every path is accepted
 */
export async function startVllm({ base = "base", files = true } = {}) {
  const vllm = new Vllm(base, files);
  vllm.server.listen(0, "127.0.0.1");
  await once(vllm.server, "listening");
  return vllm;
}

class Vllm {
  /** Loaded adapters: name to path. */
  adapters = new Map();
  /** Requests: {line, body, headers}; `line` is the method, the path and the adapter. */
  requests = [];
  /** Files that the receiver got: path to bytes. */
  received = new Map();
  /** Called before every request, may wait; a returned {status, body} replaces the response. */
  script = undefined;

  constructor(base, files) {
    this.base = base;
    this.files = files;
    this.server = http.createServer((incoming, outgoing) => this.#serve(incoming, outgoing));
  }

  get url() {
    return `http://127.0.0.1:${this.server.address().port}/v1`;
  }
  get receiver() {
    return `http://127.0.0.1:${this.server.address().port}/receiver`;
  }

  /** Forgets all adapters, as a restarted server does. */
  restart() {
    this.adapters.clear();
  }

  count(prefix) {
    return this.requests.filter(({ line }) => line.startsWith(prefix)).length;
  }

  close() {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }

  async #serve(incoming, outgoing) {
    const pieces = [];
    try {
      for await (const piece of incoming) pieces.push(piece);
    } catch {
      return; // the client disconnected
    }
    const bytes = Buffer.concat(pieces);
    const isJson = incoming.headers["content-type"] === "application/json";
    const body = isJson && bytes.length > 0 ? JSON.parse(bytes) : undefined;
    const name = body?.lora_name ?? body?.model ?? "";
    const request = { line: `${incoming.method} ${incoming.url} ${name}`.trim(), body, headers: incoming.headers };
    this.requests.push(request);
    const scripted = await this.script?.(request);
    const { status, body: answer, type = "application/json" } = scripted ?? this.#answer(incoming, body, bytes);
    const text = typeof answer === "string" ? answer : JSON.stringify(answer);
    outgoing.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text) }).end(text);
  }

  #answer(incoming, body, bytes) {
    const error = (status, message, type) => ({ status, body: { error: { message, type, param: null, code: status } } });
    const path = incoming.url;
    if (path.startsWith("/receiver/")) return this.#receive(incoming.method, path.slice("/receiver/".length), bytes);
    if (path === "/v1/models") {
      const data = [this.base, ...this.adapters.keys()].map((id) => ({ id, object: "model" }));
      return { status: 200, body: { object: "list", data } };
    }
    if (path === "/v1/load_lora_adapter") {
      const { lora_name, lora_path } = body;
      if (this.adapters.has(lora_name)) return error(400, `The lora adapter '${lora_name}' has already been loaded.`, "InvalidUserInput");
      const missing = ["adapter_config.json", "adapter_model.safetensors"].some((file) => !existsSync(join(lora_path, file)));
      if (this.files && missing) return error(404, `Loading lora ${lora_name} failed: No adapter found for ${lora_path}`, "NotFoundError");
      if (this.files) JSON.parse(readFileSync(join(lora_path, "adapter_config.json")));
      this.adapters.set(lora_name, lora_path);
      return { status: 200, body: `Success: LoRA adapter '${lora_name}' added successfully.`, type: "text/plain" };
    }
    if (path === "/v1/unload_lora_adapter") {
      if (!this.adapters.delete(body.lora_name)) return error(404, `The lora adapter '${body.lora_name}' cannot be found.`, "NotFoundError");
      return { status: 200, body: "Success", type: "text/plain" };
    }
    if (body.model !== this.base && !this.adapters.has(body.model)) return error(404, `The model \`${body.model}\` does not exist.`, "NotFoundError");
    if (body.stream) return { status: 200, body: this.#stream(body), type: "text/event-stream" };
    const message = { role: "assistant", content: `from ${body.model}` };
    return { status: 200, body: { id: "chatcmpl-1", object: "chat.completion", created: 1, model: body.model, choices: [{ index: 0, message, finish_reason: "stop" }], usage: USAGE } };
  }

  #stream(body) {
    const chunk = (fields) => `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: body.model, choices: [], ...fields })}\n\n`;
    const choices = [{ index: 0, delta: { content: `from ${body.model}` }, finish_reason: "stop" }];
    return `${chunk({ choices })}${body.stream_options?.include_usage ? chunk({ usage: USAGE }) : ""}data: [DONE]\n\n`;
  }

  #receive(method, path, bytes) {
    if (method === "PUT") {
      this.received.set(path, bytes);
      return { status: 200, body: {} };
    }
    const complete = ["adapter_config.json", "adapter_model.safetensors"].every((file) => this.received.has(`${path}/${file}`));
    return { status: complete ? 200 : 404, body: {} };
  }
}
