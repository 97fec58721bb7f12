// Traces and conversations as chats: from the spans and calls that exporters and SDKs send to the
// messages that a client reads.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";

import { AgentProject, BASE, moment, spanId } from "./support/agent_spans.mjs";
import { expectReason, uuid7 } from "./support/calls.mjs";
import { expectViolations } from "./support/expect.mjs";
import { newTraceId } from "./support/otlp.mjs";
import { startServer, withServer } from "./support/server.mjs";

const EXAMPLES = JSON.parse(readFileSync(new URL("../golden/chat_examples.json", import.meta.url)));
const PAYLOADS = ["user_message", "assistant_message", "tool_call", "agent_start", "agent_handoff", "context_compacted"];

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const types = (chat) => chat.messages.map(({ type }) => type);
const texts = (chat) => chat.messages.map((m) => m[m.type].text ?? m[m.type].tool_name ?? m[m.type].system_instructions);

/** Converts a chat to the notation of the examples: without empty values, times as offsets, ids as names. */
function short(value, ids, key) {
  if (Array.isArray(value)) return value.map((item) => short(item, ids, key));
  if (value === null || typeof value !== "object") {
    if (key === "started_at" || key === "ended_at") return `+${(Date.parse(value) - BASE) / 1000}s`;
    if (key === "span_id") return ids.get(value) ?? value;
    return value;
  }
  const kept = {};
  for (const [name, item] of Object.entries(value)) {
    const empty = item === null || item === "" || item === 0 || (Array.isArray(item) && item.length === 0);
    if (["trace_id", "svc_user_id"].includes(name) || (empty && !["text", "duration_ms"].includes(name))) continue;
    kept[name] = short(item, ids, name);
  }
  return kept;
}

/** Normalizes the white space of JSON inside strings. */
const plain = (value) => JSON.stringify(value, (key, item) =>
  ["tool_arguments", "tool_result", "tool_definitions"].includes(key) ? item.replaceAll('": ', '":').replaceAll(", ", ",") : item);

describe("worked examples", () => {
  for (const { name, spans, chat } of EXAMPLES) {
    test(name, async () => {
      const project = new AgentProject(server);
      // Clients send and receive references in their external form only.
      const external = (value) => JSON.parse(JSON.stringify(value)
        .replaceAll("svc-trace-internal:///P1/", `svc:///${project.id}/`).replaceAll("svc:///acme/demo/", `svc:///${project.id}/`));
      const ids = new Map(spans.map(({ id }) => [spanId(id), id]));
      const seen = short(await project.chat(await project.send(external(spans))), ids);
      assert.equal(plain(seen), plain(external(chat)));
    });
  }
});

describe("/agents/traces/chat", () => {
  test("an unknown trace and a project without data are empty", async () => {
    const project = new AgentProject(server);
    for (const include_feedback of [false, true]) {
      const chat = await project.chat("nothing", { include_feedback });
      assert.equal(chat.trace_id, "nothing");
      assert.deepEqual(chat.messages, []);
      assert.deepEqual(chat.feedback, include_feedback ? [] : null);
      for (const name of ["root_span_name", "provider", "total_duration_ms", "agent_name", "status_code", "started_at", "total_cost_usd"]) {
        assert.equal(chat[name], null, name);
      }
      assert.equal(chat.total_input_tokens, 0);
    }
  });

  test("needs a project and a trace, and ignores unknown members", async () => {
    const project = new AgentProject(server);
    expectViolations(await project.post("/agents/traces/chat", {}), ["missing", "body", "project_id"], ["missing", "body", "trace_id"]);
    expectViolations(
      await project.post("/agents/traces/chat", { project_id: project.id, trace_id: 7, include_feedback: "maybe" }),
      ["string_type", "body", "trace_id"], ["bool_parsing", "body", "include_feedback"],
    );
    await project.chat("x", { something: "else" });
    expectReason(await project.post("/agents/traces/chat", { project_id: "no-slash", trace_id: "x" }), 400, /./);
  });

  test("every message has a type and exactly the payload with that name", async () => {
    const project = new AgentProject(server);
    for (const { spans } of EXAMPLES) {
      const { messages } = await project.chat(await project.send(spans));
      for (const message of messages) {
        assert.deepEqual(PAYLOADS.filter((name) => message[name] !== null), [message.type]);
      }
    }
  });

  test("a span that is sent again appears once, with its later end", async () => {
    const project = new AgentProject(server);
    const open = { id: "a", name: "chat m", t: [0, null], status: "UNSET", attrs: { OP: "chat" } };
    const trace = await project.send([open]);
    assert.equal((await project.chat(trace)).total_duration_ms, 0);
    const done = { ...open, t: [0, 2], status: "OK", attrs: { OP: "chat", "gen_ai.output.messages": [{ role: "assistant", content: "hi" }] } };
    await project.send([done], trace);
    const chat = await project.chat(trace);
    assert.equal(chat.total_duration_ms, 2000);
    assert.deepEqual(texts(chat), ["hi"]);
  });

  test("a span that is sent again with another start replaces the first everywhere", () =>
    withServer({}, async (other) => {
      const project = new AgentProject(other);
      const attrs = { OP: "chat", "gen_ai.agent.name": "bot", "gen_ai.conversation.id": "c1", "gen_ai.usage.input_tokens": 5, mark: "m" };
      const said = (content) => ({ ...attrs, "gen_ai.output.messages": [{ role: "assistant", content }] });
      const sent = (start, content) => ({ id: "a", name: "chat m", t: [start, start + 1], attrs: said(content) });
      const trace = await project.send([sent(5, "first"), sent(3, "second")]);
      await project.send([sent(8, "third")], trace);
      const expectOne = async (start, content) => {
        const chat = await project.chat(trace);
        assert.deepEqual(texts(chat), [null, content].slice(chat.messages.length === 1 ? 1 : 0));
        assert.equal(chat.total_input_tokens, 5);
        assert.equal(Date.parse(chat.started_at), Date.parse(moment(start)));
        const { turns, total_turns } = await project.ask("/agents/conversations/chat", { conversation_id: "c1" });
        assert.deepEqual([turns.length, total_turns], [1, 1]);
        const list = await project.ask("/agents/spans/query");
        assert.deepEqual([list.spans.length, list.total_count], [1, 1]);
        const { groups } = await project.ask("/agents/spans/query", { group_by: [{ key: "trace_id" }] });
        assert.deepEqual([groups[0].span_count, groups[0].total_input_tokens], [1, 5]);
        const metrics = [{ alias: "n", value_type: "string", value: { key: "span_id" } }];
        const { rows } = await project.ask("/agents/spans/stats", { start: moment(0), end: moment(60), granularity: 60, metrics });
        assert.deepEqual(rows.map((row) => row.count_n), [1]);
        const { agents } = await project.ask("/agents/query");
        assert.deepEqual(agents.map(({ span_count }) => span_count), [1]);
        const { attributes } = await project.ask("/agents/spans/custom-attrs/schema");
        assert.deepEqual(attributes.map(({ span_count }) => span_count), [1]);
        const { results } = await project.ask("/agents/search", { roles: ["assistant"] });
        assert.deepEqual(results[0].matched_messages.map((match) => match.content_preview), [content]);
        const steps = await project.ask("/agents/conversations/spans", { conversation_ids: ["c1"] });
        assert.equal(steps.conversations[0].spans.length, 1);
      };
      await expectOne(8, "third");
      await other.kill();
      await withServer({ dataDir: other.dataDir }, async (again) => {
        project.server = again;
        await expectOne(8, "third");
        await project.send([sent(1, "fourth")], trace);
        await expectOne(1, "fourth");
      });
    }));

  test("costs use the project's prices and are null without a price", async () => {
    const project = new AgentProject(server);
    const spans = [
      { id: "a", name: "invoke_agent x", t: [0, 3], attrs: { OP: "invoke_agent" } },
      { id: "b", parent: "a", name: "chat m", t: [1, 2], attrs: { OP: "chat", "gen_ai.request.model": "house-model", "gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 3, "gen_ai.output.messages": [{ role: "assistant", content: "yo" }] } },
    ];
    const trace = await project.send(spans);
    assert.equal((await project.chat(trace)).total_cost_usd, null);
    await project.ask("/cost/create", { costs: { "house-model": { prompt_token_cost: 0.5, completion_token_cost: 2 } } });
    const chat = await project.chat(trace);
    assert.equal(chat.total_cost_usd, 11);
    const said = chat.messages.at(-1).assistant_message;
    assert.deepEqual([said.input_cost_usd, said.output_cost_usd, said.total_cost_usd], [5, 6, 11]);
  });
});

describe("feedback", () => {
  const said = (project, tail, fields = {}) => project.post("/feedback/create", {
    project_id: project.id, svc_ref: `svc:///${project.id}/${tail}`, feedback_type: "svc.agent_user_feedback",
    payload: {}, scorer_tags: ["good"], ...fields,
  });

  test("of the turn and of its spans is included on request", async () => {
    const project = new AgentProject(server);
    const trace = await project.send(EXAMPLES[0].spans);
    const span = spanId("b3");
    assert.equal((await said(project, `agent_turn/${trace}`)).status, 200);
    assert.equal((await said(project, `agent_span/${span}`, { feedback_type: "svc.note.1", payload: { note: "nice" }, scorer_tags: [] })).status, 200);
    const plain = await project.chat(trace);
    assert.equal(plain.feedback, null);
    assert.ok(plain.messages.every(({ feedback }) => feedback === null));
    const chat = await project.chat(trace, { include_feedback: true });
    assert.equal(chat.feedback.length, 1);
    assert.equal(chat.feedback[0].svc_ref, `svc:///${project.id}/agent_turn/${trace}`);
    assert.deepEqual(Object.keys(chat.feedback[0]).sort(), [
      "annotation_ref", "call_ref", "created_at", "creator", "feedback_type", "id", "payload", "runnable_ref", "scorer_rating_confidences",
      "scorer_rating_reasons", "scorer_ratings", "scorer_tag_confidences", "scorer_tag_reasons", "scorer_tags", "svc_ref", "svc_user_id", "trigger_ref",
    ]);
    for (const message of chat.messages) {
      assert.equal(message.feedback?.length ?? 0, message.span_id === span ? 1 : 0);
    }
  });

  test("ids are derived from the target; other ids are rejected", async () => {
    const project = new AgentProject(server);
    assert.equal((await said(project, "agent_turn/t1", { span_trace_id: "t1" })).status, 200);
    expectReason(await said(project, "agent_turn/t1", { span_trace_id: "t2" }), 400, /span_trace_id/);
    expectReason(await said(project, "agent_conversation/c%201", { span_conversation_id: "c2" }), 400, /span_conversation_id/);
    assert.equal((await said(project, "agent_conversation/c%201")).status, 200);
    const { result } = await project.ask("/feedback/query");
    assert.deepEqual(result.map((row) => row.span_trace_id || row.span_conversation_id).sort(), ["c 1", "t1"]);
  });
});

describe("conversations", () => {
  const turn = (id, conversation, start, user, answer) => ({
    id, name: "chat m", t: [start, start + 1],
    attrs: { OP: "chat", "gen_ai.conversation.id": conversation, "gen_ai.input.messages": [{ role: "user", content: user }], "gen_ai.output.messages": [{ role: "assistant", content: answer }] },
  });

  test("are paged by turn, newest page first", async () => {
    const project = new AgentProject(server);
    const traces = [];
    for (let i = 0; i < 3; ++i) traces.push(await project.send([turn(`s${i}`, "c1", i * 10, `u${i}`, `a${i}`)]));
    const page = await project.ask("/agents/conversations/chat", { conversation_id: "c1", limit: 2 });
    assert.deepEqual(page.turns.map(({ trace_id }) => trace_id), traces.slice(1));
    assert.deepEqual([page.total_turns, page.has_more, page.limit, page.offset, page.feedback], [3, true, 2, 0, null]);
    assert.deepEqual(texts(page.turns[0]), ["u1", "a1"]);
    const rest = await project.ask("/agents/conversations/chat", { conversation_id: "c1", limit: 2, offset: 2 });
    assert.deepEqual([rest.turns.length, rest.has_more], [1, false]);
    const none = await project.ask("/agents/conversations/chat", { conversation_id: "nobody", include_feedback: true });
    assert.deepEqual([none.turns, none.total_turns, none.feedback], [[], 0, []]);
    expectViolations(
      await project.post("/agents/conversations/chat", { project_id: project.id, conversation_id: "c", limit: 51, offset: -1 }),
      ["less_than_equal", "body", "limit"], ["greater_than_equal", "body", "offset"],
    );
  });

  test("include untagged spans of their traces, but no spans of other conversations", async () => {
    const project = new AgentProject(server);
    const untagged = { id: "tool", parent: "mine", name: "execute_tool look", t: [0.2, 0.3], attrs: { OP: "execute_tool" } };
    await project.send([turn("mine", "c1", 0, "u", "a"), untagged, turn("other", "c2", 2, "theirs", "x")]);
    const { turns } = await project.ask("/agents/conversations/chat", { conversation_id: "c1" });
    assert.deepEqual(texts(turns[0]), ["u", "look", "a"]);
  });

  test("list their spans and feedback in the requested order", async () => {
    const project = new AgentProject(server);
    const trace = await project.send([turn("s0", "c1", 0, "u", "a")]);
    const create = (tail, fields) => project.ok("/feedback/create", {
      project_id: project.id, svc_ref: `svc:///${project.id}/${tail}`, feedback_type: "svc.agent_user_feedback", payload: {}, scorer_tags: ["👍🏽"], ...fields,
    });
    await create("agent_conversation/c1", {});
    await create(`agent_turn/${trace}`, { scorer_ratings: { quality: 0.5 }, scorer_rating_reasons: { quality: "so so" } });
    const { conversations } = await project.ask("/agents/conversations/spans", { conversation_ids: ["unknown", "c1", "c1"] });
    assert.deepEqual(conversations[0], { conversation_id: "unknown", spans: [], spans_feedback: [] });
    assert.deepEqual(conversations[1].spans, [
      { operation_name: "chat", trace_id: trace, span_id: spanId("s0"), status: "OK", duration_ms: 1000 },
    ]);
    assert.deepEqual(conversations[1].spans_feedback, [
      { trace_id: null, feedback_type: "svc.agent_user_feedback", tags: ["👍"], ratings: [] },
      { trace_id: trace, feedback_type: "svc.agent_user_feedback", tags: ["👍"], ratings: [{ name: "quality", value: 0.5, reason: "so so", confidence: null }] },
    ]);
    assert.deepEqual(conversations[2], conversations[1]);
    const window = await project.ask("/agents/conversations/spans", { conversation_ids: ["c1"], started_after: moment(5) });
    assert.deepEqual(window.conversations[0].spans, []);
    expectViolations(
      await project.post("/agents/conversations/spans", { project_id: project.id, conversation_ids: ["c1"], started_after: "2024-05-01T00:00:00" }),
      ["timezone_aware", "body", "started_after"],
    );
  });
});

describe("calls as chats", () => {
  test("a trace of an SDK is shown as a chat, with costs and feedback", async () => {
    const project = new AgentProject(server);
    const [trace_id, root, ask, answer] = [uuid7(), uuid7(), uuid7(), uuid7()];
    const messages = [{ role: "system", content: "Be brief." }, { role: "user", content: "Weather in Oslo?" }];
    const tool = { id: "t1", type: "function", function: { name: "forecast", arguments: '{"city":"Oslo"}' } };
    const usage = { prompt_tokens: 10, completion_tokens: 2 };
    await project.complete(
      { id: root, trace_id, op_name: "agent", started_at: moment(0), ended_at: moment(9), inputs: { question: "Weather in Oslo?" }, output: "4 C in Oslo." },
      { id: ask, trace_id, parent_id: root, op_name: "openai.chat.completions.create", started_at: moment(1), ended_at: moment(2), inputs: { model: "m", messages },
        output: { model: "m-1", choices: [{ message: { role: "assistant", content: null, tool_calls: [tool] } }], usage }, summary: { usage: { "m-1": usage } } },
      { id: answer, trace_id, parent_id: root, op_name: "openai.chat.completions.create", started_at: moment(4), ended_at: moment(5),
        inputs: { model: "m", messages: [...messages, { role: "assistant", content: null, tool_calls: [tool] }, { role: "tool", tool_call_id: "t1", content: "4 C" }] },
        output: { model: "m-1", choices: [{ message: { role: "assistant", content: "4 C in Oslo." } }], usage }, summary: { usage: { "m-1": usage } } },
    );
    await project.ask("/cost/create", { costs: { "m-1": { prompt_token_cost: 1, completion_token_cost: 1 } } });
    await project.ok("/feedback/create", { project_id: project.id, svc_ref: `svc:///${project.id}/call/${answer}`, feedback_type: "svc.note.1", payload: { note: "right" } });
    const chat = await project.chat(trace_id, { include_feedback: true });
    assert.deepEqual(types(chat), ["user_message", "agent_start", "tool_call", "assistant_message"]);
    assert.deepEqual(texts(chat), ["Weather in Oslo?", "Be brief.", "forecast", "4 C in Oslo."]);
    assert.equal(chat.messages[2].tool_call.tool_result, "4 C");
    assert.equal(chat.root_span_name, "agent");
    assert.equal(chat.total_input_tokens, 20);
    assert.equal(chat.total_cost_usd, 24);
    assert.equal(chat.messages[3].span_id, answer);
    assert.equal(chat.messages[3].feedback[0].payload.note, "right");
  });

  test("a trace with spans is built from the spans", async () => {
    const project = new AgentProject(server);
    const trace = newTraceId();
    await project.complete({ trace_id: trace, op_name: "f", output: "from calls" });
    assert.deepEqual(texts(await project.chat(trace)), [null, "from calls"]);
    await project.send([{ id: "a", name: "chat", t: [0, 1], attrs: { OP: "chat", "gen_ai.output.messages": [{ role: "assistant", content: "from spans" }] } }], trace);
    assert.deepEqual(texts(await project.chat(trace)), ["from spans"]);
  });

  test("a thread of an SDK is shown as a conversation if no spans have its id", async () => {
    const project = new AgentProject(server);
    const traces = [uuid7(), uuid7(), uuid7()];
    const turn = (i, fields = {}) => ({
      id: uuid7(), trace_id: traces[i], op_name: "openai.chat.completions.create", thread_id: "c1", started_at: moment(i * 10), ended_at: moment(i * 10 + 1),
      inputs: { model: "m", messages: [{ role: "user", content: `u${i}` }] },
      output: { model: "m", choices: [{ message: { role: "assistant", content: `a${i}` } }] },
      ...fields,
    });
    await project.complete(turn(2), turn(0), turn(1), { ...turn(1, { started_at: moment(12), ended_at: moment(13) }), thread_id: "other" });
    const page = await project.ask("/agents/conversations/chat", { conversation_id: "c1", limit: 2 });
    assert.deepEqual(page.turns.map(({ trace_id }) => trace_id), traces.slice(1));
    assert.deepEqual([page.total_turns, page.has_more], [3, true]);
    assert.deepEqual(page.turns.map(texts), [["u1", "a1"], ["u2", "a2"]]);
    const rest = await project.ask("/agents/conversations/chat", { conversation_id: "c1", limit: 2, offset: 2, include_feedback: true });
    assert.deepEqual([rest.turns.map(texts), rest.has_more, rest.feedback], [[["u0", "a0"]], false, []]);
    assert.deepEqual((await project.ask("/agents/conversations/chat", { conversation_id: "c1", limit: 0 })).turns, []);
    assert.deepEqual((await project.ask("/agents/conversations/chat", { conversation_id: "c1", offset: 9 })).turns, []);
    await project.send([{ id: "a", name: "chat", t: [0, 1], attrs: { OP: "chat", "gen_ai.conversation.id": "c1", "gen_ai.output.messages": [{ role: "assistant", content: "from spans" }] } }]);
    const spans = await project.ask("/agents/conversations/chat", { conversation_id: "c1" });
    assert.deepEqual(spans.turns.map(texts), [["from spans"]]);
  });
});
