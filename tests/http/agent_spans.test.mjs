// Queries of agent spans: lists, groups, statistics, custom attributes, agents, search.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { AgentProject, moment, spanId } from "./support/agent_spans.mjs";
import { expectReason } from "./support/calls.mjs";
import { expectViolations } from "./support/expect.mjs";
import { startServer } from "./support/server.mjs";

let server;
let project;
let traces;
before(async () => {
  server = await startServer();
  project = new AgentProject(server);
  traces = [
    await project.send([
      { id: "root", name: "invoke_agent lead", t: [0, 9], attrs: { OP: "invoke_agent", "gen_ai.agent.name": "lead", "gen_ai.agent.version": "2", "gen_ai.conversation.id": "c1", "gen_ai.input.messages": [{ role: "user", content: "Where is Oslo?" }] } },
      { id: "model", parent: "root", name: "chat m", t: [1, 3], attrs: { OP: "chat", "gen_ai.request.model": "house-model", "gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 10, score: 0.5, team: "red", "gen_ai.output.messages": [{ role: "assistant", content: "In Norway." }] } },
      { id: "tool", parent: "root", name: "execute_tool map", t: [4, 5], status: "ERROR", attrs: { OP: "execute_tool", "gen_ai.tool.name": "map", "gen_ai.tool.call.arguments": '{"city":"Oslo"}', retries: 3, cached: true } },
    ]),
    await project.send([
      { id: "other", name: "invoke_agent aide", t: [20, 21], attrs: { OP: "invoke_agent", "gen_ai.agent.name": "aide", "gen_ai.conversation.id": "c2", score: 1.5, team: "blue" } },
    ]),
  ];
  await project.ask("/cost/create", { costs: { "house-model": { prompt_token_cost: 0.5, completion_token_cost: 1 } } });
});
after(() => server.dispose());

const query = (fields) => project.ask("/agents/spans/query", fields);
const refuse = (path, fields) => project.post(path, { project_id: project.id, ...fields });
const where = ($expr) => ({ query: { $expr } });
const is = (name, value) => ({ $eq: [{ $getField: name }, { $literal: value }] });
const ids = ({ spans }) => spans.map(({ span_id }) => span_id);

describe("/agents/spans/query", () => {
  test("lists spans, newest first, with the agent and conversation of their trace", async () => {
    const found = await query({});
    assert.deepEqual(ids(found), ["other", "tool", "model", "root"].map(spanId));
    assert.deepEqual([found.total_count, found.groups], [4, []]);
    const [, tool] = found.spans;
    assert.deepEqual([tool.agent_name, tool.agent_version, tool.conversation_id], ["lead", "2", "c1"]);
    assert.equal(tool.project_id, project.id);
    assert.equal(tool.started_at, moment(4).replace(".000", ""));
    assert.deepEqual([tool.input_messages, tool.raw_span_dump, tool.custom_attrs_int, tool.total_cost_usd], [[], null, {}, null]);
  });

  test("includes details, costs and selected attributes on request", async () => {
    const [model] = (await query({ ...where(is("span_name", "chat m")), include_details: true, include_costs: true, custom_attr_columns: [{ source: "custom_attrs_string", key: "team" }] })).spans;
    assert.equal(model.output_messages[0].content, "In Norway.");
    assert.deepEqual(model.custom_attrs_string, { team: "red" });
    assert.deepEqual([model.input_cost_usd, model.output_cost_usd, model.total_cost_usd], [50, 10, 60]);
  });

  test("filters by columns, attributes and time ranges, and sorts", async () => {
    assert.deepEqual(ids(await query(where(is("agent.name", "lead")))), ["tool", "model", "root"].map(spanId));
    assert.deepEqual(ids(await query(where(is("score", 0.5)))), [spanId("model")]);
    assert.deepEqual(ids(await query(where(is("cached", true)))), [spanId("tool")]);
    assert.deepEqual(ids(await query({ started_after: moment(1), started_before: moment(4) })), [spanId("model")]);
    assert.deepEqual(ids(await query({ sort_by: [{ field: "started_at", direction: "asc" }], limit: 1, offset: 1 })), [spanId("model")]);
  });

  test("accepts vendor names, and uses the requested names in the response", async () => {
    const vendor = new AgentProject(server);
    await vendor.send([
      { id: "a", name: "chat m", t: [0, 1], attrs: { "weave.agent.name": "bot", "weave.tone": "dry", "wandb.team": "red", "weave.level": 3 } },
      { id: "b", name: "chat m", t: [2, 3], attrs: { "weave.tone": "wry", "weave.level": 4 } },
    ]);
    const ask = (fields) => vendor.ask("/agents/spans/query", fields);
    const keys = async (group) => (await ask({ group_by: [group], sort_by: [{ field: "first_seen", direction: "asc" }] })).groups.map(({ group_keys }) => group_keys);
    const me = (await server.api("GET", "/api/v1/me")).json.id;
    for (const source of ["field", "column"]) {
      assert.deepEqual(await keys({ source, key: "wb_user_id" }), [{ wb_user_id: me }]);
      assert.deepEqual(await keys({ source, key: "svc_user_id" }), [{ svc_user_id: me }]);
    }
    assert.deepEqual(await keys({ key: "weave.agent.name" }), [{ agent_name: "bot" }]);
    for (const key of ["weave.tone", "svc.tone"]) {
      assert.deepEqual(await keys({ source: "custom_attrs_string", key }), [{ [key]: "dry" }, { [key]: "wry" }]);
      const columns = await ask({ custom_attr_columns: [{ source: "custom_attrs_string", key }], sort_by: [{ field: `custom_attrs_string.${key}`, direction: "asc" }] });
      assert.deepEqual(columns.spans.map((each) => each.custom_attrs_string), [{ [key]: "dry" }, { [key]: "wry" }]);
      assert.equal((await ask(where(is(key, "wry")))).total_count, 1);
      assert.equal((await ask(where(is(`custom_attrs_string.${key}`, "wry")))).total_count, 1);
    }
    assert.equal((await ask(where(is("wandb.team", "red")))).total_count, 1);
    assert.equal((await ask(where(is("weave.agent.name", "bot")))).total_count, 2);
    const measures = [{ alias: "top", aggregation: "max", value: { source: "custom_attrs_int", key: "weave.level" } }];
    const { groups } = await ask({ group_by: [{ key: "trace_id" }], measures, group_filters: [{ measure: measures[0], min: 4 }] });
    assert.deepEqual(groups.map(({ metrics }) => metrics), [{ top: 4 }]);
    const metrics = [{ alias: "level", value_type: "number", value: { source: "custom_attrs_int", key: "weave.level" } }, { alias: "who", value_type: "string", value: { key: "wb_user_id" }, aggregations: ["count_distinct"] }];
    const { rows } = await vendor.ask("/agents/spans/stats", { start: moment(0), end: moment(60), granularity: 60, metrics, group_by: [{ source: "custom_attrs_string", key: "weave.tone" }] });
    assert.deepEqual(rows.map((row) => [row["weave.tone"], row.sum_level, row.count_distinct_who]).sort(), [["dry", 3, 1], ["wry", 4, 1]]);
  });

  test("groups spans, with metrics, limits and distributions", async () => {
    const { groups, total_count } = await query({
      group_by: [{ source: "column", key: "conversation_id" }],
      include_costs: true,
      measures: [{ alias: "tokens", aggregation: "sum", value: { key: "input_tokens" } }, { alias: "errors", aggregation: "count_true", value: { source: "derived", key: "is_error" } }],
      group_distributions: [{ alias: "teams", value: { source: "custom_attrs_string", key: "team" } }],
    });
    assert.equal(total_count, 2);
    const [first] = groups;
    assert.deepEqual(first.group_keys, { conversation_id: "c1" });
    assert.deepEqual(first.metrics, { tokens: 100, errors: 1 });
    assert.deepEqual([first.span_count, first.invocation_count, first.error_count, first.total_cost_usd], [3, 1, 1, 60]);
    assert.deepEqual(first.first_message, { role: "user", text: "Where is Oslo?" });
    assert.deepEqual(first.last_message, { role: "assistant", text: "In Norway." });
    assert.deepEqual(first.distributions.teams.values, [{ value: "red", count: 1 }]);
    assert.deepEqual([first.distributions.teams.present_count, first.distributions.teams.missing_count], [1, 2]);
    const bounded = await query({
      group_by: [{ key: "agent_name", alias: "agent" }],
      group_filters: [{ measure: { alias: "n", aggregation: "count" }, min: 2 }],
    });
    assert.deepEqual([bounded.groups.map(({ group_keys }) => group_keys.agent), bounded.total_count], [["lead"], 1]);
  });

  test("rejects invalid queries", async () => {
    const path = "/agents/spans/query";
    expectViolations(await refuse(path, { limit: 10_001, offset: -1 }), ["less_than_equal", "body", "limit"], ["greater_than_equal", "body", "offset"]);
    expectViolations(await refuse(path, { measures: [{ alias: "a", aggregation: "count" }] }), ["value_error", "body"]);
    expectViolations(await refuse(path, { group_by: [{ key: "agent_name" }], include_details: true }), ["value_error", "body"]);
    expectViolations(await refuse(path, { group_by: [{ key: "x" }], group_filters: [{ measure: { alias: "n", aggregation: "count" } }] }), ["value_error", "body", "group_filters", 0]);
    for (const fields of [
      { sort_by: [{ field: "input_messages" }] },
      { group_by: [{ key: "input_messages" }] },
      { group_by: [{ key: "agent_name", alias: "not one" }] },
      { group_by: [{ key: "agent_name" }, { key: "agent.name" }] },
      where({ $gt: [{ $getField: "input_tokens" }, { $literal: null }] }),
      where({ $in: [{ $getField: "agent_name" }, []] }),
      where({ $in: [{ $getField: "agent_name" }, [{ $literal: "a" }, { $literal: 1 }]] }),
      where({ $and: [] }),
      where({ $eq: [{ $getField: "unheard of" }, { $getField: "agent_name" }] }),
    ]) {
      expectReason(await refuse(path, fields), 400, /./);
    }
  });
});

describe("/agents/spans/stats", () => {
  const range = { start: moment(0), end: moment(60) };
  const tokens = { alias: "tokens", value_type: "number", value: { key: "usage.input_tokens" } };

  test("counts by time", async () => {
    const stats = await project.ask("/agents/spans/stats", { ...range, granularity: 30, metrics: [{ ...tokens, aggregations: ["sum", "avg"], percentiles: [50] }] });
    assert.deepEqual(stats.columns.map(({ name }) => name), ["timestamp", "sum_tokens", "avg_tokens", "p50_tokens"]);
    assert.deepEqual(stats.rows.map((row) => row.sum_tokens), [100, 0]);
    assert.equal(stats.rows[1].avg_tokens, null);
    assert.deepEqual([stats.granularity, stats.bucket_type, stats.timezone], [30, "time", "UTC"]);
  });

  test("counts by group and by numeric range", async () => {
    const grouped = await project.ask("/agents/spans/stats", { ...range, granularity: 60, group_by: [{ key: "agent_name" }], metrics: [{ alias: "n", value_type: "string", value: { key: "span_id" } }] });
    assert.deepEqual(grouped.rows.map(({ agent_name, count_n }) => [agent_name, count_n]), [["lead", 3], ["aide", 1]]);
    const bins = await project.ask("/agents/spans/stats", { ...range, bucket_by: { type: "number", bins: 2, value: { source: "custom_attrs_float", key: "score" } } });
    assert.deepEqual(bins.rows, [
      { bucket_index: 0, bucket_min: 0.5, bucket_max: 1, count: 1 },
      { bucket_index: 1, bucket_min: 1, bucket_max: 1.5, count: 1 },
    ]);
    assert.deepEqual([bins.granularity, bins.bucket_type], [null, "number"]);
  });

  test("rejects invalid queries", async () => {
    const path = "/agents/spans/stats";
    expectViolations(await refuse(path, {}), ["missing", "body", "start"]);
    expectViolations(await refuse(path, { ...range }), ["value_error", "body"]);
    expectViolations(await refuse(path, { ...range, bucket_by: { type: "number" } }), ["value_error", "body", "bucket_by", "number"]);
    expectReason(await refuse(path, { ...range, metrics: [{ ...tokens, value_type: "string" }] }), 400, /number/);
    expectReason(await refuse(path, { ...range, timezone: "Nowhere/None", metrics: [tokens] }), 400, /./);
    expectReason(await refuse(path, { start: moment(0), end: moment(40 * 86400), group_by: [{ key: "agent_name" }], metrics: [tokens] }), 400, /31 days/);
  });
});

describe("custom attributes, agents and search", () => {
  test("attributes are listed with their types", async () => {
    const all = await project.ask("/agents/spans/custom-attrs/schema");
    const named = new Map(all.attributes.map(({ key, ...rest }) => [key, rest]));
    assert.deepEqual(named.get("team"), { source: "custom_attrs_string", value_type: "string", span_count: 2 });
    assert.deepEqual(named.get("retries"), { source: "custom_attrs_int", value_type: "int", span_count: 1 });
    assert.equal(all.has_more, false);
    const page = await project.ask("/agents/spans/custom-attrs/schema", { limit: 1 });
    assert.deepEqual([page.attributes.length, page.has_more, page.limit, page.offset], [1, true, 1, 0]);
  });

  test("agents and their versions are listed with counts", async () => {
    const { agents, total_count } = await project.ask("/agents/query", { include_costs: true });
    assert.equal(total_count, 2);
    assert.deepEqual(agents.map(({ agent_name, span_count, total_cost_usd }) => [agent_name, span_count, total_cost_usd]), [["aide", 1, null], ["lead", 1, 60]]);
    const { versions } = await project.ask("/agents/agent-versions/query", { agent_name: "lead" });
    assert.deepEqual(versions.map(({ agent_version, invocation_count }) => [agent_version, invocation_count]), [["2", 1]]);
    expectReason(await refuse("/agents/query", { sort_by: [{ field: "agent_id" }] }), 400, /./);
  });

  test("search finds text in messages", async () => {
    const { results, total_conversations } = await project.ask("/agents/search", { query: "Oslo" });
    assert.equal(total_conversations, 2);
    const roles = results.flatMap(({ matched_messages }) => matched_messages.map(({ role }) => role)).sort();
    assert.deepEqual(roles, ["tool_call", "user"]);
    const named = results.find(({ conversation_id }) => conversation_id === "c1");
    assert.match(named.matched_messages[0].content_digest, /^[0-9a-f]{32}$/);
    const tools = await project.ask("/agents/search", { roles: ["tool"], trace_id: traces[0] });
    assert.deepEqual(tools.results.map(({ conversation_id }) => conversation_id), ["__NO_CONVERSATION__"]);
    assert.deepEqual((await project.ask("/agents/search", { query: "%" })).results, []);
    assert.deepEqual((await project.ask("/agents/search", { query: "oSLO" })).results, []);
    const either = await project.ask("/agents/search", { query: "oSLO", case_insensitive: true });
    assert.deepEqual(either.results, results);
  });
});
