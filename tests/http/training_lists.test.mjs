// Lists of trained models and trainers, places in the queue, and new jobs from artifacts and from earlier jobs.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { ArtifactProject } from "./support/artifacts.mjs";
import { expectTimestamp } from "./support/expect.mjs";
import { freshName, listAll, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";
import { ScriptedTrainer, TrainingClient, addBaseModel, group, started, step } from "./support/training.mjs";

let server;
let base;
let client;
before(async () => {
  server = await startServer();
  base = await addBaseModel(server);
  client = new TrainingClient(server);
});
after(() => server.dispose());

const UNKNOWN = "00000000-0000-0000-0000-000000000000";
const makeModel = (team, { project = "lab", name = freshName("solver") } = {}) =>
  client.register({ entity: team, project, name, base_model: base });
const api = (method, path, options) => server.api(method, `/api/v1${path}`, options);

async function ok(method, path, options, status = 200) {
  const answer = await api(method, path, options);
  assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
  return answer.json;
}

/** Stores lines in an artifact of a team and resolves with its URL. */
async function putLines(team, lines) {
  const name = freshName("rows");
  await new ArtifactProject(server, team).put(name, { "train.jsonl": lines.map((line) => JSON.stringify(line)).join("\n") });
  return `svc-artifact:///${team}/lab/${name}:v0`;
}
const ROWS = [{ messages: [{ role: "user", content: "q" }, { role: "assistant", content: "a" }] }];

/** Ends all open jobs, so that the next job is the first of the queue. */
async function drainQueue() {
  const trainer = new ScriptedTrainer(server);
  for (let job = await trainer.lease(); job; job = await trainer.lease()) await job.post("/fail", { message: "drained" });
}

test("members see which models can be trained, without their files", async () => {
  const member = await makeMember(server, (await makeTeam(server)).name, "MEMBER");
  const { trainable, file } = await ok("GET", `/models/${base}`, { key: member.key });
  assert.deepEqual([trainable, file], [true, null]);
});

describe("trained models", () => {
  test("are listed by project and by team, newest first", async () => {
    const { name: team } = await makeTeam(server);
    const models = [await makeModel(team), await makeModel(team), await makeModel(team, { project: "other" })];
    const ids = async (query) => (await ok("GET", `/trained-models?${query}`)).items.map(({ id }) => id);
    const [a, b, c] = models.map(({ id }) => id);
    assert.deepEqual(await ids(`project=${team}/lab`), [b, a]);
    assert.deepEqual(await ids(`team=${team}&project=lab`), [b, a]);
    assert.deepEqual(await ids(`team=${team}&project=${team}/lab`), [b, a]);
    assert.deepEqual(await ids(`team=${team}`), [c, b, a]);
    assert.deepEqual(await ids(`team=${team}&name=${models[0].name}`), [a]);
    assert.deepEqual(await ids(`project=${team}/nothing`), []);
    assert.deepEqual((await listAll(server, `/api/v1/trained-models?team=${team}`, { limit: 1 })).map(({ id }) => id), [c, b, a]);
  });

  test("have their newest checkpoint and last job", async () => {
    const { name: team } = await makeTeam(server);
    const model = await makeModel(team);
    const fresh = await ok("GET", `/trained-models/${model.id}`);
    expectTimestamp(fresh.created_at);
    assert.deepEqual({ ...fresh, created_at: 0, newest_checkpoint: fresh.newest_checkpoint.step }, {
      id: model.id, name: model.name, project: `${team}/lab`, base_model: base, run_id: model.run_id, step: 0,
      artifact: `svc-artifact:///${team}/lab/${model.name}`, checkpoints: 1, newest_checkpoint: 0, last_job: null,
      created_at: 0, created_by: "admin",
    });
    await drainQueue();
    const job = await client.train(model, [group([0, 1])]);
    await (await new ScriptedTrainer(server).lease()).run(2);
    const trained = (await ok("GET", `/trained-models?project=${team}/lab`)).items[0];
    assert.deepEqual([trained.step, trained.checkpoints, trained.newest_checkpoint.step], [1, 2, 1]);
    assert.equal(typeof trained.newest_checkpoint.metrics.loss, "number");
    assert.deepEqual([trained.last_job.id, trained.last_job.kind, trained.last_job.status, trained.last_job.progress],
      [job.id, "rl", "COMPLETED", 1]);
  });

  test("of restricted projects are hidden from other members of the team", async () => {
    const { name: team } = await makeTeam(server);
    const open = await makeModel(team);
    const hidden = await makeModel(team, { project: "secret" });
    await ok("PATCH", `/projects/${team}/secret`, { body: { visibility: "RESTRICTED" } });
    const member = await makeMember(server, team, "MEMBER");
    const page = await ok("GET", `/trained-models?team=${team}`, { key: member.key });
    assert.deepEqual(page.items.map(({ id }) => id), [open.id]);
    const all = await listAll(server, `/api/v1/trained-models?team=${team}`, { key: member.key, limit: 1 });
    assert.deepEqual(all.map(({ id }) => id), [open.id]);
    assert.equal((await api("GET", `/trained-models/${hidden.id}`, { key: member.key })).status, 404);
    assert.equal((await api("GET", `/trained-models?project=${team}/secret`, { key: member.key })).status, 404);
  });

  test("are hidden from strangers; a team is hidden too", async () => {
    const { name: team } = await makeTeam(server);
    const model = await makeModel(team);
    const stranger = await makeUser(server);
    for (const path of [`?team=${team}`, `?project=${team}/lab`, `?team=${freshName("none")}`, `/${model.id}`, `/${UNKNOWN}`]) {
      assert.equal((await api("GET", `/trained-models${path}`, { key: stranger.key })).status, 404, path);
    }
  });

  test("need a valid team, project and cursor", async () => {
    const { name: team } = await makeTeam(server);
    const cursor = (position) => Buffer.from(`c1:${position}`).toString("base64url");
    for (const query of ["", "project=lab", `team=${team}&project=other/lab`, `team=${team}&limit=0`, `team=${team}&cursor=x`,
      `team=${team}&cursor=${cursor("1")}`, `team=${team}&cursor=${cursor("x y")}`]) {
      assert.equal((await api("GET", `/trained-models?${query}`)).status, 422, query);
    }
  });
});

describe("trainers", () => {
  const named = async (name, options) => (await ok("GET", "/trainers", options)).items.find((trainer) => trainer.name === name);

  test("are listed with their device, last contact and job", async () => {
    await drainQueue();
    const { name: team } = await makeTeam(server);
    const model = await makeModel(team);
    const trainer = new ScriptedTrainer(server);
    await trainer.api("POST", "/lease", { body: { worker: trainer.worker, device: "cuda" } });
    const waiting = await named(trainer.worker);
    expectTimestamp(waiting.seen_at);
    assert.deepEqual([waiting.state, waiting.device, waiting.job], ["waiting", "cuda", null]);
    const job = await client.train(model, [group([0, 1])]);
    const leased = await trainer.lease();
    await leased.postEvents(1, started(2), step(1));
    const working = await named(trainer.worker);
    assert.equal(working.state, "working");
    assert.deepEqual(working.job, { id: job.id, project: `${team}/lab`, model: model.name, progress: 0.5 });
    assert.equal((await ok("GET", `/training-jobs/${job.id}`)).trainer, trainer.worker);
    await leased.post("/fail", { message: "no" });
    const idle = await named(trainer.worker);
    assert.deepEqual([idle.state, idle.job], ["waiting", null]);
    assert.equal((await ok("GET", `/training-jobs/${job.id}`)).trainer, null);
  });

  test("have a name only for those who can read their job, and for admins", async () => {
    await drainQueue();
    const { name: team } = await makeTeam(server);
    const job = await client.train(await makeModel(team), [group([0, 1])]);
    const trainer = new ScriptedTrainer(server);
    const leased = await trainer.lease();
    const viewer = await makeMember(server, team, "VIEWER");
    assert.equal((await named(trainer.worker, { key: viewer.key })).job.id, job.id);
    const stranger = await makeUser(server);
    const { items } = await ok("GET", "/trainers", { key: stranger.key });
    assert.ok(items.length > 0);
    assert.ok(items.every(({ name, job: shown }) => name === null && shown === null));
    assert.ok(items.some(({ state }) => state === "working"));
    assert.equal((await api("GET", "/trainers", { key: null })).status, 401);
    await leased.post("/fail", { message: "no" });
  });

  test("send a device of bounded length", async () => {
    const { worker } = new ScriptedTrainer(server);
    const send = (device) => api("POST", "/trainer/lease", { body: { worker, device } });
    assert.equal((await send(null)).status, 204);
    assert.equal((await send("x".repeat(129))).status, 422);
    assert.equal((await send(1)).status, 422);
  });
});

test("waiting jobs have a place in the queue", async () => {
  await drainQueue();
  const { name: team } = await makeTeam(server);
  const jobs = [];
  for (let i = 0; i < 3; ++i) jobs.push(await client.train(await makeModel(team), [group([0, 1])]));
  const places = async () => {
    const { items } = await ok("GET", `/training-jobs?project=${team}/lab`);
    return jobs.map(({ id }) => items.find((job) => job.id === id).queue_position);
  };
  assert.deepEqual(await places(), [1, 2, 3]);
  assert.equal((await ok("GET", `/training-jobs/${jobs[2].id}`)).queue_position, 3);
  const leased = await new ScriptedTrainer(server).lease();
  assert.equal(leased.id, jobs[0].id);
  assert.deepEqual(await places(), [null, 1, 2]);
  assert.equal((await ok("POST", `/training-jobs/${jobs[1].id}/cancel`)).queue_position, null);
  assert.deepEqual(await places(), [null, null, 1]);
  await leased.post("/fail", { message: "no" });
});

describe("a job from an artifact", () => {
  const start = (body, options) => api("POST", "/training-jobs", { body, ...options });

  test("trains on examples; the same data gives a new job", async () => {
    await drainQueue();
    const { name: team } = await makeTeam(server);
    const model = await makeModel(team);
    const body = { model_id: model.id, data_url: await putLines(team, ROWS), config: { batch_size: 1 } };
    const job = await ok("POST", "/training-jobs", { body }, 201);
    assert.deepEqual([job.kind, job.status, job.config.batch_size, job.config.learning_rate, job.data_url, job.queue_position],
      ["sft", "PENDING", 1, 5e-5, body.data_url, 1]);
    assert.notEqual((await ok("POST", "/training-jobs", { body }, 201)).id, job.id);
    const leased = await new ScriptedTrainer(server).lease();
    assert.equal(leased.id, job.id);
    assert.equal((await leased.ok("GET", "/data")).text.trim(), JSON.stringify(ROWS[0]));
  });

  test("trains on groups", async () => {
    await drainQueue();
    const { name: team } = await makeTeam(server);
    const model = await makeModel(team);
    const groups = [group([0, 1]), group([1, 0.5])];
    const body = { model_id: model.id, kind: "rl", data_url: await putLines(team, groups), config: { learning_rate: 1e-4 } };
    const job = await ok("POST", "/training-jobs", { body }, 201);
    assert.deepEqual([job.kind, job.config.learning_rate, job.data_url], ["rl", 1e-4, body.data_url]);
    const leased = await new ScriptedTrainer(server).lease();
    assert.equal(leased.offer.data.count, 2);
    const lines = (await leased.ok("GET", "/data")).text.trim().split("\n").map(JSON.parse);
    assert.deepEqual(lines, groups);
    await leased.post("/fail", { message: "no" });
    assert.equal((await client.sft(model, body.data_url)).status, "PENDING", "a job of another kind does not count");
  });

  test("needs valid data and a valid configuration", async () => {
    const { name: team } = await makeTeam(server);
    const model_id = (await makeModel(team)).id;
    const data_url = await putLines(team, ROWS);
    const good = { model_id, data_url };
    const locs = async (body) => {
      const answer = await start(body);
      assert.equal(answer.status, 422, answer.text);
      return answer.json.detail.map(({ loc }) => loc.join("."));
    };
    assert.deepEqual(await locs({ ...good, config: { batch_size: 0 } }), ["body.config.batch_size.int"].concat("body.config.batch_size.literal['auto']"));
    assert.deepEqual(await locs({ ...good, config: { colour: 1 } }), ["body.config.colour"]);
    assert.deepEqual(await locs({ ...good, kind: "rl", config: { kl_ref_version_id: 1 } }), ["body.config.kl_ref_version_id"]);
    assert.deepEqual(await locs({ ...good, colour: 1 }), ["body.colour"]);
    assert.deepEqual(await locs({ ...good, kind: "dpo" }), ["body.kind"]);
    assert.deepEqual((await locs({ kind: "sft" })).sort(), ["body.data_url", "body.model_id"]);
    assert.match((await start({ ...good, data_url: `svc-artifact:///${team}/lab/none:v0` })).text, /There is no artifact/);
    const wrong = await start({ ...good, kind: "rl" });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /no line has trajectories/);
    const invalid = await start({ ...good, kind: "rl", data_url: await putLines(team, [group([0]), { trajectories: [{ reward: "high" }] }]) });
    assert.equal(invalid.status, 422);
    assert.match(invalid.text, /does not contain trajectory groups: group 2: trajectories\[0\]\.reward: /);
    const broken = freshName("rows");
    await new ArtifactProject(server, team).put(broken, { "train.jsonl": '{"trajectories":[\n' });
    const cut = await start({ ...good, kind: "rl", data_url: `svc-artifact:///${team}/lab/${broken}:v0` });
    assert.equal(cut.status, 422, cut.text);
    assert.equal((await start({ ...good, model_id: UNKNOWN })).status, 404);
    assert.equal((await ok("GET", `/training-jobs?project=${team}/lab`)).items.length, 0);
  });

  test("cannot use data or models of other teams", async () => {
    const [{ name: team }, { name: other }] = [await makeTeam(server), await makeTeam(server)];
    const member = await makeMember(server, team, "MEMBER");
    const [own, foreign] = [(await makeModel(team)).id, (await makeModel(other)).id];
    const rows = await putLines(other, ROWS);
    for (const kind of ["sft", "rl"]) {
      const refused = await start({ model_id: own, kind, data_url: rows }, { key: member.key });
      assert.equal(refused.status, 422);
      assert.match(refused.text, /There is no artifact .* that you can read/);
    }
    const hidden = await start({ model_id: foreign, data_url: await putLines(team, ROWS) }, { key: member.key });
    assert.equal(hidden.status, 404);
  });
});

describe("a retried job", () => {
  const retry = (id, body = {}, options) => api("POST", `/training-jobs/${id}/retry`, { body, ...options });

  async function failed(team, { kind = "sft", config, rows = ROWS } = {}) {
    await drainQueue();
    const model = await makeModel(team);
    const body = { model_id: model.id, kind, data_url: await putLines(team, rows), config };
    const job = await ok("POST", "/training-jobs", { body }, 201);
    await (await new ScriptedTrainer(server).lease()).post("/fail", { message: "no" });
    return job;
  }

  test("has the configuration and data of the earlier job", async () => {
    const { name: team } = await makeTeam(server);
    const config = { batch_size: 7, learning_rate: [1e-3], assistant_turns: "last", experimental_config: { a: 1 } };
    const job = await failed(team, { config });
    const answer = await retry(job.id);
    assert.equal(answer.status, 201, answer.text);
    const again = answer.json;
    assert.notEqual(again.id, job.id);
    assert.deepEqual([again.status, again.kind, again.model_id, again.data_url], ["PENDING", "sft", job.model_id, job.data_url]);
    assert.deepEqual(again.config, job.config);
    assert.equal((await ok("GET", `/training-jobs/${job.id}`)).status, "FAILED");
  });

  test("has changes of the configuration; null restores a default", async () => {
    const { name: team } = await makeTeam(server);
    const job = await failed(team, { config: { batch_size: 7, learning_rate: 1e-3, assistant_turns: "last" } });
    const { config } = (await retry(job.id, { config: { learning_rate: 1e-4, batch_size: null } })).json;
    assert.deepEqual(config, { ...job.config, learning_rate: 1e-4, batch_size: 2 });
  });

  test("of RL drops defaults that depended on what changes", async () => {
    const { name: team } = await makeTeam(server);
    const job = await failed(team, { kind: "rl", rows: [group([0, 1])], config: { learning_rate: 1e-4 } });
    const { config } = (await retry(job.id, { config: { loss_fn: "ppo", kl_penalty_coef: 0.1 } })).json;
    assert.deepEqual(config, {
      ...job.config, loss_fn: "ppo", ppo: true, epsilon: 0.2, epsilon_high: 0.2, kl_penalty_coef: 0.1, kl_penalty_source: "sample",
    });
  });

  test("can have other data, which groups of a client need", async () => {
    const { name: team } = await makeTeam(server);
    await drainQueue();
    const job = await client.train(await makeModel(team), [group([0, 1])]);
    assert.equal((await retry(job.id)).status, 409, "the job has not ended");
    await (await new ScriptedTrainer(server).lease()).post("/fail", { message: "no" });
    const gone = await retry(job.id);
    assert.equal(gone.status, 409);
    assert.match(gone.text, /deleted when it ended/);
    const data_url = await putLines(team, [group([0, 1])]);
    const again = await retry(job.id, { data_url });
    assert.equal(again.status, 201, again.text);
    assert.deepEqual([again.json.kind, again.json.data_url], ["rl", data_url]);
  });

  test("follows a completed job too, from its checkpoint", async () => {
    const { name: team } = await makeTeam(server);
    const job = await failed(team);
    const again = (await retry(job.id)).json;
    await (await new ScriptedTrainer(server).lease()).run(1);
    assert.equal((await ok("GET", `/training-jobs/${again.id}`)).status, "COMPLETED");
    assert.equal((await retry(again.id)).status, 201);
    const leased = await new ScriptedTrainer(server).lease();
    assert.deepEqual([leased.offer.adapter.step, leased.offer.job.step], [1, 2]);
    await leased.post("/fail", { message: "no" });
  });

  test("is refused for unknown members, deleted models and without access", async () => {
    const { name: team } = await makeTeam(server);
    const job = await failed(team);
    for (const body of [{ colour: 1 }, { config: { colour: 1 } }, { config: 1 }, { config: { batch_size: "many" } }, { data_url: "" }]) {
      assert.equal((await retry(job.id, body)).status, 422, JSON.stringify(body));
    }
    const viewer = await makeMember(server, team, "VIEWER");
    assert.equal((await retry(job.id, {}, { key: viewer.key })).status, 403);
    const stranger = await makeUser(server);
    assert.equal((await retry(job.id, {}, { key: stranger.key })).status, 404);
    assert.equal((await retry(UNKNOWN)).status, 404);
    await client.ok("DELETE", `/models/${job.model_id}`);
    assert.equal((await retry(job.id)).status, 404);
  });
});
