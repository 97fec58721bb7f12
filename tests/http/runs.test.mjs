// The run API: start and resume, history and its offsets, samples for plots, inputs and outputs. See
// run_states.test.mjs for states.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { ArtifactProject } from "./support/artifacts.mjs";
import { expectError, expectMembers, expectTimestamp, expectViolations } from "./support/expect.mjs";
import { freshName, listAll, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { makeRegistry } from "./support/registries.mjs";
import { RunProject } from "./support/runs.mjs";
import { startServer, withServer } from "./support/server.mjs";

let server;
let runs;
before(async () => {
  server = await startServer();
  runs = new RunProject(server, (await makeTeam(server)).name);
});
after(() => server.dispose());

const FIELDS = [
  "run_id", "name", "team", "project", "user", "state", "config", "metrics", "summary", "tags", "notes", "group",
  "job_type", "exit_code", "history_line_count", "last_step", "stop_requested", "created_at", "updated_at",
  "heartbeat_at", "finished_at",
];

describe("a run", () => {
  test("is started with all members", async () => {
    const body = {
      run_id: freshName("run"), name: "first", config: { lr: 1e-4, net: { depth: 6 } }, tags: ["a", "b"],
      notes: "try", group: "sweep", job_type: "train", metrics: { loss: { summary: "min" } },
    };
    const answer = await runs.api("POST", "", { body });
    assert.equal(answer.status, 201, answer.text);
    expectMembers(answer.json, ["run", "next_step", "history_line_count"]);
    assert.equal(answer.json.next_step, 0);
    assert.equal(answer.json.history_line_count, 0);
    const { run } = answer.json;
    expectMembers(run, FIELDS);
    for (const [name, value] of Object.entries(body)) assert.deepEqual(run[name], value, name);
    assert.equal(run.team, runs.team);
    assert.equal(run.project, "lab");
    assert.equal(run.state, "running");
    assert.equal(run.stop_requested, false);
    for (const name of ["exit_code", "finished_at", "last_step"]) assert.equal(run[name], null);
    for (const name of ["created_at", "updated_at", "heartbeat_at"]) expectTimestamp(run[name]);
    assert.equal(run.user, (await server.api("GET", "/api/v1/me")).json.username);
    assert.deepEqual(await runs.get(run.run_id), run);
  });

  test("gets an id and a name by default", async () => {
    const first = (await runs.ok("POST", "", { body: {} })).run;
    assert.match(first.run_id, /^[a-z0-9]{8}$/);
    assert.match(first.name, /^[a-z]+-[a-z]+-[1-9][0-9]*$/);
    const second = (await runs.ok("POST", "", { body: { run_id: null, name: null } })).run;
    assert.notEqual(second.run_id, first.run_id);
  });

  test("can be started and finished with empty bodies", async () => {
    const begun = await runs.api("POST", "");
    assert.equal(begun.status, 201, begun.text);
    const { run_id } = begun.json.run;
    const finished = await runs.api("POST", `/${run_id}/finish`);
    assert.equal(finished.status, 200, finished.text);
    assert.equal(finished.json.state, "finished");
    assert.equal(finished.json.exit_code, 0);
  });

  test("creates its project", async () => {
    const fresh = new RunProject(server, runs.team, { project: freshName("new") });
    assert.deepEqual((await fresh.ok("GET", "")).items, []);
    const { run_id } = await fresh.start();
    assert.equal((await fresh.ok("GET", "")).items[0].run_id, run_id);
  });

  test("needs an id that is valid in a path", async () => {
    for (const run_id of ["a/b", "a\\b", "a#b", "a?b", "a%b", "a:b", ""]) {
      const answer = await runs.api("POST", "", { body: { run_id } });
      const type = run_id === "" ? "string_too_short" : "string_pattern_mismatch";
      expectViolations(answer, [type, "body", "run_id"]);
    }
    expectViolations(await runs.api("POST", "", { body: { run_id: "x".repeat(129) } }), [
      "string_too_long", "body", "run_id",
    ]);
    const odd = await runs.start({ run_id: `with space ü ${freshName("x")}` });
    assert.equal((await runs.get(encodeURIComponent(odd.run_id))).run_id, odd.run_id);
  });

  test("with unknown members is rejected", async () => {
    expectViolations(await runs.api("POST", "", { body: { colour: 1, state: "killed", resume: "x", config: [] } }), [
      "extra_forbidden", "body", "colour",
    ], ["literal_error", "body", "state"], ["literal_error", "body", "resume"], ["dict_type", "body", "config"]);
  });

  test("is changed in the given members", async () => {
    const { run_id } = await runs.start({ config: { a: 1 }, tags: ["x"], notes: "n" });
    const answer = await runs.api("PATCH", `/${run_id}`, {
      body: { name: "renamed", config: { b: 2 }, summary: { s: 1 }, tags: ["y"], notes: null, group: "g" },
    });
    assert.equal(answer.status, 200, answer.text);
    const run = answer.json;
    assert.equal(run.name, "renamed");
    assert.deepEqual(run.config, { b: 2 });
    assert.deepEqual(run.summary, { s: 1 });
    assert.deepEqual(run.tags, ["y"]);
    assert.equal(run.notes, null);
    assert.equal(run.group, "g");
    assert.equal(run.job_type, null);
    expectViolations(await runs.api("PATCH", `/${run_id}`, { body: { state: "running", name: "" } }), [
      "extra_forbidden", "body", "state",
    ], ["string_too_short", "body", "name"]);
  });

  test("is changed and deleted only with the current ETag", async () => {
    const { run_id } = await runs.start();
    const { etag } = (await runs.api("GET", `/${run_id}`)).headers;
    const headers = { "if-match": etag };
    // Logging does not change the ETag.
    await runs.log(run_id, [{ metrics: { a: 1 } }]);
    assert.equal((await runs.api("PATCH", `/${run_id}`, { headers, body: { name: "x" } })).status, 200);
    expectError(await runs.api("PATCH", `/${run_id}`, { headers, body: { name: "y" } }), 412, "precondition_failed");
    expectError(await runs.api("DELETE", `/${run_id}`, { headers }), 412, "precondition_failed");
    assert.equal((await runs.api("DELETE", `/${run_id}`)).status, 204);
  });

  test("is deleted with its history", async () => {
    const { run_id } = await runs.start();
    await runs.log(run_id, Array.from({ length: 1000 }, (_, i) => ({ metrics: { i } })));
    assert.equal((await runs.api("DELETE", `/${run_id}`)).status, 204);
    for (const rest of ["", "/history", "/history/samples?keys=i", "/inputs", "/outputs"]) {
      expectError(await runs.api("GET", `/${run_id}${rest}`), 404, "not_found");
    }
    expectError(await runs.api("DELETE", `/${run_id}`), 404, "not_found");
    await runs.start({ run_id });
    assert.deepEqual((await runs.history(run_id)).rows, []);
  });

  test("is created once for one Idempotency-Key", async () => {
    const options = { body: { name: "once" }, headers: { "idempotency-key": freshName("key") } };
    const first = await runs.api("POST", "", options);
    const again = await runs.api("POST", "", options);
    assert.equal(again.status, 201);
    assert.equal(again.headers["idempotency-replayed"], "true");
    assert.equal(again.json.run.run_id, first.json.run.run_id);
  });
});

describe("the list of runs", () => {
  test("is sorted newest first, paged and filtered", async () => {
    const project = new RunProject(server, runs.team, { project: freshName("list") });
    const made = [];
    for (let i = 0; i < 5; ++i) {
      made.unshift((await project.start({ group: i % 2 ? "odd" : "even", tags: [`t${i}`], job_type: "train" })).run_id);
    }
    await project.finish(made[0]);
    const ids = async (query = "") => (await listAll(server, project.path + query, { limit: 2 })).map((run) => run.run_id);
    assert.deepEqual(await ids(), made);
    assert.deepEqual(await ids("?group=odd"), [made[1], made[3]]);
    assert.deepEqual(await ids("?tag=t0"), [made[4]]);
    assert.deepEqual(await ids("?state=finished"), [made[0]]);
    assert.deepEqual(await ids("?job_type=eval"), []);
    assert.deepEqual(await ids("?user=nobody"), []);
    expectViolations(await project.api("GET", "?cursor=what"), ["value_error", "query", "cursor"]);
    for (const limit of [0, 201]) assert.equal((await project.api("GET", `?limit=${limit}`)).status, 422);
  });
});

describe("resuming", () => {
  const begin = (run_id, resume) => runs.api("POST", "", { body: { run_id, resume } });

  test("must: the run has to exist", async () => {
    const run_id = freshName("run");
    expectError(await begin(run_id, "must"), 404, "not_found");
    await runs.start({ run_id });
    assert.equal((await begin(run_id, "must")).status, 200);
  });

  test("never: the run must not exist", async () => {
    const run_id = freshName("run");
    assert.equal((await begin(run_id, "never")).status, 201);
    expectError(await begin(run_id, "never"), 409, "run_exists");
  });

  for (const resume of ["allow", "auto"]) {
    test(`${resume}: resumes an existing run, or creates one`, async () => {
      const run_id = freshName("run");
      assert.equal((await begin(run_id, resume)).status, 201);
      await runs.log(run_id, [{ step: 9, metrics: { a: 1 } }]);
      await runs.finish(run_id, { exit_code: 1 });
      const answer = await begin(run_id, resume);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json.next_step, 10);
      assert.equal(answer.json.history_line_count, 1);
      assert.equal(answer.json.run.state, "running");
      assert.equal((await runs.log(run_id, [{ metrics: { a: 2 } }])).next_step, 11);
    });
  }

  test("default: given members replace existing ones, and history continues", async () => {
    const { run_id } = await runs.start({ name: "old", config: { a: 1 }, notes: "kept" });
    await runs.log(run_id, [{ metrics: { a: 1 } }, { metrics: { a: 2 } }]);
    const answer = await runs.api("POST", "", { body: { run_id, name: "new", config: { b: 1 } } });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.history_line_count, 2);
    assert.equal(answer.json.run.name, "new");
    assert.deepEqual(answer.json.run.config, { b: 1 });
    assert.equal(answer.json.run.notes, "kept");
  });
});

describe("history", () => {
  test("is logged and read by step", async () => {
    const { run_id } = await runs.start();
    const answer = await runs.log(run_id, [
      { metrics: { loss: 0.5, val: { acc: 0.25, deep: { er: 1 } } } },
      { step: 5, timestamp: 1760000000.25, metrics: { loss: 0.25, note: "half", ok: true, list: [1, { a: 2 }] } },
    ]);
    assert.deepEqual(answer, {
      accepted: 2, ignored: 0, next_step: 6, history_line_count: 2, stop_requested: false,
    });
    const { items } = await runs.ok("GET", `/${run_id}/history`);
    assert.equal(items[1]._timestamp, 1760000000.25);
    assert.deepEqual((await runs.history(run_id)).rows, [
      { _step: 0, loss: 0.5, "val.acc": 0.25, "val.deep.er": 1 },
      { _step: 5, loss: 0.25, note: "half", ok: true, list: [1, { a: 2 }] },
    ]);
    const run = await runs.get(run_id);
    assert.equal(run.last_step, 5);
    assert.equal(run.history_line_count, 2);
    assert.deepEqual(run.summary, {
      loss: 0.25, "val.acc": 0.25, "val.deep.er": 1, note: "half", ok: true, list: [1, { a: 2 }],
    });
  });

  test("stores given timestamps", async () => {
    const { run_id, created_at } = await runs.start();
    await runs.log(run_id, [{ timestamp: "2026-01-02T03:04:05.5Z", metrics: {} }]);
    const [row] = (await runs.ok("GET", `/${run_id}/history`)).items;
    assert.equal(row._timestamp, Date.UTC(2026, 0, 2, 3, 4, 5, 500) / 1000);
    assert.ok(Math.abs(row._timestamp - Date.parse(created_at) / 1000 - row._runtime) < 0.01);
  });

  test("merges a repeated step and rejects an older one", async () => {
    const { run_id } = await runs.start();
    await runs.log(run_id, [{ step: 3, metrics: { a: 1, b: 1 } }]);
    const merged = await runs.log(run_id, [{ step: 3, metrics: { b: 2, c: 3 } }]);
    assert.equal(merged.accepted, 1);
    assert.equal(merged.next_step, 4);
    assert.deepEqual((await runs.history(run_id)).rows, [{ _step: 3, a: 1, b: 2, c: 3 }]);
    const body = { rows: [{ step: 7, metrics: {} }, { step: 2, metrics: {} }] };
    expectViolations(await runs.api("POST", `/${run_id}/history`, { body }), [
      "step_out_of_order", "body", "rows", 1, "step",
    ]);
    assert.deepEqual((await runs.history(run_id)).rows.length, 1);
  });

  test("ignores rows that are already stored", async () => {
    const { run_id } = await runs.start();
    const rows = Array.from({ length: 6 }, (_, i) => ({ metrics: { i } }));
    await runs.log(run_id, rows.slice(0, 3), { offset: 0 });
    const again = await runs.log(run_id, rows.slice(0, 3), { offset: 0 });
    assert.deepEqual([again.accepted, again.ignored, again.history_line_count], [0, 3, 3]);
    const more = await runs.log(run_id, rows.slice(2), { offset: 2 });
    assert.deepEqual([more.accepted, more.ignored, more.next_step, more.history_line_count], [3, 1, 6, 6]);
    assert.deepEqual((await runs.history(run_id)).rows.map(({ i }) => i), [0, 1, 2, 3, 4, 5]);
    const gap = await runs.api("POST", `/${run_id}/history`, { body: { offset: 7, rows } });
    assert.equal(gap.status, 409, gap.text);
    assert.equal(gap.json.code, "offset_gap");
    assert.equal(gap.json.history_line_count, 6);
  });

  test("without an offset is appended once for one Idempotency-Key", async () => {
    const { run_id } = await runs.start();
    const options = { body: { rows: [{ metrics: { a: 1 } }] }, headers: { "idempotency-key": freshName("key") } };
    await runs.ok("POST", `/${run_id}/history`, options);
    await runs.ok("POST", `/${run_id}/history`, options);
    await runs.ok("POST", `/${run_id}/history`, { body: options.body });
    assert.equal((await runs.get(run_id)).history_line_count, 2);
  });

  test("accepts 1 to 1000 rows of at most 10 MiB together", async () => {
    const { run_id } = await runs.start();
    const send = (rows) => runs.api("POST", `/${run_id}/history`, { body: { rows } });
    expectViolations(await send([]), ["too_short", "body", "rows"]);
    const row = { metrics: { x: 1 } };
    expectViolations(await send(Array(1001).fill(row)), ["too_long", "body", "rows"]);
    assert.equal((await send(Array(1000).fill(row))).json.accepted, 1000);
    const text = (mebibytes) => ({ metrics: { text: "x".repeat(mebibytes * 1024 * 1024) } });
    assert.equal((await send([text(9)])).status, 200);
    expectError(await send([text(11)]), 413, "too_large");
    const { items } = await runs.ok("GET", `/${run_id}/history?keys=text`);
    assert.equal(items[0].text.length, 9 * 1024 * 1024);
  });

  test("rejects invalid rows with all violations", async () => {
    const { run_id } = await runs.start();
    const body = { rows: [{ step: -1, metrics: [] }, { steps: 1 }, { timestamp: "yesterday", metrics: {} }], offset: "x" };
    const answer = await runs.api("POST", `/${run_id}/history`, { body });
    assert.equal(answer.status, 422, answer.text);
    const found = answer.json.detail.map(({ loc }) => loc.join("."));
    for (const loc of ["body.rows.0.step", "body.rows.0.metrics", "body.rows.1.steps", "body.rows.1.metrics",
      "body.rows.2.timestamp", "body.offset"]) {
      assert.ok(found.includes(loc), `${loc} in ${found}`);
    }
    assert.equal((await runs.get(run_id)).history_line_count, 0);
  });

  test("is filtered by keys and steps, and paged", async () => {
    const { run_id } = await runs.start();
    const rows = Array.from({ length: 2500 }, (_, i) => ({ metrics: { i, ...(i % 100 ? {} : { rare: `r${i}` }) } }));
    for (let at = 0; at < rows.length; at += 500) await runs.log(run_id, rows.slice(at, at + 500));
    const { rows: part, next_cursor } = await runs.history(run_id, "?min_step=990&max_step=1010&keys=i");
    assert.deepEqual(part.map(({ i }) => i), Array.from({ length: 21 }, (_, i) => 990 + i));
    assert.equal(next_cursor, null);
    const rare = await listAll(server, `${runs.path}/${run_id}/history?keys=rare,none`, { limit: 7 });
    assert.deepEqual(rare.map(({ rare: word }) => word), Array.from({ length: 25 }, (_, i) => `r${i * 100}`));
    assert.equal("i" in rare[0], false);
    const several = await runs.history(run_id, "?keys=i&keys=rare&limit=1");
    assert.deepEqual(several.rows, [{ _step: 0, i: 0, rare: "r0" }]);
    const all = await listAll(server, `${runs.path}/${run_id}/history`, { limit: 1000 });
    assert.deepEqual(all.map(({ _step }) => _step), Array.from({ length: 2500 }, (_, i) => i));
    assert.equal((await runs.history(run_id)).rows.length, 50);
    for (const limit of [0, 1001]) assert.equal((await runs.api("GET", `/${run_id}/history?limit=${limit}`)).status, 422);
    expectViolations(await runs.api("GET", `/${run_id}/history?cursor=what`), ["value_error", "query", "cursor"]);
  });

  test("returns NaN and infinities as strings", async () => {
    const { run_id } = await runs.start();
    await runs.log(run_id, [{ metrics: { m: "NaN" } }, { metrics: { m: 2 } }, { metrics: { m: "-Infinity" } }]);
    const { items } = await runs.ok("GET", `/${run_id}/history/samples?keys=m`);
    assert.deepEqual(items[0].points.map(({ count, last }) => [count, last]), [[0, null], [1, 2], [0, null]]);
    assert.equal((await runs.history(run_id)).rows[0].m, "NaN");
  });

  test("has a summary that follows the metric definitions", async () => {
    const metrics = {
      a: { summary: "min" }, b: { summary: "max" }, c: { summary: "mean" },
      d: { summary: "best", objective: "maximize" }, e: { summary: "none" }, f: { summary: "last" },
    };
    const { run_id } = await runs.start({ metrics });
    for (const v of [3, 1, 2]) await runs.log(run_id, [{ metrics: { a: v, b: v, c: v, d: v, e: v, f: v, g: v } }]);
    assert.deepEqual((await runs.get(run_id)).summary, { a: 1, b: 3, c: 2, d: 3, f: 2, g: 2 });
    assert.equal((await runs.api("POST", "", { body: { metrics: { a: { summary: "median" } } } })).status, 422);
  });
});

describe("a plot", () => {
  test("has the requested number of points and keeps peaks", async () => {
    const { run_id } = await runs.start();
    for (let at = 0; at < 3000; at += 1000) {
      await runs.log(run_id, Array.from({ length: 1000 }, (_, i) => ({
        metrics: { m: at + i === 1234 ? 1e6 : 1, ...(at + i === 2999 ? { late: 5 } : {}) },
      })));
    }
    const { items } = await runs.ok("GET", `/${run_id}/history/samples?keys=m,late,none&samples=30`);
    assert.deepEqual(items.map(({ key, count, points }) => [key, count, points.length]), [
      ["m", 3000, 30], ["late", 1, 1], ["none", 0, 0],
    ]);
    expectMembers(items[0].points[0], ["step", "last_step", "count", "min", "max", "mean", "last"]);
    const peak = items[0].points[12];
    assert.deepEqual(peak, { step: 1200, last_step: 1299, count: 100, min: 1, max: 1e6, mean: (99 + 1e6) / 100, last: 1 });
    assert.deepEqual(items[1].points[0], { step: 2999, last_step: 2999, count: 1, min: 5, max: 5, mean: 5, last: 5 });
    const part = await runs.ok("GET", `/${run_id}/history/samples?keys=m&min_step=10&max_step=19`);
    assert.deepEqual(part.items[0].points.map(({ step }) => step), [10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
  });

  test("needs keys, up to a maximum", async () => {
    const { run_id } = await runs.start();
    expectViolations(await runs.api("GET", `/${run_id}/history/samples`), ["value_error", "query", "keys"]);
    const many = Array.from({ length: 21 }, (_, i) => `k${i}`);
    expectViolations(await runs.api("GET", `/${run_id}/history/samples?keys=${many}`), ["value_error", "query", "keys"]);
    for (const samples of [0, 10001]) {
      assert.equal((await runs.api("GET", `/${run_id}/history/samples?keys=a&samples=${samples}`)).status, 422);
    }
  });
});

describe("system metrics", () => {
  test("have separate rows and steps", async () => {
    const { run_id } = await runs.start();
    await runs.log(run_id, [{ step: 10, metrics: { loss: 1 } }]);
    const body = { offset: 0, rows: [{ metrics: { cpu: 0.5, "system.gpu": { 0: { temp: 60 } } } }] };
    const answer = await runs.ok("POST", `/${run_id}/system-metrics`, { body });
    assert.deepEqual(answer, { accepted: 1, ignored: 0, next_step: 1, line_count: 1, stop_requested: false });
    assert.equal((await runs.ok("POST", `/${run_id}/system-metrics`, { body })).ignored, 1);
    const { items } = await runs.ok("GET", `/${run_id}/system-metrics`);
    assert.equal(items[0]["system.cpu"], 0.5);
    assert.equal(items[0]["system.gpu.0.temp"], 60);
    const plot = await runs.ok("GET", `/${run_id}/system-metrics/samples?keys=system.cpu`);
    assert.equal(plot.items[0].points[0].last, 0.5);
    const run = await runs.get(run_id);
    assert.equal(run.history_line_count, 1);
    assert.deepEqual(run.summary, { loss: 1 });
  });
});

describe("lineage", () => {
  test("contains inputs and outputs of a run", async () => {
    const store = new ArtifactProject(server, runs.team);
    const { run_id } = await runs.start();
    const data = await store.put(freshName("data"), { a: "in" });
    const named = `${data.collection}:latest`;
    for (const artifact of [data.id, named, `${runs.team}/lab/${named}`, data.id]) {
      const answer = await runs.api("PUT", `/${run_id}/inputs/${encodeURIComponent(artifact)}`);
      assert.equal(answer.status, 204, `${artifact}: ${answer.text}`);
    }
    const made = await store.put(freshName("model"), { w: "out" }, { run_id });
    await store.begin(freshName("model"), { w: "pending" }, { run_id });
    const inputs = (await runs.ok("GET", `/${run_id}/inputs`)).items;
    assert.equal(inputs.length, 1);
    expectMembers(inputs[0], ["id", "path", "type", "digest", "size", "at"]);
    assert.equal(inputs[0].id, data.id);
    assert.equal(inputs[0].path, `${runs.team}/lab/${data.collection}:v0`);
    assert.equal(inputs[0].type, "dataset");
    assert.equal(inputs[0].digest, data.digest);
    const outputs = (await runs.ok("GET", `/${run_id}/outputs`)).items;
    assert.deepEqual(outputs.map(({ id }) => id), [made.id]);
  });

  test("includes versions of a registry as inputs, for users with permission to download", async () => {
    const registry = await makeRegistry(server, { visibility: "restricted" });
    const { id, collection } = await new ArtifactProject(server, (await makeTeam(server)).name).put(
      freshName("data"), { a: freshName("bytes") });
    await registry.link("chosen", id);
    const member = await makeMember(server, runs.team, "MEMBER");
    const { run_id } = await runs.start();
    const linked = `/${run_id}/inputs/${encodeURIComponent(`svc-registry-${registry.name}/chosen:v0`)}`;
    expectError(await runs.as(member.key).api("PUT", linked), 404, "not_found");
    await registry.setRole("users", member.username, "RESTRICTED_VIEWER");
    expectError(await runs.as(member.key).api("PUT", linked), 403, "forbidden");
    await registry.setRole("users", member.username, "VIEWER");
    assert.equal((await runs.as(member.key).api("PUT", linked)).status, 204);
    const [used] = (await runs.ok("GET", `/${run_id}/inputs`)).items;
    assert.equal(used.id, id);
    assert.ok(used.path.endsWith(`/${collection}:v0`), used.path);
  });

  test("is paged", async () => {
    const store = new ArtifactProject(server, runs.team);
    const { run_id } = await runs.start();
    const ids = [];
    for (const bytes of ["1", "2", "3"]) ids.unshift((await store.put(freshName("data"), { a: bytes }, { run_id })).id);
    for (const id of ids) await runs.ok("PUT", `/${run_id}/inputs/${id}`);
    for (const list of ["inputs", "outputs"]) {
      const items = await listAll(server, `${runs.path}/${run_id}/${list}`, { limit: 2 });
      assert.deepEqual(items.map(({ id }) => id), ids);
    }
  });

  test("returns 404 for invisible artifacts, and only the id of invisible inputs", async () => {
    const secret = new ArtifactProject(server, (await makeTeam(server)).name);
    const hidden = await secret.put(freshName("data"), { a: "x" });
    const member = await makeMember(server, runs.team, "MEMBER");
    const { run_id } = await runs.start();
    const path = `${secret.team}/lab/${hidden.collection}:v0`;
    for (const artifact of [hidden.id, path, "art_999999", `${runs.team}/lab/none:v0`]) {
      const answer = await runs.as(member.key).api("PUT", `/${run_id}/inputs/${encodeURIComponent(artifact)}`);
      expectError(answer, 404, "not_found");
    }
    await runs.ok("PUT", `/${run_id}/inputs/${hidden.id}`);
    const [seen] = (await runs.as(member.key).ok("GET", `/${run_id}/inputs`)).items;
    assert.equal(seen.id, hidden.id);
    for (const name of ["path", "type", "digest", "size"]) assert.equal(seen[name], null);
    assert.equal((await runs.api("PUT", `/${run_id}/inputs/${encodeURIComponent("a/b/c/d:v0")}`)).status, 422);
  });
});

describe("limits", () => {
  test("apply to rows of one run per minute", async () => {
    await withServer({ args: ["--limits-history-rows-per-minute", "100"] }, async (limited) => {
      const project = new RunProject(limited, (await makeTeam(limited)).name);
      const first = await project.start();
      const second = await project.start();
      const rows = (count) => ({ body: { rows: Array(count).fill({ metrics: { a: 1 } }) } });
      assert.equal((await project.api("POST", `/${first.run_id}/history`, rows(90))).status, 200);
      const refused = await project.api("POST", `/${first.run_id}/history`, rows(90));
      assert.equal(refused.status, 429, refused.text);
      assert.equal(refused.json.code, "rate_limited");
      assert.equal(refused.headers["ratelimit-limit"], "100");
      for (const name of ["ratelimit-remaining", "ratelimit-reset", "retry-after"]) {
        assert.match(refused.headers[name], /^[0-9]+$/, name);
      }
      assert.equal((await project.api("POST", `/${second.run_id}/history`, rows(90))).status, 200);
      assert.equal((await project.get(first.run_id)).history_line_count, 90);
    });
  });
});

describe("outsiders", () => {
  test("of a restricted project cannot see runs, and viewers cannot change them", async () => {
    const project = new RunProject(server, runs.team, { project: freshName("hidden") });
    const made = await server.api("POST", "/api/v1/projects", {
      body: { team: runs.team, name: project.project, visibility: "RESTRICTED" },
    });
    assert.equal(made.status, 201, made.text);
    const { run_id } = await project.start();
    const member = await makeMember(server, runs.team, "MEMBER");
    const outsider = await makeUser(server);
    for (const { key } of [member, outsider]) {
      expectError(await project.as(key).api("GET", `/${run_id}`), 404, "not_found");
      expectError(await project.as(key).api("GET", ""), 404, "not_found");
    }
  });
});
