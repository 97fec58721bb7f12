// GET /api/v1/stream: hints about changes, access, limits, reconnects and the shutdown.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { AgentProject } from "./support/agent_spans.mjs";
import { Browser, OWN_PAGE } from "./support/browser.mjs";
import { Project, at } from "./support/calls.mjs";
import { eventually, makeAutomation, makeWebhook } from "./support/deliveries.mjs";
import { EventStream, openStream, withStream } from "./support/event_stream.mjs";
import { expectStatus } from "./support/expect.mjs";
import { addMember, freshName, makeKey, makeMember, makeServiceAccount, makeTeam, makeUser } from "./support/people.mjs";
import { startReceiver } from "./support/receiver.mjs";
import { makeVersion } from "./support/registries.mjs";
import { RunProject } from "./support/runs.mjs";
import { startServer } from "./support/server.mjs";
import { TrainingClient, addBaseModel, group } from "./support/training.mjs";

let server;
let receiver;
before(async () => {
  server = await startServer({ args: ["--limits-live-streams", "40", "--limits-live-streams-per-team", "40"] });
  receiver = await startReceiver();
});
after(async () => {
  await server.dispose();
  await receiver.close();
});

/** Creates a project in a team that exists, so that other users can join it. */
async function teamProject() {
  const { name } = await makeTeam(server);
  const project = new Project(server, `${name}/traces`);
  await project.complete({});
  return { team: name, project };
}

const streams = async () => {
  const { text } = await server.api("GET", "/metrics");
  return Number(/^spindle_live_streams (\d+)/m.exec(text)[1]);
};

describe("events", () => {
  test("the response is an event stream that proxies do not store or collect", async () => {
    const { project } = await teamProject();
    await withStream(server, `calls:${project.id}`, {}, async ({ headers, events }) => {
      assert.equal(headers["content-type"], "text/event-stream");
      assert.equal(headers["cache-control"], "no-store, no-transform");
      assert.equal(headers["x-accel-buffering"], "no");
      assert.equal(headers["content-encoding"], undefined);
      assert.deepEqual(events[0].data, { topics: [`calls:${project.id}`] });
      assert.match(events[0].id, /^[0-9a-v]+-\d+$/);
      assert.equal(events[0].retry, "2000");
    });
  });

  test("calls: their number and the newest start", async () => {
    const { project } = await teamProject();
    await withStream(server, `calls:${project.id}`, {}, async (stream) => {
      await project.complete({ started_at: at(5) }, { started_at: at(9) }, {});
      await stream.counted("calls", 3);
      const { data } = await stream.next("calls");
      assert.deepEqual(data, { project: project.id, count: 3, newest: at(9).replace(".000", "") });
      const { id } = await project.start();
      await project.end(id);
      await stream.counted("calls", 5);
    });
  });

  test("a burst is merged into few events and no call is missed", async () => {
    const { project } = await teamProject();
    await withStream(server, `calls:${project.id}`, {}, async (stream) => {
      for (let i = 0; i < 60; i += 1) await project.complete({});
      assert.equal(await stream.counted("calls", 60), 60);
      const events = stream.events.filter(({ event }) => event === "calls");
      assert.ok(events.length < 60, `${events.length} events`);
    });
  });

  test("other projects cause no event", async () => {
    const { project } = await teamProject();
    const { project: other } = await teamProject();
    await withStream(server, `calls:${project.id},runs:${project.id}`, {}, async (stream) => {
      await other.complete({});
      await project.complete({});
      await stream.counted("calls", 1);
      assert.deepEqual(stream.events.map(({ event }) => event), ["ready", "calls"]);
    });
  });

  test("runs: start, rows, end", async () => {
    const { name: team } = await makeTeam(server);
    const runs = new RunProject(server, team);
    await runs.start();
    await withStream(server, `runs:${team}/lab`, {}, async (stream) => {
      const { run_id } = await runs.start();
      await stream.counted("runs", 1);
      await runs.log(run_id, [{ metrics: { loss: 1 } }]);
      await stream.counted("runs", 2);
      await runs.finish(run_id);
      await stream.counted("runs", 3);
    });
  });

  test("spans of agents", async () => {
    const agents = new AgentProject(server);
    await agents.send([{ id: "a", name: "turn", t: [0, 1] }]);
    await withStream(server, `spans:${agents.id}`, {}, async (stream) => {
      await agents.send([{ id: "b", name: "turn", t: [0, 1] }, { id: "c", parent: "b", name: "x", t: [0, 1] }]);
      assert.equal(await stream.counted("spans", 2), 2);
    });
  });

  test("evaluations: runs of SDKs, which are calls", async () => {
    const { project } = await teamProject();
    await withStream(server, `evaluations:${project.id}`, {}, async (stream) => {
      await project.complete({ op_name: "Evaluation.evaluate" }, { op_name: "Evaluation.predict_and_score" }, {});
      assert.equal(await stream.counted("evaluations", 2), 2);
    });
  });

  test("training jobs: creation and cancellation", async () => {
    const { name: team } = await makeTeam(server);
    const client = new TrainingClient(server);
    const model = await client.register({
      entity: team, project: "lab", name: freshName("model"), base_model: await addBaseModel(server),
    });
    await withStream(server, `jobs:${team}/lab`, {}, async (stream) => {
      const { id } = await client.train(model, [group([0, 1])]);
      await stream.counted("jobs", 1);
      const cancelled = await server.api("POST", `/api/v1/training-jobs/${id}/cancel`, { body: {} });
      assert.equal(cancelled.status, 200, cancelled.text);
      await stream.counted("jobs", 2);
    });
  });

  test("deliveries of a team", async () => {
    const { name: team } = await makeTeam(server);
    const hook = await makeWebhook(server, team, { url_endpoint: receiver.url });
    await makeVersion(server, team);
    await makeAutomation(server, team, { type: "CREATE_ARTIFACT" }, hook);
    await withStream(server, `deliveries:${team}`, {}, async (stream) => {
      await makeVersion(server, team);
      await stream.counted("deliveries", 2); // claimed, delivered
      assert.equal((await stream.next("deliveries")).data.team, team);
    });
  });

  test("a project that does not exist yet is followed from its first call on", async () => {
    const { name: team } = await makeTeam(server);
    const project = new Project(server, `${team}/first`);
    await withStream(server, `calls:${project.id}`, {}, async (stream) => {
      await project.complete({}, {});
      assert.equal(await stream.counted("calls", 2), 2);
    });
  });

  test("it works below a base path", async () => {
    const below = await startServer({ env: { SPINDLE_BASE_PATH: "/custom" } });
    try {
      const project = new Project(below);
      await project.complete({});
      await withStream(below, `calls:${project.id}`, { prefix: "/custom" }, async (stream) => {
        await project.complete({});
        await stream.counted("calls", 1);
      });
    } finally {
      await below.dispose();
    }
  });
});

describe("Last-Event-ID", () => {
  test("continues after the event", async () => {
    const { project } = await teamProject();
    const topics = `calls:${project.id}`;
    const id = await withStream(server, topics, {}, async (stream) => {
      await project.complete({});
      await stream.counted("calls", 1);
      return (await stream.next("calls")).id;
    });
    await project.complete({}, {});
    await withStream(server, topics, { headers: { "Last-Event-ID": id } }, async (stream) => {
      assert.equal(await stream.counted("calls", 2), 2);
      assert.ok(!stream.events.some(({ event }) => event === "resync"));
    });
  });

  for (const id of ["0-0", "of another server", "x".repeat(64)]) {
    test(`asks to read everything again after ${id.slice(0, 20)}`, async () => {
      const { project } = await teamProject();
      await withStream(server, `calls:${project.id}`, { headers: { "Last-Event-ID": id } }, async (stream) => {
        await stream.next("resync");
        await project.complete({});
        await stream.counted("calls", 1);
      });
    });
  }
});

describe("invalid requests", () => {
  for (const topics of [
    "", ",", "calls", "calls:", "calls:team", "calls:a/b/c", "deliveries:a/b", "secrets:a/b", "calls:a/b\n",
    Array.from({ length: 33 }, (_, i) => `calls:a/b${i}`).join(","), `calls:a/${"x".repeat(9000)}`,
  ]) {
    test(`topics=${JSON.stringify(topics.slice(0, 30))} (${topics.length})`, async () => {
      const answer = await server.api("GET", `/api/v1/stream?topics=${encodeURIComponent(topics)}`);
      expectStatus(answer, 422);
    });
  }

  test("without topics, with a long Last-Event-ID, without a key", async () => {
    expectStatus(await server.api("GET", "/api/v1/stream"), 422);
    const headers = { "Last-Event-ID": "x".repeat(65) };
    expectStatus(await server.api("GET", "/api/v1/stream?topics=calls:a/b", { headers }), 422);
    assert.equal((await server.api("GET", "/api/v1/stream?topics=calls:a/b", { key: null })).status, 401);
    assert.equal((await server.api("POST", "/api/v1/stream?topics=calls:a/b", { body: {} })).status, 405);
  });

  test("HEAD opens no stream", async () => {
    const { project } = await teamProject();
    const answer = await server.api("HEAD", `/api/v1/stream?topics=calls:${project.id}`);
    assert.equal(answer.status, 200);
    await eventually(streams, (count) => count === 0);
  });
});

describe("access", () => {
  test("a stranger gets 404, for projects that exist and for others", async () => {
    const { team, project } = await teamProject();
    const stranger = await makeUser(server);
    for (const topic of [`calls:${project.id}`, `runs:${team}/none`, `deliveries:${team}`, "calls:none/none"]) {
      const refused = await openStream(server, topic, { key: stranger.key });
      assert.equal(refused.status, 404, refused.text);
    }
  });

  test("one topic without access refuses the stream", async () => {
    const { project } = await teamProject();
    const { project: other } = await teamProject();
    const member = await makeMember(server, project.entity, "MEMBER");
    const refused = await openStream(server, `calls:${project.id},calls:${other.id}`, { key: member.key });
    assert.equal(refused.status, 404, refused.text);
  });

  test("viewers follow projects, and not the deliveries of the team", async () => {
    const { team, project } = await teamProject();
    const { key } = await makeMember(server, team, "VIEWER");
    await withStream(server, `calls:${project.id}`, { key }, async (stream) => {
      await project.complete({});
      await stream.counted("calls", 1);
    });
    assert.equal((await openStream(server, `deliveries:${team}`, { key })).status, 403);
  });

  test("a stream ends when the user leaves the team", async () => {
    const { team, project } = await teamProject();
    const member = await makeMember(server, team, "MEMBER");
    await withStream(server, `calls:${project.id}`, { key: member.key }, async (stream) => {
      const left = await server.api("DELETE", `/api/v1/teams/${team}/members/${member.username}`);
      assert.equal(left.status, 204, left.text);
      assert.deepEqual((await stream.next("closed")).data, { reason: "access" });
      await stream.end();
      await project.complete({});
      assert.ok(!stream.events.some(({ event }) => event === "calls"));
    });
  });

  test("a stream ends when its key is revoked", async () => {
    const { team, project } = await teamProject();
    const user = await makeUser(server);
    await addMember(server, team, user.username, "MEMBER");
    const { id, key } = await makeKey(server, user.username);
    await withStream(server, `calls:${project.id}`, { key }, async (stream) => {
      assert.equal((await server.api("DELETE", `/api/v1/api-keys/${id}`)).status, 204);
      assert.deepEqual((await stream.next("closed")).data, { reason: "credential" });
      await stream.end();
    });
  });

  test("a stream ends with its session, not with another of the user", async () => {
    const { team, project } = await teamProject();
    const member = await makeMember(server, team, "MEMBER");
    const opened = async () => {
      const browser = new Browser(server);
      await browser.signIn({ api_key: member.key });
      const headers = { ...OWN_PAGE, cookie: browser.cookie };
      return { browser, stream: await openStream(server, `calls:${project.id}`, { key: null, headers }) };
    };
    const kept = await opened();
    const ended = await opened();
    for (const { stream } of [kept, ended]) await stream.next("ready");
    assert.equal((await ended.browser.request("DELETE", "/api/v1/session")).status, 204);
    assert.deepEqual((await ended.stream.next("closed")).data, { reason: "credential" });
    await ended.stream.end();
    await project.complete({});
    await kept.stream.counted("calls", 1);
    kept.stream.close();
  });

  test("a stream ends when its project is deleted", async () => {
    const { team, project } = await teamProject();
    const viewer = await makeMember(server, team, "VIEWER");
    await withStream(server, `calls:${project.id}`, { key: viewer.key }, async (stream) => {
      const gone = await server.api("DELETE", `/api/v1/projects/${project.id}?force=true`);
      assert.equal(gone.status, 204, gone.text);
      await stream.next("closed");
      await stream.end();
    });
  });
});

describe("limits", () => {
  test("per user, and a closed stream makes room", async () => {
    const { team, project } = await teamProject();
    const { key } = await makeMember(server, team, "MEMBER");
    const open = [];
    for (let i = 0; i < 16; i += 1) open.push(await openStream(server, `calls:${project.id}`, { key }));
    assert.ok(open.every((stream) => stream instanceof EventStream));
    const refused = await openStream(server, `calls:${project.id}`, { key });
    assert.equal(refused.status, 429, refused.text);
    assert.ok(refused.headers["retry-after"]);
    open.pop().close();
    const again = await eventually(
      () => openStream(server, `calls:${project.id}`, { key }),
      (stream) => stream instanceof EventStream,
    );
    for (const stream of [...open, again]) stream.close();
    await eventually(streams, (count) => count === 0);
  });

  test("per server", async () => {
    const { team, project } = await teamProject();
    const open = [];
    for (let user = 0; user < 4; user += 1) {
      const { key } = await makeMember(server, team, "MEMBER");
      for (let i = 0; i < 10; i += 1) open.push(await openStream(server, `calls:${project.id}`, { key }));
    }
    const { key } = await makeMember(server, team, "MEMBER");
    assert.equal((await openStream(server, `calls:${project.id}`, { key })).status, 503);
    for (const stream of open) stream.close();
    await eventually(streams, (count) => count === 0);
  });

  test("per team, by default a quarter of all", async () => {
    const small = await startServer({ args: ["--limits-live-streams", "8"] });
    try {
      const { name } = await makeTeam(small);
      const { name: other } = await makeTeam(small);
      const open = async (team) => {
        const { api_key: key } = await makeServiceAccount(small, team);
        return openStream(small, `calls:${team}/traces`, { key });
      };
      const first = [await open(name), await open(name)];
      assert.ok(first.every((stream) => stream instanceof EventStream));
      const refused = await open(name);
      assert.equal(refused.status, 429, refused.text);
      const elsewhere = await open(other);
      assert.ok(elsewhere instanceof EventStream, elsewhere.text);
      for (const stream of [...first, elsewhere]) stream.close();
    } finally {
      await small.dispose();
    }
  });

  test("open streams hold no worker", async () => {
    const small = await startServer({ args: ["--worker-threads", "2"] });
    try {
      const project = new Project(small);
      await project.complete({});
      const open = [];
      for (let i = 0; i < 12; i += 1) open.push(await openStream(small, `calls:${project.id}`));
      await project.complete({});
      for (const stream of open) await stream.counted("calls", 1);
      for (const stream of open) stream.close();
    } finally {
      await small.dispose();
    }
  });
});

test("SIGTERM ends all streams with a reason and without a delay", async () => {
  const stopping = await startServer({ args: ["--limits-drain-timeout", "1h"] });
  const project = new Project(stopping);
  await project.complete({});
  const stream = await openStream(stopping, `calls:${project.id}`);
  await stream.next("ready");
  const ended = stopping.stop();
  assert.deepEqual((await stream.next("closed")).data, { reason: "shutdown" });
  await stream.end();
  assert.equal((await ended).code, 0);
  await stopping.dispose();
});
