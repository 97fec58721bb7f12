// An upstream that echoes its credentials in every place and encoding: the key reaches neither the client, nor the
// log, nor a trace.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Project } from "./support/calls.mjs";
import { eventually } from "./support/deliveries.mjs";
import { EvaluationProject } from "./support/evaluations.mjs";
import { addModel, chat, openChat, question } from "./support/gateway.mjs";
import { startScriptedUpstream } from "./support/scripted_upstream.mjs";
import { startServer } from "./support/server.mjs";
import { startUpstream } from "./support/upstream.mjs";

const KEY = 'sk-up/stream+secret"4711';
const EVALUATION_KEY = "sk-evaluation/secret+4711";

const base64 = (text) => Buffer.from(text).toString("base64");
const base64url = (text) => Buffer.from(text).toString("base64url");

/** Encodings of an echoed key. */
const FORMS = {
  "as it is": (key) => key,
  "with its scheme": (key) => `Bearer ${key}`,
  "percent-encoded": (key) => encodeURIComponent(key),
  "as Basic credentials": (key) => `Basic ${base64(`user:${key}`)}`,
  "as Basic credentials of another user": (key) => `Basic ${base64(`api:${key}`)}`,
  "in base64": (key) => base64(key),
  "in base64 for URLs": (key) => base64url(`x${key}`),
};

/** Returns the strings that reveal the key: itself, and the middle of its encodings. */
const leakPatterns = (key) => [
  key,
  JSON.stringify(key).slice(1, -1),
  encodeURIComponent(key),
  ...["", "x", "xx"].map((before) => base64(before + key).slice(4, 24)),
  ...["", "x", "xx"].map((before) => base64url(before + key).slice(4, 24)),
];

function expectHidden(text, key, where) {
  for (const pattern of leakPatterns(key)) assert.ok(!text.includes(pattern), `${where} contains the key: ${text.slice(0, 300)}`);
}

let server;
let upstream;
let elsewhere;
let model;
let project;
before(async () => {
  upstream = await startScriptedUpstream();
  elsewhere = await startUpstream(({ headers }) => ({ status: 400, raw: JSON.stringify({ error: { message: `no ${headers.authorization}` } }) }));
  server = await startServer({
    env: { SPINDLE_EVALUATION_UPSTREAM_URL: elsewhere.url, SPINDLE_EVALUATION_UPSTREAM_KEY: EVALUATION_KEY },
    args: ["--evaluation-retries", "0", "--log-level", "debug", "--inference-circuit-failures", "1000"],
  });
  model = await addModel(server, [{ url: upstream.url, key: KEY }]);
  project = new Project(server);
  await project.start();
  const traced = await server.api("PUT", `/api/v1/projects/${project.id}/completion-tracing`, { body: { enabled: true } });
  assert.equal(traced.status, 200, traced.text);
});
after(async () => {
  expectHidden(server.logs, KEY, "the log");
  expectHidden(server.logs, EVALUATION_KEY, "the log");
  await server.dispose();
  await upstream.close();
  await elsewhere.close();
});

const headers = () => ({ "compat-project": project.id });
const everythingOf = (answer) => `${JSON.stringify(answer.headers)}\n${answer.text}`;
const ask = () => chat(server, model, {}, { headers: headers() });

let completions = 0;
/** Returns the project's traces after all completions are stored. */
async function traces() {
  const calls = await eventually(
    async () => (await project.ok("/calls/query", { project_id: project.id, filter: {} })).calls,
    (found) => found.length > completions,
    "not every completion is traced",
  );
  return JSON.stringify(calls);
}

describe("the key of an upstream that echoes it", () => {
  for (const [name, form] of Object.entries(FORMS)) {
    test(`${name} in the body of an error is hidden`, async () => {
      for (const status of [400, 401, 403, 404, 422, 429, 500, 503]) {
        upstream.script = (exchange) => {
          assert.equal(exchange.headers.authorization, `Bearer ${KEY}`);
          exchange.fail(status, `Incorrect API key: ${form(KEY)}`, { headers: { "x-debug": form(KEY), "www-authenticate": form(KEY) } });
        };
        const answer = await ask();
        completions += 1;
        assert.ok(answer.status >= 400);
        expectHidden(everythingOf(answer), KEY, `status ${status}`);
      }
      expectHidden(await traces(), KEY, "the trace");
    });

    test(`${name} in a body that is not JSON is hidden`, async () => {
      upstream.script = (exchange) => exchange.answer(`<html>${form(KEY)}</html>`, { status: 400, headers: { "content-type": "text/html" } });
      expectHidden(everythingOf(await ask()), KEY, "the answer");
      completions += 1;
      expectHidden(await traces(), KEY, "the trace");
    });

    test(`${name} in a complete response is hidden`, async () => {
      upstream.script = (exchange) => exchange.complete(`You are ${form(KEY)}`);
      const answer = await ask();
      completions += 1;
      assert.equal(answer.status, 200, answer.text);
      assert.match(answer.json.choices[0].message.content, /\*\*\*/);
      expectHidden(everythingOf(answer), KEY, "the answer");
      expectHidden(await traces(), KEY, "the trace");
    });

    test(`${name} in events and headers of a stream is hidden, with any chunk borders`, async () => {
      upstream.script = async (exchange) => {
        exchange.openStream({ "content-type": `text/event-stream; boundary=${form(KEY)}`, "x-debug": form(KEY) });
        const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: `I am ${form(KEY)}` } }] })}\n\n`;
        const middle = Math.floor(event.length / 2);
        await exchange.write(event.slice(0, middle));
        await new Promise((resolve) => setImmediate(resolve));
        await exchange.write(event.slice(middle));
        exchange.finish();
      };
      const { status, headers: got, incoming } = await openChat(server, { model, messages: question, stream: true }, { headers: headers() });
      completions += 1;
      let text = "";
      for await (const piece of incoming.setEncoding("utf8")) text += piece;
      assert.equal(status, 200);
      assert.ok(text.includes("***"), text);
      assert.ok(text.endsWith("data: [DONE]\n\n"), text);
      expectHidden(JSON.stringify(got) + text, KEY, "the stream");
      expectHidden(await traces(), KEY, "the trace");
    });

    test(`${name} is hidden when an administrator tests the upstream`, async () => {
      const made = await server.api("GET", `/api/v1/models/${model}`);
      const [{ upstream: place }] = made.json.targets;
      upstream.probeBody = { error: { message: `no: ${form(KEY)}` } };
      upstream.probeStatus = 401;
      try {
        const answer = await server.api("POST", `/api/v1/upstreams/${place}/test`);
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.json.success, false);
        assert.match(answer.json.error, /\*\*\*/);
        expectHidden(everythingOf(answer), KEY, "the test");
      } finally {
        upstream.probeBody = undefined;
        upstream.probeStatus = 200;
      }
    });
  }

  test("is hidden in evaluations", async () => {
    const evaluations = new EvaluationProject(server);
    const run = await evaluations.evaluate(await evaluations.evaluation([{ question: "a" }], []), await evaluations.model({ model: "not-in-the-catalogue" }));
    await evaluations.finished(run);
    const calls = JSON.stringify(await evaluations.calls.query({}));
    assert.ok(calls.includes("***"), calls);
    expectHidden(calls, EVALUATION_KEY, "the evaluation");
  });
});
