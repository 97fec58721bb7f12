// The gateway with an upstream: forwarding, access, usage and limits.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Project } from "./support/calls.mjs";
import { eventually } from "./support/deliveries.mjs";
import { expectGrowthBelow } from "./support/expect.mjs";
import { addLimit, addModel, chat, expectOpenAiError, expectUsage, openChat, question, setDeploymentPrice, usageOf } from "./support/gateway.mjs";
import { freshName, makeKey, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { startScriptedUpstream, answerHello } from "./support/scripted_upstream.mjs";
import { startServer } from "./support/server.mjs";

const KEY = "sk-upstream-secret-4711";

let server;
let upstream;
let model;
before(async () => {
  upstream = await startScriptedUpstream();
  server = await startServer();
  model = await addModel(server, [{ url: upstream.url, key: KEY }]);
});
after(async () => {
  await server.dispose();
  await upstream.close();
});

/** Returns the exchanges of the upstream during `work`. */
async function exchangesOf(work, script = answerHello) {
  const before = upstream.exchanges.length;
  upstream.script = script;
  try {
    await work();
  } finally {
    upstream.script = answerHello;
  }
  return upstream.exchanges.slice(before);
}

describe("the list of models", () => {
  test("has the exact format", async () => {
    const { status, json } = await server.api("GET", "/v1/models");
    assert.equal(status, 200);
    assert.equal(json.object, "list");
    const mine = json.data.find(({ id }) => id === model);
    assert.deepEqual(mine, { id: model, object: "model", created: mine.created, owned_by: "system", root: model });
    assert.ok(Number.isInteger(mine.created));
  });

  test("returns one model by name, also with slashes", async () => {
    const name = `${freshName("vendor")}/some/model`;
    const body = { name, targets: (await server.api("GET", `/api/v1/models/${model}`)).json.targets.map(({ upstream: of }) => ({ upstream: of })) };
    assert.equal((await server.api("POST", "/api/v1/models", { body })).status, 201);
    const { status, json } = await server.api("GET", `/v1/models/${name}`);
    assert.equal(status, 200);
    assert.equal(json.id, name);
    expectOpenAiError(await server.api("GET", "/v1/models/no/such"), 404, "not_found_error", "model_not_found");
  });
});

describe("forwarding", () => {
  test("leaves the request body unchanged", async () => {
    const body = `{ "messages" :[{"role":"user","content":"\\u00e9 \u00e9","odd":1e400}],\n "model":"${model}","unknown":{"b":1,"a":[1.10,9007199254740993]},"temperature":1.0}`;
    const [exchange] = await exchangesOf(async () => {
      assert.equal((await server.api("POST", "/v1/chat/completions", { body })).status, 200);
    });
    assert.equal(exchange.bytes.toString(), body);
    assert.equal(exchange.path, "/v1/chat/completions");
    assert.equal(exchange.headers["content-type"], "application/json");
  });

  test("leaves the response body unchanged", async () => {
    const said = `{"id":"x", "choices" : [{"index":0,"message":{"role":"assistant","content":"\u00e9\\u00e9"},"finish_reason":"stop"}],"new":[1.0,9007199254740993],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4,"more":{}}}\n`;
    await exchangesOf(
      async () => {
        const answer = await chat(server, model);
        assert.equal(answer.status, 200);
        assert.equal(answer.bytes.toString(), said);
        assert.match(answer.headers["content-type"], /^application\/json/);
      },
      (exchange) => exchange.answer(Buffer.from(said)),
    );
  });

  test("sends each event of a stream immediately", async () => {
    let proceed;
    const [exchange] = await exchangesOf(
      async () => {
        const { incoming, status, headers } = await openChat(server, { model, messages: question, stream: true, stream_options: { include_usage: true } });
        assert.equal(status, 200);
        assert.match(headers["content-type"], /^text\/event-stream/);
        assert.equal(headers["cache-control"], "no-cache");
        let text = "";
        for await (const piece of incoming.setEncoding("utf8")) {
          text += piece;
          // The upstream sends the second half only after the client has received the first.
          if (text.includes("Hel") && proceed) {
            proceed();
            proceed = undefined;
          }
        }
        assert.ok(text.startsWith(': a comment\n\ndata: {"odd" : 1.0}\n\n'), text);
        assert.ok(text.endsWith("data: [DONE]\n\n"), text);
        assert.match(text, /"total_tokens":15/);
      },
      async (asked) => {
        asked.openStream();
        await asked.write(': a comment\n\ndata: {"odd" : 1.0}\n\n');
        await asked.text("Hel");
        await new Promise((resolve) => (proceed = resolve));
        await asked.text("lo");
        asked.finish();
      },
    );
    assert.equal(exchange.body.stream, true);
  });

  test("uses the upstream's key and removes the client's", async () => {
    const [exchange] = await exchangesOf(() => chat(server, model, {}, { headers: { cookie: "a=b", "x-secret": "mine" } }));
    assert.equal(exchange.headers.authorization, `Bearer ${KEY}`);
    assert.ok(!JSON.stringify(exchange.headers).includes(server.adminKey));
    assert.equal(exchange.headers.cookie, undefined);
  });

  test("uses the upstream's name of the model", async () => {
    const renamed = await addModel(server, [{ url: upstream.url, model: "their/name" }]);
    const [exchange] = await exchangesOf(() => chat(server, renamed, { unknown: [1.0], temperature: 0 }));
    assert.equal(exchange.body.model, "their/name");
    assert.deepEqual(exchange.body.unknown, [1]);
  });

  test("accepts a trailing slash in the path", async () => {
    const answer = await server.api("POST", "/v1/chat/completions/", { body: { model, messages: question } });
    assert.equal(answer.status, 200, answer.text);
  });

  test("uses the client's request id", async () => {
    const answer = await chat(server, model, {}, { headers: { "x-request-id": "chosen-1" } });
    assert.equal(answer.headers["x-request-id"], "chosen-1");
    assert.ok((await chat(server, model)).headers["x-request-id"]);
  });

  test("supports text completions and embeddings, if the model does", async () => {
    const able = await addModel(server, [upstream.url], { abilities: ["completions", "embeddings"] });
    const script = (exchange) =>
      exchange.answer({ object: "list", data: [], choices: [], model: able, usage: { prompt_tokens: 2, completion_tokens: 0, total_tokens: 2 } });
    const [completion, embedding] = await exchangesOf(async () => {
      assert.equal((await server.api("POST", "/v1/completions", { body: { model: able, prompt: "x" } })).status, 200);
      assert.equal((await server.api("POST", "/v1/embeddings", { body: { model: able, input: "x" } })).status, 200);
    }, script);
    assert.equal(completion.path, "/v1/completions");
    assert.equal(embedding.path, "/v1/embeddings");
    expectOpenAiError(await chat(server, able), 400, "invalid_request_error");
    await expectUsage(server, able, { requests: 2, prompt: 4 });
  });
});

describe("an error is returned for", () => {
  test("an invalid key", async () => {
    for (const key of [null, "no-such-key"]) {
      const answer = await chat(server, model, {}, { key });
      expectOpenAiError(answer, 401, "authentication_error");
    }
  });

  test("a project that the caller cannot see", async () => {
    const user = await makeUser(server);
    const team = await makeTeam(server);
    for (const [name, value] of [
      ["compat-project", `${team.name}/lab`],
      ["openai-project", `${team.name}/lab`],
      ["compat-project", "no-such-team/lab"],
      ["compat-project", "nonsense"],
    ]) {
      const answer = await chat(server, model, {}, { key: user.key, headers: { [name]: value } });
      expectOpenAiError(answer, 401, "authentication_error");
    }
  });

  test("an invalid body", async () => {
    for (const body of ["{", "[]", { messages: question }, { model }, { model, messages: [] }, { model: 5, messages: question }]) {
      const answer = await server.api("POST", "/v1/chat/completions", { body });
      assert.equal(answer.status, 422, answer.text);
      assert.ok(Array.isArray(answer.json.detail), answer.text);
      assert.equal(answer.json.error.type, "invalid_request_error");
    }
  });

  test("an unknown model", async () => {
    expectOpenAiError(await chat(server, "no-such-model"), 404, "not_found_error", "model_not_found");
  });

  test("a request that the upstream rejects", async () => {
    const wrong = await addModel(server, [upstream.url]);
    await exchangesOf(
      async () => {
        const answer = await chat(server, wrong);
        assert.equal(answer.status, 400);
        assert.deepEqual(answer.json, { error: { message: "max_tokens is too large", type: "invalid_request_error", param: null, code: "too_large" } });
      },
      (exchange) => exchange.fail(400, "max_tokens is too large", { type: "invalid_request_error", code: "too_large" }),
    );
    await expectUsage(server, wrong, { requests: 1, errors: 1 });
  });
});

describe("a model of some teams", () => {
  test("does not exist for others", async () => {
    const team = await makeTeam(server);
    const member = await makeMember(server, team.name, "MEMBER");
    const outsider = await makeMember(server, (await makeTeam(server)).name, "MEMBER");
    const name = await addModel(server, [upstream.url], { teams: [team.name] });
    assert.equal((await chat(server, name, {}, { key: member.key })).status, 200);
    const missing = await chat(server, freshName("missing"), {}, { key: outsider.key });
    const hidden = await chat(server, name, {}, { key: outsider.key });
    expectOpenAiError(hidden, 404, "not_found_error", "model_not_found");
    assert.equal(hidden.json.error.message.replaceAll(name, "X").length, missing.json.error.message.replaceAll(/missing-[\d-]+/g, "X").length);
    const listed = async (key) => (await server.api("GET", "/v1/models", { key })).json.data.map(({ id }) => id);
    assert.ok((await listed(member.key)).includes(name));
    assert.ok(!(await listed(outsider.key)).includes(name));
    expectOpenAiError(await server.api("GET", `/v1/models/${name}`, { key: outsider.key }), 404, "not_found_error");
  });
});

describe("usage", () => {
  test("counts tokens, cached and reasoning ones too", async () => {
    const counted = await addModel(server, [upstream.url]);
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 60 },
      completion_tokens_details: { reasoning_tokens: 7 },
    };
    await exchangesOf(() => chat(server, counted), (exchange) => exchange.complete("x", { usage }));
    const row = await expectUsage(server, counted, { requests: 1, prompt: 100, completion: 20 });
    assert.equal(row.cached_tokens, 60);
    assert.equal(row.reasoning_tokens, 7);
  });

  test("counts a stream even if the client does not request usage", async () => {
    const counted = await addModel(server, [upstream.url]);
    for (const stream_options of [undefined, { include_usage: true }, { include_usage: false }]) {
      const answer = await chat(server, counted, { stream: true, stream_options });
      assert.equal(answer.status, 200);
      assert.ok(answer.text.endsWith("data: [DONE]\n\n"));
      assert.equal(answer.text.includes('"usage"'), stream_options?.include_usage === true, answer.text);
    }
    await expectUsage(server, counted, { requests: 3, prompt: 30, completion: 15 });
  });

  test("is not requested from upstreams that do not support it", async () => {
    const plain = await addModel(server, [{ url: upstream.url, stream_usage: false }]);
    const [exchange] = await exchangesOf(() => chat(server, plain, { stream: true }));
    assert.equal(exchange.body.stream_options, undefined);
    await expectUsage(server, plain, { requests: 1 });
  });

  test("counts for the project in the header, with either header name", async () => {
    const team = await makeTeam(server);
    const counted = await addModel(server, [upstream.url]);
    for (const header of ["compat-project", "openai-project"]) {
      const headers = { [header]: `${team.name}/${header}` };
      assert.equal((await chat(server, counted, {}, { headers })).status, 200);
    }
    const rows = await eventually(
      async () => (await server.api("GET", `/api/v1/usage?${new URLSearchParams({ group_by: "project", model: counted })}`)).json.items,
      (items) => items.length === 2,
    );
    assert.deepEqual(rows.map(({ project }) => project).sort(), [`${team.name}/compat-project`, `${team.name}/openai-project`]);
  });
});

describe("a trace", () => {
  /** Creates a project whose completions are traced. */
  async function tracedProject() {
    const project = new Project(server);
    await project.start(); // creates the project
    const path = `/api/v1/projects/${project.id}/completion-tracing`;
    const answer = await server.api("PUT", path, { body: { enabled: true } });
    assert.equal(answer.status, 200, answer.text);
    return project;
  }
  const recorded = (project, trace_id) =>
    eventually(
      async () => (await project.ok("/calls/query", { project_id: project.id, filter: { trace_ids: [trace_id] } })).calls,
      (calls) => calls.length > 0,
      "no call was recorded",
    );

  test("contains the completion as a call, in the caller's trace", async () => {
    const project = await tracedProject();
    const trace_id = "0af7651916cd43dd8448eb211c80319c";
    const headers = { "compat-project": project.id, traceparent: `00-${trace_id}-b7ad6b7169203331-01` };
    assert.equal((await chat(server, model, { temperature: 0.5 }, { headers })).status, 200);
    const [call] = await recorded(project, trace_id);
    assert.deepEqual(call.inputs.messages, question);
    assert.equal(call.inputs.temperature, 0.5);
    assert.equal(call.output.choices[0].message.content, "Hello there");
    assert.equal(call.summary.usage[model].prompt_tokens, 10);
    assert.ok(call.ended_at >= call.started_at);
  });

  test("contains a stream as its combined answer", async () => {
    const project = await tracedProject();
    const trace_id = "1af7651916cd43dd8448eb211c80319c";
    const headers = { "compat-project": project.id, traceparent: `00-${trace_id}-b7ad6b7169203331-01` };
    assert.equal((await chat(server, model, { stream: true }, { headers })).status, 200);
    const [call] = await recorded(project, trace_id);
    assert.equal(call.output.choices[0].message.content, "Hello there");
    assert.equal(call.summary.usage[model].completion_tokens, 5);
  });

  test("is not recorded unless enabled", async () => {
    const project = new Project(server);
    await project.start();
    assert.equal((await chat(server, model, {}, { headers: { "compat-project": project.id } })).status, 200);
    await usageOf(server, model, 1);
    const { calls } = await project.ok("/calls/query", { project_id: project.id });
    assert.equal(calls.length, 1);
  });
});

describe("limits", () => {
  /** Creates a project with limits; returns it and the headers of a request for it. */
  async function limited(fields) {
    const project = new Project(server);
    await project.start();
    await addLimit(server, { project: project.id, ...fields });
    return { project, headers: { "compat-project": project.id } };
  }

  test("apply to concurrent requests", async () => {
    const { headers } = await limited({ concurrency: 5 });
    const held = [];
    const counted = await addModel(server, [upstream.url]);
    await exchangesOf(
      async () => {
        const before = upstream.exchanges.length;
        const answers = Array.from({ length: 50 }, () => chat(server, counted, {}, { headers }));
        let refused = 0;
        for (const answer of answers) answer.then(({ status }) => (refused += status === 429 ? 1 : 0));
        await upstream.received(before + 5);
        await eventually(() => refused, (count) => count === 45);
        for (const exchange of held) exchange.complete("x");
        const all = await Promise.all(answers);
        assert.equal(all.filter(({ status }) => status === 200).length, 5);
        for (const answer of all.filter(({ status }) => status === 429)) {
          expectOpenAiError(answer, 429, "rate_limit_error");
          assert.match(answer.json.error.message, /^Concurrency limit reached for requests/);
          assert.ok(Number(answer.headers["retry-after"]) >= 1);
        }
        assert.equal(upstream.exchanges.length, before + 5);
      },
      (exchange) => held.push(exchange),
    );
    assert.equal((await chat(server, counted, {}, { headers })).status, 200);
  });

  test("apply to requests per minute", async () => {
    const { headers } = await limited({ requests_per_minute: 3 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => chat(server, model, {}, { headers })));
    const passed = answers.filter(({ status }) => status === 200).length;
    assert.ok(passed >= 3 && passed <= 5, `${passed}`);
    const refused = answers.find(({ status }) => status === 429);
    expectOpenAiError(refused, 429, "rate_limit_error", "rate_limit_exceeded");
    assert.ok(Number(refused.headers["retry-after"]) <= 20);
  });

  test("apply to tokens per minute, with the maximum reserved until the tokens are counted", async () => {
    const { headers } = await limited({ tokens_per_minute: 2000 });
    const held = [];
    await exchangesOf(
      async () => {
        const before = upstream.exchanges.length;
        const first = chat(server, model, { max_tokens: 100 }, { headers });
        await upstream.received(before + 1);
        const refused = await chat(server, model, { max_tokens: 100 }, { headers });
        expectOpenAiError(refused, 429, "rate_limit_error", "rate_limit_exceeded");
        held[0].complete("x");
        assert.equal((await first).status, 200);
      },
      (exchange) => held.push(exchange),
    );
    assert.equal((await chat(server, model, { max_tokens: 100 }, { headers })).status, 200);
  });

  test("apply per key too", async () => {
    const team = await makeTeam(server);
    const user = await makeMember(server, team.name, "MEMBER");
    const { key_id, key } = await makeKey(server, user.username);
    await addLimit(server, { key: key_id, requests_per_minute: 1 });
    assert.equal((await chat(server, model, {}, { key })).status, 200);
    assert.equal((await chat(server, model, {}, { key })).status, 429);
    assert.equal((await chat(server, model, {}, { key: user.key })).status, 200);
  });

  test("of cost (budgets) are never exceeded by concurrent requests", async () => {
    const { headers } = await limited({ budget_usd: 1 });
    const paid = await addModel(server, [upstream.url]);
    // A request can cost at most 0.20 and costs 0.10.
    await setDeploymentPrice(server, paid, { prompt: 0, completion: 0.02 });
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const held = [];
    await exchangesOf(
      async () => {
        const before = upstream.exchanges.length;
        const answers = Array.from({ length: 50 }, () => chat(server, paid, { max_tokens: 10 }, { headers }));
        let refused = 0;
        for (const answer of answers) answer.then(({ status }) => (refused += status === 402 ? 1 : 0));
        await upstream.received(before + 5);
        await eventually(() => refused, (count) => count === 45);
        for (const exchange of held) exchange.complete("x", { usage });
        const refusal = (await Promise.all(answers)).find(({ status }) => status === 402);
        expectOpenAiError(refusal, 402, "insufficient_quota", "insufficient_quota");
      },
      (exchange) => held.push(exchange),
    );
    // 0.50 is left: unused reservations were released.
    let more = 0;
    while ((await chat(server, paid, { max_tokens: 10 }, { headers })).status === 200) more += 1;
    assert.equal(more, 4);
  });

  test("of cost use the deployment's prices, not the prices of the project", async () => {
    const { project, headers } = await limited({ budget_usd: 0.5 });
    const member = await makeMember(server, project.entity, "MEMBER");
    const paid = await addModel(server, [upstream.url]);
    await setDeploymentPrice(server, paid, { prompt: 0, completion: 0.05 });
    const costs = { [paid]: { prompt_token_cost: 0, completion_token_cost: 0 } };
    const set = await server.api("POST", "/cost/create", { key: member.key, body: { project_id: project.id, costs } });
    assert.equal(set.status, 200, set.text);
    const ask = () => chat(server, paid, { max_tokens: 5 }, { key: member.key, headers });
    for (let i = 0; i < 2; ++i) assert.equal((await ask()).status, 200);
    expectOpenAiError(await ask(), 402, "insufficient_quota", "insufficient_quota");
    // Usage reports use the project's price.
    const shown = await server.api("GET", `/api/v1/usage?${new URLSearchParams({ model: paid, project: project.id })}`);
    assert.equal(shown.json.items[0].cost_usd, 0, shown.text);
  });

  test("add max_tokens to a request without it", async () => {
    const { headers } = await limited({ budget_usd: 1000 });
    const paid = await addModel(server, [upstream.url], { max_output_tokens: 77 });
    await setDeploymentPrice(server, paid, { prompt: 1e-6, completion: 1e-6 });
    const [first, second] = await exchangesOf(async () => {
      await chat(server, paid, {}, { headers });
      await chat(server, paid, { max_completion_tokens: 9 }, { headers });
    });
    assert.equal(first.body.max_tokens ?? first.body.max_completion_tokens, 77);
    assert.equal(second.body.max_completion_tokens, 9);
    assert.equal(second.body.max_tokens, undefined);
  });
});

describe("a client", () => {
  test("that disconnects during a stream cancels its request", async () => {
    const left = await addModel(server, [upstream.url]);
    await exchangesOf(
      async () => {
        const before = upstream.exchanges.length;
        const { incoming, destroy } = await openChat(server, { model: left, messages: question, stream: true });
        incoming.on("error", () => {});
        const exchange = await upstream.received(before + 1);
        await new Promise((resolve) => incoming.once("data", resolve));
        destroy();
        await exchange.left;
      },
      async (exchange) => {
        exchange.openStream();
        await exchange.text("and");
      },
    );
    await expectUsage(server, left, { requests: 1, cancelled: 1 });
  });

  test("that disconnects before the response cancels its request", async () => {
    const left = await addModel(server, [upstream.url]);
    await exchangesOf(
      async () => {
        const before = upstream.exchanges.length;
        const controller = new AbortController();
        const asked = fetch(`${server.url}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${server.adminKey}`, "content-type": "application/json" },
          body: JSON.stringify({ model: left, messages: question }),
          signal: controller.signal,
        });
        const exchange = await upstream.received(before + 1);
        controller.abort();
        await assert.rejects(asked);
        await exchange.left;
      },
      () => {},
    );
    await expectUsage(server, left, { requests: 1, cancelled: 1 });
  });

  test("that reads slowly does not fill the server's memory", async () => {
    const piece = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "x".repeat(64_000) } }] })}\n\n`;
    const total = 256;
    let sent = 0;
    await exchangesOf(
      async () => {
        const before = server.residentKilobytes();
        const { incoming, destroy } = await openChat(server, { model, messages: question, stream: true });
        incoming.pause();
        // Backpressure stops the upstream long before it has sent everything.
        let seen = -1;
        await eventually(
          () => {
            const still = sent === seen;
            seen = sent;
            return still ? sent : 0;
          },
          (count) => count > 0,
        );
        assert.ok(sent < total, "the server read everything");
        expectGrowthBelow(server.residentKilobytes() - before, 24_000);
        let bytes = 0;
        for await (const part of incoming) {
          bytes += part.length;
          if (bytes >= piece.length * total) break;
        }
        assert.ok(bytes >= piece.length * total);
        destroy();
      },
      async (exchange) => {
        exchange.openStream();
        for (; sent < total; sent += 1) await exchange.write(piece);
        exchange.finish();
      },
    );
  });
});

test("keys of upstreams are never returned", async () => {
  const answers = await Promise.all([
    server.api("GET", "/api/v1/upstreams?limit=200"),
    server.api("GET", "/api/v1/models?limit=200"),
    server.api("GET", "/metrics"),
    chat(server, model),
  ]);
  for (const { status, text } of answers) {
    assert.equal(status, 200, text);
    assert.ok(!text.includes(KEY));
  }
  assert.ok(!server.logs.includes(KEY));
});
