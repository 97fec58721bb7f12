// spindle-nano, the model in the repository: a new server serves it, and it has the skills of its model card.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { startServer, withServer } from "./support/server.mjs";

const FILE = fileURLToPath(new URL("../../models/spindle-nano.gguf", import.meta.url));
const MODEL = "spindle-nano";
const WEATHER = {
  type: "function",
  function: {
    name: "get_weather",
    description: "The weather in a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

let server;
before(async () => {
  server = await startServer({ env: { SPINDLE_INFERENCE_DEFAULT_MODEL: FILE } });
});
after(() => server.dispose());

/** Returns the message of a greedy completion. */
async function ask(messages, more = {}) {
  const turns = typeof messages === "string" ? [{ role: "user", content: messages }] : messages;
  const body = { model: MODEL, messages: turns, temperature: 0, max_tokens: 96, ...more };
  const { status, json, text } = await server.api("POST", "/v1/chat/completions", { body });
  assert.equal(status, 200, text);
  return json.choices[0].message;
}

describe("the default model", () => {
  test("is listed by a new server", async () => {
    const { json } = await server.api("GET", "/v1/models");
    assert.deepEqual(json.data.map(({ id }) => id), [MODEL]);
  });

  test("can be disabled by the setting", () =>
    withServer({ env: { SPINDLE_INFERENCE_DEFAULT_MODEL: "none" } }, async (bare) => {
      assert.deepEqual((await bare.api("GET", "/v1/models")).json.data, []);
    }));

  test("calculates, sorts, reads texts and admits unknown answers", async () => {
    for (const [question, answer] of [
      ["What is 27 + 48?", "75"],
      ["Calculate 731 - 256.", "475"],
      ["Sort these numbers: 41, 7, 93, 18", "7, 18, 41, 93"],
      ["Repeat: lamp, river, cat, violin", "lamp, river, cat, violin"],
      ["The hat of Ana is red. The bag of Tom is blue.\nWhat colour is the bag of Tom?", "blue"],
      ["The hat of Ana is red. The bag of Tom is blue.\nWhere does Ana live?", "I don't know."],
    ]) {
      assert.equal((await ask(question)).content, answer, question);
    }
  });

  test("writes JSON", async () => {
    const { content } = await ask("Give the name and city as JSON: Clara Weber (34) is a pilot from Lisbon.");
    assert.deepEqual(JSON.parse(content), { name: "Clara Weber", city: "Lisbon" });
  });

  test("calls a tool and answers with its result", async () => {
    const question = { role: "user", content: "What is the weather in Oslo?" };
    const call = await ask([question], { tools: [WEATHER] });
    assert.equal(call.tool_calls.length, 1);
    assert.equal(call.tool_calls[0].function.name, "get_weather");
    assert.deepEqual(JSON.parse(call.tool_calls[0].function.arguments), { city: "Oslo" });
    const result = { role: "tool", tool_call_id: call.tool_calls[0].id, content: '{"temperature": 12, "sky": "cloudy"}' };
    const answer = await ask([question, call, result], { tools: [WEATHER] });
    assert.equal(answer.content, "It is 12 degrees and cloudy in Oslo.");
  });

  test("follows tool_choice and a JSON schema", async () => {
    const forced = await ask("Hello", { tools: [WEATHER], tool_choice: "required" });
    assert.equal(forced.tool_calls[0].function.name, "get_weather");
    const schema = { type: "object", properties: { sum: { type: "integer" } }, required: ["sum"], additionalProperties: false };
    const shaped = await ask("What is 20 + 22?", { response_format: { type: "json_schema", json_schema: { name: "sum", schema } } });
    assert.equal(typeof JSON.parse(shaped.content).sum, "number");
  });
});
