// `spindle secret | webhook | automation | deliveries` with a running server: the steps of
// docs/automations.md, and error messages.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";

import { ArtifactProject } from "./support/artifacts.mjs";
import { eventually } from "./support/deliveries.mjs";
import { makeTeam } from "./support/people.mjs";
import { startReceiver } from "./support/receiver.mjs";
import { startServer } from "./support/server.mjs";

let server;
let receiver;
let team;
before(async () => (server = await startServer()));
after(() => server.dispose());
beforeEach(async () => {
  receiver = await startReceiver();
  team = (await makeTeam(server)).name;
  await new ArtifactProject(server, team, { project: "churn" }).put("model", { "a.txt": "one" });
});
afterEach(() => receiver.close());

async function spindle(...args) {
  const { code, stdout, stderr } = await server.cli(...args);
  assert.equal(code, 0, stderr);
  return stdout;
}

test("from an alias to a CI dispatch in five commands", async () => {
  const file = join(server.dataDir, "ci-token.txt");
  writeFileSync(file, "tok_example_123\n");
  await spindle("secret", "set", team, "CI_TOKEN", "--file", file);
  await spindle("webhook", "create", team, "ci", receiver.url, "--token", "CI_TOKEN");
  const name = `deploy-${team}`;
  const id = await spindle(
    "automation", "create", name, "--scope", `${team}/churn`, "--event", "ADD_ARTIFACT_ALIAS",
    "--alias", "^production$", "--webhook", `${team}/ci`, "--preset", "repository_dispatch",
  );
  assert.match(id, /^auto_\w{26}\n$/);
  await spindle("artifact", "alias", `${team}/churn/model:v0`, "production");
  const listed = await eventually(
    () => spindle("deliveries", "ls", "--automation", name, "--json"),
    (text) => text.includes('"succeeded"'),
  );
  const delivery = JSON.parse(listed);
  const [request] = await receiver.received(1);
  assert.equal(request.headers.authorization, "Bearer tok_example_123");
  const body = JSON.parse(request.body);
  assert.equal(body.client_payload.artifact_version_string, `${team}/churn/model:production`);
  const whole = JSON.parse(await spindle("deliveries", "show", delivery.id));
  assert.equal(whole.attempts.length, 1);
  assert.equal(await spindle("deliveries", "replay", delivery.id), `${delivery.id}\n`);
  await receiver.received(2);
  assert.deepEqual(
    JSON.parse(await spindle("automation", "render", name, "--event", whole.event_id)),
    body,
  );
});

test("automations are listed, disabled, enabled and removed", async () => {
  const create = (name, scope, ...more) =>
    spindle("automation", "create", name, "--scope", scope, "--event", ...more);
  await create(`a-${team}`, team, "LINK_ARTIFACT");
  await create(`b-${team}`, `${team}/churn/model`, "CREATE_ARTIFACT");
  await create(`c-${team}`, `${team}/churn`, "RUN_STATE", "--state", "FAILED", "--state", "FINISHED");
  const metric = '{"name":"loss","comparison":"lt","threshold":0.5}';
  await create(`d-${team}`, `${team}/churn`, "RUN_METRIC_THRESHOLD", "--metric", metric);
  const rows = async (...args) =>
    (await spindle("automation", "ls", "--json", ...args)).trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(
    (await rows("--team", team)).map(({ name, scope }) => [name[0], scope]),
    [["d", `${team}/churn`], ["c", `${team}/churn`], ["b", `${team}/churn/model`], ["a", team]],
  );
  assert.equal((await rows("--project", `${team}/churn`)).length, 3);
  assert.match(await spindle("automation", "disable", `a-${team}`), /is disabled/);
  assert.equal((await rows("--team", team))[3].enabled, false);
  assert.match(await spindle("automation", "enable", `a-${team}`), /is enabled/);
  assert.match(await spindle("automation", "rm", `a-${team}`), /is deleted/);
  assert.equal((await rows("--team", team)).length, 3);
});

test("a webhook is tested, and a secret replaced", async () => {
  const file = join(server.dataDir, "secret.txt");
  for (const value of ["first-value", "second-value"]) {
    writeFileSync(file, value);
    await spindle("secret", "set", team, "TOKEN", "--file", file);
  }
  await spindle("webhook", "create", team, "hook", receiver.url, "--token", "TOKEN");
  receiver.answer = { status: 418, body: "short and stout" };
  const told = await spindle("webhook", "test", team, "hook", "--payload", '{"ping":true}');
  assert.match(told, /^418 in \d+ ms\nshort and stout\n$/);
  assert.equal(receiver.requests[0].headers.authorization, "Bearer second-value");
  assert.equal(receiver.requests[0].body, '{"ping":true}');
  assert.match(await spindle("webhook", "ls", team), /hook .*active/);
});

test("errors of the server are printed unchanged", async () => {
  const expectFailure = async (...args) => {
    const { code, stderr } = await server.cli(...args);
    assert.equal(code, 1);
    return stderr;
  };
  assert.match(
    await expectFailure("automation", "create", "x", "--scope", team, "--event", "ADD_ARTIFACT_ALIAS"),
    /event\.alias_regex: Field required/,
  );
  assert.match(await expectFailure("automation", "rm", "no-such-automation"), /there is no automation/);
  assert.match(await expectFailure("webhook", "test", team, "none"), /has no webhook none/);
  assert.match(await expectFailure("webhook", "ls", "no-such-team"), /not found/i);
});
