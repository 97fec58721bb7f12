// /feedback/*, and feedback in the queries and responses of calls.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Project, at, expectReason, uuid7 } from "./support/calls.mjs";
import { expectTimestamp, expectViolations } from "./support/expect.mjs";
import { makeMember, makeUser } from "./support/people.mjs";
import { startServer, withServer } from "./support/server.mjs";

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const COLUMNS = [
  "id", "project_id", "svc_ref", "svc_user_id", "creator", "created_at", "feedback_type", "payload",
  "annotation_ref", "runnable_ref", "call_ref", "trigger_ref", "queue_id", "scorer_tags", "scorer_tag_reasons",
  "scorer_tag_confidences", "scorer_ratings", "scorer_rating_reasons", "scorer_rating_confidences",
  "span_agent_name", "span_agent_version", "span_status_code", "span_conversation_id", "span_trace_id",
  "scorer_trace_id",
];
const EMBEDDED = [
  "id", "feedback_type", "svc_ref", "payload", "creator", "created_at", "svc_user_id", "runnable_ref", "call_ref",
  "trigger_ref", "annotation_ref", "scorer_tags", "scorer_tag_reasons", "scorer_tag_confidences", "scorer_ratings",
  "scorer_rating_reasons", "scorer_rating_confidences",
];

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const field = (name) => ({ $getField: name });
const literal = (value) => ({ $literal: value });
const is = (name, value) => ({ $eq: [field(name), literal(value)] });
const where = ($expr) => ({ query: { $expr } });

/** A project with feedback. */
class FeedbackProject extends Project {
  ref(tail) {
    return `svc:///${this.id}/${tail}`;
  }

  item(fields = {}) {
    return {
      project_id: this.id,
      svc_ref: this.ref("call/c1"),
      feedback_type: "custom",
      payload: {},
      ...fields,
    };
  }

  create(fields) {
    return this.ok("/feedback/create", this.item(fields));
  }

  tryCreate(fields) {
    return this.post("/feedback/create", this.item(fields));
  }

  list(fields = {}) {
    return this.ok("/feedback/query", { project_id: this.id, ...fields });
  }

  publish(object_id, val) {
    return this.ok("/obj/create", { obj: { project_id: this.id, object_id, val } });
  }
}

describe("creating feedback", () => {
  test("returns the stored feedback", async () => {
    const project = new FeedbackProject(server);
    const answer = await project.create({ payload: { a: 1 }, creator: "Ann", svc_user_id: "somebody" });
    assert.deepEqual(Object.keys(answer), ["id", "created_at", "svc_user_id", "payload"]);
    assert.match(answer.id, UUID7);
    expectTimestamp(answer.created_at);
    assert.notEqual(answer.svc_user_id, "somebody");
    assert.deepEqual(answer.payload, { a: 1 });
    const { result, total_count } = await project.list();
    assert.equal(total_count, 1);
    assert.deepEqual(Object.keys(result[0]), COLUMNS);
    assert.equal(result[0].svc_ref, project.ref("call/c1"));
    assert.equal(result[0].project_id, project.id);
    assert.equal(result[0].creator, "Ann");
  });

  test("reports missing and invalid members", async () => {
    expectViolations(
      await server.api("POST", "/feedback/create", { body: {} }),
      ["missing", "body", "project_id"],
      ["missing", "body", "svc_ref"],
      ["missing", "body", "feedback_type"],
      ["missing", "body", "payload"],
    );
    const project = new FeedbackProject(server);
    expectViolations(await project.tryCreate({ payload: [] }), ["dict_type", "body", "payload"]);
    expectViolations(await project.tryCreate({ scorer_ratings: { a: "x" } }), [
      "float_parsing", "body", "scorer_ratings", "a",
    ]);
    expectReason(await project.tryCreate({ svc_ref: "nowhere" }), 400, /./);
    expectReason(await project.tryCreate({ id: "mine" }), 400, "Invalid UUID: mine");
  });

  test("accepts exactly one emoji", async () => {
    const project = new FeedbackProject(server);
    const react = (emoji) => ({ feedback_type: "svc.reaction.1", payload: { emoji } });
    assert.deepEqual((await project.create(react("👍🏽"))).payload, {
      emoji: "👍🏽",
      alias: ":thumbs_up_medium_skin_tone:",
      detoned: "👍",
      detoned_alias: ":thumbs_up:",
    });
    assert.equal((await project.create(react("👩‍👩‍👧"))).payload.alias, ":family_woman_woman_girl:");
    assert.equal((await project.create(react("🇩🇪"))).payload.alias, ":Germany:");
    assert.equal((await project.create(react("7️⃣"))).payload.alias, ":keycap_7:");
    for (const text of ["", "ok", "👍👍", "🇩", "7"]) {
      expectReason(await project.tryCreate(react(text)), 400, "Value of key 'emoji' in payload is not exactly one emoji");
    }
  });

  test("limits the size of notes and payloads", async () => {
    const project = new FeedbackProject(server);
    const note = (text) => ({ feedback_type: "svc.note.1", payload: { note: text } });
    await project.create(note("é".repeat(1024)));
    expectReason(await project.tryCreate(note("")), 400, /between 1 and 1024/);
    expectReason(await project.tryCreate(note("é".repeat(1025))), 400, /between 1 and 1024/);
    expectReason(await project.tryCreate({ payload: { a: "x".repeat(1 << 20) } }), 400, "Feedback payload too large");
  });

  test("validates annotations against their specification", async () => {
    const project = new FeedbackProject(server);
    const { digest } = await project.publish("quality", {
      _type: "AnnotationSpec",
      _class_name: "AnnotationSpec",
      _bases: ["BaseModel"],
      name: "quality",
      field_schema: { type: "integer", minimum: 1, maximum: 5 },
    });
    const annotation_ref = project.ref(`object/quality:${digest}`);
    const annotate = (value, more = { annotation_ref }) => ({
      feedback_type: "svc.annotation.quality",
      payload: { value },
      ...more,
    });
    await project.create(annotate(5));
    expectReason(await project.tryCreate(annotate(6)), 400, /greater than the maximum/);
    expectReason(await project.tryCreate(annotate("5")), 400, /not of type 'integer'/);
    expectReason(await project.tryCreate(annotate(5, {})), 400, "annotation_ref is required for annotation feedback");
    expectReason(
      await project.tryCreate(annotate(5, { annotation_ref: project.ref(`object/other:${digest}`) })),
      400,
      /named quality in the same project/,
    );
    const { result } = await project.list({ fields: ["annotation_ref"] });
    assert.deepEqual(result, [{ annotation_ref }]);
  });

  test("validates the types of references and scores", async () => {
    const project = new FeedbackProject(server);
    const runnable_ref = project.ref("op/judge:abc");
    const call_ref = project.ref("call/c2");
    const scored = { feedback_type: "svc.runnable.judge", payload: { output: 1 } };
    expectReason(await project.tryCreate(scored), 400, "runnable_ref is required for runnable feedback");
    expectReason(await project.tryCreate({ ...scored, runnable_ref }), 400, /call_ref is required/);
    await project.create({ ...scored, runnable_ref, call_ref, scorer_tags: ["good"] });
    expectReason(await project.tryCreate({ runnable_ref }), 400, /only allowed for runnable/);
    expectReason(await project.tryCreate({ scorer_tags: ["a"] }), 400, /scorer fields/);
    expectReason(
      await project.tryCreate({ feedback_type: "svc.agent_user_feedback" }), 400, /scorer_tags is required/,
    );
    expectReason(
      await project.tryCreate({
        feedback_type: "svc.agent_user_feedback",
        svc_ref: project.ref("agent_turn/t1"),
        scorer_tags: ["good"],
        span_trace_id: "t2",
      }),
      400,
      /contradicts/,
    );
    expectReason(await project.tryCreate({ queue_id: uuid7() }), 400, /Unknown annotation queue/);
  });

  test("stores a batch completely or not at all", async () => {
    const project = new FeedbackProject(server);
    const { res } = await project.ok("/feedback/batch/create", { batch: [project.item(), project.item()] });
    assert.equal(res.length, 2);
    const bad = [project.item(), project.item({ feedback_type: "svc.note.1" })];
    assert.equal((await project.post("/feedback/batch/create", { batch: bad })).status, 400);
    assert.equal((await project.list()).total_count, 2);
  });
});

describe("reading feedback", () => {
  test("filters, sorts and pages", async () => {
    const project = new FeedbackProject(server);
    for (const score of [2, 10, "x"]) await project.create({ payload: { score } });
    await project.create({ feedback_type: "svc.note.1", payload: { note: "n" } });
    const sort_by = [{ field: "payload.score", direction: "desc" }];
    const page = await project.list({ fields: ["payload.score"], sort_by, limit: 2, offset: 1 });
    assert.deepEqual(page, { result: [{ "payload.score": "2" }, { "payload.score": "x" }], total_count: 4 });
    const large = await project.list(where({ $gt: [field("payload.score"), literal(5)] }));
    assert.deepEqual(large.result.map(({ payload }) => payload), [{ score: 10 }]);
    assert.equal((await project.list(where(is("feedback_type", "svc.note.1")))).total_count, 1);
    assert.equal((await project.list(where(is("svc_ref", project.ref("call/c1"))))).total_count, 4);
    expectReason(
      await project.post("/feedback/query", { project_id: project.id, fields: ["colour"] }), 400, "Unknown field: colour",
    );
    expectReason(
      await project.post("/feedback/query", { project_id: project.id, ...where(is("payloads", 1)) }),
      400,
      "Unknown field: payloads",
    );
  });

  test("replaces and purges by id", async () => {
    const project = new FeedbackProject(server);
    const old = await project.create({ payload: { n: 1 } });
    const fresh = await project.ok("/feedback/replace", { ...project.item({ payload: { n: 2 } }), feedback_id: old.id });
    assert.notEqual(fresh.id, old.id);
    assert.deepEqual((await project.list()).result.map(({ payload }) => payload), [{ n: 2 }]);
    const purge = ($expr) => project.post("/feedback/purge", { project_id: project.id, query: { $expr } });
    expectReason(
      await purge(is("feedback_type", "custom")),
      400,
      "Can only purge feedback by specifying one or more feedback ids",
    );
    assert.deepEqual((await purge({ $or: [is("id", fresh.id)] })).json, {});
    assert.equal((await project.list()).total_count, 0);
  });

  test("survives a kill of the server", async () => {
    await withServer({}, async (first) => {
      const project = new FeedbackProject(first);
      const { id } = await project.create({ payload: { kept: true } });
      await first.kill();
      await withServer({ dataDir: first.dataDir }, async (second) => {
        const again = new FeedbackProject(second, project.id);
        assert.deepEqual((await again.list()).result.map((row) => row.id), [id]);
      });
    });
  });

  test("returns nothing to outsiders", async () => {
    const project = new FeedbackProject(server);
    await project.create();
    const viewer = await makeMember(server, project.entity, "VIEWER");
    const outsider = await makeUser(server);
    const query = { project_id: project.id };
    for (const path of ["/feedback/query", "/feedback/create"]) {
      const body = path.endsWith("create") ? project.item() : query;
      assert.equal((await project.post(path, body, { key: outsider.key })).status, 404, path);
      assert.equal((await project.post(path, body, { key: null })).status, 401, path);
    }
    assert.equal((await project.post("/feedback/create", project.item(), { key: viewer.key })).status, 403);
    assert.equal((await project.post("/feedback/query", query, { key: viewer.key })).status, 200);
  });
});

describe("feedback of calls", () => {
  let project;
  const call = {};

  before(async () => {
    project = new FeedbackProject(server);
    for (const name of ["a", "b", "c"]) {
      const [made] = await project.complete({ started_at: at(Object.keys(call).length) });
      call[name] = made.id;
    }
    const about = (name) => ({ svc_ref: project.ref(`call/${call[name]}`) });
    await project.create({ ...about("a"), feedback_type: "svc.note.1", payload: { note: "first" } });
    await project.create({ ...about("a"), feedback_type: "svc.note.1", payload: { note: "second" } });
    const runnable_ref = project.ref("object/judge:abc");
    for (const [name, score] of [["a", 0.25], ["b", 0.75]]) {
      await project.create({
        ...about(name), feedback_type: "svc.runnable.judge", payload: { output: { score } }, runnable_ref,
      });
    }
  });

  async function names(fields) {
    const found = await project.query(fields);
    return found.map(({ id }) => Object.keys(call).find((name) => call[name] === id)).join("");
  }

  test("is included, oldest first", async () => {
    const [a, b, c] = await project.query({ include_feedback: true });
    assert.deepEqual(c.summary.svc.feedback, []);
    assert.equal(b.summary.svc.feedback.length, 1);
    const list = a.summary.svc.feedback;
    assert.deepEqual(list.map(({ feedback_type }) => feedback_type), ["svc.note.1", "svc.note.1", "svc.runnable.judge"]);
    assert.deepEqual(list.slice(0, 2).map(({ payload }) => payload.note), ["first", "second"]);
    assert.deepEqual(Object.keys(list[0]), EMBEDDED);
    assert.equal(list[0].svc_ref, project.ref(`call/${call.a}`));
    assert.equal(list[2].runnable_ref, project.ref("object/judge:abc"));
  });

  test("filters calls", async () => {
    const score = "feedback.[svc.runnable.judge].payload.output.score";
    assert.equal(await names(where({ $gt: [field(score), literal(0.5)] })), "b");
    assert.equal(await names(where(is("feedback.[svc.note.1].payload.note", "second"))), "a");
    assert.equal(await names(where(is("feedback.[svc.note.1].payload.note", null))), "bc");
    assert.equal(await names(where({ $lt: [field("feedback.[*].payload.output.score"), literal(0.5)] })), "a");
    assert.equal(
      await names(where(is("feedback.[svc.runnable.judge].runnable_ref", project.ref("object/judge:abc")))), "ab",
    );
    assert.equal((await project.stats(where({ $gt: [field(score), literal(0.1)] }))).count, 2);
  });

  test("sorts calls", async () => {
    const key = "feedback.[svc.runnable.judge].payload.output.score";
    assert.equal(await names({ sort_by: [{ field: key, direction: "desc" }] }), "bac");
    assert.equal(await names({ sort_by: [{ field: key, direction: "asc" }] }), "abc");
  });

  test("supports few fields in queries of calls", async () => {
    const answer = await project.post("/calls/stream_query", {
      project_id: project.id, ...where(is("feedback.[svc.note.1].creator", "x")),
    });
    expectReason(answer, 422, /^Field feedback\.\[svc\.note\.1\]\.creator is not allowed\./);
  });
});

describe("counting feedback", () => {
  test("aggregates tags and ratings", async () => {
    const project = new FeedbackProject(server);
    const after_ms = Date.now() - 60_000;
    const user = (scorer_tags, rating) => ({
      feedback_type: "svc.agent_user_feedback",
      svc_ref: project.ref("agent_turn/t1"),
      scorer_tags,
      scorer_ratings: { _rating_: rating },
      span_agent_name: "helper",
    });
    await project.create(user(["good"], 0.75));
    await project.create(user(["good", "slow"], 0.25));
    const before_ms = Date.now() + 60_000;
    const span = { project_id: project.id, after_ms, before_ms };
    const { buckets, ...rest } = await project.ok("/feedback/aggregate", { ...span, group_by: ["span_agent_name"] });
    assert.deepEqual(rest, { time_bucket_seconds: null, after_ms, before_ms });
    assert.deepEqual(buckets, [
      {
        time_bucket_start_ms: null,
        group: { span_agent_name: "helper" },
        total_count: 2,
        scored_count: 2,
        tag_counts: { good: 2, slow: 1 },
        rating_counts: { _rating_: 2 },
        rating_sums: { _rating_: 1 },
      },
    ]);
    const narrow = await project.ok("/feedback/aggregate", { ...span, rating_min: 0.5 });
    assert.equal(narrow.buckets[0].total_count, 1);
    expectViolations(
      await project.post("/feedback/aggregate", { ...span, before_ms: after_ms + 32 * 86_400_000 }),
      ["value_error", "body"],
    );
  });

  test("aggregates payload values and lists payload paths", async () => {
    const project = new FeedbackProject(server);
    for (const [score, ok] of [[1, true], [3, false]]) await project.create({ payload: { out: { score, ok } } });
    const start = new Date(Date.now() - 3_600_000).toISOString();
    const { paths } = await project.ok("/feedback/payload_schema", { project_id: project.id, start });
    assert.deepEqual(paths, [
      { json_path: "out.ok", value_type: "boolean" },
      { json_path: "out.score", value_type: "numeric" },
    ]);
    const metrics = [{ json_path: "out.score", aggregations: ["avg", "max"], percentiles: [50] }, paths[0]];
    const stats = await project.ok("/feedback/stats", { project_id: project.id, start, metrics });
    assert.equal(stats.granularity, 300);
    assert.equal(stats.timezone, "UTC");
    assert.deepEqual(stats.window_stats, {
      out_score: { avg: 2, max: 3, p50: 2 },
      out_ok: { count_true: 1, count_false: 1 },
    });
    const filled = stats.buckets.filter(({ count }) => count > 0);
    assert.equal(filled.reduce((sum, { count_true_out_ok }) => sum + count_true_out_ok, 0), 1);
    expectViolations(
      await project.post("/feedback/stats", { project_id: project.id, start: "2024-01-02", end: "2024-01-01" }),
      ["value_error", "body"],
    );
  });
});
