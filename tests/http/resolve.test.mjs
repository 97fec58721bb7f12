// GET /api/v1/resolve: the page of an id or a reference.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { AgentProject, spanId } from "./support/agent_spans.mjs";
import { ArtifactProject } from "./support/artifacts.mjs";
import { Project } from "./support/calls.mjs";
import { deliveriesOf, eventually, makeAutomation, makeWebhook } from "./support/deliveries.mjs";
import { expectStatus } from "./support/expect.mjs";
import { freshName, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { startReceiver } from "./support/receiver.mjs";
import { makeRegistry, makeVersion } from "./support/registries.mjs";
import { RunProject } from "./support/runs.mjs";
import { startServer } from "./support/server.mjs";
import { addBaseModel, TrainingClient, group } from "./support/training.mjs";

let server;
let receiver;
let team;
let viewer;
let stranger;
before(async () => {
  server = await startServer();
  receiver = await startReceiver();
  team = (await makeTeam(server)).name;
  viewer = await makeMember(server, team, "VIEWER");
  stranger = await makeMember(server, (await makeTeam(server)).name, "ADMIN");
});
after(async () => {
  await server.dispose();
  await receiver.close();
});

const resolve = (ref, { project, ...options } = {}) =>
  server.api("GET", `/api/v1/resolve?${new URLSearchParams({ ref, ...(project ? { project } : {}) })}`, options);

/** Expects the target for a viewer of the team and 404 for a member of another team. */
async function expectTarget(ref, expected, options = {}) {
  const answer = await resolve(ref, { key: viewer.key, ...options });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.json, expected);
  expectStatus(await resolve(ref, { key: stranger.key }), 404);
  return answer.json;
}

describe("ids", () => {
  test("of a call and its trace, in a project with a name that needs encoding", async () => {
    const project = new Project(server, `${team}/trace s`);
    const [call] = await project.complete({});
    const base = { team, project: "trace s" };
    await expectTarget(call.id, {
      kind: "call", ...base, id: call.id, path: `p/${team}/trace%20s/traces/${call.trace_id}?span=${call.id}`,
    });
    await expectTarget(call.trace_id, {
      kind: "trace", ...base, id: call.trace_id, path: `p/${team}/trace%20s/traces/${call.trace_id}`,
    });
  });

  test("of an evaluation run", async () => {
    const project = new Project(server, `${team}/evals`);
    const [run] = await project.complete({ op_name: "Evaluation.evaluate" });
    await expectTarget(run.id, {
      kind: "evaluation", team, project: "evals", id: run.id, path: `p/${team}/evals/evals/${run.id}`,
    });
  });

  test("of an agent span and its trace", async () => {
    const agents = new AgentProject(server, `${team}/agents`);
    const id = freshName("s").slice(-8);
    const trace = await agents.send([{ id, name: "turn", t: [0, 1] }]);
    const span = spanId(id);
    await expectTarget(span, {
      kind: "span", team, project: "agents", id: span, path: `p/${team}/agents/traces/${trace}?span=${span}`,
    });
    await expectTarget(trace, {
      kind: "trace", team, project: "agents", id: trace, path: `p/${team}/agents/traces/${trace}`,
    });
  });

  test("of a run", async () => {
    const { run_id } = await new RunProject(server, team).start();
    await expectTarget(run_id, { kind: "run", team, project: "lab", id: run_id, path: `p/${team}/lab/runs/${run_id}` });
  });

  test("of a training job", async () => {
    const client = new TrainingClient(server);
    const model = await client.register({
      entity: team, project: "lab", name: freshName("model"), base_model: await addBaseModel(server),
    });
    const { id } = await client.train(model, [group([0, 1])]);
    await expectTarget(id, { kind: "job", team, project: "lab", id, path: `p/${team}/lab/training/${id}` });
  });

  test("of a delivery, which viewers do not see", async () => {
    const hook = await makeWebhook(server, team, { url_endpoint: receiver.url });
    await makeVersion(server, team);
    const automation = await makeAutomation(server, team, { type: "CREATE_ARTIFACT" }, hook);
    await makeVersion(server, team);
    const [{ id }] = await eventually(() => deliveriesOf(server, { automation_id: automation.id }), (all) => all.length);
    const answer = await resolve(id);
    assert.deepEqual(answer.json, { kind: "delivery", team, project: "lab", id, path: `deliveries/${id}` });
    expectStatus(await resolve(id, { key: viewer.key }), 404);
    expectStatus(await resolve(id, { key: stranger.key }), 404);
  });
});

describe("references", () => {
  test("to objects, ops and calls", async () => {
    const project = new Project(server, `${team}/objects`);
    const { digest } = await project.ok("/obj/create", {
      obj: { project_id: project.id, object_id: "thing", val: { _class_name: "Thing", _bases: ["Object"], a: 1 } },
    });
    const ref = `svc:///${project.id}/object/thing:${digest}`;
    const found = (await resolve(ref, { key: viewer.key })).json;
    assert.equal(found.kind, "object");
    assert.equal(found.id, ref);
    assert.match(found.path, new RegExp(`^p/${team}/objects/objects/[A-Za-z]+/thing\\?version=`));
    expectStatus(await resolve(ref, { key: stranger.key }), 404);
    expectStatus(await resolve(`svc:///${project.id}/object/none:${digest}`), 404);

    const [call] = await project.complete({});
    assert.equal((await resolve(`svc:///${project.id}/call/${call.id}`)).json.kind, "call");
  });

  test("to artifact versions of projects and registries", async () => {
    const name = freshName("data");
    await new ArtifactProject(server, team).put(name, { "a.txt": name });
    const ref = `svc-artifact:///${team}/lab/${name}:v0`;
    await expectTarget(ref, {
      kind: "artifact", team, project: "lab", id: ref, path: `p/${team}/lab/artifacts/${name}/v0`,
    });
    const registry = await makeRegistry(server);
    await registry.link("things", `${team}/lab/${name}:v0`);
    const linked = `svc-artifact:///organization/svc-registry-${registry.name}/things:v0`;
    const found = (await resolve(linked)).json;
    assert.deepEqual([found.kind, found.project, found.path], ["artifact", null, `registries/${registry.name}/things/v0`]);
    expectStatus(await resolve(`svc-artifact:///${team}/lab/${name}:v7`), 404);
  });

  test("malformed and internal references", async () => {
    for (const ref of ["svc:///", "svc:///a", "svc:///a/b/c", "svc-trace-internal:///x/object/a:b"]) {
      const answer = await resolve(ref);
      assert.ok([404, 422].includes(answer.status), `${ref}: ${answer.text}`);
    }
  });
});

describe("nothing found", () => {
  test("404 lists the kinds", async () => {
    const answer = await resolve("no-such-thing");
    expectStatus(answer, 404);
    assert.deepEqual(answer.json.kinds, ["call", "trace", "span", "run", "job"]);
    assert.match(answer.json.detail, /Looked for: call, trace, span, run, job\./);
    assert.deepEqual((await resolve("dlv_0")).json.kinds, ["delivery"]);
  });

  test("a project restricts the search", async () => {
    const { run_id } = await new RunProject(server, team).start();
    assert.equal((await resolve(run_id, { project: `${team}/lab` })).status, 200);
    await new Project(server, `${team}/empty`).complete({});
    expectStatus(await resolve(run_id, { project: `${team}/empty` }), 404);
    expectStatus(await resolve(run_id, { project: `${team}/lab`, key: stranger.key }), 404);
    assert.equal((await resolve(run_id, { project: "no-slash" })).status, 422);
  });

  test("ids that look like SQL, paths or markup are ids", async () => {
    for (const ref of ["'; DROP TABLE runs; --", "../../etc/passwd", "<script>", "%00", "☃", "x".repeat(4096)]) {
      expectStatus(await resolve(ref), 404);
    }
  });

  test("invalid parameters", async () => {
    expectStatus(await resolve(""), 422);
    expectStatus(await resolve("x".repeat(4097)), 422);
    expectStatus(await server.api("GET", "/api/v1/resolve"), 422);
    assert.equal((await resolve("x", { key: null })).status, 401);
    expectStatus(await resolve("x", { key: (await makeUser(server)).key }), 404);
  });
});
