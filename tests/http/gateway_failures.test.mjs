// Failing upstreams: before the first byte the gateway tries another upstream, after it the client gets an error;
// circuit breakers open and close; usage is correct in every case.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { after, before, beforeEach, describe, test } from "node:test";

import { eventually } from "./support/deliveries.mjs";
import { addModel, chat, expectOpenAiError, expectUsage, openChat, question } from "./support/gateway.mjs";
import { answerHello, startScriptedUpstream } from "./support/scripted_upstream.mjs";
import { makeFolder } from "./support/program.mjs";
import { startServer, withServer } from "./support/server.mjs";

/** Settings with which a circuit breaker opens and closes quickly. */
const FAST_CIRCUITS = {
  SPINDLE_INFERENCE_CIRCUIT_FAILURES: "3",
  SPINDLE_INFERENCE_CIRCUIT_PAUSE: "200ms",
  SPINDLE_INFERENCE_HEALTH_INTERVAL: "50ms",
};

let server;
let first;
let second;
before(async () => {
  server = await startServer({ env: FAST_CIRCUITS });
  first = await startScriptedUpstream();
  second = await startScriptedUpstream();
});
after(async () => {
  await server.dispose();
  await first.close();
  await second.close();
});
beforeEach(() => {
  first.script = answerHello;
  second.script = answerHello;
});

/** Returns the number of requests to each of the two upstreams during `work`. */
async function asked(work) {
  const before = [first.exchanges.length, second.exchanges.length];
  await work();
  return [first.exchanges.length - before[0], second.exchanges.length - before[1]];
}

/** Creates a model with the first upstream as tier 0 and the second as tier 1. */
const tiered = (fields = {}) => addModel(server, [{ url: first.url, tier: 0, ...fields }, { url: second.url, tier: 1 }]);

const USED = { prompt: 10, completion: 5 };

/** Kinds of failures of an upstream. */
const FAILURES = {
  "disconnects before the head": (exchange) => exchange.cut(),
  "answers 500": (exchange) => exchange.fail(500, "broken"),
  "answers 503": (exchange) => exchange.fail(503, "overloaded"),
  "answers 429": (exchange) => exchange.fail(429, "busy", { type: "rate_limit_error" }),
  "answers 401": (exchange) => exchange.fail(401, "bad key", { type: "authentication_error" }),
  "sends invalid HTTP": (exchange) => exchange.garbage("what?\r\n\r\n"),
  "answers with HTML": (exchange) => exchange.answer("<html>hello</html>", { headers: { "content-type": "text/html" } }),
  "answers with invalid JSON": (exchange) => exchange.answer(Buffer.from('{"id":')),
  "answers with another JSON type": (exchange) => exchange.answer(["not", "an", "object"]),
  "disconnects within a response": (exchange) =>
    exchange.garbage("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"),
};

describe("a complete response", () => {
  for (const [name, script] of Object.entries(FAILURES)) {
    test(`comes from the next tier when the first ${name}`, async () => {
      first.script = script;
      const model = await tiered();
      const counts = await asked(async () => {
        const answer = await chat(server, model);
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.json.choices[0].message.content, "Hello there");
      });
      assert.deepEqual(counts, [1, 1]);
      await expectUsage(server, model, { requests: 1, ...USED });
    });

    test(`is an error when the only one ${name}`, async () => {
      first.script = script;
      const model = await addModel(server, [first.url]);
      const answer = await chat(server, model);
      const limited = name === "answers 429";
      expectOpenAiError(answer, limited ? 429 : 503, limited ? "rate_limit_error" : "server_error");
      assert.ok(Number(answer.headers["retry-after"]) >= 1, answer.text);
      await expectUsage(server, model, { requests: 1, errors: 1 });
    });
  }

  test("comes from the next tier when the first refuses connections", async () => {
    const gone = await startScriptedUpstream();
    const { url } = gone;
    await gone.close();
    const model = await addModel(server, [{ url, tier: 0 }, { url: second.url, tier: 1 }]);
    assert.equal((await chat(server, model)).status, 200);
    const lonely = await addModel(server, [url]);
    expectOpenAiError(await chat(server, lonely), 503, "server_error");
    await expectUsage(server, model, { requests: 1, ...USED });
    await expectUsage(server, lonely, { requests: 1, errors: 1 });
  });

  test("comes from the next tier when connecting to the first takes too long", async () => {
    // Accepts connections and never sends a byte, so that the TLS handshake does not complete.
    const mute = createServer(() => {}).listen(0, "127.0.0.1");
    await once(mute, "listening");
    const url = `https://127.0.0.1:${mute.address().port}/v1`;
    const model = await addModel(server, [{ url, tier: 0, connect_timeout_ms: 100 }, { url: second.url, tier: 1 }]);
    assert.equal((await chat(server, model)).status, 200);
    mute.close();
    await expectUsage(server, model, { requests: 1, ...USED });
  });

  test("is not retried when the request is invalid", async () => {
    first.script = (exchange) => exchange.fail(400, "no", { type: "invalid_request_error" });
    const model = await tiered();
    const counts = await asked(async () => assert.equal((await chat(server, model)).status, 400));
    assert.deepEqual(counts, [1, 0]);
  });

  test("comes from a fallback model when all upstreams fail", async () => {
    first.script = (exchange) => exchange.cut();
    const spare = await addModel(server, [second.url]);
    const dead = await addModel(server, [first.url]);
    const model = await addModel(server, [first.url], { fallbacks: [dead, spare] });
    const answer = await chat(server, model);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(second.exchanges.at(-1).body.model, spare);
    await expectUsage(server, model, { requests: 1, ...USED });
  });
});

describe("a stream", () => {
  const stream = (model) => chat(server, model, { stream: true });
  const errorOf = (text) => {
    const events = text.split("\n\n").filter(Boolean);
    assert.ok(events.at(-1).startsWith("data: {"), text);
    return JSON.parse(events.at(-1).slice("data: ".length)).error;
  };

  test("comes from the next tier when the first disconnects before the first byte", async () => {
    first.script = (exchange) => {
      exchange.openStream();
      exchange.cut();
    };
    const model = await tiered();
    const answer = await stream(model);
    assert.equal(answer.status, 200, answer.text);
    assert.ok(answer.text.endsWith("data: [DONE]\n\n"), answer.text);
    await expectUsage(server, model, { requests: 1, ...USED });
  });

  test("that is interrupted after its first byte ends with an error, without a retry", async () => {
    first.script = async (exchange) => {
      exchange.openStream();
      await exchange.text("Hel");
    };
    const model = await tiered();
    const counts = await asked(async () => {
      const { status, incoming } = await openChat(server, { model, messages: question, stream: true });
      assert.equal(status, 200);
      let text = "";
      for await (const piece of incoming.setEncoding("utf8")) {
        text += piece;
        if (text.includes("Hel")) first.exchanges.at(-1).cut();
      }
      const error = errorOf(text);
      assert.equal(error.type, "server_error");
      assert.ok(error.message);
    });
    assert.deepEqual(counts, [1, 0]);
    await expectUsage(server, model, { requests: 1, errors: 1 });
  });

  test("that stalls ends with an error", async () => {
    first.script = async (exchange) => {
      exchange.openStream();
      await exchange.text("Hel");
    };
    const model = await addModel(server, [{ url: first.url, idle_timeout_ms: 100 }]);
    const answer = await stream(model);
    assert.equal(errorOf(answer.text).type, "server_error");
    await first.exchanges.at(-1).left;
    await expectUsage(server, model, { requests: 1, errors: 1 });
  });

  test("that never begins comes from the next tier", async () => {
    first.script = (exchange) => exchange.openStream();
    const model = await tiered({ first_token_timeout_ms: 100 });
    const answer = await stream(model);
    assert.ok(answer.text.endsWith("data: [DONE]\n\n"), answer.text);
    await first.exchanges.at(-1).left;
  });

  test("forwards an error event of the upstream", async () => {
    first.script = async (exchange) => {
      exchange.openStream();
      await exchange.text("Hel");
      await exchange.write('data: {"error":{"message":"out of memory","type":"server_error","param":null,"code":null}}\n\n');
      exchange.end();
    };
    const model = await addModel(server, [first.url]);
    assert.equal(errorOf((await stream(model)).text).message, "out of memory");
  });

  test("that the upstream rejects returns the upstream's error", async () => {
    first.script = (exchange) => exchange.fail(400, "no streams here", { type: "invalid_request_error" });
    const model = await addModel(server, [first.url]);
    const answer = await stream(model);
    expectOpenAiError(answer, 400, "invalid_request_error");
    assert.equal(answer.json.error.message, "no streams here");
  });
});

describe("replicas", () => {
  test("share the load; an idle one is preferred", async () => {
    const model = await addModel(server, [first.url, second.url]);
    const held = [];
    first.script = (exchange) => held.push(exchange);
    second.script = (exchange) => held.push(exchange);
    const counts = await asked(async () => {
      const before = first.exchanges.length + second.exchanges.length;
      const answers = Array.from({ length: 10 }, () => chat(server, model));
      await eventually(() => first.exchanges.length + second.exchanges.length - before, (count) => count === 10);
      for (const exchange of held) exchange.complete("x");
      for (const answer of await Promise.all(answers)) assert.equal(answer.status, 200);
    });
    assert.deepEqual(counts, [5, 5]);
  });

  test("replace one another on failure", async () => {
    const model = await addModel(server, [first.url, second.url]);
    first.script = (exchange) => exchange.fail(500, "broken");
    for (let i = 0; i < 6; ++i) assert.equal((await chat(server, model)).status, 200);
    await expectUsage(server, model, { requests: 6, prompt: 60, completion: 30 });
  });

  test("that send Retry-After get no requests until then", async () => {
    const model = await addModel(server, [first.url, second.url]);
    first.script = (exchange) => exchange.fail(429, "busy", { headers: { "retry-after": "60" } });
    const counts = await asked(async () => {
      for (let i = 0; i < 8; ++i) assert.equal((await chat(server, model)).status, 200);
    });
    assert.deepEqual(counts, [1, 8]);
    const lonely = await addModel(server, [first.url]);
    await chat(server, lonely);
    const counted = await asked(async () => {
      const answer = await chat(server, lonely);
      expectOpenAiError(answer, 503, "server_error");
      const pause = Number(answer.headers["retry-after"]);
      assert.ok(pause > 30 && pause <= 60, `${pause}`);
    });
    assert.deepEqual(counted, [0, 0], "no requests before the end of Retry-After");
  });

  test("that keep failing are excluded, probed, and used again", async () => {
    const model = await addModel(server, [{ url: first.url, tier: 0 }, { url: second.url, tier: 1 }]);
    first.script = (exchange) => exchange.fail(500, "broken");
    for (let i = 0; i < 3; ++i) assert.equal((await chat(server, model)).status, 200);
    // The circuit is open or half-open: at most a few requests reach the first.
    first.script = answerHello;
    await eventually(
      () => asked(async () => assert.equal((await chat(server, model)).status, 200)),
      ([of_first]) => of_first === 1,
      "the first was never taken back",
    );
    assert.deepEqual(await asked(() => chat(server, model)), [1, 0]);
  });

  test("that fail the health check get no requests", async () => {
    const sick = await startScriptedUpstream();
    const model = await addModel(server, [{ url: sick.url, tier: 0, health_path: "/models" }, { url: second.url, tier: 1 }]);
    sick.probeStatus = 500;
    await sick.probed(3);
    await eventually(
      async () => {
        const before = sick.exchanges.length;
        assert.equal((await chat(server, model)).status, 200);
        return sick.exchanges.length - before;
      },
      (count) => count === 0,
    );
    sick.probeStatus = 200;
    await eventually(
      async () => {
        const before = sick.exchanges.length;
        assert.equal((await chat(server, model)).status, 200);
        return sick.exchanges.length - before;
      },
      (count) => count === 1,
    );
    await sick.close();
  });
});

test("an upstream that ends during a hundred streams fails only those streams", async () => {
  const dying = await startScriptedUpstream(async (exchange) => {
    exchange.openStream();
    await exchange.text("Hel");
  });
  const model = await addModel(server, [dying.url]);
  const calm = await addModel(server, [second.url]);
  const streams = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const { incoming } = await openChat(server, { model, messages: question, stream: true });
      incoming.setEncoding("utf8");
      const [piece] = await new Promise((resolve) => incoming.once("data", (text) => resolve([text])));
      return { incoming, piece };
    }),
  );
  await dying.close();
  const ends = await Promise.all(
    streams.map(async ({ incoming, piece }) => {
      let text = piece;
      for await (const more of incoming) text += more;
      return text;
    }),
  );
  for (const text of ends) assert.match(text, /"error"/);
  assert.equal((await chat(server, calm)).status, 200);
  await expectUsage(server, model, { requests: 100, errors: 100 });
});

test("a server that receives SIGTERM completes its streams and records their usage", async () => {
  const dataDir = `${makeFolder()}/data`;
  const calm = await startScriptedUpstream(async (exchange) => {
    exchange.openStream();
    await exchange.text("Hel");
  });
  let model;
  await withServer({ dataDir }, async (stopping) => {
    model = await addModel(stopping, [calm.url]);
    const { incoming } = await openChat(stopping, { model, messages: question, stream: true });
    let text = "";
    let ended;
    for await (const piece of incoming.setEncoding("utf8")) {
      text += piece;
      if (ended === undefined && text.includes("Hel")) {
        ended = stopping.stop();
        await stopping.program.waitForLine(/"event":"stopping"/);
        calm.exchanges[0].finish();
      }
    }
    assert.ok(text.endsWith("data: [DONE]\n\n"), text);
    assert.equal((await ended).code, 0);
  });
  await withServer({ dataDir }, (again) => expectUsage(again, model, { requests: 1, ...USED }));
  await calm.close();
});
