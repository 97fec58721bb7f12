// SIGKILL at random moments during completions: the usage of every completely received response is recorded once
// after the restart, and budgets include it.

import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";

import { addLimit, addUpstream, openChat, question, setDeploymentPrice } from "./support/gateway.mjs";
import { freshName, makeTeam } from "./support/people.mjs";
import { makeFolder, removeFolder } from "./support/program.mjs";
import { startScriptedUpstream, USAGE } from "./support/scripted_upstream.mjs";
import { startServer } from "./support/server.mjs";
import { within } from "./support/time_limits.mjs";

const ROUNDS = 12;
const CLIENTS = 6;
const SIDE = 30; // number of projects and of models; every completion uses its own pair

/** Reads a response. Resolves with true if its end was received, even if the connection was lost afterwards. */
async function ended(server, body, headers) {
  let text = "";
  try {
    const { status, incoming } = await openChat(server, body, { headers });
    assert.equal(status, 200);
    for await (const piece of incoming.setEncoding("utf8")) text += piece;
    return true;
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    // Clients stop reading at this event: the response is complete.
    return body.stream ? text.includes("data: [DONE]") : false;
  }
}

/** Creates a team, one upstream, and SIDE models and projects. */
async function prepare(server, upstream) {
  const team = (await makeTeam(server)).name;
  const place = await addUpstream(server, upstream.url);
  const models = [];
  const projects = [];
  for (let i = 0; i < SIDE; ++i) {
    const name = freshName("model");
    const made = await server.api("POST", "/api/v1/models", { body: { name, targets: [{ upstream: place }] } });
    assert.equal(made.status, 201, made.text);
    models.push(name);
    const project = await server.api("POST", "/api/v1/projects", { body: { team, name: `lab-${i}` } });
    assert.equal(project.status, 201, project.text);
    projects.push(`${team}/lab-${i}`);
  }
  return projects.flatMap((project) => models.map((model) => ({ project, model })));
}

async function usageByPair(server) {
  const answer = await server.api("GET", "/api/v1/usage?group_by=project,model&limit=10000");
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json.has_more, false);
  return new Map(answer.json.items.map((row) => [`${row.project} ${row.model}`, row]));
}

test("the usage of complete responses survives kills, without duplicates", within(240_000), async () => {
  const folder = makeFolder();
  const dataDir = join(folder, "data");
  const upstream = await startScriptedUpstream();
  const acknowledged = new Set();
  let server;
  const check = async () => {
    const rows = await usageByPair(server);
    const lost = [...acknowledged].filter((pair) => !rows.has(pair));
    assert.deepEqual(lost, [], `${lost.length} of ${acknowledged.size} are lost`);
    for (const [pair, row] of rows) {
      assert.equal(row.requests, 1, `${pair} is there ${row.requests} times`);
      if (acknowledged.has(pair)) assert.equal(row.completion_tokens, USAGE.completion_tokens);
    }
  };
  try {
    server = await startServer({ dataDir });
    const pairs = await prepare(server, upstream);
    for (let round = 0; round < ROUNDS; ++round) {
      let running = true;
      const clients = Array.from({ length: CLIENTS }, async () => {
        while (running) {
          const { project, model } = pairs.pop();
          const body = { model, messages: question, stream: randomInt(2) === 0 };
          if (await ended(server, body, { "compat-project": project })) acknowledged.add(`${project} ${model}`);
          else if (running) assert.fail("a response was interrupted before the kill");
        }
      });
      const target = acknowledged.size + randomInt(10, 60);
      while (acknowledged.size < target) await new Promise((resolve) => setImmediate(resolve));
      running = false;
      await server.kill();
      await Promise.all(clients);
      server = await startServer({ dataDir });
      await check();
    }
    // A clean stop leaves nothing to recover, and usage is not counted twice.
    await server.stop();
    server = await startServer({ dataDir });
    await check();
  } finally {
    await server?.kill();
    await upstream.close();
    removeFolder(folder);
  }
});

test("a budget includes the cost before a kill", within(60_000), async () => {
  const folder = makeFolder();
  const dataDir = join(folder, "data");
  const upstream = await startScriptedUpstream();
  let server;
  try {
    server = await startServer({ dataDir });
    const [{ project, model }] = await prepare(server, upstream);
    await setDeploymentPrice(server, model, { prompt: 0, completion: 0.2 });
    const limit = await addLimit(server, { project, budget_usd: 4 });
    const ask = () => ended(server, { model, messages: question, max_tokens: 5 }, { "compat-project": project });
    for (let i = 0; i < 3; ++i) assert.ok(await ask());
    await server.kill();
    server = await startServer({ dataDir });
    const shown = await server.api("GET", `/api/v1/limits/${limit.id}`);
    assert.equal(shown.json.spent_usd, 3, shown.text);
    assert.ok(await ask());
    const refused = await openChat(server, { model, messages: question, max_tokens: 5 }, { headers: { "compat-project": project } });
    refused.incoming.resume();
    assert.equal(refused.status, 402);
  } finally {
    await server?.kill();
    await upstream.close();
    removeFolder(folder);
  }
});
