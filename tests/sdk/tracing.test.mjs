// Ops traced with the real Node SDK and read over HTTP.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { expectTimestamp } from "../http/support/expect.mjs";
import { startServer } from "../http/support/server.mjs";
import { opName, parseRef, trace, weave } from "./support/sdk.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

describe("a traced op", () => {
  test("is a finished call with inputs, output and the SDK's attributes", async () => {
    const traced = await trace(server);
    const add = weave.op((a, b) => a + b, { name: "add", parameterNames: ["a", "b"] });
    assert.equal(await add(2, 3), 5);

    const call = await traced.callOf("add");
    const me = (await server.api("GET", "/api/v1/me")).json;
    assert.equal(call.project_id, traced.project);
    assert.deepEqual(call.inputs, { a: 2, b: 3 });
    assert.equal(call.output, 5);
    assert.equal(call.exception, null);
    assert.equal(call.parent_id, null);
    assert.equal(call.display_name, null);
    assert.equal(call.svc_user_id, me.id);
    assert.equal(call.attributes.svc.source, "js-sdk");
    assert.match(call.attributes.svc.client_version, /^\d+\.\d+\.\d+$/);
    expectTimestamp(call.started_at);
    expectTimestamp(call.ended_at);
    assert.equal(call.summary.svc.status, "success");
    assert.equal(call.summary.svc.trace_name, "add");
    assert.ok(call.summary.svc.latency_ms >= 0);
    assert.equal(JSON.stringify(call).includes("weave"), false);
  });

  test("stores its code", async () => {
    const traced = await trace(server);
    await weave.op(function doubled(x) {
      return x * 2;
    })(4);
    const call = await traced.callOf("doubled");
    const { kind, name, digest } = parseRef(call.op_name);
    assert.equal(kind, "op");
    const object = await traced.object(name, digest);
    assert.equal(object.kind, "op");
    assert.equal(object.version_index, 0);
    const [code] = Object.values(object.val.files);
    assert.match((await traced.file(code)).toString(), /return x \* 2/);
  });

  test("records nested calls in one trace and aggregates usage", async () => {
    const traced = await trace(server);
    const usage = { usage: { "gpt-4o": { prompt_tokens: 1000, completion_tokens: 500 } } };
    const ask = weave.op((text) => `answer to ${text}`, { name: "ask", summarize: () => usage });
    const twice = weave.op(async (text) => [await ask(text), await ask(`again ${text}`)], { name: "twice" });
    await twice("why");

    const [parent, ...children] = await traced.calls({ include_costs: true });
    assert.equal(opName(parent), "twice");
    assert.equal(children.length, 2);
    for (const child of children) {
      assert.equal(opName(child), "ask");
      assert.equal(child.parent_id, parent.id);
      assert.equal(child.trace_id, parent.trace_id);
      const cost = child.summary.svc.costs["gpt-4o"];
      assert.equal(cost.requests, 1);
      assert.ok(Math.abs(cost.prompt_tokens_total_cost - 1000 * cost.prompt_token_cost) < 1e-12);
      assert.equal(cost.pricing_level, "default");
    }
    assert.equal(parent.summary.usage["gpt-4o"].prompt_tokens, 2000);
    assert.equal(parent.summary.usage["gpt-4o"].requests, 2);
    assert.ok(parent.summary.svc.costs["gpt-4o"].completion_tokens_total_cost > 0);
  });

  test("keeps its own context during concurrent ops", async () => {
    const traced = await trace(server);
    const inner = weave.op(async (n) => n + 1, { name: "inner" });
    const outer = weave.op(async (n) => inner(n * 10), { name: "outer" });
    const results = await Promise.all(Array.from({ length: 40 }, (_, n) => outer(n)));
    assert.deepEqual(results, Array.from({ length: 40 }, (_, n) => n * 10 + 1));
    const calls = await traced.calls();
    assert.equal(calls.length, 80);
    const parents = new Map(calls.filter((call) => opName(call) === "outer").map((call) => [call.id, call]));
    assert.equal(parents.size, 40);
    for (const call of calls.filter(({ id }) => !parents.has(id))) {
      const parent = parents.get(call.parent_id);
      assert.equal(call.trace_id, parent.trace_id);
      assert.equal(call.inputs.arg0, parent.inputs.arg0 * 10);
      assert.equal(call.output, parent.output);
    }
  });
});

describe("a failing op", () => {
  test("rethrows and is recorded as an error", async () => {
    const traced = await trace(server);
    const fail = weave.op(() => {
      throw new Error("no such luck");
    }, { name: "fail" });
    const cautious = weave.op(async () => fail().catch(() => "caught"), { name: "cautious" });
    assert.equal(await cautious(), "caught");
    await assert.rejects(fail(), /no such luck/);

    const failed = (await traced.calls()).filter((call) => opName(call) === "fail");
    assert.equal(failed.length, 2);
    for (const call of failed) {
      assert.equal(call.exception, "no such luck");
      assert.equal(call.output, null);
      assert.equal(call.summary.svc.status, "error");
    }
    const query = { $expr: { $eq: [{ $getField: "summary.svc.status" }, { $literal: "error" }] } };
    assert.equal((await traced.post("/calls/query_stats", { query })).json.count, 2);
    assert.equal((await traced.callOf("cautious")).summary.svc.status, "success");
  });
});

describe("a streaming op", () => {
  const words = weave.op(
    async function* words(count) {
      for (let i = 0; i < count; i += 1) yield `word${i}`;
    },
    {
      name: "words",
      streamReducer: {
        initialStateFn: () => ({ text: "" }),
        reduceFn: (state, word) => ({ text: `${state.text} ${word}`.trim() }),
        finalizeFn: () => {},
      },
    },
  );

  test("ends with its stream, with the combined output", async () => {
    const traced = await trace(server);
    const seen = [];
    for await (const word of await words(3)) seen.push(word);
    assert.deepEqual(seen, ["word0", "word1", "word2"]);
    assert.deepEqual((await traced.callOf("words")).output, { text: "word0 word1 word2" });
  });

  test("ends when its reader stops early", async () => {
    const traced = await trace(server);
    for await (const word of await words(10)) if (word === "word1") break;
    const call = await traced.callOf("words");
    assert.deepEqual(call.output, { text: "word0 word1" });
    assert.notEqual(call.ended_at, null);
  });
});

describe("names and attributes", () => {
  test("are set by the program", async () => {
    const traced = await trace(server);
    const greet = weave.op((name) => `Hello ${name}`, {
      name: "greet",
      callDisplayName: (name) => `greeting ${name}`,
    });
    await weave.withAttributes({ tenant: "acme", request: { id: 7 } }, () => greet("Ada"));
    const call = await traced.callOf("greet");
    assert.equal(call.display_name, "greeting Ada");
    assert.equal(call.summary.svc.display_name, "greeting Ada");
    assert.equal(call.attributes.tenant, "acme");
    assert.deepEqual(call.attributes.request, { id: 7 });
    const query = { $expr: { $eq: [{ $getField: "attributes.request.id" }, { $literal: 7 }] } };
    assert.equal((await traced.calls({ query })).length, 1);
  });

  test("can be changed afterwards", async () => {
    const traced = await trace(server);
    const greet = weave.op(() => "hi", { name: "greet" });
    const [result, call] = await greet.invoke();
    assert.equal(result, "hi");
    await traced.client.waitForBatchProcessing();
    await call.setDisplayName("renamed");
    assert.equal((await traced.callOf("greet")).display_name, "renamed");
  });
});

describe("media", () => {
  test("are stored as files", async () => {
    const traced = await trace(server);
    const pixels = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
    const draw = weave.op(() => weave.weaveImage({ data: pixels, imageType: "png" }), { name: "draw" });
    await draw();
    const { output } = await traced.callOf("draw");
    assert.deepEqual(Object.keys(output.files), ["image.png"]);
    assert.deepEqual(await traced.file(output.files["image.png"]), pixels);
  });
});

describe("reading with the SDK", () => {
  test("finds calls by filter, with vendor names", async () => {
    const traced = await trace(server);
    const one = weave.op((n) => n, { name: "one", parameterNames: ["n"] });
    const two = weave.op((n) => one(n), { name: "two" });
    await two(1);
    await one(2);
    await traced.client.waitForBatchProcessing();

    const all = await traced.client.getCalls();
    assert.equal(all.length, 3);
    for (const call of all) {
      assert.equal(call.project_id, traced.project);
      assert.match(call.op_name, /^weave:\/\/\/[^/]+\/sdk\/op\/(one|two):\w+$/);
      assert.equal(call.summary.weave.status, "success");
      assert.equal(call.attributes.weave.source, "js-sdk");
      assert.equal(typeof call.wb_user_id, "string");
    }
    const roots = await traced.client.getCalls({ trace_roots_only: true });
    assert.equal(roots.length, 2);
    const ones = await traced.client.getCalls({ op_names: [all[1].op_name] });
    assert.equal(ones.length, 2);
    const mine = await traced.client.getCalls({ wb_user_ids: [all[0].wb_user_id] }, false, 2);
    assert.equal(mine.length, 2);

    const again = await traced.client.getCall(all[0].id, true);
    assert.equal(again.id, all[0].id);
    await assert.rejects(traced.client.getCall("0190a000-0000-7000-8000-000000000000"), /not found/);
  });
});
