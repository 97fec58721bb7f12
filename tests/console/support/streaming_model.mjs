// A server with an OpenAI-compatible API that streams an answer word by word.

import { once } from "node:events";
import { createServer } from "node:http";

/** Starts the server. `answers` maps names of models to their answers. Returns {url, close()}. */
export async function startStreamingModel(answers) {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    if (request.url.endsWith("/models")) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ object: "list", data: Object.keys(answers).map((id) => ({ id, object: "model" })) }));
      return;
    }
    const { model } = JSON.parse(text);
    const words = answers[model].split(" ");
    const piece = (fields) => response.write(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model, ...fields })}\n\n`);
    response.writeHead(200, { "content-type": "text/event-stream" });
    words.forEach((word, index) => piece({ choices: [{ index: 0, delta: { content: `${index === 0 ? "" : " "}${word}` }, finish_reason: null }] }));
    piece({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
    piece({ choices: [], usage: { prompt_tokens: 5, completion_tokens: words.length, total_tokens: 5 + words.length } });
    response.end("data: [DONE]\n\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}
