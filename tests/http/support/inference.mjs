// Rows of the access tables for models, upstreams, limits and engines; see access.test.mjs.

import assert from "node:assert/strict";
import { join } from "node:path";

import { ArtifactProject } from "./artifacts.mjs";
import { eventually } from "./deliveries.mjs";
import { openChat } from "./gateway.mjs";
import { freshName, makeKey, makeServiceAccount } from "./people.mjs";
import { makeFolder, removeFolder } from "./program.mjs";
import { tinyAdapter } from "./tiny_adapter.mjs";
import { tinyModel, writeTinyModel } from "./tiny_model.mjs";

async function created(server, path, body) {
  const answer = await server.api("POST", path, { body });
  assert.equal(answer.status, 201, `POST ${path}: ${answer.text}`);
  return answer.json;
}

/** Registers an upstream at a port without a listener. */
export async function makeUpstream(server, fields = {}) {
  const body = { name: freshName("upstream"), url: "http://127.0.0.1:1024/v1", health_path: "", ...fields };
  return created(server, "/api/v1/upstreams", body);
}

/** Creates a model with its own upstream, unless `fields` has targets. */
export async function makeModel(server, fields = {}) {
  const who = fields.targets || fields.file ? {} : { targets: [{ upstream: (await makeUpstream(server)).name }] };
  return created(server, "/api/v1/models", { name: `${freshName("vendor")}/model`, ...who, ...fields });
}

/** Creates a limit for a new project of the team. */
export async function makeLimit(server, team, fields = { concurrency: 4 }) {
  const { name } = await created(server, "/api/v1/projects", { team, name: freshName("lab") });
  return created(server, "/api/v1/limits", { project: `${team}/${name}`, ...fields });
}

/** Returns the `key_id` of a new service account of the team. */
export async function serviceAccountKey(server, team) {
  const { account } = await makeServiceAccount(server, team);
  return (await makeKey(server, account.username)).key_id;
}

/** Creates a model, removes its file and requests it, which leaves an engine in state `failed`. */
export async function makeFailedEngine(server) {
  const folder = makeFolder();
  const file = join(folder, "gone.gguf");
  writeTinyModel(file);
  const { name } = await makeModel(server, { file });
  removeFolder(folder);
  const answer = await server.api("POST", "/v1/chat/completions", { body: { model: name, messages: [{ role: "user", content: "Hi" }] } });
  assert.equal(answer.status, 400, answer.text);
  return name;
}

/** Kills an engine during a completion with an adapter. Returns the id of the quarantined adapter. */
export async function makeQuarantinedAdapter(server, team) {
  const folder = makeFolder();
  const file = join(folder, "tiny.gguf");
  writeTinyModel(file, { context: 16_384 });
  const { name } = await makeModel(server, { file, context: 16_384 });
  const artifacts = new ArtifactProject(server, team);
  const adapter = freshName("adapter");
  await artifacts.put(adapter, tinyAdapter(), { type: "lora", metadata: { base_model: name } });
  const model = `svc-artifact:///${team}/lab/${adapter}`;
  const messages = [{ role: "user", content: "Hi" }];
  const stream = await openChat(server, { model, messages, stream: true, max_tokens: 16_000, ignore_eos: true });
  await new Promise((resolve) => stream.incoming.once("data", resolve));
  const engines = (await server.api("GET", "/api/v1/engines")).json.items;
  process.kill(engines.find((engine) => engine.model === name).pid, "SIGKILL");
  stream.incoming.resume();
  const look = async () => (await server.api("GET", "/api/v1/quarantined-adapters")).json.items;
  const all = await eventually(look, (items) => items.some((item) => item.model === name), "nothing was quarantined");
  assert.equal((await server.api("DELETE", `/api/v1/models/${name}`)).status, 204);
  removeFolder(folder);
  return all.find((item) => item.model === name).id;
}

/** Returns rows by "METHOD /path": {allowed, success, denied, prepare(team) -> {path, body}, missing(request)}. */
export function inferenceRows(server, { everyone, admins, organization }) {
  const model = (body) => ({
    prepare: async (team) => ({ path: `/api/v1/models/${(await makeModel(server, { teams: [team] })).name}`, body }),
    missing: () => ({ path: "/api/v1/models/no/such/model", body }),
  });
  const upstream = (body, rest = "") => ({
    denied: 404, // only administrators of the deployment see upstreams
    prepare: async () => ({ path: `/api/v1/upstreams/${(await makeUpstream(server)).name}${rest}`, body }),
    missing: () => ({ path: `/api/v1/upstreams/none${rest}`, body }),
  });
  const limit = (body) => ({
    prepare: async (team) => ({ path: `/api/v1/limits/${(await makeLimit(server, team)).id}`, body }),
    missing: () => ({ path: "/api/v1/limits/lim_00000000000000000000000000", body }),
  });
  const tracing = (body) => ({
    prepare: async (team) => {
      const { name } = await created(server, "/api/v1/projects", { team, name: freshName("lab") });
      return { path: `/api/v1/projects/${team}/${name}/completion-tracing`, body };
    },
    missing: () => ({ path: "/api/v1/projects/no-such-team/lab/completion-tracing", body }),
  });
  return {
    "GET /api/v1/projects/{team}/{project}/completion-tracing": { allowed: everyone, success: 200, ...tracing() },
    "PUT /api/v1/projects/{team}/{project}/completion-tracing": { allowed: admins, success: 200, ...tracing({ enabled: true }) },
    "GET /api/v1/models/{name}": { allowed: everyone, success: 200, ...model() },
    "PATCH /api/v1/models/{name}": { allowed: organization, success: 200, ...model({ owned_by: "us" }) },
    "DELETE /api/v1/models/{name}": { allowed: organization, success: 204, ...model() },
    "PUT /api/v1/model-files/{name}": {
      allowed: organization,
      success: 200,
      prepare: async (team) => ({ path: `/api/v1/model-files/${(await makeModel(server, { teams: [team] })).name}`, body: tinyModel() }),
      missing: () => ({ path: "/api/v1/model-files/no/such/model", body: tinyModel() }),
    },
    "GET /api/v1/upstreams/{name}": { allowed: organization, success: 200, ...upstream() },
    "PATCH /api/v1/upstreams/{name}": { allowed: organization, success: 200, ...upstream({ idle_timeout_ms: 5 }) },
    "DELETE /api/v1/upstreams/{name}": { allowed: organization, success: 204, ...upstream() },
    "GET /api/v1/upstreams/{name}/adapters": { allowed: organization, success: 200, ...upstream(undefined, "/adapters") },
    "POST /api/v1/upstreams/{name}/test": { allowed: organization, success: 200, ...upstream(undefined, "/test") },
    "POST /api/v1/engines/{model}/unload": {
      allowed: organization,
      success: 202,
      denied: 404, // only administrators of the deployment see engines
      prepare: async () => ({ path: `/api/v1/engines/${encodeURIComponent(await makeFailedEngine(server))}/unload` }),
      missing: () => ({ path: "/api/v1/engines/none/unload" }),
    },
    "DELETE /api/v1/quarantined-adapters/{id}": {
      allowed: organization,
      success: 204,
      denied: 404, // only administrators of the deployment see quarantined adapters
      prepare: async (team) => ({ path: `/api/v1/quarantined-adapters/${await makeQuarantinedAdapter(server, team)}` }),
      missing: () => ({ path: "/api/v1/quarantined-adapters/none" }),
    },
    "GET /api/v1/limits/{id}": { allowed: everyone, success: 200, ...limit() },
    "PATCH /api/v1/limits/{id}": { allowed: admins, success: 200, ...limit({ concurrency: 5 }) },
    "DELETE /api/v1/limits/{id}": { allowed: admins, success: 204, ...limit() },
  };
}
