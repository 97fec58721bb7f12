// `spindle model | upstream | limit | usage` with a running server: the steps of docs/inference.md, and
// error messages.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { eventually } from "./support/deliveries.mjs";
import { chat } from "./support/gateway.mjs";
import { serviceAccountKey } from "./support/inference.mjs";
import { freshName, makeTeam } from "./support/people.mjs";
import { runSpindle } from "./support/program.mjs";
import { startScriptedUpstream } from "./support/scripted_upstream.mjs";
import { ADMIN_KEY, startServer } from "./support/server.mjs";
import { writeTinyModel } from "./support/tiny_model.mjs";

const KEY = "sk-upstream-secret-2342";

let server;
let upstream;
before(async () => {
  server = await startServer();
  upstream = await startScriptedUpstream();
});
after(async () => {
  await server.dispose();
  await upstream.close();
});

async function spindle(...args) {
  const { code, stdout, stderr } = await server.cli(...args);
  assert.equal(code, 0, stderr);
  return stdout;
}

async function expectFailure(...args) {
  const { code, stderr } = await server.cli(...args);
  assert.equal(code, 1, stderr);
  return stderr;
}

const lines = (text) => text.trim().split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));

test("an upstream is added with its key, tested, listed and removed", async () => {
  const name = freshName("hosted");
  const run = (args, options) => runSpindle([...args, "--data-dir", server.dataDir], options);
  const env = { SPINDLE_ADMIN_API_KEY: ADMIN_KEY, THE_PROVIDERS_KEY: KEY };
  const added = await run(["upstream", "add", name, upstream.url, "--key-env", "THE_PROVIDERS_KEY", "--idle-timeout", "30s"], { env });
  assert.equal(added.code, 0, added.stderr);
  assert.match(added.stdout, new RegExp(`^${name} is added`));
  const before = upstream.probes.length;
  assert.match(await spindle("upstream", "test", name), new RegExp(`^${name} responded in \\d+ ms\n`));
  assert.equal(upstream.probes[before].headers.authorization, `Bearer ${KEY}`);
  const shown = JSON.parse(await spindle("upstream", "show", name));
  assert.equal(shown.idle_timeout_ms, 30_000);
  assert.deepEqual(
    lines(await spindle("upstream", "ls", "--json")).find((row) => row.name === name),
    { name, url: upstream.url, has_key: true },
  );
  assert.match(await spindle("upstream", "ls"), /^NAME +URL +HAS KEY\n/);
  upstream.probeStatus = 403;
  try {
    assert.match(await expectFailure("upstream", "test", name), /responded with 403/);
  } finally {
    upstream.probeStatus = 200;
  }
  const unset = await run(["upstream", "add", "x", upstream.url, "--key-env", "NO_SUCH_VARIABLE"], { env });
  assert.match(unset.stderr, /NO_SUCH_VARIABLE is not set/);
  assert.equal(await spindle("upstream", "rm", name), `${name} is removed.\n`);
  assert.match(await expectFailure("upstream", "rm", name), /Upstream not found/);
});

test("a model is served from an upstream in two commands", async () => {
  const of = freshName("vllm");
  const name = `${freshName("org")}/chat`;
  await spindle("upstream", "add", of, upstream.url);
  assert.equal(await spindle("model", "add", name, "--upstream", `${of}=theirs`), `${name} is added.\n`);
  const answer = await chat(server, name);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(upstream.exchanges.at(-1).body.model, "theirs");
  assert.deepEqual(
    lines(await spindle("model", "ls", "--json")).find((row) => row.name === name),
    { name, answered_by: `${of}=theirs`, abilities: "chat, completions", fallbacks: "", teams: "all" },
  );
  const text = await eventually(() => spindle("usage", "--by", "model", "--model", name), (table) => table.includes(name));
  assert.match(text, /^MODEL +REQUESTS +ERRORS +PROMPT +CACHED +COMPLETION +COST USD +P50 MS +P95 MS +FIRST TOKEN P50 MS\n/);
  assert.match(text, new RegExp(`\n${name} +1 +0 +10 +0 +5 +0\\.000000 +\\d+ +\\d+ `));
  const total = JSON.parse(await spindle("usage", "--by", "total", "--model", name, "--json"));
  assert.equal(total.items[0].requests, 1);
  assert.match(await expectFailure("upstream", "rm", of), /Models use this upstream/);
  assert.equal(await spindle("model", "rm", name), `${name} is removed.\n`);
  assert.match(await expectFailure("model", "show", name), /Model not found/);
});

test("a model has tiers, fallbacks, teams and a file", async () => {
  const of = freshName("up");
  const team = (await makeTeam(server)).name;
  await spindle("upstream", "add", of, upstream.url);
  const spare = freshName("spare");
  await spindle("model", "add", spare, "--upstream", of);
  const file = join(server.dataDir, "tiny.gguf");
  writeTinyModel(file);
  const name = freshName("all");
  await spindle(
    "model", "add", name, "--file", file, "--upstream", of, "--upstream", `${of}=other`, "--tier", "1", "--tier", "2",
    "--fallback", spare, "--team", team, "--ability", "chat", "--context", "512", "--max-output", "64", "--owned-by", "us",
  );
  const model = JSON.parse(await spindle("model", "show", name));
  assert.deepEqual(model.targets, [
    { upstream: null, model: "", tier: 0 },
    { upstream: of, model: "", tier: 1 },
    { upstream: of, model: "other", tier: 2 },
  ]);
  assert.deepEqual(
    [model.file, model.fallbacks, model.teams, model.abilities, model.context, model.max_output_tokens, model.owned_by],
    [file, [spare], [team], ["chat"], 512, 64, "us"],
  );
  assert.match(await expectFailure("model", "rm", spare), /fall back to this one/);
  await spindle("model", "rm", spare, "--force");
  assert.match(await expectFailure("model", "add", "x", "--file", join(server.dataDir, "none.gguf")), /file: .*does not exist/);
  assert.match(await expectFailure("model", "add", "x", "--upstream", of, "--tier", "0", "--tier", "1"), /--tier/);
  assert.match(await expectFailure("model", "add", "x"), /needs a file or an upstream/);
});

test("limits are set, changed, listed and removed", async () => {
  const team = (await makeTeam(server)).name;
  const project = `${team}/lab`;
  assert.match(await expectFailure("limit", "set", project, "--budget", "5"), /Project not found/);
  assert.equal((await server.api("POST", "/api/v1/projects", { body: { team, name: "lab" } })).status, 201);
  assert.equal(await spindle("limit", "set", project, "--budget", "5", "--requests", "60"), `${project} has the new limits.\n`);
  await spindle("limit", "set", project, "--requests", "none", "--tokens", "1000", "--period", "day");
  const row = async (subject) => lines(await spindle("limit", "ls", "--json")).find((limit) => limit.subject === subject);
  assert.deepEqual(await row(project), {
    subject: project,
    owner: null,
    concurrency: null,
    requests_per_minute: null,
    tokens_per_minute: 1000,
    budget_usd: 5,
    period: "day",
    spent_usd: 0,
  });
  const key = await serviceAccountKey(server, team);
  await spindle("limit", "set", key, "--concurrency", "2");
  assert.equal((await row(key)).concurrency, 2);
  assert.match(await expectFailure("limit", "set", project, "--budget", "much"), /expected a number or none/);
  assert.equal(await spindle("limit", "rm", project), `${project} has no limits any more.\n`);
  assert.match(await expectFailure("limit", "rm", project), /has no limit/);
});

test("usage rejects invalid queries", async () => {
  assert.match(await expectFailure("usage", "--by", "week"), /group_by/);
  assert.match(await expectFailure("usage", "--project", "no-such/lab", "--key", "nonsense-key-0123456789"), /Not authenticated/);
});
