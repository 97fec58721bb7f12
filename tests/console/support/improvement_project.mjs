// A project with a dataset, prompts, two evaluation runs and an annotation queue.

import { randomUUID } from "node:crypto";

export const HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202Egpj.exe";
const BASES = ["Object", "BaseModel"];

export class ImprovementProject {
  constructor({ url, key }, name) {
    this.url = url;
    this.headers = { authorization: `Basic ${Buffer.from(`api:${key}`).toString("base64")}`, "content-type": "application/json" };
    this.name = name;
    this.v2 = `/v2/${name}`;
  }

  async post(path, body, method = "POST") {
    const answer = await fetch(`${this.url}${path}`, { method, headers: this.headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return text === "" ? null : JSON.parse(text.split("\n")[0]);
  }

  async object(id, val, builtin_object_class) {
    const { digest } = await this.post("/obj/create", { obj: { project_id: this.name, object_id: id, val, ...(builtin_object_class ? { builtin_object_class } : {}) } });
    return `svc:///${this.name}/object/${id}:${digest}`;
  }

  prompt(id, text) {
    return this.object(id, { _type: "MessagesPrompt", _class_name: "MessagesPrompt", _bases: ["Prompt", ...BASES], name: id, messages: [{ role: "system", content: text }, { role: "user", content: "{question}" }] });
  }

  /** Creates an evaluation of `rows` rows. */
  async addEvaluation(rows) {
    this.rows = Array.from({ length: rows }, (_, index) => ({ question: index === 0 ? HOSTILE : `Question ${index}?`, target: `Answer ${index}` }));
    const { digest, object_id } = await this.post(`${this.v2}/datasets`, { name: "quiz rows", rows: this.rows });
    this.scorer = await this.object("exact", { _type: "BuiltInScorer", _class_name: "BuiltInScorer", _bases: ["Scorer", ...BASES], kind: "exact_match" });
    this.evaluation = await this.object("quiz", {
      _type: "Evaluation", _class_name: "Evaluation", _bases: BASES, dataset: `svc:///${this.name}/object/${object_id}:${digest}`, scorers: [this.scorer], trials: 1,
    });
  }

  /** Records a run of a version of the model; `passed(index)` tells which rows it answers rightly. */
  async addRun(temperature, passed) {
    const model = await this.object("guide", { _type: "Model", _class_name: "Model", _bases: BASES, kind: "chat_completion", model: "small", prompt: "{question}", parameters: { temperature } });
    const { evaluation_run_id: run } = await this.post(`${this.v2}/evaluation_runs`, { evaluation: this.evaluation, model });
    for (const [index, inputs] of this.rows.entries()) {
      const output = passed(index) ? inputs.target : `I do not know ${index}`;
      const { prediction_id } = await this.post(`${this.v2}/predictions`, { evaluation_run_id: run, model, inputs, output });
      await this.post(`${this.v2}/scores`, { evaluation_run_id: run, prediction_id, scorer: this.scorer, value: { passed: passed(index) } });
      await this.post(`${this.v2}/predictions/${prediction_id}/finish`);
    }
    await this.post(`${this.v2}/evaluation_runs/${run}/finish`, { summary: {} });
    return run;
  }

  async addCalls(count) {
    const batch = Array.from({ length: count }, (_, index) => {
      const start = Date.now() - (count - index) * 1000;
      return {
        project_id: this.name, id: randomUUID(), trace_id: randomUUID(), op_name: "chat", attributes: {}, summary: {}, exception: null,
        started_at: new Date(start).toISOString(), ended_at: new Date(start + 500).toISOString(),
        inputs: { model: "small", messages: [{ role: "user", content: index === 0 ? HOSTILE : `Where is order ${index}?` }] },
        output: { choices: [{ message: { role: "assistant", content: `Order ${index} is on its way.` } }] },
      };
    });
    await this.post(`${this.v2}/calls/complete`, { batch });
    return batch.map(({ id }) => id);
  }

  async addQueue(name, callIds) {
    const verdict = await this.object("verdict", { name: "Verdict", field_schema: { type: "string", enum: ["correct", "incomplete", "wrong"] } }, "AnnotationSpec");
    const stars = await this.object("stars", { name: "Stars", field_schema: { type: "integer", minimum: 1, maximum: 5 } }, "AnnotationSpec");
    const { id } = await this.post("/annotation_queues", { project_id: this.name, name, description: "", scorer_refs: [verdict, stars] });
    await this.post(`/annotation_queues/${id}/items`, { project_id: this.name, call_ids: callIds, display_fields: ["inputs", "output"] });
    return id;
  }
}
