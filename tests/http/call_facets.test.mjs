// The most frequent values of calls: /calls/facets; the paths of their attributes: /calls/attributes.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Project, at } from "./support/calls.mjs";
import { startServer } from "./support/server.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const facets = (project, list, more = {}) =>
  project.ok("/calls/facets", { project_id: project.id, facets: list, ...more });
const pairs = ({ values }) => values.map(({ value, count }) => [value, count]);
const usage = (...models) => ({ summary: { usage: Object.fromEntries(models.map((name) => [name, {}])) } });

async function populated() {
  const project = new Project(server);
  const [root] = await project.complete({ op_name: "chat", attributes: { tenant: "t1", deep: { n: 5 } }, ...usage("m", "n") });
  await project.complete(
    { op_name: "chat", attributes: { tenant: "t1" }, ...usage("m"), parent_id: root.id, trace_id: root.trace_id },
    { op_name: "search", attributes: { tenant: "t2", "a.b": true }, exception: "boom", started_at: at(10), ended_at: at(11) },
  );
  await project.start({ op_name: "stuck" });
  return project;
}

describe("/calls/facets", () => {
  test("counts values of columns, attributes and models", async () => {
    const project = await populated();
    const fields = ["op_name", "status", "trace_roots_only", "model", "user", "attributes.tenant", "attributes.deep.n", "thread_id"];
    const answer = await facets(project, fields.map((field) => ({ field })));
    assert.deepEqual([answer.sampled, answer.rows], [false, 4]);
    assert.deepEqual(answer.facets.map(({ field }) => field), fields);
    const by = Object.fromEntries(answer.facets.map((facet) => [facet.field, facet]));
    assert.deepEqual(pairs(by.op_name), [["chat", 2], ["search", 1], ["stuck", 1]]);
    assert.deepEqual(pairs(by.status), [["success", 2], ["error", 1], ["running", 1]]);
    assert.deepEqual(pairs(by.trace_roots_only), [["true", 3], ["false", 1]]);
    assert.deepEqual(pairs(by.model), [["m", 2], ["n", 1]]);
    assert.equal(by.model.missing, 2);
    assert.deepEqual(pairs(by.user).map(([, count]) => count), [4]);
    assert.deepEqual(pairs(by["attributes.tenant"]), [["t1", 2], ["t2", 1]]);
    assert.deepEqual(by["attributes.deep.n"], {
      field: "attributes.deep.n", values: [{ value: "5", count: 1 }], other: 0, missing: 3, sampled: false, rows: 4,
    });
    assert.deepEqual([by.thread_id.values, by.thread_id.missing], [[], 4]);
  });

  test("has a limit and a prefix", async () => {
    const project = await populated();
    const { facets: [first, second] } = await facets(project, [
      { field: "op_name", limit: 1 },
      { field: "op_name", prefix: "s" },
    ]);
    assert.deepEqual([pairs(first), first.other], [[["chat", 2]], 2]);
    assert.deepEqual([pairs(second), second.other], [[["search", 1], ["stuck", 1]], 0]);
  });

  test("counts only the calls of filter and query", async () => {
    const project = await populated();
    const query = { $expr: { $and: [
      { $eq: [{ $getField: "attributes.tenant" }, { $literal: "t1" }] },
      { $eq: [{ $getField: "op_name" }, { $literal: "chat" }] },
    ] } };
    const answer = await facets(project, [{ field: "op_name" }], { query, filter: { trace_roots_only: true } });
    assert.deepEqual(pairs(answer.facets[0]), [["chat", 1]]);
    const late = { $expr: { $gt: [{ $getField: "started_at" }, { $literal: Date.parse(at(5)) / 1000 }] } };
    assert.deepEqual(pairs((await facets(project, [{ field: "op_name" }], { query: late })).facets[0]), [["search", 1]]);
  });

  test("shows references in the form of the reader, and hides those of other projects", async () => {
    const project = new Project(server);
    await project.complete({});
    const op_name = `svc:///${project.id}/op/ask:abc`;
    await project.complete({ op_name });
    const [facet] = (await facets(project, [{ field: "op_name" }], { filter: { op_names: [op_name] } })).facets;
    assert.deepEqual(pairs(facet), [[op_name, 1]]);
  });

  test("of an empty or missing project has no values", async () => {
    const answer = await facets(new Project(server), [{ field: "op_name" }, { field: "attributes.x" }]);
    assert.deepEqual(answer.facets.map(({ values, other, missing }) => [values, other, missing]), [[[], 0, 0], [[], 0, 0]]);
  });

  test("refuses unknown fields and wrong numbers", async () => {
    const project = await populated();
    const refused = async (list, status = 422) =>
      assert.equal((await project.post("/calls/facets", { project_id: project.id, facets: list })).status, status);
    await refused([]);
    await refused([{ field: "mood" }]);
    await refused([{ field: "attributes" }]);
    await refused([{ field: "output_refs" }]);
    await refused([{ field: "op_name", limit: 0 }]);
    await refused([{ field: "op_name", limit: 201 }]);
    await refused(Array(21).fill({ field: "op_name" }));
    await refused([{ field: "x'); DROP TABLE calls; --" }]);
    await refused([{ field: "attributes.x'); DROP TABLE calls; --", prefix: "'; --" }], 200);
  });
});

describe("/calls/attributes", () => {
  const ask = (project, more = {}) => project.ok("/calls/attributes", { project_id: project.id, ...more });

  test("lists paths with their type and number of calls", async () => {
    const project = await populated();
    const answer = await ask(project);
    assert.deepEqual(
      answer.attributes.map(({ path, type, count }) => [path, type, count]),
      [["attributes.tenant", "string", 3], ["attributes.a\\.b", "boolean", 1], ["attributes.deep.n", "number", 1]],
    );
    assert.deepEqual([answer.truncated, answer.sampled, answer.rows], [false, false, 4]);
    // Every path is a field of the query language.
    for (const { path, count } of answer.attributes) {
      const [facet] = (await facets(project, [{ field: path }])).facets;
      assert.equal(facet.values.reduce((sum, value) => sum + value.count, 0), count, path);
    }
  });

  test("has a prefix, a limit and a selection", async () => {
    const project = await populated();
    assert.deepEqual((await ask(project, { prefix: "attributes.de" })).attributes.map(({ path }) => path), ["attributes.deep.n"]);
    const one = await ask(project, { limit: 1 });
    assert.deepEqual([one.attributes.length, one.truncated], [1, true]);
    const some = await ask(project, { filter: { op_names: ["search"] } });
    assert.deepEqual([some.attributes.length, some.rows], [2, 1]);
    assert.equal((await project.post("/calls/attributes", { project_id: project.id, limit: 0 })).status, 422);
  });
});
