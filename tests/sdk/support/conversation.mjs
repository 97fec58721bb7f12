// The expected chat with the scripted model, for every kind of tracing.

import assert from "node:assert/strict";

import { ANSWER, MODEL, QUESTION, THOUGHT } from "./upstream.mjs";

/** The tool that the scripted model calls. */
export const forecast = ({ city }) => `4 C in ${city}`;

function parts(view) {
  const of = (type) => view.messages.filter((message) => message.type === type).map((message) => message[type]);
  return {
    users: of("user_message").map((message) => message.text),
    tools: of("tool_call"),
    answers: of("assistant_message").map((message) => message.text).filter((text) => text !== ""),
    thoughts: of("assistant_message").map((message) => message.reasoning_content).filter((text) => text),
    models: of("assistant_message").map((message) => message.model),
  };
}

/**
 * Expects the prompt, the reasoning, the tool and the answer, each once. Client clocks have a resolution of one
 * millisecond and the scripted model is faster, so messages with the same time may have any order.
 */
export function expectConversation(view, { thought = THOUGHT } = {}) {
  const shown = JSON.stringify(view.messages, null, 1);
  const { users, tools, answers, thoughts, models } = parts(view);
  assert.deepEqual(users, [QUESTION], shown);
  assert.equal(tools.length, 1, shown);
  assert.equal(tools[0].tool_name, "forecast", shown);
  assert.deepEqual(JSON.parse(tools[0].tool_arguments), { city: "Oslo" }, shown);
  assert.match(tools[0].tool_result, /4 C in Oslo/, shown);
  assert.deepEqual(answers, [ANSWER], shown);
  assert.ok(thoughts.some((text) => text.includes(thought)), shown);
  assert.ok(models.includes(MODEL), shown);
}
