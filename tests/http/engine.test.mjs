// The spindle-engine process with the official OpenAI client.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";

import OpenAI from "openai";

import { expectGrowthBelow } from "./support/expect.mjs";
import { ENGINE, Program, makeFolder, removeFolder, residentKilobytes, runSpindle } from "./support/program.mjs";
import { writeTinyModel } from "./support/tiny_model.mjs";

const folder = makeFolder();
let program;
let openai;

const file = join(folder, "tiny.gguf");
writeTinyModel(file);

async function startEngine(args = [], options = {}) {
  const started = new Program(["--model", file, "--threads", "1", "--exact", ...args], { binary: ENGINE, ...options });
  const [, url] = await started.waitForLine(/listening on (\S+)/);
  await started.waitForLine(/model loaded/);
  return { started, url };
}

/** Sends a GET over a Unix socket. */
function askSocket(socketPath, path) {
  return new Promise((resolve, reject) => {
    const asked = httpRequest({ socketPath, path }, (response) => {
      let body = "";
      response.on("data", (piece) => (body += piece)).on("end", () => resolve({ status: response.statusCode, body }));
    });
    asked.on("error", reject).end();
  });
}

before(async () => {
  const { started, url } = await startEngine(["--context", "900", "--slots", "3"]);
  program = started;
  openai = new OpenAI({ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 0 });
});
after(async () => {
  program.signal("SIGTERM");
  assert.equal((await program.ended).code, 0);
  removeFolder(folder);
});

const messages = [{ role: "user", content: "Say something." }];
const ask = (more = {}) => ({ model: "tiny", temperature: 0, max_tokens: 24, messages, ...more });

const tools = [
  {
    type: "function",
    function: {
      name: "add",
      description: "Adds.",
      parameters: {
        type: "object",
        properties: { a: { type: "integer" }, b: { type: "boolean" } },
        required: ["a", "b"],
        additionalProperties: false,
      },
    },
  },
];

test("models are listed", async () => {
  const { data } = await openai.models.list();
  assert.deepEqual(data, [{ id: "tiny", object: "model", created: 0, owned_by: "system", root: "tiny" }]);
});

test("a complete answer and a stream contain the same text", async () => {
  const whole = await openai.chat.completions.create(ask());
  assert.equal(whole.object, "chat.completion");
  assert.equal(whole.choices[0].finish_reason, "length");
  assert.equal(whole.usage.completion_tokens, 24);
  assert.equal(whole.usage.total_tokens, whole.usage.prompt_tokens + 24);
  let text = "";
  let usage;
  const stream = await openai.chat.completions.create(ask({ stream: true, stream_options: { include_usage: true } }));
  for await (const chunk of stream) {
    assert.equal(chunk.object, "chat.completion.chunk");
    text += chunk.choices[0]?.delta.content ?? "";
    usage = chunk.usage ?? usage;
  }
  assert.equal(text, whole.choices[0].message.content);
  assert.equal(usage.completion_tokens, 24);
  assert.ok(usage.prompt_tokens_details.cached_tokens > 0, "the prompt is cached");
});

test("concurrent requests give the same answers as single ones", async () => {
  const prompts = ["a", "bb", "some longer prompt for a change", "d", "ee", "f f f"];
  const request = (content) => ask({ messages: [{ role: "user", content }] });
  const alone = [];
  for (const prompt of prompts) alone.push(await openai.chat.completions.create(request(prompt)));
  const together = await Promise.all(prompts.map((prompt) => openai.chat.completions.create(request(prompt))));
  assert.deepEqual(
    together.map(({ choices }) => choices[0].message.content),
    alone.map(({ choices }) => choices[0].message.content),
  );
});

test("response_format forces JSON answers", async () => {
  for (const seed of [1, 2, 3, 4]) {
    const schema = { type: "object", properties: { ok: { type: "boolean" }, n: { type: "integer" } }, required: ["ok", "n"], additionalProperties: false };
    const response_format = { type: "json_schema", json_schema: { name: "x", strict: true, schema } };
    const { choices } = await openai.chat.completions.create(ask({ response_format, seed, temperature: 1, max_tokens: 300 }));
    assert.equal(choices[0].finish_reason, "stop");
    const value = JSON.parse(choices[0].message.content);
    assert.equal(typeof value.ok, "boolean");
    assert.ok(Number.isInteger(value.n));
    assert.deepEqual(Object.keys(value).sort(), ["n", "ok"]);
  }
});

test("tool_choice forces a tool call", async () => {
  const request = ask({ tools, tool_choice: "required", parallel_tool_calls: false, max_tokens: 400 });
  const { choices } = await openai.chat.completions.create(request);
  assert.equal(choices[0].finish_reason, "tool_calls");
  assert.equal(choices[0].message.content, null);
  const [call] = choices[0].message.tool_calls;
  assert.equal(call.function.name, "add");
  assert.equal(typeof JSON.parse(call.function.arguments).a, "number");

  let name = "";
  let text = "";
  for await (const chunk of await openai.chat.completions.create({ ...request, stream: true })) {
    for (const part of chunk.choices[0].delta.tool_calls ?? []) {
      name += part.function.name ?? "";
      text += part.function.arguments ?? "";
    }
  }
  assert.equal(name, "add");
  assert.equal(text, call.function.arguments);
});

test("a client that disconnects frees its slot", async () => {
  const leaving = Array.from({ length: 3 }, async () => {
    const stream = await openai.chat.completions.create(ask({ stream: true, max_tokens: 800, ignore_eos: true }));
    for await (const chunk of stream) {
      if (chunk.choices[0].delta.content) break; // which aborts the request
    }
  });
  await Promise.all(leaving);
  const { choices } = await openai.chat.completions.create(ask({ max_tokens: 3 }));
  assert.equal(choices[0].finish_reason, "length");
});

test("log probabilities, token ids, several answers", async () => {
  const answer = await openai.chat.completions.create(
    ask({ logprobs: true, top_logprobs: 3, n: 2, max_tokens: 4, temperature: 1, seed: 5, return_token_ids: true, ignore_eos: true }),
  );
  assert.equal(answer.choices.length, 2);
  for (const { logprobs, token_ids } of answer.choices) {
    assert.equal(logprobs.content.length, 4);
    assert.equal(token_ids.length, 4);
    for (const token of logprobs.content) {
      assert.ok(token.logprob <= 0);
      assert.equal(token.top_logprobs.length, 3);
    }
  }
  assert.equal(answer.prompt_token_ids.length, answer.usage.prompt_tokens);
  assert.equal(answer.usage.completion_tokens, 8);
});

test("text completions continue a prompt", async () => {
  const request = { model: "tiny", prompt: ["one", "two"], n: 2, max_tokens: 5, temperature: 0, logprobs: 1, echo: true };
  const whole = await openai.completions.create({ ...request, ignore_eos: true });
  assert.equal(whole.object, "text_completion");
  assert.match(whole.id, /^cmpl-/);
  assert.deepEqual(whole.choices.map(({ index }) => index), [0, 1, 2, 3]);
  assert.equal(whole.usage.completion_tokens, 20);
  assert.equal(whole.choices[0].text, whole.choices[1].text);
  assert.ok(whole.choices[0].text.startsWith("one") && whole.choices[2].text.startsWith("two"));
  const { logprobs } = whole.choices[0];
  assert.equal(logprobs.token_logprobs[0], null);
  assert.equal(logprobs.tokens.length, logprobs.text_offset.length);
  const texts = ["", "", "", ""];
  for await (const chunk of await openai.completions.create({ ...request, ignore_eos: true, stream: true })) {
    for (const { index, text } of chunk.choices) texts[index] += text;
  }
  assert.deepEqual(texts, whole.choices.map(({ text }) => text));
  assert.equal((await openai.completions.create({ model: "tiny", prompt: "a", ignore_eos: true })).usage.completion_tokens, 16);
  await assert.rejects(openai.completions.create({ ...request, suffix: "x" }), OpenAI.BadRequestError);
  await assert.rejects(openai.completions.create({ ...request, best_of: 3 }), OpenAI.BadRequestError);
  await assert.rejects(openai.completions.create({ ...request, model: "other" }), OpenAI.NotFoundError);
});

test("embeddings need an engine that was started with embeddings", async () => {
  const request = { model: "tiny", input: "hello" };
  await assert.rejects(openai.embeddings.create(request), (error) => {
    assert.ok(error instanceof OpenAI.BadRequestError);
    assert.match(error.message, /--embeddings/);
    return true;
  });
  const { started, url } = await startEngine(["--embeddings"]);
  const client = new OpenAI({ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 0 });
  // The client requests Base64 by default and decodes it.
  const decoded = await client.embeddings.create({ ...request, input: ["hello", "other words"] });
  const plain = await client.embeddings.create({ ...request, encoding_format: "float" });
  assert.deepEqual(decoded.data.map(({ index }) => index), [0, 1]);
  assert.equal(plain.data[0].embedding.length, 32);
  for (const { embedding } of [...decoded.data, ...plain.data]) {
    assert.ok(Math.abs(embedding.reduce((sum, number) => sum + number * number, 0) - 1) < 1e-4);
  }
  const product = plain.data[0].embedding.reduce((sum, number, i) => sum + number * decoded.data[0].embedding[i], 0);
  assert.ok(product > 0.999, `${product}`);
  assert.equal(plain.usage.prompt_tokens, plain.usage.total_tokens);
  assert.ok(plain.usage.prompt_tokens > 0);
  const tokens = await client.embeddings.create({ ...request, input: [[1, 2, 3], [4]] });
  assert.equal(tokens.usage.prompt_tokens, 4);
  await assert.rejects(client.embeddings.create({ ...request, dimensions: 8 }), (error) => {
    assert.ok(error instanceof OpenAI.BadRequestError);
    assert.match(error.message, /dimensions/);
    return true;
  });
  assert.equal((await client.embeddings.create({ ...request, dimensions: 32 })).data.length, 1);
  await assert.rejects(client.embeddings.create({ ...request, input: "" }), OpenAI.BadRequestError);
  await assert.rejects(client.embeddings.create({ ...request, input: "x".repeat(2000) }), OpenAI.BadRequestError);
  await assert.rejects(client.embeddings.create({ ...request, model: "other" }), OpenAI.NotFoundError);
  assert.equal((await client.chat.completions.create(ask({ max_tokens: 2 }))).choices.length, 1);
  started.signal("SIGTERM");
  assert.equal((await started.ended).code, 0);
});

test("a client that disconnects without streaming frees its slot", async () => {
  const { started, url } = await startEngine(["--slots", "1", "--context", "1024"]);
  const client = new OpenAI({ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 0 });
  const aborted = new AbortController();
  const long = client.chat.completions.create(ask({ max_tokens: 1000, ignore_eos: true, n: 100 }), { signal: aborted.signal });
  // One more request is queued; it is answered as soon as the others are cancelled.
  const after = client.chat.completions.create(ask({ max_tokens: 2 }));
  aborted.abort();
  await assert.rejects(long);
  assert.equal((await after).choices[0].finish_reason, "length");
  started.signal("SIGTERM");
  assert.equal((await started.ended).code, 0);
});

test("further request parameters are supported", async () => {
  const { choices, prompt_logprobs, id } = await openai.chat.completions.create(
    ask({ max_tokens: 3, prompt_logprobs: 1, request_id: "mine", skip_special_tokens: false, priority: 2, reasoning_effort: "low" }),
  );
  assert.equal(id, "chatcmpl-mine");
  assert.equal(choices.length, 1);
  assert.equal(prompt_logprobs[0], null);
  for (const one of prompt_logprobs.slice(1)) {
    assert.ok(Object.values(one).every(({ logprob, rank, decoded_token }) => logprob <= 0 && rank > 0 && typeof decoded_token === "string"));
  }
  await assert.rejects(openai.chat.completions.create(ask({ cache_salt: "" })), OpenAI.BadRequestError);
  await assert.rejects(openai.chat.completions.create(ask({ functions: [] })), /functions is not supported/);
});

test("errors have the classes of the OpenAI client", async () => {
  await assert.rejects(openai.chat.completions.create(ask({ model: "other" })), OpenAI.NotFoundError);
  await assert.rejects(openai.chat.completions.create(ask({ temperature: 3 })), (error) => {
    assert.ok(error instanceof OpenAI.UnprocessableEntityError);
    assert.match(error.message, /temperature: Input should be less than or equal to 2/);
    return true;
  });
  await assert.rejects(openai.chat.completions.create(ask({ max_tokens: 5000 })), (error) => {
    assert.ok(error instanceof OpenAI.BadRequestError);
    assert.equal(error.code, "context_length_exceeded");
    return true;
  });
  await assert.rejects(openai.chat.completions.create(ask({ messages: [{ content: "who?" }] })), OpenAI.BadRequestError);
});

test("requests beyond the queue limit are rejected", async () => {
  const { started, url } = await startEngine(["--context", "1024", "--slots", "1", "--queue", "1"]);
  const busy = new OpenAI({ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 0 });
  const long = ask({ max_tokens: 900, ignore_eos: true });
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => busy.chat.completions.create(long)));
  const refused = outcomes.filter(({ status }) => status === "rejected");
  assert.ok(refused.length > 0);
  for (const { reason } of refused) assert.ok(reason instanceof OpenAI.RateLimitError, String(reason));
  started.signal("SIGTERM");
  assert.equal((await started.ended).code, 0);
});

test("rejected requests leave no memory behind", async () => {
  const body = JSON.stringify(ask({ model: "unknown", messages: [{ role: "user", content: "who? ".repeat(120) }] }));
  const headers = { "content-type": "application/json" };
  const reject = async (count) => {
    for (let i = 0; i < count; i += 1) {
      const response = await fetch(`${openai.baseURL}/chat/completions`, { method: "POST", headers, body });
      assert.equal(response.status, 404);
      await response.arrayBuffer();
    }
  };
  await reject(200);
  const before_kb = residentKilobytes(program.pid);
  await reject(800);
  expectGrowthBelow(residentKilobytes(program.pid) - before_kb, 2 * 1024);
});

test("a file that cannot be loaded is rejected with a reason", async () => {
  const cut = join(folder, "cut.gguf");
  writeTinyModel(cut);
  truncateSync(cut, 20_000);
  for (const [path, reason] of [
    [new URL(import.meta.url).pathname, /magic/],
    [join(folder, "none.gguf"), /No such file or directory/],
    [cut, /\S/],
  ]) {
    const { code, stderr } = await new Program(["--model", path], { binary: ENGINE }).ended;
    assert.equal(code, 3);
    const lines = stderr.trim().split("\n").filter((line) => !line.startsWith("listening on"));
    assert.equal(lines.length, 1, stderr);
    assert.ok(lines[0].startsWith(`spindle-engine: ${basename(path)}: `), lines[0]);
    assert.match(lines[0], reason);
  }
});

test("invalid options and an address in use are rejected", async () => {
  for (const args of [[], ["--model", file, "--slots", "0"], ["--model", file, "--socket", "s", "--port", "1"], ["--model"]]) {
    assert.equal((await new Program(args, { binary: ENGINE }).ended).code, 2);
  }
  const { port } = new URL(openai.baseURL);
  const { code, stderr } = await new Program(["--model", file, "--port", port], { binary: ENGINE }).ended;
  assert.equal(code, 1);
  assert.match(stderr, /cannot listen on 127\.0\.0\.1/);
});

test("health reports the model, slots and memory", async () => {
  const { status, model, slots, context, memory_bytes } = await (await fetch(new URL("/health", openai.baseURL))).json();
  assert.deepEqual({ status, model, slots, context }, { status: "ok", model: "tiny", slots: 3, context: 900 });
  // KV cache: two layers, two heads of width 8 for keys and values, four bytes each, for three slots.
  assert.ok(memory_bytes > 900 * 3 * 2 * 2 * 2 * 8 * 4, `${memory_bytes}`);
});

test("a Unix socket is accessible to this user only, and is removed with the engine", async () => {
  const socket = join(folder, "engine.sock");
  for (let round = 0; round < 2; ++round) {
    const { started, url } = await startEngine(["--socket", socket]);
    assert.equal(url, `unix:${socket}`);
    assert.equal(statSync(socket).mode & 0o777, 0o600);
    assert.equal((await askSocket(socket, "/health")).status, 200);
    // A killed engine leaves its socket file, and the next engine replaces it.
    started.signal(round === 0 ? "SIGKILL" : "SIGTERM");
    await started.ended;
    assert.equal(existsSync(socket), round === 0);
  }
});

test("an engine ends with its parent process", async () => {
  const { started } = await startEngine(["--until-end-of-input"], { stdin: "pipe" });
  started.child.stdin.write("anything");
  started.child.stdin.end();
  assert.equal((await started.ended).code, 0);

  // The same when the parent is killed: the system closes its end of the pipe.
  const script = join(folder, "parent.mjs");
  writeFileSync(
    script,
    `import { spawn } from "node:child_process";
     const [program, ...args] = process.argv.slice(2);
     spawn(program, args, { stdio: ["pipe", "ignore", "inherit"] });`,
  );
  const parent = spawn(process.execPath, [script, ENGINE, "--model", file, "--threads", "1", "--until-end-of-input"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  // The engine also holds the write end of this stream, which ends when both processes have ended.
  for await (const piece of parent.stderr) {
    said += piece;
    if (said.includes("model loaded")) parent.kill("SIGKILL");
  }
  assert.match(said, /model loaded/);
});

test("a folder that cannot be imported is rejected with a reason", async () => {
  const { code, stderr } = await runSpindle(["model", "import", folder, join(folder, "out.gguf")]);
  assert.equal(code, 1);
  assert.match(stderr, /config\.json/);
});
