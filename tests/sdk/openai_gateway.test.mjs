// The official OpenAI client with the gateway, in front of a local engine and a fake upstream.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";

import { addLimit, addModel, expectUsage, openaiFor } from "../http/support/gateway.mjs";
import { freshName, makeKey, makeMember, makeTeam, makeUser } from "../http/support/people.mjs";
import { makeFolder, removeFolder } from "../http/support/program.mjs";
import { USAGE, answerHello, startScriptedUpstream } from "../http/support/scripted_upstream.mjs";
import { startServer } from "../http/support/server.mjs";
import { writeTinyModel } from "../http/support/tiny_model.mjs";

const folder = makeFolder();
let server;
let upstream;
let openai;
let scripted;
const tiny = freshName("tiny");
before(async () => {
  upstream = await startScriptedUpstream();
  server = await startServer({ env: { SPINDLE_INFERENCE_THREADS: "1" } });
  openai = openaiFor(server);
  scripted = await addModel(server, [upstream.url]);
  const file = join(folder, "tiny.gguf");
  writeTinyModel(file);
  const answer = await server.api("POST", "/api/v1/models", { body: { name: tiny, file, context: 900 } });
  assert.equal(answer.status, 201, answer.text);
});
after(async () => {
  await server.dispose();
  await upstream.close();
  removeFolder(folder);
});

const messages = [{ role: "user", content: "Say something." }];
const ask = (model, more = {}) => ({ model, temperature: 0, max_tokens: 24, messages, ...more });
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

test("models are listed and found", async () => {
  const listed = [];
  for await (const model of openai.models.list()) listed.push(model.id);
  assert.ok(listed.includes(tiny) && listed.includes(scripted));
  const { id, object, owned_by, root } = await openai.models.retrieve(tiny);
  assert.deepEqual({ id, object, owned_by, root }, { id: tiny, object: "model", owned_by: "system", root: tiny });
});

describe("an engine", () => {
  test("gives the same answer with and without streaming", async () => {
    const whole = await openai.chat.completions.create(ask(tiny));
    assert.equal(whole.object, "chat.completion");
    assert.equal(whole.usage.completion_tokens, 24);
    let text = "";
    let usage;
    const stream = await openai.chat.completions.create(ask(tiny, { stream: true, stream_options: { include_usage: true } }));
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      usage = chunk.usage ?? usage;
    }
    assert.equal(text, whole.choices[0].message.content);
    assert.equal(usage.completion_tokens, 24);
  });

  test("follows tool_choice", async () => {
    const request = ask(tiny, { tools, tool_choice: "required", parallel_tool_calls: false, max_tokens: 400 });
    const { choices } = await openai.chat.completions.create(request);
    assert.equal(choices[0].finish_reason, "tool_calls");
    const [call] = choices[0].message.tool_calls;
    assert.equal(call.function.name, "add");
    assert.equal(typeof JSON.parse(call.function.arguments).b, "boolean");
    let text = "";
    for await (const chunk of await openai.chat.completions.create({ ...request, stream: true })) {
      for (const part of chunk.choices[0]?.delta.tool_calls ?? []) text += part.function.arguments ?? "";
    }
    assert.equal(text, call.function.arguments);
  });

  test("follows a JSON schema", async () => {
    const Shape = z.object({ ok: z.boolean(), n: z.number().int() });
    const { choices } = await openai.chat.completions.parse(ask(tiny, { max_tokens: 300, response_format: zodResponseFormat(Shape, "shape") }));
    assert.equal(typeof choices[0].message.parsed.ok, "boolean");
    assert.ok(Number.isInteger(choices[0].message.parsed.n));
  });

  test("returns log probabilities of its tokens", async () => {
    const { choices } = await openai.chat.completions.create(ask(tiny, { logprobs: true, top_logprobs: 2, max_tokens: 4, ignore_eos: true }));
    assert.equal(choices[0].logprobs.content.length, 4);
    for (const token of choices[0].logprobs.content) {
      assert.ok(token.logprob <= 0);
      assert.equal(token.top_logprobs.length, 2);
    }
  });

  test("reports errors of a request", async () => {
    await assert.rejects(openai.chat.completions.create(ask(tiny, { max_tokens: 5000 })), (error) => {
      assert.ok(error instanceof OpenAI.BadRequestError);
      assert.equal(error.code, "context_length_exceeded");
      return true;
    });
    await assert.rejects(openai.chat.completions.create(ask(tiny, { temperature: 3 })), OpenAI.UnprocessableEntityError);
  });

  test("stops when the client disconnects, and serves the next request", async () => {
    const stream = await openai.chat.completions.create(ask(tiny, { stream: true, max_tokens: 800, ignore_eos: true }));
    for await (const chunk of stream) {
      if (chunk.choices[0]?.delta.content) break; // which aborts the request
    }
    const { choices } = await openai.chat.completions.create(ask(tiny, { max_tokens: 3 }));
    assert.equal(choices[0].finish_reason, "length");
  });
});

describe("an upstream", () => {
  test("responds, and unknown members of its response are kept", async () => {
    upstream.script = (exchange) => exchange.complete("Hi", { message: { reasoning: "hm" }, brand_new: { a: 1 } });
    const answer = await openai.chat.completions.create(ask(scripted, { vendor_extra: true }));
    assert.equal(answer.choices[0].message.content, "Hi");
    assert.equal(answer.choices[0].message.reasoning, "hm");
    assert.deepEqual(answer.brand_new, { a: 1 });
    assert.equal(upstream.exchanges.at(-1).body.vendor_extra, true);
  });

  test("streams", async () => {
    upstream.script = answerHello;
    let text = "";
    for await (const chunk of await openai.chat.completions.create(ask(scripted, { stream: true }))) {
      text += chunk.choices[0]?.delta.content ?? "";
    }
    assert.equal(text, "Hello there");
  });

  test("sees that the client aborts", async () => {
    upstream.script = async (exchange) => {
      exchange.openStream();
      await exchange.text("Hel");
    };
    const controller = new AbortController();
    const stream = await openai.chat.completions.create(ask(scripted, { stream: true }), { signal: controller.signal });
    for await (const chunk of stream) {
      assert.equal(chunk.choices[0].delta.content, "Hel");
      controller.abort();
    }
    await upstream.exchanges.at(-1).left;
  });

  test("that disconnects within a stream makes the client throw", async () => {
    upstream.script = async (exchange) => {
      exchange.openStream();
      await exchange.text("Hel");
    };
    await assert.rejects(async () => {
      for await (const chunk of await openai.chat.completions.create(ask(scripted, { stream: true }))) {
        assert.equal(chunk.choices[0].delta.content, "Hel");
        upstream.exchanges.at(-1).cut();
      }
    }, OpenAI.APIError);
  });

  test("receives tool calls and their results", async () => {
    upstream.script = (exchange) =>
      exchange.complete(null, { message: { tool_calls: [{ id: "call_1", type: "function", function: { name: "add", arguments: '{"a":1}' } }] } });
    const { choices } = await openai.chat.completions.create(ask(scripted, { tools }));
    assert.equal(choices[0].message.tool_calls[0].function.arguments, '{"a":1}');
    upstream.script = answerHello;
    const next = [...messages, choices[0].message, { role: "tool", tool_call_id: "call_1", content: "2" }];
    await openai.chat.completions.create(ask(scripted, { messages: next, tools }));
    assert.deepEqual(upstream.exchanges.at(-1).body.messages.at(-1), { role: "tool", tool_call_id: "call_1", content: "2" });
  });
});

describe("errors have the classes of the client:", () => {
  /** Expects a request to fail with this class and status, and returns the error. */
  async function rejects(call, kind, status) {
    try {
      await call;
    } catch (error) {
      assert.ok(error instanceof kind, String(error));
      assert.equal(error.status, status);
      assert.ok(error.requestID ?? error.headers?.get("x-request-id"), "a response has a request id");
      return error;
    }
    assert.fail("it did not fail");
  }

  test("400", async () => {
    upstream.script = (exchange) => exchange.fail(400, "no", { type: "invalid_request_error", code: "bad" });
    const error = await rejects(openai.chat.completions.create(ask(scripted)), OpenAI.BadRequestError, 400);
    assert.equal(error.type, "invalid_request_error");
    assert.equal(error.code, "bad");
  });

  test("401", async () => {
    const unauthenticated = openaiFor(server, { key: "no-such-key-at-all-0000" });
    const error = await rejects(unauthenticated.chat.completions.create(ask(scripted)), OpenAI.AuthenticationError, 401);
    assert.equal(error.type, "authentication_error");
    const elsewhere = openaiFor(server, { key: (await makeUser(server)).key, project: "no-such-team/x" });
    await rejects(elsewhere.chat.completions.create(ask(scripted)), OpenAI.AuthenticationError, 401);
  });

  test("402", async () => {
    const user = await makeMember(server, (await makeTeam(server)).name, "MEMBER");
    const { key_id, key } = await makeKey(server, user.username);
    await addLimit(server, { key: key_id, budget_usd: 0 });
    const error = await rejects(openaiFor(server, { key }).chat.completions.create(ask(scripted)), OpenAI.APIError, 402);
    assert.equal(error.type, "insufficient_quota");
  });

  test("404", async () => {
    const error = await rejects(openai.chat.completions.create(ask("nothing")), OpenAI.NotFoundError, 404);
    assert.equal(error.code, "model_not_found");
    await rejects(openai.models.retrieve("nothing/at/all"), OpenAI.NotFoundError, 404);
  });

  test("422", async () => {
    const error = await rejects(openai.chat.completions.create({ model: scripted }), OpenAI.UnprocessableEntityError, 422);
    assert.match(error.message, /messages: Field required/);
    assert.equal(error.param, "messages");
  });

  test("429", async () => {
    const user = await makeMember(server, (await makeTeam(server)).name, "MEMBER");
    const { key_id, key } = await makeKey(server, user.username);
    await addLimit(server, { key: key_id, requests_per_minute: 1 });
    const limited = openaiFor(server, { key });
    upstream.script = answerHello;
    await limited.chat.completions.create(ask(scripted));
    const error = await rejects(limited.chat.completions.create(ask(scripted)), OpenAI.RateLimitError, 429);
    assert.ok(Number(error.headers.get("retry-after")) > 0);
  });

  test("5xx", async () => {
    upstream.script = (exchange) => exchange.cut();
    const error = await rejects(openai.chat.completions.create(ask(scripted)), OpenAI.InternalServerError, 503);
    assert.equal(error.type, "server_error");
  });
});

test("a client that retries gets its response, and its usage is counted once", async () => {
  const model = await addModel(server, [upstream.url]);
  let failures = 2;
  upstream.script = (exchange) => (failures-- > 0 ? exchange.fail(500, "broken") : exchange.complete("Here"));
  const patient = openaiFor(server, { maxRetries: 3 });
  const { choices } = await patient.chat.completions.create(ask(model));
  assert.equal(choices[0].message.content, "Here");
  await expectUsage(server, model, { requests: 3, errors: 2, prompt: USAGE.prompt_tokens, completion: USAGE.completion_tokens });
});

test("usage counts for the project option", async () => {
  const model = await addModel(server, [upstream.url]);
  upstream.script = answerHello;
  const team = freshName("team");
  await openaiFor(server, { project: `${team}/lab` }).chat.completions.create(ask(model));
  await expectUsage(server, model, { requests: 1, prompt: 10, completion: 5 });
});
