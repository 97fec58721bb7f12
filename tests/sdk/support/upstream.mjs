// A scripted model with the OpenAI API: for a weather prompt it returns reasoning and a tool call, and answers
// after the tool result.

import { createServer } from "node:http";

export const QUESTION = "Weather in Oslo?";
export const THOUGHT = "The forecast will tell.";
export const ANSWER = "It is 4 C in Oslo.";
export const MODEL = "m-large";

const call = { name: "forecast", arguments: '{"city":"Oslo"}' };

function response(output) {
  return {
    id: "resp_1", object: "response", created_at: 1_714_521_600, status: "completed", model: MODEL, output,
    error: null, incomplete_details: null, instructions: null, metadata: {}, parallel_tool_calls: true, temperature: 1, top_p: 1,
    tool_choice: "auto", tools: [],
    usage: {
      input_tokens: 50, output_tokens: 12, total_tokens: 62,
      input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 5 },
    },
  };
}

function respond({ input }) {
  const answered = Array.isArray(input) && input.some((item) => item.type === "function_call_output");
  const thought = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: THOUGHT }] };
  if (!answered) return response([thought, { type: "function_call", id: "fc_1", call_id: "c1", status: "completed", ...call }]);
  const content = [{ type: "output_text", text: ANSWER, annotations: [] }];
  return response([{ type: "message", id: "msg_1", role: "assistant", status: "completed", content }]);
}

function complete({ messages }) {
  const answered = messages.some((message) => message.role === "tool");
  const message = answered
    ? { role: "assistant", content: ANSWER }
    : { role: "assistant", content: null, reasoning_content: THOUGHT, tool_calls: [{ id: "c1", type: "function", function: call }] };
  return {
    id: "chat_1", object: "chat.completion", created: 1_714_521_600, model: MODEL,
    choices: [{ index: 0, message, finish_reason: answered ? "stop" : "tool_calls" }],
    usage: { prompt_tokens: 50, completion_tokens: 12, total_tokens: 62 },
  };
}

const SCRIPT = { "/v1/responses": respond, "/v1/chat/completions": complete };

/** Starts the upstream on a free port: {url, close}; the URL ends in /v1. */
export async function startUpstream() {
  const server = createServer(async (incoming, outgoing) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const script = SCRIPT[incoming.url];
    outgoing.writeHead(script ? 200 : 404, { "content-type": "application/json" });
    outgoing.end(JSON.stringify(script ? script(JSON.parse(Buffer.concat(chunks))) : { error: { message: incoming.url } }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    close: () => new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); }),
  };
}
