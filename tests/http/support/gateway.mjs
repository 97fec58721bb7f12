// Creates models, upstreams, limits and prices, and reads usage, for tests of the gateway.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import * as http from "node:http";
import { join } from "node:path";

import OpenAI from "openai";

import { eventually } from "./deliveries.mjs";
import { freshName } from "./people.mjs";
import { makeFolder, removeFolder } from "./program.mjs";

async function created(server, path, body) {
  const answer = await server.api("POST", path, { body });
  assert.equal(answer.status, 201, `POST ${path}: ${answer.text}`);
  return answer.json;
}

/** Registers an upstream under a new name and resolves with the name. */
export async function addUpstream(server, url, fields = {}) {
  const name = freshName("upstream");
  await created(server, "/api/v1/upstreams", { name, url, health_path: "", ...fields });
  return name;
}

/**
 * Creates a model with these targets: upstream URLs, or {url, tier, model} with further fields of the
 * upstream. Registers an upstream for each target. Resolves with the model's name.
 */
export async function addModel(server, targetFields, fields = {}) {
  const targets = [];
  for (const target of targetFields) {
    const { url, tier, model, ...more } = typeof target === "string" ? { url: target } : target;
    const upstream = await addUpstream(server, url, more);
    targets.push({ upstream, ...(tier === undefined ? {} : { tier }), ...(model === undefined ? {} : { model }) });
  }
  const name = freshName("model");
  await created(server, "/api/v1/models", { name, targets, ...fields });
  return name;
}

export function addLimit(server, fields) {
  return created(server, "/api/v1/limits", fields);
}

/** Sets the price of a model per token in a project. Budgets do not use it. */
export async function setPrice(server, project_id, model, { prompt, completion }) {
  const costs = { [model]: { prompt_token_cost: prompt, completion_token_cost: completion } };
  const answer = await server.api("POST", "/cost/create", { body: { project_id, costs } });
  assert.equal(answer.status, 200, answer.text);
}

/** Sets the price of a model per token for the deployment. Budgets use it. */
export async function setDeploymentPrice(server, model, { prompt, completion }) {
  const folder = makeFolder();
  try {
    const file = join(folder, "prices.json");
    writeFileSync(file, JSON.stringify({ [model]: { input_cost_per_token: prompt, output_cost_per_token: completion } }));
    const { code, stderr } = await server.cli("prices", "import", file);
    assert.equal(code, 0, stderr);
  } finally {
    removeFolder(folder);
  }
}

export const question = [{ role: "user", content: "Say hello." }];

/** Sends a chat completion. `more` extends the body; `options` are those of Client.request. */
export function chat(server, model, more = {}, options = {}) {
  return server.api("POST", "/v1/chat/completions", { body: { model, messages: question, ...more }, ...options });
}

/** Expects an error in the format of the OpenAI API. */
export function expectOpenAiError(answer, status, type, code) {
  assert.equal(answer.status, status, answer.text);
  const { error } = answer.json;
  assert.deepEqual(Object.keys(error).sort(), ["code", "message", "param", "type"], answer.text);
  assert.equal(error.type, type, answer.text);
  assert.ok(error.message.length > 0);
  if (code !== undefined) assert.equal(error.code, code, answer.text);
}

/** Returns the official OpenAI client, without retries by default. */
export function openaiFor(server, { key = server.adminKey, ...more } = {}) {
  return new OpenAI({ apiKey: key, baseURL: `${server.url}/v1`, maxRetries: 0, ...more });
}

/** Sends a completion whose response the test reads itself: {status, headers, incoming, destroy()}. */
export function openChat(server, body, { key = server.adminKey, headers = {} } = {}) {
  return new Promise((resolve, reject) => {
    const bytes = Buffer.from(JSON.stringify(body));
    const outgoing = http.request(
      new URL("/v1/chat/completions", server.url),
      {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "content-length": bytes.length, ...headers },
        agent: false,
      },
      (incoming) => resolve({ status: incoming.statusCode, headers: incoming.headers, incoming, destroy: () => outgoing.destroy() }),
    );
    outgoing.on("error", reject);
    outgoing.end(bytes);
  });
}

/** Waits until the usage of a model contains `requests` requests, and resolves with its row. */
export async function usageOf(server, model, requests) {
  const look = async () => {
    const answer = await server.api("GET", `/api/v1/usage?${new URLSearchParams({ group_by: "model", model })}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.json.items?.[0] ?? { requests: 0 };
  };
  return eventually(look, (row) => row.requests >= requests, `not ${requests} requests in the usage of ${model}`);
}

/** Expects the usage of a model to have exactly these counts. */
export async function expectUsage(server, model, { requests, errors = 0, cancelled = 0, prompt = 0, completion = 0 }) {
  const row = await usageOf(server, model, requests);
  const found = {
    requests: row.requests,
    errors: row.errors,
    cancelled: row.cancelled,
    prompt: row.prompt_tokens,
    completion: row.completion_tokens,
  };
  assert.deepEqual(found, { requests, errors, cancelled, prompt, completion });
  return row;
}
