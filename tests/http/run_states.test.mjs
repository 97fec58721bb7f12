// States of runs: transitions, their events, and who may end a run.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { expectError, expectViolations } from "./support/expect.mjs";
import { freshName, listAll, makeMember, makeTeam } from "./support/people.mjs";
import { RunProject } from "./support/runs.mjs";
import { startServer } from "./support/server.mjs";

let server;
let project;
before(async () => {
  server = await startServer();
  project = new RunProject(server, (await makeTeam(server)).name);
});
after(() => server.dispose());

/** Returns the events of a run, oldest first. */
async function eventsOf(id) {
  const query = new URLSearchParams({ type: "RUN_STATE", team: project.team, project: project.project, run: id });
  return (await listAll(server, `/api/v1/events?${query}`)).reverse();
}

/** Returns the events of a run after all of them are visible. */
async function settledEventsOf(id) {
  const last = await project.start();
  while ((await eventsOf(last.run_id)).length === 0);
  return eventsOf(id);
}

/** Returns the states in the events of a run, oldest first. */
const eventStates = async (id) => (await settledEventsOf(id)).map(({ data }) => data.run_state);

/** For each state that a client can set: how to bring a run into it. */
const ENTER_STATE = {
  running: (id) => project.start({ run_id: id }),
  pending: (id) => project.start({ run_id: id, state: "pending" }),
  finished: (id) => project.start({ run_id: id }).then(() => project.finish(id)),
  failed: (id) => project.start({ run_id: id }).then(() => project.finish(id, { exit_code: 1 })),
  preempted: (id) => project.start({ run_id: id }).then(() => project.finish(id, { exit_code: 1, preempting: true })),
  killed: (id) => project.start({ run_id: id }).then(() => project.ok("POST", `/${id}/kill`)),
};
const EVENT_STATES = { running: ["RUNNING"], pending: [], finished: ["RUNNING", "FINISHED"], failed: ["RUNNING", "FAILED"],
  preempted: ["RUNNING"], killed: ["RUNNING"] };
const post = (rest, body) => (id) => project.api("POST", `/${id}${rest}`, { body });
const resume = (id) => project.api("POST", "", { body: { run_id: id, resume: "must" } });
const conflict = (code) => ({ status: 409, code });

/** For each trigger and state: the next state and its events, or the error. */
const TRANSITIONS = [
  ["pending", "heartbeat", post("/heartbeat"), { status: 200, to: "running", emits: ["RUNNING"] }],
  ["pending", "a row", post("/history", { rows: [{ metrics: {} }] }), { status: 200, to: "running", emits: ["RUNNING"] }],
  ["pending", "resume", resume, { status: 200, to: "running", emits: ["RUNNING"] }],
  ["pending", "kill", post("/kill"), { status: 202, to: "killed", emits: [] }],
  ["pending", "set failed", post("/state", { state: "failed" }), { status: 200, to: "failed", emits: ["FAILED"] }],
  ["pending", "set pending", post("/state", { state: "pending" }), conflict("invalid_transition")],
  ["pending", "finish", post("/finish", {}), conflict("run_not_active")],
  ["pending", "stop", post("/stop"), conflict("run_not_active")],
  ["running", "heartbeat", post("/heartbeat"), { status: 200, to: "running", emits: [] }],
  ["running", "resume", resume, { status: 200, to: "running", emits: [] }],
  ["running", "finish with 0", post("/finish", {}), { status: 200, to: "finished", emits: ["FINISHED"] }],
  ["running", "finish with 2", post("/finish", { exit_code: 2 }), { status: 200, to: "failed", emits: ["FAILED"] }],
  ["running", "finish with 2 while preempting", post("/finish", { exit_code: 2, preempting: true }),
    { status: 200, to: "preempted", emits: [] }],
  ["running", "kill", post("/kill"), { status: 202, to: "killed", emits: [] }],
  ["running", "set pending", post("/state", { state: "pending" }), { status: 200, to: "pending", emits: [] }],
  ["running", "set failed", post("/state", { state: "failed" }), { status: 200, to: "failed", emits: ["FAILED"] }],
  ["running", "stop", post("/stop"), { status: 202, to: "running", emits: [] }],
  ["failed", "set pending", post("/state", { state: "pending" }), { status: 200, to: "pending", emits: [] }],
  ["preempted", "set pending", post("/state", { state: "pending" }), { status: 200, to: "pending", emits: [] }],
  ["finished", "set pending", post("/state", { state: "pending" }), conflict("invalid_transition")],
  ["killed", "set pending", post("/state", { state: "pending" }), conflict("invalid_transition")],
  ...["finished", "failed", "preempted", "killed"].flatMap((state) => [
    [state, "resume", resume, { status: 200, to: "running", emits: ["RUNNING"] }],
    [state, "set failed", post("/state", { state: "failed" }), conflict("invalid_transition")],
    [state, "kill", post("/kill"), conflict("run_not_active")],
    [state, "stop", post("/stop"), conflict("run_not_active")],
    [state, "heartbeat", post("/heartbeat"), conflict("run_not_active")],
    [state, "a row", post("/history", { rows: [{ metrics: {} }] }), conflict("run_not_active")],
    [state, "system metrics", post("/system-metrics", { rows: [{ metrics: {} }] }), conflict("run_not_active")],
  ]),
  ["finished", "finish with 0", post("/finish", {}), { status: 200, to: "finished", emits: [] }],
  ["finished", "finish with 1", post("/finish", { exit_code: 1 }), conflict("exit_code_differs")],
  ["failed", "finish with 1", post("/finish", { exit_code: 1 }), { status: 200, to: "failed", emits: [] }],
  ["failed", "finish with 0", post("/finish", {}), conflict("exit_code_differs")],
  ["killed", "finish with 0", post("/finish", {}), conflict("run_not_active")],
];

describe("states", () => {
  for (const [from, what, act, expected] of TRANSITIONS) {
    test(`${from}: ${what}: ${expected.to ?? expected.code}`, async () => {
      const id = freshName("run");
      await ENTER_STATE[from](id);
      const answer = await act(id);
      if (expected.code) expectError(answer, 409, expected.code);
      else assert.equal(answer.status, expected.status, answer.text);
      const run = await project.get(id);
      const to = expected.to ?? from;
      assert.equal(run.state, to);
      assert.equal(run.finished_at === null, ["running", "pending"].includes(to));
      assert.deepEqual(await eventStates(id), [...EVENT_STATES[from], ...(expected.emits ?? [])]);
    });
  }

  test("only pending and failed can be set by name", async () => {
    const { run_id } = await project.start();
    for (const state of ["running", "finished", "killed", 1]) {
      expectViolations(await project.api("POST", `/${run_id}/state`, { body: { state } }), ["literal_error", "body", "state"]);
    }
    expectViolations(await project.api("POST", `/${run_id}/state`, { body: {} }), ["missing", "body", "state"]);
  });

  test("an event contains the user and project of the run", async () => {
    const { run_id, name, user } = await project.start({ name: "told" });
    const [event] = await settledEventsOf(run_id);
    assert.equal(event.author, user);
    assert.deepEqual(event.data, {
      entity_name: project.team, project_name: project.project, run_id, run_name: name, run_owner: user, run_state: "RUNNING",
    });
  });

  test("a stop request is returned with the next heartbeat", async () => {
    const { run_id } = await project.start();
    const beat = () => project.ok("POST", `/${run_id}/heartbeat`);
    assert.deepEqual(await beat(), { stop_requested: false });
    assert.equal((await project.ok("POST", `/${run_id}/stop`)).stop_requested, true);
    assert.deepEqual(await beat(), { stop_requested: true });
    assert.equal((await project.log(run_id, [{ metrics: {} }])).stop_requested, true);
    assert.equal((await project.get(run_id)).state, "running");
  });

  test("finish merges its summary", async () => {
    const { run_id } = await project.start();
    await project.log(run_id, [{ metrics: { loss: 0.5, acc: 0.1 } }]);
    const run = await project.finish(run_id, { exit_code: 0, summary: { acc: 0.9, best: 1 } });
    assert.deepEqual(run.summary, { loss: 0.5, acc: 0.9, best: 1 });
    assert.equal(run.exit_code, 0);
  });
});

describe("who may end a run", () => {
  test("members their own, project admins any", async () => {
    const member = await makeMember(server, project.team, "MEMBER");
    const other = await makeMember(server, project.team, "MEMBER");
    const admin = await makeMember(server, project.team, "MEMBER");
    const theirs = project.as(member.key);
    await project.start();
    const role = await server.api("PUT", `/api/v1/projects/${project.team}/lab/members/${admin.username}`, {
      body: { role: "ADMIN" },
    });
    assert.equal(role.status, 200, role.text);
    for (const [rest, method, success] of [["/stop", "POST", 202], ["", "DELETE", 204]]) {
      const { run_id } = await theirs.start();
      expectError(await project.as(other.key).api(method, `/${run_id}${rest}`), 403, "forbidden");
      assert.equal((await theirs.api(method, `/${run_id}${rest}`)).status, success);
      const { run_id: second } = await theirs.start();
      assert.equal((await project.as(admin.key).api(method, `/${second}${rest}`)).status, success);
    }
    const { run_id } = await theirs.start();
    expectError(await theirs.api("POST", `/${run_id}/kill`), 403, "forbidden");
    assert.equal((await project.as(admin.key).api("POST", `/${run_id}/kill`)).status, 202);
  });

  test("an unknown run is 404 for every role", async () => {
    const viewer = await makeMember(server, project.team, "VIEWER");
    for (const key of [viewer.key, server.adminKey]) {
      expectError(await project.as(key).api("DELETE", "/none"), 404, "not_found");
    }
    for (const rest of ["/heartbeat", "/stop", "/kill"]) {
      expectError(await project.api("POST", `/none${rest}`), 404, "not_found");
    }
  });
});
