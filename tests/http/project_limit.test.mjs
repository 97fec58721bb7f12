// limits.projects_per_team: a team at the limit cannot create a project in any way.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";

import { PATHS, request, send, span } from "./support/otlp.mjs";
import { makeMember, makeTeam } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

let server;
let team;
let member;
before(async () => {
  server = await startServer({ args: ["--limits-projects-per-team", "1"] });
  team = (await makeTeam(server)).name;
  member = await makeMember(server, team, "MEMBER");
});
after(() => server.dispose());

const startCall = (project, key = member.key) =>
  server.api("POST", "/call/start", {
    key,
    body: {
      start: {
        project_id: `${team}/${project}`,
        id: randomUUID(),
        trace_id: randomUUID(),
        op_name: "op",
        started_at: new Date().toISOString(),
        attributes: {},
        inputs: {},
      },
    },
  });

test("the first project is created by a first write", async () => {
  assert.equal((await startCall("first")).status, 200);
  assert.equal((await startCall("first")).status, 200, "writes to it succeed");
});

test("one more project is rejected with a reason", async () => {
  const call = await startCall("second");
  assert.equal(call.status, 403, call.text);
  assert.match(call.json.reason, /limits\.projects_per_team/);

  const made = await server.api("POST", "/api/v1/projects", { body: { team, name: "second" } });
  assert.equal(made.status, 403, made.text);
  assert.equal(made.json.code, "project_limit");
  assert.match(made.json.detail, /limits\.projects_per_team is 1\. Delete a project/);

  for (const path of Object.values(PATHS)) {
    const spans = request([{}, span("step")]);
    const answer = await send(server, path, spans, { project: `${team}/second`, key: member.key });
    assert.equal(answer.status, 403, `${path}: ${answer.text}`);
    assert.match(answer.text, /limits\.projects_per_team/);
  }

  const admin = await startCall("second", server.adminKey);
  assert.equal(admin.status, 403, "also for the administrator");
  const read = await server.api("GET", `/api/v1/projects/${team}/second`);
  assert.equal(read.status, 404);
});

test("another team has its own limit", async () => {
  const other = (await makeTeam(server)).name;
  const made = await server.api("POST", "/api/v1/projects", { body: { team: other, name: "second" } });
  assert.equal(made.status, 201, made.text);
});

test("a deleted project no longer counts", async () => {
  const gone = await server.api("DELETE", `/api/v1/projects/${team}/first`);
  assert.ok([200, 202, 204].includes(gone.status), gone.text);
  assert.equal((await startCall("third")).status, 200);
});
