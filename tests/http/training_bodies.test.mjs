// Bodies of RL jobs beyond the size limit: rejected while they arrive, with little memory and without side effects.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createGzip } from "node:zlib";

import { expectGrowthBelow } from "./support/expect.mjs";
import { freshName, makeTeam } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";
import { ScriptedTrainer, TrainingClient, addBaseModel, group } from "./support/training.mjs";

const LARGEST = 256 * 1024 * 1024;
/** Allowed memory growth: far less than the body, far more than normal variation. */
const ROOM_KB = 128 * 1024;

let server;
let client;
let model;
before(async () => {
  server = await startServer();
  client = new TrainingClient(server);
  const base_model = await addBaseModel(server);
  const team = (await makeTeam(server)).name;
  model = await client.register({ entity: team, project: "lab", name: freshName("solver"), base_model });
});
after(() => server.dispose());

/** Generates the parts of a valid body that is larger than `size`. */
function* body(size) {
  const one = `${JSON.stringify({ trajectories: [], logs: ["x".repeat(1024 * 1024)] })},`;
  yield `{"model_id":"${model.id}","trajectory_groups":[`;
  for (let sent = 0; sent <= size; sent += one.length) yield one;
  yield '{"trajectories":[]}]}';
}

/** Sends the parts as fast as the server reads, until it responds. Resolves with the response and the peak memory. */
function sendPieces(pieces, headers = {}) {
  return new Promise((resolve, reject) => {
    let most = 0;
    let answered = false;
    const sending = request(`${server.url}/v1/preview/training-jobs`, {
      method: "POST",
      headers: { Authorization: `Bearer ${server.adminKey}`, "Content-Type": "application/json", ...headers },
    });
    sending.on("response", (response) => {
      answered = true;
      let text = "";
      response.on("data", (piece) => (text += piece));
      response.on("end", () => {
        sending.destroy();
        resolve({ status: response.statusCode, json: JSON.parse(text), most });
      });
    });
    // After its response the server may close the connection while the client still sends.
    sending.on("error", (error) => answered || reject(error));
    const out = headers["Content-Encoding"] ? createGzip({ level: 1 }) : sending;
    if (out !== sending) out.pipe(sending);
    const feed = async () => {
      for (const piece of pieces) {
        if (answered) return;
        most = Math.max(most, server.residentKilobytes());
        if (!out.write(piece)) await Promise.race([drained(out), new Promise((done) => sending.once("close", done))]);
      }
      out.end();
    };
    feed().catch(reject);
  });
}
const drained = (stream) => new Promise((done) => stream.once("drain", done));

/** Returns the number of files below a folder of the server. */
const filesIn = (folder) =>
  readdirSync(join(server.dataDir, folder), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;

for (const [how, headers] of [
  ["in chunks", {}],
  ["compressed", { "Content-Encoding": "gzip" }],
]) {
  test(`a body that is too large is rejected while it arrives, ${how}`, async () => {
    const kept = await client.train(model, [group([0, 1])]);
    const files = filesIn("files");
    const before_kb = server.residentKilobytes();
    const { status, json, most } = await sendPieces(body(LARGEST), headers);
    assert.equal(status, 413);
    assert.equal(json.detail, "The request body is too large.");
    expectGrowthBelow(most - before_kb, ROOM_KB);
    assert.equal(filesIn("files"), files, "no file remains");
    const held = await new ScriptedTrainer(server).lease();
    assert.equal(held.id, kept.id, "the existing job continues");
    await held.run(1);
    assert.equal((await client.job(kept.id)).status, "COMPLETED");
    assert.equal(await new ScriptedTrainer(server).lease(), undefined, "no other job exists");
  });
}

test("a body with too large a Content-Length is rejected immediately", async () => {
  const { status } = await sendPieces(["{"], { "Content-Length": LARGEST + 1 });
  assert.equal(status, 413);
});
