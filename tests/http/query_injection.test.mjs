// SQL injection. Every string of every query, in every reading route of /openapi.json, is tried with quotes,
// comments, unions and NUL while the stores contain another team's rows: no 5xx, and no data of the other team in
// a response. The requests are generated from the schemas, so that new routes and members are tested
// automatically.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { AgentProject } from "./support/agent_spans.mjs";
import { Project, at, uuid7 } from "./support/calls.mjs";
import { ProjectClient, expectOk } from "./support/objects.mjs";
import { makeMember, makeTeam } from "./support/people.mjs";
import { RunProject } from "./support/runs.mjs";
import { Sampler, withText } from "./support/sample_bodies.mjs";
import { startServer } from "./support/server.mjs";
import { within } from "./support/time_limits.mjs";

/** Occurs in all data of the other team. */
const MARK = `foreign-${process.pid}-zq7`;

const TEXTS = {
  "single quote": "x'",
  "double quote": 'x"',
  "closed call": "x') OR 1=1 --",
  "closed name": 'x") UNION ALL SELECT * FROM stored.main.store_partitions --',
  "union of columns": "inputs, '$.a') FROM (SELECT 1 AS inputs) AS c UNION ALL SELECT 'x' --",
  "comment": "/* x */ -- x",
  "second statement": "x; SELECT 1",
  "NUL": "a\u0000b",
  "other quotes": "x\u2019\uff07\u02bc\u201d",
  "escapes": "x\\' $1 ? :p1 %s {}",
  "long": "x".repeat(5000),
};

/** Excluded routes: they read no store, or they wait. */
const LEFT_OUT = [
  /^GET \/(health|metrics|openapi\.json|version|server_info|v1\/health|v1\/system-check)$/,
  /^(GET|POST|PUT) \/api\/v1\/(trainer|blobs)\//, // for trainers and holders of a token, not for users
];

const READING_POST =
  /(query|stats|usage|read|read_batch|search|chat|spans|schema|outline|aggregate|content|status|query_stats_batch|projects_info|graphql)$/;

let server;
let own;
let document;
before(async () => {
  server = await startServer();
  own = await populatedTeam("own-word");
  await populatedTeam(MARK);
  document = (await server.api("GET", "/openapi.json", { key: null })).json;
});
after(() => server.dispose());

/** Creates a team with a viewer and with data in every store; all data contains `word`. */
async function populatedTeam(word) {
  const { name: team } = await makeTeam(server);
  const project = new Project(server, `${team}/lab`);
  const objects = new ProjectClient(server, project.id);
  const digest = expectOk(await objects.create("thing", { note: word })).digest;
  const ref = `svc:///${project.id}/object/thing:${digest}`;
  const call = { id: uuid7(), trace_id: uuid7(), thread_id: word, op_name: word };
  await project.complete({
    ...call,
    turn_id: call.id,
    inputs: { note: word, thing: ref },
    output: { note: word },
    attributes: { note: word },
    summary: { usage: { [word]: { prompt_tokens: 3 } } },
  });
  const callRef = `svc:///${project.id}/call/${call.id}`;
  await project.ok("/feedback/create", {
    project_id: project.id, svc_ref: callRef, feedback_type: "custom", payload: { note: word, score: 1 },
  });
  await project.ok("/cost/create", { project_id: project.id, costs: { [word]: { prompt_token_cost: 1, completion_token_cost: 1 } } });
  const queue = await project.ok("/annotation_queues", { project_id: project.id, name: word, scorer_refs: [] });
  const table = await project.ok("/table/create", { table: { project_id: project.id, rows: [{ note: word }] } });
  const agents = new AgentProject(server, project.id);
  const trace = await agents.send([{
    id: "a", name: word, t: [0, 1],
    attrs: {
      OP: "invoke_agent", "gen_ai.agent.name": word, "gen_ai.conversation.id": word, custom: word,
      "gen_ai.input.messages": [{ role: "user", content: word }],
    },
  }]);
  const runs = new RunProject(server, team);
  const run = await runs.start({ group: word, notes: word, config: { note: word } });
  await runs.log(run.run_id, [{ metrics: { note: 1 } }]);
  const { key } = await makeMember(server, team, "VIEWER");
  return { team, project, word, key, call, ref, callRef, digest, table: table.digest, queue: queue.id, trace, run: run.run_id };
}

/** Returns valid values by name of member or parameter. */
function goodValues() {
  return {
    project_id: own.project.id, entity: own.team, team: own.team, project: "lab", entity_name: own.team,
    call_ids: own.call.id, id: own.call.id, parent_ids: own.call.id, trace_ids: own.call.trace_id,
    trace_id: own.trace, conversation_id: own.word, conversation_ids: own.word, thread_ids: own.word,
    object_id: "thing", object_ids: "thing", refs: own.ref, svc_ref: own.callRef, digest: own.digest, digests: own.digest,
    run: own.run, keys: "note", queue_id: own.queue, queue_ids: own.queue, agent_name: own.word, timezone: "UTC", file: null,
    start: "2024-05-01T00:00:00Z", end: "2024-05-01T01:00:00Z", after_ms: Date.UTC(2024, 4, 1), before_ms: Date.UTC(2024, 4, 2),
    started_after: "2024-05-01T00:00:00Z", started_before: "2024-05-02T00:00:00Z",
    granularity: 600, time_bucket_seconds: 3600, limit: 10, offset: 0, expand_columns: "inputs.thing", columns: "inputs.note", direction: "asc",
  };
}

const SPANS = {
  $getField: "agent_name", field: "started_at", key: "agent_name", source: "field", value_type: "string", aggregation: "count", aggregations: "count",
};

/**
 * By route: values of members that differ from goodValues(); null omits a member. A list has one entry for each
 * variant of a body with mutually exclusive members.
 */
const FIELDS = [
  [/^\/calls\/(stream_)?query$/, [
    { $getField: "inputs.thing.note", field: "inputs.thing.note", cursor: null, preview_bytes: null },
    { $getField: "inputs.note", field: "inputs.note", cursor: null, expand_columns: null },
    { $getField: "inputs.note", field: "inputs.note", filter: null, query: null, expand_columns: null },
  ]],
  [/^\/calls\/stats/, { $getField: "inputs.thing.note", group_by: "attributes.note" }],
  [/^\/(calls|trace)/, { $getField: "inputs.thing.note", field: "inputs.thing.note" }],
  [/^\/feedback/, { $getField: "payload.note", field: "payload.note", fields: "payload.note", json_path: "note" }],
  [/^\/agents\/(query|agent-versions)/, { field: "last_seen" }],
  [/^\/agents\/spans\/query/, [
    { ...SPANS, group_by: null, measures: null, group_filters: null, group_distributions: null, signal_filters: null },
    { ...SPANS, field: "last_seen", custom_attr_columns: null, include_details: null, group_distributions: null, filter: null, min: null, max: null },
  ]],
  [/^\/agents\/spans\/stats/, [
    { ...SPANS, bucket_by: null, percentiles: null, filter: null, min: null, max: null },
    { ...SPANS, key: "input_tokens", value_type: "number", metrics: null, group_by: null, measure: null, group_filters: null, signal_filters: null, min: null, max: null },
  ]],
  [/^\/agents/, SPANS],
  [/eval_results/, [{ compare: null, field: "inputs.note", $getField: "inputs.note" }, { confidence: 0.9, sort_by: null, filters: null }]],
  [/projects_info/, { project_ids: () => own.project.id }],
  [/^\/cost/, { $getField: "llm_id", field: "llm_id", fields: "llm_id" }],
  [/^\/threads/, { field: "thread_id" }],
  [/^\/table/, { field: "note", digest: () => own.table }],
  [/^\/annotation_queues\/query/, { field: "name" }],
  [/^\/annotation_queues/, { field: "call_id" }],
  [/^\/objs/, { field: "object_id" }],
];

/** Returns the values for each variant of the bodies of a route. */
function shapesOf(path) {
  const special = [FIELDS.find(([pattern]) => pattern.test(path))?.[1] ?? {}].flat();
  return special.map((shape) => ({
    ...goodValues(),
    ...Object.fromEntries(Object.entries(shape).map(([name, value]) => [name, typeof value === "function" ? value() : value])),
  }));
}

/** Returns the reading operations as [method, path, operation]. */
function readingOperations() {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => method === "get" || (method === "post" && READING_POST.test(path)))
      .map(([method, operation]) => [method.toUpperCase(), path, operation])
      .filter(([method]) => !LEFT_OUT.some((pattern) => pattern.test(`${method} ${path}`))),
  );
}

/** Runs `work` for all items with limited concurrency. */
async function eachOf(items, work, atOnce = 6) {
  const queue = [...items];
  await Promise.all(Array.from({ length: atOnce }, async () => {
    while (queue.length > 0) await work(queue.shift());
  }));
}

/** Sends one request as the viewer of the own team. */
function ask(method, path, body) {
  return server.api(method, path, { body, key: own.key });
}

function problemOf(answer) {
  if (answer.status >= 500) return `answered ${answer.status}: ${answer.text.slice(0, 300)}`;
  if (answer.text.includes(MARK)) return `shows a row of another team: ${answer.text.slice(0, 300)}`;
  return null;
}

/** Sends the requests and fails with the first few problems. Resolves with the routes whose samples succeeded. */
async function expectHarmless(requests) {
  const problems = [];
  const reached = new Set();
  await eachOf(requests, async ({ what, sample, method, path, body }) => {
    const answer = await ask(method, path, body);
    if (sample && [200, 404].includes(answer.status)) reached.add(sample);
    const problem = problemOf(answer);
    if (problem) problems.push(`${method} ${path.slice(0, 200)} (${what}) ${problem}\n  ${JSON.stringify(body)?.slice(0, 600)}`);
  });
  assert.equal(problems.length, 0, `${problems.length} of ${requests.length}\n${problems.slice(0, 5).join("\n")}`);
  return reached;
}

function pathOf(template, values) {
  return template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? "text"));
}

/** Generates requests with one string after another replaced, then with one member name as a prefix of the others. */
function hostileBodies(method, path, schema, values) {
  const sampler = new Sampler(document, values);
  const target = pathOf(path, values);
  const requests = [];
  const tried = new Set();
  for (let variant = 0; variant < 16; variant += 1) {
    const { value, texts } = sampler.sample(schema, variant);
    const fresh = texts.filter(({ key }) => !tried.has(key));
    if (fresh.length === 0) continue;
    requests.push({ what: `sample ${variant}`, sample: path, method, path: target, body: value });
    for (const place of fresh) {
      tried.add(place.key);
      for (const [name, text] of Object.entries(TEXTS)) {
        requests.push({ what: `${place.key}: ${name}`, method, path: target, body: withText(value, place, text) });
      }
    }
    const free = texts.filter(({ name, isEnum, isName }) => !isEnum && !isName && name !== "project_id" && !/^(start|end|timezone)/.test(name));
    for (const above of new Set(free.map(({ name }) => name))) {
      for (const [name, text] of Object.entries(TEXTS)) {
        const body = free.reduce((whole, place) => withText(whole, place, place.name === above ? `${text}.y` : `${text}.y.z`), value);
        requests.push({ what: `${above} above the rest: ${name}`, method, path: target, body });
      }
    }
  }
  return requests;
}

function hostileParameters(method, path, parameters) {
  const [values] = shapesOf(path);
  const requests = [];
  const inQuery = parameters.filter((each) => each.in === "query");
  const url = (names, query) => {
    const given = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    return pathOf(path, names) + (given.length > 0 ? `?${given.join("&")}` : "");
  };
  const required = Object.fromEntries(inQuery.filter((each) => each.required).map(({ name }) => [name, values[name] ?? "text"]));
  requests.push({ what: "sample", method, path: url(values, required) });
  for (const { name, in: where } of parameters) {
    for (const [kind, text] of Object.entries(TEXTS)) {
      if (where === "query") requests.push({ what: `${name}: ${kind}`, method, path: url(values, { ...required, [name]: text }) });
      if (where === "path") requests.push({ what: `${name}: ${kind}`, method, path: url({ ...values, [name]: text }, required) });
    }
  }
  return requests;
}

describe("expand_columns", () => {
  const column = "inputs, '$') FROM (SELECT 1 AS inputs, 1 AS presence) AS c --";
  for (const path of ["/calls/stream_query", "/calls/query_stats"]) {
    for (const name of [column, "x'", 'x"', "nosuchcolumn"]) {
      test(`${path} returns 422 for a field below ${JSON.stringify(name)}`, async () => {
        const query = { $expr: { $eq: [{ $getField: `${name}.y.z` }, { $literal: "a" }] } };
        const body = { project_id: own.project.id, query, expand_columns: [`${name}.y`] };
        const answer = await ask("POST", path, body);
        assert.equal(answer.status, 422, answer.text);
      });
    }
  }

  test("a condition on another team's rows is rejected", async () => {
    const probe = (word) => {
      const name = `inputs, CASE WHEN (SELECT count(*) FROM stored.main.store_partitions WHERE contains(name, '${word}')) > 0 THEN error('x') ELSE '$' END`;
      const query = { $expr: { $eq: [{ $getField: `${name}.y.z` }, { $literal: "a" }] } };
      return ask("POST", "/calls/query_stats", { project_id: own.project.id, query, expand_columns: [`${name}.y`] });
    };
    const [yes, no] = await Promise.all([probe(""), probe("no such name")]);
    assert.deepEqual([yes.status, no.status], [422, 422]);
  });
});

describe("sizes", () => {
  const routes = {
    "/calls/stream_query": "id", "/calls/query": "id", "/feedback/query": "id", "/threads/stream_query": "thread_id",
    "/objs/query": "object_id", "/cost/query": "id", "/agents/spans/query": "started_at", "/agents/query": "last_seen",
    "/annotation_queues/query": "name",
  };
  for (const [path, field] of Object.entries(routes)) {
    test(`${path} sorts by 16 keys and rejects 17`, async () => {
      const sorted = (count) => ask("POST", path, { project_id: own.project.id, sort_by: Array.from({ length: count }, () => ({ field, direction: "asc" })) });
      assert.equal((await sorted(16)).status, 200);
      assert.equal((await sorted(17)).status, 422);
    });

    test(`${path} accepts the largest limit and offset`, async () => {
      const largest = 9223372036854775807n;
      for (const sort of ["", `,"sort_by":[{"field":"${field}","direction":"desc"}]`]) {
        for (const page of [`"limit":${largest},"offset":${largest}`, `"limit":10,"offset":${largest}`, `"limit":${largest},"offset":0`]) {
          const answer = await ask("POST", path, `{"project_id":"${own.project.id}",${page}${sort}}`);
          assert.ok([200, 422].includes(answer.status), `${page}: ${answer.status} ${answer.text.slice(0, 200)}`);
        }
      }
    });
  }

  test("the limit of a count can be the largest number", async () => {
    const query = { $expr: { $eq: [{ $getField: "id" }, { $literal: "a" }] } };
    const body = `{"project_id":"${own.project.id}","limit":9223372036854775807,"query":${JSON.stringify(query)}}`;
    const answer = await ask("POST", "/calls/query_stats", body);
    assert.equal(answer.status, 200, answer.text);
  });
});

test("the own rows are found, so that the requests reach the stores", async () => {
  for (const path of ["/calls/stream_query", "/feedback/query", "/agents/spans/query", "/objs/query", "/cost/query"]) {
    const answer = await ask("POST", path, { project_id: own.project.id });
    assert.equal(answer.status, 200, answer.text);
    assert.ok(answer.text.includes(own.word), `${path}: ${answer.text.slice(0, 300)}`);
  }
});

test("every query in every body is harmless", within(1_800_000), async () => {
  const requests = [];
  const routes = [];
  for (const [method, path, operation] of readingOperations()) {
    const schema = operation.requestBody?.content?.["application/json"]?.schema;
    if (schema === undefined) continue;
    routes.push(path);
    for (const values of shapesOf(path)) requests.push(...hostileBodies(method, path, schema, values));
  }
  assert.ok(routes.length >= 30, `only ${routes.length} routes with a body`);
  const reached = await expectHarmless(requests);
  // A rejected sample tests nothing: add the values of a new route's members to FIELDS.
  assert.deepEqual(routes.filter((path) => !reached.has(path)), []);
});

test("every parameter of every list is harmless", within(1_800_000), async () => {
  const requests = readingOperations().flatMap(([method, path, operation]) =>
    hostileParameters(method, path, operation.parameters ?? []),
  );
  assert.ok(requests.length > 500, `only ${requests.length} requests`);
  await expectHarmless(requests);
});
