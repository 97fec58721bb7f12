// The states of runs over HTTP: what leads from one to another, what events tell of it, who may end a
// run.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { expectError, expectViolations } from "./support/expect.mjs";
import { freshName, listAll, makeMember, makeTeam } from "./support/people.mjs";
import { RunProject } from "./support/runs.mjs";
import { startServer } from "./support/server.mjs";

let server;
let lab;
before(async () => {
  server = await startServer();
  lab = new RunProject(server, (await makeTeam(server)).name);
});
after(() => server.dispose());

/** The events of a run, oldest first. */
async function eventsOf(id) {
  const query = new URLSearchParams({ type: "RUN_STATE", team: lab.team, project: lab.project, run: id });
  return (await listAll(server, `/api/v1/events?${query}`)).reverse();
}

/** The same when all that has happened can be seen: what happens last is seen last. */
async function settledEventsOf(id) {
  const last = await lab.start();
  while ((await eventsOf(last.run_id)).length === 0);
  return eventsOf(id);
}

/** The states that events of a run told of, oldest first. */
const told = async (id) => (await settledEventsOf(id)).map(({ data }) => data.run_state);

/** How a run is brought into each state that a client can bring it into. */
const BRING = {
  running: (id) => lab.start({ run_id: id }),
  pending: (id) => lab.start({ run_id: id, state: "pending" }),
  finished: (id) => lab.start({ run_id: id }).then(() => lab.finish(id)),
  failed: (id) => lab.start({ run_id: id }).then(() => lab.finish(id, { exit_code: 1 })),
  preempted: (id) => lab.start({ run_id: id }).then(() => lab.finish(id, { exit_code: 1, preempting: true })),
  killed: (id) => lab.start({ run_id: id }).then(() => lab.ok("POST", `/${id}/kill`)),
};
const TOLD = { running: ["RUNNING"], pending: [], finished: ["RUNNING", "FINISHED"], failed: ["RUNNING", "FAILED"],
  preempted: ["RUNNING"], killed: ["RUNNING"] };
const post = (rest, body) => (id) => lab.api("POST", `/${id}${rest}`, { body });
const resume = (id) => lab.api("POST", "", { body: { run_id: id, resume: "must" } });
const conflict = (code) => ({ status: 409, code });

/** What each trigger does in each state: the state it leads to and what it tells, or the refusal. */
const TRANSITIONS = [
  ["pending", "heartbeat", post("/heartbeat"), { status: 200, to: "running", tells: ["RUNNING"] }],
  ["pending", "a row", post("/history", { rows: [{ metrics: {} }] }), { status: 200, to: "running", tells: ["RUNNING"] }],
  ["pending", "resume", resume, { status: 200, to: "running", tells: ["RUNNING"] }],
  ["pending", "kill", post("/kill"), { status: 202, to: "killed", tells: [] }],
  ["pending", "set failed", post("/state", { state: "failed" }), { status: 200, to: "failed", tells: ["FAILED"] }],
  ["pending", "set pending", post("/state", { state: "pending" }), conflict("invalid_transition")],
  ["pending", "finish", post("/finish", {}), conflict("run_not_active")],
  ["pending", "stop", post("/stop"), conflict("run_not_active")],
  ["running", "heartbeat", post("/heartbeat"), { status: 200, to: "running", tells: [] }],
  ["running", "resume", resume, { status: 200, to: "running", tells: [] }],
  ["running", "finish with 0", post("/finish", {}), { status: 200, to: "finished", tells: ["FINISHED"] }],
  ["running", "finish with 2", post("/finish", { exit_code: 2 }), { status: 200, to: "failed", tells: ["FAILED"] }],
  ["running", "finish with 2 while preempting", post("/finish", { exit_code: 2, preempting: true }),
    { status: 200, to: "preempted", tells: [] }],
  ["running", "kill", post("/kill"), { status: 202, to: "killed", tells: [] }],
  ["running", "set pending", post("/state", { state: "pending" }), { status: 200, to: "pending", tells: [] }],
  ["running", "set failed", post("/state", { state: "failed" }), { status: 200, to: "failed", tells: ["FAILED"] }],
  ["running", "stop", post("/stop"), { status: 202, to: "running", tells: [] }],
  ["failed", "set pending", post("/state", { state: "pending" }), { status: 200, to: "pending", tells: [] }],
  ["preempted", "set pending", post("/state", { state: "pending" }), { status: 200, to: "pending", tells: [] }],
  ["finished", "set pending", post("/state", { state: "pending" }), conflict("invalid_transition")],
  ["killed", "set pending", post("/state", { state: "pending" }), conflict("invalid_transition")],
  ...["finished", "failed", "preempted", "killed"].flatMap((state) => [
    [state, "resume", resume, { status: 200, to: "running", tells: ["RUNNING"] }],
    [state, "set failed", post("/state", { state: "failed" }), conflict("invalid_transition")],
    [state, "kill", post("/kill"), conflict("run_not_active")],
    [state, "stop", post("/stop"), conflict("run_not_active")],
    [state, "heartbeat", post("/heartbeat"), conflict("run_not_active")],
    [state, "a row", post("/history", { rows: [{ metrics: {} }] }), conflict("run_not_active")],
    [state, "system metrics", post("/system-metrics", { rows: [{ metrics: {} }] }), conflict("run_not_active")],
  ]),
  ["finished", "finish with 0", post("/finish", {}), { status: 200, to: "finished", tells: [] }],
  ["finished", "finish with 1", post("/finish", { exit_code: 1 }), conflict("exit_code_differs")],
  ["failed", "finish with 1", post("/finish", { exit_code: 1 }), { status: 200, to: "failed", tells: [] }],
  ["failed", "finish with 0", post("/finish", {}), conflict("exit_code_differs")],
  ["killed", "finish with 0", post("/finish", {}), conflict("run_not_active")],
];

describe("states", () => {
  for (const [from, what, act, expected] of TRANSITIONS) {
    test(`${from}: ${what}: ${expected.to ?? expected.code}`, async () => {
      const id = freshName("run");
      await BRING[from](id);
      const answer = await act(id);
      if (expected.code) expectError(answer, 409, expected.code);
      else assert.equal(answer.status, expected.status, answer.text);
      const run = await lab.get(id);
      const to = expected.to ?? from;
      assert.equal(run.state, to);
      assert.equal(run.finished_at === null, ["running", "pending"].includes(to));
      assert.deepEqual(await told(id), [...TOLD[from], ...(expected.tells ?? [])]);
    });
  }

  test("only pending and failed can be asked for by name", async () => {
    const { run_id } = await lab.start();
    for (const state of ["running", "finished", "killed", 1]) {
      expectViolations(await lab.api("POST", `/${run_id}/state`, { body: { state } }), ["literal_error", "body", "state"]);
    }
    expectViolations(await lab.api("POST", `/${run_id}/state`, { body: {} }), ["missing", "body", "state"]);
  });

  test("an event tells whose run it is and where", async () => {
    const { run_id, name, user } = await lab.start({ name: "told" });
    const [event] = await settledEventsOf(run_id);
    assert.equal(event.author, user);
    assert.deepEqual(event.data, {
      entity_name: lab.team, project_name: lab.project, run_id, run_name: name, run_owner: user, run_state: "RUNNING",
    });
  });

  test("a wish to stop comes with the next sign of life", async () => {
    const { run_id } = await lab.start();
    const beat = () => lab.ok("POST", `/${run_id}/heartbeat`);
    assert.deepEqual(await beat(), { stop_requested: false });
    assert.equal((await lab.ok("POST", `/${run_id}/stop`)).stop_requested, true);
    assert.deepEqual(await beat(), { stop_requested: true });
    assert.equal((await lab.log(run_id, [{ metrics: {} }])).stop_requested, true);
    assert.equal((await lab.get(run_id)).state, "running");
  });

  test("the summary of the end is added", async () => {
    const { run_id } = await lab.start();
    await lab.log(run_id, [{ metrics: { loss: 0.5, acc: 0.1 } }]);
    const run = await lab.finish(run_id, { exit_code: 0, summary: { acc: 0.9, best: 1 } });
    assert.deepEqual(run.summary, { loss: 0.5, acc: 0.9, best: 1 });
    assert.equal(run.exit_code, 0);
  });
});

describe("who may end a run", () => {
  test("members their own, project admins any", async () => {
    const member = await makeMember(server, lab.team, "MEMBER");
    const other = await makeMember(server, lab.team, "MEMBER");
    const admin = await makeMember(server, lab.team, "MEMBER");
    const theirs = lab.as(member.key);
    await lab.start();
    const role = await server.api("PUT", `/api/v1/projects/${lab.team}/lab/members/${admin.username}`, {
      body: { role: "ADMIN" },
    });
    assert.equal(role.status, 200, role.text);
    for (const [rest, method, success] of [["/stop", "POST", 202], ["", "DELETE", 204]]) {
      const { run_id } = await theirs.start();
      expectError(await lab.as(other.key).api(method, `/${run_id}${rest}`), 403, "forbidden");
      assert.equal((await theirs.api(method, `/${run_id}${rest}`)).status, success);
      const { run_id: second } = await theirs.start();
      assert.equal((await lab.as(admin.key).api(method, `/${second}${rest}`)).status, success);
    }
    const { run_id } = await theirs.start();
    expectError(await theirs.api("POST", `/${run_id}/kill`), 403, "forbidden");
    assert.equal((await lab.as(admin.key).api("POST", `/${run_id}/kill`)).status, 202);
  });

  test("a run that is not there is not found, whoever asks", async () => {
    const viewer = await makeMember(server, lab.team, "VIEWER");
    for (const key of [viewer.key, server.adminKey]) {
      expectError(await lab.as(key).api("DELETE", "/none"), 404, "not_found");
    }
    for (const rest of ["/heartbeat", "/stop", "/kill"]) {
      expectError(await lab.api("POST", `/none${rest}`), 404, "not_found");
    }
  });
});
