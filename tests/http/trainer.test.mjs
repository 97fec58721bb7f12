// The trainer protocol: access, leases, repeated requests, states, results; and SIGKILL of the server during a
// job.

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { freshName, makeMember, makeTeam } from "./support/people.mjs";
import { makeFolder, removeFolder } from "./support/program.mjs";
import { startServer } from "./support/server.mjs";
import { within } from "./support/time_limits.mjs";
import { ScriptedTrainer, TrainingClient, addBaseModel, group, started, step } from "./support/training.mjs";

let server;
let client;
let base;
let team;
before(async () => {
  server = await startServer();
  client = new TrainingClient(server);
  base = await addBaseModel(server);
  team = (await makeTeam(server)).name;
});
after(() => server.dispose());

const register = (fields = {}) =>
  client.register({ entity: team, project: "lab", name: freshName("solver"), base_model: base, ...fields });

/** Creates a job and leases it with a new trainer. */
async function leasedJob({ groups = [group([0, 1])], config } = {}) {
  const model = await register();
  const job = await client.train(model, groups, config);
  const trainer = new ScriptedTrainer(server);
  const held = await trainer.lease();
  assert.equal(held.id, job.id);
  return { model, job, trainer, held };
}

const code = (answer, status, word) => {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.json.code, word);
};

describe("trainers", () => {
  test("are administrators, and organization service accounts with a trainer description", async () => {
    const lease = (key) => new ScriptedTrainer(server, { key }).api("POST", "/lease", { body: { worker: "x" } });
    for (const role of ["ADMIN", "MEMBER", "VIEWER"]) {
      const { key } = await makeMember(server, team, role);
      code(await lease(key), 403, "forbidden");
    }
    assert.equal((await lease(null)).status, 401);
    assert.equal((await lease(server.adminKey)).status, 204);
    for (const [description, scope, status] of [
      ["trainer", "organization", 204],
      [`trainer ${freshName("on")}`, "organization", 204],
      [freshName("trainer"), "organization", 403],
      [`trainer ${freshName("on")}`, "team", 403],
      [freshName("trainers"), "organization", 403],
    ]) {
      const path = `/api/v1/teams/${team}/service-accounts`;
      const { json } = await server.api("POST", path, { body: { description, scope } });
      assert.equal((await lease(json.api_key)).status, status, `${description}, ${scope}`);
    }
  });

  test("get everything a job needs", async () => {
    const { model, held } = await leasedJob();
    const { offer } = held;
    assert.deepEqual(offer.model, { entity: team, project: "lab", name: model.name });
    assert.equal(offer.job.step, 1);
    assert.equal(offer.job.kind, "rl");
    assert.equal(offer.lease.seconds, 60);
    assert.equal(offer.state, null);
    assert.equal(offer.reference, null);
    assert.equal(offer.last_sequence, 0);
    const file = readFileSync(join(server.dataDir, "..", `${base}.gguf`));
    assert.deepEqual([offer.base_model.name, offer.base_model.size], [base, file.length]);
    assert.deepEqual((await held.ok("GET", "/base")).bytes, file);
    const part = await held.api("GET", "/base", { headers: { Range: "bytes=4-7" } });
    assert.equal(part.status, 206);
    assert.deepEqual(part.bytes, file.subarray(4, 8));
    assert.deepEqual(
      offer.adapter.files.map(({ name }) => name),
      ["adapter_config.json", "adapter_model.safetensors"],
    );
    for (const { name, size, md5 } of offer.adapter.files) {
      const { bytes } = await held.ok("GET", `/adapter/${name}`);
      assert.equal(bytes.length, size);
      assert.equal(createHash("md5").update(bytes).digest("base64"), md5);
    }
    assert.equal((await held.api("GET", "/adapter/other.txt")).status, 404);
    assert.equal((await held.api("GET", "/state")).status, 404);
    assert.equal((await held.api("GET", "/reference/adapter_config.json")).status, 404);
    await held.run(1);
  });

  test("wait for jobs without blocking other requests", async () => {
    const trainer = new ScriptedTrainer(server);
    const waiting = trainer.lease(30);
    const model = await register();
    const job = await client.train(model, [group([0, 1])]);
    const held = await waiting;
    assert.equal(held.id, job.id);
    await held.run(1);
    assert.equal(await trainer.lease(1), undefined, "204 after the wait without a job");
  });

  test("lease a job exclusively, and lose it when they request another", async () => {
    const { job, trainer, held } = await leasedJob();
    assert.equal(await new ScriptedTrainer(server).lease(), undefined);
    const again = await trainer.lease();
    assert.equal(again.id, job.id, "the same worker after a restart");
    const late = await held.api("POST", "/heartbeat", { body: {} });
    code(late, 409, "lease_lost");
    code(await held.api("POST", "/events", { body: { first: 1, events: [] } }), 409, "lease_lost");
    code(await held.api("GET", "/data"), 409, "lease_lost");
    code(await held.api("PUT", "/files/a", { body: "x" }), 409, "lease_lost");
    await again.run(1);
  });

  test("release a job, which is available immediately", async () => {
    const { job, held } = await leasedJob();
    await held.post("/release", {});
    const next = await new ScriptedTrainer(server).lease();
    assert.equal(next.id, job.id);
    await next.run(1);
  });

  test("receive the reference checkpoint of the configuration", async () => {
    const { model, held } = await leasedJob();
    await held.run(1);
    await client.train(model, [group([0, 1])], { kl_penalty_coef: 0.1, kl_penalty_reference_step: 0 });
    const next = await new ScriptedTrainer(server).lease();
    assert.equal(next.offer.reference.step, 0);
    assert.equal(next.offer.adapter.step, 1);
    assert.equal(next.offer.config.kl_penalty_source, "sample");
    const config = await next.ok("GET", "/reference/adapter_config.json");
    assert.equal(JSON.parse(config.bytes.toString()).r, 8);
    await next.run(1);
    const path = `svc-artifact:///${team}/lab/${model.name}:v1`;
    await client.train(model, [group([0, 1])], { kl_ref_adapter_path: path });
    const other = await new ScriptedTrainer(server).lease();
    assert.equal(other.offer.config.kl_ref_adapter_path, path);
    assert.equal(other.offer.reference.files.length, 2);
    await other.run(1);
  });
});

describe("events", () => {
  test("may be posted again, and are stored once", async () => {
    const { job, held } = await leasedJob();
    assert.deepEqual(await held.postEvents(1, started(3), step(1)), { last_sequence: 2 });
    assert.deepEqual(await held.postEvents(1, started(3), step(1)), { last_sequence: 2 });
    assert.deepEqual(await held.postEvents(2, step(1), step(0.5)), { last_sequence: 3 });
    const gap = await held.api("POST", "/events", { body: { first: 6, events: [step(1)] } });
    code(gap, 409, "sequence_gap");
    assert.equal(gap.json.last_sequence, 3);
    await held.postEvents(4, step(0.25));
    await held.uploadAdapter();
    await held.complete();
    const losses = (await client.events(job.id)).filter(({ type }) => type === "gradient_step");
    assert.deepEqual(losses.map(({ data }) => data.loss), [1, 0.5, 0.25]);
  });

  test("contain numbers, begin with training_started, and have a batch limit", async () => {
    const { held } = await leasedJob();
    const refused = async (body) => assert.equal((await held.api("POST", "/events", { body })).status, 422);
    await refused({ first: 1, events: [step(1)] });
    await refused({ first: 2, events: [started(1)] });
    await refused({ first: 0, events: [] });
    await refused({ first: 1, events: [{ type: "training_ended", data: {} }] });
    await refused({ first: 1, events: [started(1), { type: "gradient_step", data: { loss: "low" } }] });
    await refused({ first: 1, events: [started(1), { type: "gradient_step", data: { a: { b: 1 } } }] });
    await refused({ first: 1, events: [started(1), ...Array.from({ length: 1000 }, () => step(1))] });
    await held.run(1);
  });
});

describe("states and results", () => {
  test("let another trainer resume the job", async () => {
    const { job, trainer, held } = await leasedJob();
    await held.postEvents(1, started(3), step(1));
    const state = randomBytes(3_000_000);
    const kept = await held.put("/state?sequence=2", state);
    assert.equal(kept.size, state.length);
    assert.equal(kept.md5, createHash("md5").update(state).digest("base64"));
    await held.postEvents(3, step(0.5));
    const beyond = await held.api("PUT", "/state?sequence=9", { body: "x" });
    code(beyond, 409, "sequence_gap");
    const next = await trainer.lease();
    assert.deepEqual(next.offer.state, { sequence: 2, size: state.length });
    assert.equal(next.offer.last_sequence, 3);
    assert.deepEqual((await next.ok("GET", "/state")).bytes, state);
    await next.postEvents(3, step(0.5), step(0.25));
    await next.uploadAdapter();
    await next.complete();
    const losses = (await client.events(job.id)).filter(({ type }) => type === "gradient_step");
    assert.deepEqual(losses.map(({ data }) => data.loss), [1, 0.5, 0.25]);
  });

  test("need both files; the last upload of a file counts", async () => {
    const { model, held } = await leasedJob();
    await held.postEvents(1, started(0));
    code(await held.api("POST", "/complete", { body: {} }), 409, "missing_files");
    await held.put("/files/adapter_model.safetensors", "first");
    code(await held.api("POST", "/complete", { body: {} }), 409, "missing_files");
    await held.put("/files/adapter_model.safetensors", "second");
    await held.put("/files/adapter_config.json", "{}");
    assert.deepEqual(await held.complete({ metrics: { reward: 1 } }), { step: 1, version: "v1" });
    const path = `/api/v1/projects/${team}/lab/collections/${model.name}/versions/step1`;
    const weights = await server.api("GET", `${path}/files/adapter_model.safetensors`);
    assert.equal(weights.bytes.toString(), "second");
    const note = await server.api("GET", `${path}/files/checkpoint.json`);
    assert.equal(JSON.parse(note.bytes.toString()).step, 1);
    for (const name of ["..", "a/b", ".hidden"]) {
      const answer = await held.api("PUT", `/files/${encodeURIComponent(name)}`, { body: "x" });
      assert.ok([404, 422].includes(answer.status), `${name}: ${answer.status}`);
    }
  });
});

test("a job survives kills of the server, with events in order and without gaps", within(240_000), async () => {
  const folder = makeFolder();
  const dataDir = join(folder, "data");
  const steps = 40;
  const name = freshName("solver");
  const worker = freshName("trainer");
  let alive = await startServer({ dataDir });
  try {
    const killedBase = await addBaseModel(alive);
    const people = () => new TrainingClient(alive);
    const request = { entity: freshName("team"), project: "lab", name, base_model: killedBase };
    const model = await people().register(request);
    const job = await people().train(model, [group([0, 1])]);
    let held = await new ScriptedTrainer(alive, { worker }).lease();
    const seen = [];
    const kills = new Set([7, 16, 25, 34]);
    for (let next = 1; next <= steps + 1; ) {
      const event = (at) => (at === 1 ? started(steps) : step(at));
      const batch = Array.from({ length: Math.min(3, steps + 2 - next) }, (_, i) => event(next + i));
      const posting = held.postEvents(next, ...batch);
      if (kills.delete(next)) {
        // Kills the server between the request and its response.
        await Promise.allSettled([posting, alive.kill()]);
        alive = await startServer({ dataDir });
        held.trainer = new ScriptedTrainer(alive, { worker });
        assert.equal((await held.post("/heartbeat", {})).cancel, false, "leases survive a restart");
      } else {
        next = (await posting).last_sequence + 1;
      }
      const events = await people().events(job.id);
      assert.deepEqual(events.slice(0, seen.length), seen, "earlier events are unchanged");
      seen.splice(0, seen.length, ...events);
    }
    await held.uploadAdapter();
    await Promise.allSettled([held.complete(), alive.kill()]);
    assert.equal(kills.size, 0);
    alive = await startServer({ dataDir });
    held.trainer = new ScriptedTrainer(alive, { worker });
    assert.equal((await held.complete()).step, 1);
    const events = await people().events(job.id);
    assert.deepEqual(
      events.map(({ type }) => type),
      ["training_started", ...Array.from({ length: steps }, () => "gradient_step"), "training_ended"],
    );
    const losses = events.filter(({ type }) => type === "gradient_step").map(({ data }) => data.loss);
    assert.deepEqual(losses, Array.from({ length: steps }, (_, i) => i + 2));
    assert.equal(await people().step(model), 1);
    const run = await alive.api("GET", `/api/v1/projects/${request.entity}/lab/runs/${model.run_id}`);
    assert.equal(run.json.history_line_count, steps, "each step once in the run");
  } finally {
    await alive.kill();
    removeFolder(folder);
  }
});
