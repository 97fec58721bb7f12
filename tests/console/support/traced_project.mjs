// A project with traces of a support bot: model requests, tools, errors, conversations, hostile texts.

import { randomUUID } from "node:crypto";

/** Text that would run, fetch or mislead if it were markup. */
export const HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202Egpj.exe [x](javascript:alert(3)) ![i](http://evil.example/a.png)";

const QUESTIONS = ["Where is my order 1731?", "I want a refund for the lamp", "How do I change the address?", "Do you ship to Norway?"];
const ANSWERS = ["It arrives on **Friday**.", "I have started a refund.", "Open Orders, then Change address.", "Yes, within 4 days."];
const MINUTE = 60_000;

export class TracedProject {
  constructor({ url, key }, name) {
    this.url = url;
    this.headers = { authorization: `Basic ${Buffer.from(`api:${key}`).toString("base64")}`, "content-type": "application/json" };
    this.name = name;
    this.batch = [];
  }

  async post(path, body) {
    const answer = await fetch(`${this.url}${path}`, { method: "POST", headers: this.headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return text === "" ? null : JSON.parse(text.split("\n")[0]);
  }

  async add(call) {
    this.batch.push({ project_id: this.name, attributes: {}, inputs: {}, output: null, summary: {}, exception: null, ...call });
    if (this.batch.length >= 500) await this.flush();
  }

  async flush() {
    const { batch } = this;
    this.batch = [];
    if (batch.length > 0) await this.post(`/v2/${this.name}/calls/complete`, { batch });
  }

  /** One answered question: a root, a tool and a model request. Returns the ids. */
  async addTrace(index, { ago, slow = false, error = false, tenant = "t1", thread = null }) {
    const start = Date.now() - ago;
    const length = slow ? 6000 : 900;
    const iso = (offset) => new Date(start + offset * length).toISOString();
    const [trace_id, root, tool, model] = Array.from({ length: 4 }, () => randomUUID());
    const [question, answer] = [QUESTIONS[index % 4], ANSWERS[index % 4]];
    const usage = { usage: { "gpt-4o": { requests: 1, prompt_tokens: 300, completion_tokens: 40, total_tokens: 340 } } };
    const exception = error ? "TimeoutError: the model did not answer" : null;
    await this.add({
      id: root, trace_id, op_name: "answer_question", started_at: iso(0), ended_at: iso(1), attributes: { tenant }, inputs: { question },
      output: error ? null : { answer }, exception, summary: usage, ...(thread ? { thread_id: thread, turn_id: root } : {}),
    });
    await this.add({ id: tool, trace_id, parent_id: root, op_name: "search_orders", started_at: iso(0.1), ended_at: iso(0.3), attributes: { kind: "tool" }, inputs: { order: 1731 }, output: { hits: [1731] } });
    await this.add({
      id: model, trace_id, parent_id: root, op_name: "openai.chat.completions.create", started_at: iso(0.35), ended_at: iso(0.95), exception, summary: usage,
      inputs: { model: "gpt-4o", messages: [{ role: "system", content: "Be brief." }, { role: "user", content: question }] },
      output: error ? null : { choices: [{ message: { role: "assistant", content: answer } }] },
    });
    return { trace: trace_id, root, tool, model };
  }

  /** `count` traces, the newest first; every fifth is a slow failure of the tenant t7. */
  async addTraces(count) {
    const traces = [];
    for (let i = 0; i < count; i++) {
      const bad = i % 5 === 0;
      traces.push(await this.addTrace(i, { ago: (i + 1) * 7 * MINUTE, slow: bad, error: bad, tenant: bad ? "t7" : `t${i % 3}`, thread: `conversation-${i % 6}` }));
    }
    await this.flush();
    return traces;
  }

  async addHostileTrace() {
    const [trace, id] = [randomUUID(), randomUUID()];
    const started = Date.now() - MINUTE;
    await this.add({
      id, trace_id: trace, op_name: HOSTILE.slice(0, 60), display_name: HOSTILE, started_at: new Date(started).toISOString(), ended_at: new Date(started + 900).toISOString(),
      attributes: { tenant: HOSTILE }, inputs: { question: HOSTILE, messages: [{ role: "user", content: HOSTILE }] }, output: HOSTILE, exception: HOSTILE,
      thread_id: HOSTILE.slice(0, 40), turn_id: id,
    });
    await this.flush();
    return { trace, root: id };
  }

  /** A trace of `count` steps: groups of twenty below one root, one failing tool in each hundred. */
  async addLargeTrace(count) {
    const [trace, root] = [randomUUID(), randomUUID()];
    const start = Date.now() - 30 * MINUTE;
    const iso = (offset) => new Date(start + offset).toISOString();
    let group = root;
    for (let i = 1; i < count; i++) {
      const id = randomUUID();
      const isGroup = i % 20 === 1;
      const call = isGroup
        ? { op_name: "planner_step", ended_at: iso(i * 10 + 200), output: "ok" }
        : { op_name: i % 2 ? "openai.chat.completions.create" : "search_orders", ended_at: iso(i * 10 + 8), output: `done ${i}`, exception: i % 100 === 50 ? "ConnectionError: step failed" : null };
      await this.add({ id, trace_id: trace, parent_id: isGroup ? root : group, started_at: iso(i * 10), inputs: { step: i, messages: [{ role: "user", content: `Step ${i}` }] }, ...call });
      if (isGroup) group = id;
    }
    await this.add({ id: root, trace_id: trace, op_name: "research_agent", started_at: iso(0), ended_at: iso(count * 10), inputs: { goal: "check" }, output: "checked" });
    await this.flush();
    return { trace, root };
  }

  /** Turns of an agent over OpenTelemetry. */
  async addAgentTurns(agent, version, conversation, turns) {
    for (let turn = 0; turn < turns; turn++) {
      const hex = (length) => randomUUID().replaceAll("-", "").slice(0, length);
      const start = BigInt(Date.now() - (turn + 2) * MINUTE) * 1_000_000n;
      const traceId = hex(32);
      const root = hex(16);
      const attributes = (values) => Object.entries({ "gen_ai.agent.name": agent, "gen_ai.agent.version": version, "gen_ai.conversation.id": conversation, ...values })
        .map(([key, value]) => ({ key, value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value } }));
      const span = (spanId, parentSpanId, name, from, to, values) => ({
        traceId, spanId, ...(parentSpanId ? { parentSpanId } : {}), name, status: { code: 1 },
        startTimeUnixNano: String(start + BigInt(from) * 1_000_000n), endTimeUnixNano: String(start + BigInt(to) * 1_000_000n), attributes: attributes(values),
      });
      const messages = (role, content) => JSON.stringify([{ role, content }]);
      await this.otlp([
        span(root, null, `invoke_agent ${agent}`, 0, 3000, { "gen_ai.operation.name": "invoke_agent", "gen_ai.system_instructions": "Be brief." }),
        span(hex(16), root, "execute_tool search_orders", 200, 900, { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search_orders", "gen_ai.tool.call.arguments": '{"order":1731}', "gen_ai.tool.call.result": '{"state":"shipped"}' }),
        span(hex(16), root, "chat gpt-4o", 1000, 2800, {
          "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": 80, "gen_ai.usage.output_tokens": 6,
          "gen_ai.input.messages": messages("user", QUESTIONS[turn % 4]), "gen_ai.output.messages": messages("assistant", ANSWERS[turn % 4]),
        }),
      ]);
    }
  }

  async otlp(spans) {
    const answer = await fetch(`${this.url}/v1/traces`, {
      method: "POST", headers: { ...this.headers, project_id: this.name }, body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
    });
    if (!answer.ok) throw new Error(`/v1/traces: ${answer.status} ${await answer.text()}`);
  }
}
