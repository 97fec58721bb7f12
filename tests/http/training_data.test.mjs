// Training data outside artifacts: fetched from a URL when the job is created, or read below a configured folder.

import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { makeFolder, removeFolder } from "./support/program.mjs";
import { freshName } from "./support/people.mjs";
import { startServer, withServer } from "./support/server.mjs";
import { ScriptedTrainer, TrainingClient, addBaseModel } from "./support/training.mjs";

const LINES = `${JSON.stringify({ messages: [{ role: "user", content: "1" }, { role: "assistant", content: "one" }] })}\n`;

const folder = makeFolder();
mkdirSync(join(folder, "data"));
writeFileSync(join(folder, "data", "lines.jsonl"), LINES);
writeFileSync(join(folder, "secret.jsonl"), LINES);
symlinkSync(join(folder, "secret.jsonl"), join(folder, "data", "link.jsonl"));

let files;
let asked = 0;
let server;
let client;
let base;
before(async () => {
  files = createServer((request, response) => {
    asked += 1;
    if (request.url.startsWith("/lines")) return response.end(LINES);
    if (request.url === "/moved") return response.writeHead(302, { Location: "/lines" }).end();
    if (request.url === "/large") return response.end(LINES.repeat(1000));
    if (request.url === "/page") return response.end("<html></html>");
    response.writeHead(404).end();
  });
  await new Promise((done) => files.listen(0, "127.0.0.1", done));
  server = await startServer({
    env: { SPINDLE_TRAINING_FETCH_LIMIT: "64KiB", SPINDLE_TRAINING_DATA_FOLDER: join(folder, "data") },
  });
  client = new TrainingClient(server);
  base = await addBaseModel(server);
});
after(async () => {
  await server.dispose();
  files.close();
  removeFolder(folder);
});

const url = (path) => `http://127.0.0.1:${files.address().port}${path}`;
const file = (path) => `file://${join(folder, path)}`;
const register = (at = client, base_model = base) =>
  at.register({ entity: freshName("team"), project: "lab", name: "solver", base_model });

async function refusal(training_data_url, at = client, model = undefined) {
  const body = { model_id: (model ?? (await register(at))).id, training_data_url };
  const answer = await at.api("POST", "/sft-training-jobs", { body });
  assert.equal(answer.status, 400, answer.text);
  return answer.json.detail;
}

describe("data behind a URL", () => {
  test("is fetched once and passed to the trainer", async () => {
    for (const path of ["/lines?a=1", "/moved"]) {
      const model = await register();
      const job = await client.sft(model, url(path));
      const before_asked = asked;
      assert.equal((await client.sft(model, url(path))).id, job.id, "a repeated request returns the same job");
      const held = await new ScriptedTrainer(server).lease();
      assert.equal(held.id, job.id);
      assert.equal((await held.ok("GET", "/data")).text, LINES);
      assert.equal(held.offer.data.size, LINES.length);
      assert.equal(asked, before_asked, "the URL is not fetched again");
      await held.run(1);
      assert.equal((await client.job(job.id)).status, "COMPLETED");
    }
  });

  test("survives a kill of the server", () =>
    withServer({}, async (first) => {
      const at = new TrainingClient(first);
      const model = await register(at, await addBaseModel(first));
      const job = await at.sft(model, url("/lines"));
      await first.kill();
      const again = await startServer({ dataDir: first.dataDir });
      try {
        const held = await new ScriptedTrainer(again).lease();
        assert.equal(held.id, job.id);
        assert.equal((await held.ok("GET", "/data")).text, LINES);
      } finally {
        await again.kill();
      }
    }));

  test("that cannot be used is rejected with advice", async () => {
    assert.match(await refusal(url("/none")), /127\.0\.0\.1 answered 404/);
    assert.match(await refusal(url("/page")), /contains no lines of JSON/);
    assert.match(await refusal(url("/large")), /larger than 65536 bytes, which training\.fetch_limit allows/);
    assert.match(await refusal("http://127.0.0.1:1/x"), /could not be reached|port must be/);
    assert.match(await refusal("http://169.254.169.254/x"), /address is not allowed/);
    assert.match(await refusal("http://user:secret@127.0.0.1/x"), /user name or password/);
    assert.match(await refusal("gopher://127.0.0.1/x"), /no artifact/);
  });

  test("is not fetched from private addresses if webhooks may not use them", () =>
    withServer({ env: { SPINDLE_WEBHOOKS_ALLOW_PRIVATE: "never", SPINDLE_WEBHOOKS_ALLOW_HTTP: "true" } }, async (strict) => {
      const at = new TrainingClient(strict);
      const model = await register(at, await addBaseModel(strict));
      const before_asked = asked;
      assert.match(await refusal(url("/lines"), at, model), /address is not allowed/);
      assert.match(await refusal(url("/lines").replace("127.0.0.1", "localhost"), at, model), /not allowed/);
      assert.match(await refusal(file("data/lines.jsonl"), at, model), /training\.data_folder/);
      assert.equal(asked, before_asked);
    }));
});

describe("data in a file", () => {
  test("is read below the configured folder", async () => {
    const job = await client.sft(await register(), file("data/lines.jsonl"));
    const held = await new ScriptedTrainer(server).lease();
    assert.equal(held.id, job.id);
    assert.equal((await held.ok("GET", "/data")).text, LINES);
    await held.run(1);
  });

  test("is not read outside it, by paths or symbolic links", async () => {
    for (const path of ["secret.jsonl", "data/link.jsonl", "data/none.jsonl", "data"]) {
      assert.match(await refusal(file(path)), /there is no file/, path);
    }
    assert.match(await refusal(`file://${folder}/data/../secret.jsonl`), /there is no file/);
    assert.match(await refusal(`file://${folder}/data/%2e%2e/secret.jsonl`), /there is no file/);
    assert.match(await refusal("file:///etc/passwd"), /there is no file/);
  });
});
