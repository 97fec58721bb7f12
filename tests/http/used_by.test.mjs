// GET …/versions/{version}/used-by: what used an artifact version.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { ArtifactProject } from "./support/artifacts.mjs";
import { expectStatus } from "./support/expect.mjs";
import { freshName, makeMember, makeTeam } from "./support/people.mjs";
import { makeRegistry } from "./support/registries.mjs";
import { RunProject } from "./support/runs.mjs";
import { startServer } from "./support/server.mjs";
import { TrainingClient, addBaseModel } from "./support/training.mjs";
import { V2Project } from "./support/v2_project.mjs";

let server;
let team;
let artifacts;
before(async () => {
  server = await startServer();
  team = (await makeTeam(server)).name;
  artifacts = new ArtifactProject(server, team);
});
after(() => server.dispose());

const usedBy = (collection, version = "v0", options = {}) =>
  artifacts.api("GET", `/collections/${collection}/versions/${version}/used-by`, options);

async function uses(...args) {
  const answer = await usedBy(...args);
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

test("a version that nobody used", async () => {
  const name = freshName("data");
  await artifacts.put(name, { "a.txt": name });
  assert.deepEqual(await uses(name), { runs: [], jobs: [], evaluations: [], truncated: false });
});

test("runs of all projects that the caller may read, latest use first", async () => {
  const name = freshName("data");
  const { id } = await artifacts.put(name, { "a.txt": name });
  const here = new RunProject(server, team);
  const first = await here.start({ name: "first" });
  const second = await here.start();
  const elsewhere = new RunProject(server, (await makeTeam(server)).name);
  const hidden = await elsewhere.start();
  for (const [runs, { run_id }] of [[here, first], [here, second], [elsewhere, hidden]]) {
    await runs.ok("PUT", `/${run_id}/inputs/${id}`);
  }
  const all = await uses(name);
  assert.deepEqual(all.runs.map(({ run }) => run), [hidden.run_id, second.run_id, first.run_id]);
  const { used_at, ...shown } = all.runs[2];
  assert.ok(Date.parse(used_at));
  assert.deepEqual(shown, { team, project: "lab", run: first.run_id, name: "first", state: "running" });

  const viewer = await makeMember(server, team, "VIEWER");
  const seen = await uses(name, "v0", { key: viewer.key });
  assert.deepEqual(seen.runs.map(({ run }) => run), [second.run_id, first.run_id]);
});

test("the same uses for a link in a registry", async () => {
  const name = freshName("data");
  const { id } = await artifacts.put(name, { "a.txt": name });
  const runs = new RunProject(server, team);
  const { run_id } = await runs.start();
  await runs.ok("PUT", `/${run_id}/inputs/${id}`);
  const registry = await makeRegistry(server);
  await registry.link("things", `${team}/lab/${name}:v0`);
  const answer = await registry.ok("GET", "/collections/things/versions/v0/used-by");
  assert.deepEqual(answer.runs.map(({ run }) => run), [run_id]);
});

test("training jobs on its file", async () => {
  const name = freshName("rows");
  const line = `${JSON.stringify({ messages: [{ role: "user", content: "q" }, { role: "assistant", content: name }] })}\n`;
  await artifacts.put(name, { "train.jsonl": line });
  await artifacts.put(name, { "train.jsonl": line + line });
  const client = new TrainingClient(server);
  const model = await client.register({
    entity: team, project: "lab", name: freshName("model"), base_model: await addBaseModel(server),
  });
  const { id } = await client.sft(model, `svc-artifact:///${team}/lab/${name}:v0`);
  const { jobs } = await uses(name);
  const [{ created_at, ...job }] = jobs;
  assert.ok(Date.parse(created_at));
  assert.deepEqual(job, { id, team, project: "lab", model: model.name, status: "PENDING" });
  assert.deepEqual((await uses(name, "v1")).jobs, []);
});

test("evaluation runs whose model is the version", async () => {
  const name = freshName("adapter");
  await artifacts.put(name, { "a.txt": name }, { type: "model" });
  await artifacts.put(name, { "a.txt": "other" }, { type: "model" });
  const project = new V2Project(server, `${team}/lab`);
  const bot = freshName("bot");
  const val = { kind: "chat_completion", model: `svc-artifact:///${team}/lab/${name}:v0`, prompt: "{question}" };
  const { digest } = await project.ok("/obj/create", { obj: { project_id: project.id, object_id: bot, val } });
  const run = await project.run({ model: project.ref(bot, digest) });
  await project.run();
  const agent = await project.ok(`/v2/${project.id}/models`, { name: freshName("agent"), source_code: "class Agent: …", attributes: { model: `${val.model.slice(0, -1)}1` } });
  const agentRun = await project.run({ model: agent.model_ref });
  const { evaluations } = await uses(name);
  const [{ started_at, ...shown }] = evaluations;
  assert.ok(Date.parse(started_at));
  assert.equal(evaluations.length, 1);
  assert.deepEqual(shown, { run, team, project: "lab", model: bot });
  assert.deepEqual((await uses(name, "v1")).evaluations.map(({ run: id }) => id), [agentRun], "models of SDKs count too");
});

test("access and unknown versions", async () => {
  const name = freshName("data");
  await artifacts.put(name, { "a.txt": name });
  const outsider = await makeMember(server, (await makeTeam(server)).name, "ADMIN");
  expectStatus(await usedBy(name, "v0", { key: outsider.key }), 404);
  expectStatus(await usedBy(name, "v7"), 404);
  expectStatus(await usedBy("none"), 404);
  assert.equal((await usedBy(name, "v0", { key: null })).status, 401);
});
