// A server with an OpenAI-compatible API: a list of models, and the same answer to every chat.

import { once } from "node:events";
import { createServer } from "node:http";

const ANSWER = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 800, completion_tokens: 200, total_tokens: 1000 },
};

/** Starts the server: {url, close()}. */
export async function startModelServer(models) {
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      const list = { object: "list", data: models.map((id) => ({ id, object: "model" })) };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(request.url.endsWith("/models") ? list : { ...ANSWER, model: models[0] }));
    });
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
