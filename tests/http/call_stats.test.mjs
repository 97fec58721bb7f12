// Statistics over time: /calls/stats.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Project, at, expectReason, uuid7 } from "./support/calls.mjs";
import { expectMembers, expectViolations } from "./support/expect.mjs";
import { startServer } from "./support/server.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const HOUR = 3600;
const DAY = 24 * HOUR;

function ask(project, fields = {}) {
  return project.post("/calls/stats", { project_id: project.id, start: at(0), end: at(HOUR), ...fields });
}

async function stats(project, fields = {}) {
  const answer = await ask(project, fields);
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

const usage = (model, counts) => ({ summary: { usage: { [model]: counts } } });

describe("the response", () => {
  test("has two empty lists without metrics", async () => {
    const answer = await stats(new Project(server));
    assert.deepEqual(answer, {
      start: "2024-05-01T00:00:00Z",
      end: "2024-05-01T01:00:00Z",
      granularity: 300,
      timezone: "UTC",
      usage_buckets: [],
      call_buckets: [],
    });
  });

  test("has empty buckets and no models for a project without calls", async () => {
    const answer = await stats(new Project(server), {
      usage_metrics: [{ metric: "total_tokens" }],
      call_metrics: [
        { metric: "latency_ms", aggregations: ["sum", "avg", "min", "max", "count"], percentiles: [50, 99.9] },
      ],
    });
    assert.deepEqual(answer.usage_buckets, []);
    assert.equal(answer.call_buckets.length, 12);
    assert.deepEqual(answer.call_buckets[1], {
      timestamp: "2024-05-01T00:05:00Z",
      sum_latency_ms: 0,
      avg_latency_ms: 0,
      min_latency_ms: null,
      max_latency_ms: null,
      count_latency_ms: 0,
      p50_latency_ms: null,
      "p99.9_latency_ms": null,
      count: 0,
    });
  });

  test("uses the current time as default end", async () => {
    const project = new Project(server);
    const answer = await stats(project, { start: new Date(Date.now() - 60_000).toISOString(), end: undefined });
    assert.ok(Math.abs(Date.parse(answer.end) - Date.now()) < 60_000);
  });

  for (const [seconds, granularity] of [
    [2 * HOUR, 300],
    [2 * HOUR + 1, 3600],
    [12 * HOUR, 3600],
    [12 * HOUR + 1, 21600],
    [3 * DAY, 21600],
    [3 * DAY + 1, 43200],
    [14 * DAY, 43200],
    [14 * DAY + 1, 86400],
    [31 * DAY, 86400],
  ]) {
    test(`has buckets of ${granularity} s for a range of ${seconds} s`, async () => {
      const answer = await stats(new Project(server), { end: at(seconds), call_metrics: [{ metric: "call_count" }] });
      assert.equal(answer.granularity, granularity);
      assert.equal(answer.call_buckets.length, Math.ceil(seconds / granularity));
    });
  }

  test("has at most 10,000 buckets", async () => {
    const fields = { end: at(31 * DAY), granularity: 1, call_metrics: [{ metric: "call_count" }] };
    const answer = await stats(new Project(server), fields);
    assert.equal(answer.granularity, 268);
    assert.ok(answer.call_buckets.length <= 10_000);
  });
});

describe("a request is rejected for", () => {
  test("an end before the start, and more than 31 days", async () => {
    const project = new Project(server);
    const backwards = await ask(project, { end: at(-1) });
    expectViolations(backwards, ["value_error", "body"]);
    assert.equal(backwards.json.detail[0].msg, "Value error, CallStatsReq end must be after start");
    const long = await ask(project, { end: at(31 * DAY + 1) });
    expectViolations(long, ["value_error", "body"]);
    assert.equal(long.json.detail[0].msg, "Value error, CallStatsReq date range cannot exceed 31 days");
    assert.equal((await ask(project, { end: at(31 * DAY) })).status, 200);
    assert.equal((await ask(project, { end: at(0) })).status, 200);
  });

  test("metrics of the other list, unknown values, percentiles out of range", async () => {
    const project = new Project(server);
    const answer = await ask(project, {
      usage_metrics: [{ metric: "latency_ms" }],
      call_metrics: [{ metric: "call_count", aggregations: ["median"], percentiles: [101] }],
    });
    assert.equal(answer.status, 422, answer.text);
    assert.deepEqual(
      answer.json.detail.map(({ loc }) => loc.join(".")).sort(),
      ["body.call_metrics.0.aggregations.0", "body.call_metrics.0.percentiles.0", "body.usage_metrics.0.metric"],
    );
  });

  test("a time zone that does not exist", async () => {
    for (const timezone of ["Mars/Olympus", "../../etc/passwd", "/etc/localtime", ""]) {
      expectReason(await ask(new Project(server), { timezone }), 400, `Unknown timezone: ${timezone}`);
    }
  });
});

describe("calls", () => {
  test("are counted from the start (inclusive) to the end (exclusive)", async () => {
    const project = new Project(server);
    await project.complete(
      { started_at: at(-1), ended_at: at(1) },
      { started_at: at(0), ended_at: at(0.1) },
      { started_at: at(HOUR - 1), ended_at: at(HOUR + 1), exception: "boom" },
      { started_at: at(HOUR), ended_at: at(HOUR + 1) },
    );
    const { call_buckets: buckets } = await stats(project, {
      call_metrics: [{ metric: "call_count" }, { metric: "error_count", aggregations: ["sum", "count_true", "count_false"] }],
    });
    assert.deepEqual(buckets[0], {
      timestamp: "2024-05-01T00:00:00Z",
      sum_call_count: 1,
      sum_error_count: 0,
      count_true_error_count: 0,
      count_false_error_count: 1,
      count: 1,
    });
    assert.equal(buckets[11].sum_error_count, 1);
    assert.equal(buckets[11].count_true_error_count, 1);
    assert.equal(buckets.reduce((sum, { count }) => sum + count, 0), 2);
  });

  test("have a latency after their end; percentiles are interpolated", async () => {
    const project = new Project(server);
    const took = (ms) => ({ started_at: at(0), ended_at: at(ms / 1000) });
    await project.complete(took(10), took(20), took(40));
    await project.start({ started_at: at(1) });
    const { call_buckets: buckets } = await stats(project, {
      call_metrics: [
        { metric: "latency_ms", aggregations: ["sum", "avg", "min", "max", "count"], percentiles: [0, 25, 50, 100] },
      ],
    });
    expectMembers(buckets[0], [
      "timestamp", "sum_latency_ms", "avg_latency_ms", "min_latency_ms", "max_latency_ms", "count_latency_ms",
      "p0_latency_ms", "p25_latency_ms", "p50_latency_ms", "p100_latency_ms", "count",
    ]);
    const { sum_latency_ms, avg_latency_ms, count_latency_ms, p25_latency_ms, p50_latency_ms, count } = buckets[0];
    assert.equal(sum_latency_ms, 70);
    assert.ok(Math.abs(avg_latency_ms - 70 / 3) < 1e-9);
    assert.deepEqual([count_latency_ms, p25_latency_ms, p50_latency_ms, count], [3, 15, 20, 4]);
  });

  test("that are deleted or not started are not counted", async () => {
    const project = new Project(server);
    const [gone] = await project.complete({}, {});
    await project.ok("/calls/delete", { project_id: project.id, call_ids: [gone.id] });
    await project.end(uuid7());
    const { call_buckets } = await stats(project, { call_metrics: [{ metric: "call_count" }] });
    assert.equal(call_buckets[0].count, 1);
  });

  test("are filtered by every member of a filter", async () => {
    const project = new Project(server);
    const [root] = await project.complete({ op_name: "a", svc_run_id: "run" });
    const [child] = await project.complete({ op_name: "b", parent_id: root.id, trace_id: root.trace_id });
    const count = async (filter) => {
      const { call_buckets } = await stats(project, { filter, call_metrics: [{ metric: "call_count" }] });
      return call_buckets[0].count;
    };
    assert.equal(await count({ op_names: ["a"] }), 1);
    assert.equal(await count({ trace_roots_only: true }), 1);
    assert.equal(await count({ trace_ids: [root.trace_id] }), 2);
    assert.equal(await count({ call_ids: [child.id] }), 1);
    assert.equal(await count({ parent_ids: [root.id] }), 1);
    assert.equal(await count({ svc_run_ids: ["run"] }), 1);
    assert.equal(await count({ svc_user_ids: ["nobody"] }), 0);
    for (const none of [{ thread_ids: [] }, { input_refs: ["x"] }, { turn_ids: ["none"] }]) assert.equal(await count(none), 0);
  });
});

describe("a query", () => {
  const literal = (value) => ({ $literal: value });
  const field = (name) => ({ $getField: name });
  const count = [{ metric: "call_count" }];

  test("selects the calls and their usage", async () => {
    const project = new Project(server);
    await project.complete(
      { op_name: "a", attributes: { tenant: "t1" }, ...usage("m", { prompt_tokens: 5 }) },
      { op_name: "b", attributes: { tenant: "t2" }, exception: "boom", ...usage("m", { prompt_tokens: 7 }) },
    );
    for (const [expression, calls, tokens] of [
      [{ $eq: [field("op_name"), literal("a")] }, 1, 5],
      [{ $eq: [field("attributes.tenant"), literal("t2")] }, 1, 7],
      [{ $eq: [field("summary.svc.status"), literal("error")] }, 1, 7],
      [{ $not: [{ $eq: [field("op_name"), literal("none")] }] }, 2, 12],
    ]) {
      const answer = await stats(project, {
        query: { $expr: expression },
        call_metrics: count,
        usage_metrics: [{ metric: "input_tokens" }],
      });
      assert.equal(answer.call_buckets[0].count, calls);
      assert.equal(answer.usage_buckets[0].sum_input_tokens, tokens);
    }
  });

  test("that is invalid or names an unknown field is refused", async () => {
    const project = new Project(server);
    assert.equal((await ask(project, { query: { $expr: 1 } })).status, 422);
    assert.equal((await ask(project, { query: { $expr: { $eq: [field("mood"), literal("x")] } } })).status, 422);
  });
});

describe("group_by", () => {
  const groups = ({ groups: list }) => list.map(({ value, kind, count }) => [value, kind, count]);

  test("divides the buckets by the values of a dimension", async () => {
    const project = new Project(server);
    await project.ok("/cost/create", {
      project_id: project.id,
      costs: { m: { prompt_token_cost: 2, completion_token_cost: 1 }, n: { prompt_token_cost: 3, completion_token_cost: 1 } },
    });
    await project.complete(
      { op_name: "chat", attributes: { tenant: "t1" }, ...usage("m", { prompt_tokens: 10 }) },
      { op_name: "chat", summary: { usage: { m: { prompt_tokens: 1 }, n: { prompt_tokens: 1 } } } },
      { op_name: "search", exception: "boom" },
    );
    const fields = {
      end: at(600),
      call_metrics: [{ metric: "error_count" }, { metric: "latency_ms", percentiles: [95] }],
      usage_metrics: [{ metric: "total_cost" }],
    };
    const byOp = await stats(project, { ...fields, group_by: "op_name" });
    assert.deepEqual(groups(byOp), [["chat", "value", 2], ["search", "value", 1]]);
    assert.equal(byOp.call_buckets.length, 4, "every group has every bucket");
    assert.deepEqual(byOp.call_buckets[1], {
      timestamp: "2024-05-01T00:00:00Z",
      group: "search",
      group_kind: "value",
      sum_error_count: 1,
      sum_latency_ms: 1000,
      p95_latency_ms: 1000,
      count: 1,
    });
    assert.deepEqual(byOp.usage_buckets[0], {
      timestamp: "2024-05-01T00:00:00Z",
      group: "chat",
      group_kind: "value",
      sum_total_cost: 25,
      count: 3,
    });
    const byStatus = await stats(project, { ...fields, group_by: "status" });
    assert.deepEqual(groups(byStatus), [["success", "value", 2], ["error", "value", 1]]);
    const byTenant = await stats(project, { ...fields, group_by: "attributes.tenant" });
    assert.deepEqual(groups(byTenant), [["t1", "value", 1], ["", "missing", 2]]);
    assert.equal(byTenant.usage_buckets[1].group, null);
    const byModel = await stats(project, { ...fields, group_by: "model" });
    assert.deepEqual(groups(byModel), [["m", "value", 2], ["n", "value", 1], ["", "missing", 1]]);
    assert.deepEqual(byModel.usage_buckets.slice(0, 2).map((row) => row.sum_total_cost), [22, 3]);
  });

  test("of an op shows the reference in the form of the reader", async () => {
    const project = new Project(server);
    await project.complete({});
    const op_name = `svc:///${project.id}/op/ask:abc`;
    await project.complete({ op_name });
    const answer = await stats(project, { group_by: "op_name", filter: { op_names: [op_name] }, call_metrics: [{ metric: "call_count" }] });
    assert.deepEqual(groups(answer), [[op_name, "value", 1]]);
  });

  test("is refused for fields without one value", async () => {
    const project = new Project(server);
    await project.complete({});
    for (const group_by of ["mood", "inputs", "input_refs", "feedback.[x]"]) {
      const answer = await ask(project, { group_by, call_metrics: [{ metric: "call_count" }] });
      assert.equal(answer.status, 422, group_by);
    }
    expectViolations(await ask(project, { group_by: "" }), ["string_too_short", "body", "group_by"]);
  });
});

describe("usage", () => {
  test("is counted by model, and every model has every bucket", async () => {
    const project = new Project(server);
    await project.complete(
      usage("openai/gpt", { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }),
      usage("openai/gpt", { input_tokens: 20, output_tokens: 1 }),
      { ...usage("other~1", { prompt_tokens: 3, cache_read_input_tokens: 2 }), started_at: at(301), ended_at: at(302) },
    );
    const { usage_buckets: buckets } = await stats(project, {
      end: at(600),
      usage_metrics: [
        { metric: "input_tokens", aggregations: ["sum", "max", "avg"], percentiles: [50] },
        { metric: "total_tokens" },
        { metric: "cache_read_input_tokens" },
      ],
    });
    assert.deepEqual(buckets.map(({ timestamp, model, count }) => [timestamp.slice(14, 16), model, count]), [
      ["00", "openai/gpt", 2],
      ["00", "other~1", 0],
      ["05", "openai/gpt", 0],
      ["05", "other~1", 1],
    ]);
    assert.deepEqual(buckets[0], {
      timestamp: "2024-05-01T00:00:00Z",
      model: "openai/gpt",
      sum_input_tokens: 30,
      max_input_tokens: 20,
      avg_input_tokens: 15,
      p50_input_tokens: 15,
      sum_total_tokens: 36,
      sum_cache_read_input_tokens: 0,
      count: 2,
    });
    assert.equal(buckets[2].max_input_tokens, null);
    assert.equal(buckets[3].sum_cache_read_input_tokens, 2);
  });

  test("uses the current price for costs, with separate prices for cached tokens", async () => {
    const project = new Project(server);
    const price = (fields) => ({ prompt_token_cost: 1, completion_token_cost: 1, ...fields });
    await project.ok("/cost/create", {
      project_id: project.id,
      costs: { m: price({ effective_date: "2020-01-01" }) },
    });
    await project.ok("/cost/create", {
      project_id: project.id,
      costs: {
        m: {
          prompt_token_cost: 2.5e-6,
          completion_token_cost: 1e-5,
          cache_read_input_token_cost: 1.25e-6,
          cache_creation_input_token_cost: 3e-6,
        },
      },
    });
    await project.complete(
      usage("m", {
        prompt_tokens: 1000,
        completion_tokens: 200,
        cache_read_input_tokens: 600,
        cache_creation_input_tokens: 100,
      }),
      usage("a model without a price", { prompt_tokens: 1 }),
    );
    const { usage_buckets } = await stats(project, {
      end: at(300),
      usage_metrics: ["input_cost", "output_cost", "total_cost"].map((metric) => ({ metric, aggregations: ["sum", "max"] })),
    });
    const [without, priced] = usage_buckets;
    assert.equal(without.model, "a model without a price");
    assert.equal(without.sum_total_cost, 0);
    assert.equal(without.max_total_cost, null);
    for (const [key, value] of [["sum_input_cost", 0.00075], ["sum_output_cost", 0.002], ["max_total_cost", 0.0038]]) {
      assert.ok(Math.abs(priced[key] - value) < 1e-12, `${key}: ${priced[key]}`);
    }
  });

  test("of root calls includes OpenTelemetry spans below them, whose usage the root does not include", async () => {
    const project = new Project(server);
    const counts = usage("m", { prompt_tokens: 1 });
    const [root] = await project.complete(counts);
    const below = { ...counts, parent_id: root.id, trace_id: root.trace_id };
    await project.complete(below, { ...below, otel_dump: { name: "span" } });
    const fields = {
      end: at(300),
      filter: { trace_roots_only: true },
      usage_metrics: [{ metric: "input_tokens" }],
      call_metrics: [{ metric: "call_count" }],
    };
    const answer = await stats(project, fields);
    assert.equal(answer.usage_buckets[0].sum_input_tokens, 2);
    assert.equal(answer.call_buckets[0].sum_call_count, 1);
  });

  test("with absurd numbers is harmless", async () => {
    const project = new Project(server);
    const most = usage("m", { prompt_tokens: 9223372036854775000n.toString(), input_tokens: "9223372036854775000" });
    await project.complete(most, most);
    const { usage_buckets } = await stats(project, { end: at(300), usage_metrics: [{ metric: "input_tokens" }] });
    assert.ok(usage_buckets[0].sum_input_tokens > 9e18);
  });
});

describe("buckets in a time zone", () => {
  test("of days begin at local midnight, also at a clock change", async () => {
    const project = new Project(server);
    const call = (started_at) => ({ started_at, ended_at: started_at });
    await project.complete(
      call("2024-03-30T22:59:59Z"), // the 30th in Berlin
      call("2024-03-30T23:00:00Z"), // the 31st, a day of 23 hours
      call("2024-03-31T21:59:59Z"),
      call("2024-03-31T22:00:00Z"),
    );
    const { call_buckets: buckets } = await stats(project, {
      start: "2024-03-29T23:00:00Z",
      end: "2024-04-01T22:00:00Z",
      granularity: DAY,
      timezone: "Europe/Berlin",
      call_metrics: [{ metric: "call_count" }],
    });
    assert.deepEqual(buckets.map(({ timestamp, count }) => [timestamp, count]), [
      ["2024-03-29T23:00:00Z", 1],
      ["2024-03-30T23:00:00Z", 2],
      ["2024-03-31T22:00:00Z", 1],
    ]);
  });

  test("of less than an hour do not depend on the time zone", async () => {
    const answer = await stats(new Project(server), { timezone: "America/New_York", call_metrics: [{ metric: "call_count" }] });
    assert.equal(answer.timezone, "America/New_York");
    assert.equal(answer.call_buckets[0].timestamp, "2024-05-01T00:00:00Z");
    assert.equal(answer.call_buckets.length, 12);
  });
});
