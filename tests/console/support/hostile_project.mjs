// A server whose every shown field holds hostile texts, as far as the API accepts them.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

import { ArtifactProject, digestOf } from "../../http/support/artifacts.mjs";
import { deliveriesOf, eventually, makeAutomation } from "../../http/support/deliveries.mjs";
import { startReceiver } from "../../http/support/receiver.mjs";
import { ScriptedTrainer, TrainingClient, addBaseModel, started as trainingStarted, step } from "../../http/support/training.mjs";
import { HOSTILE_TEXTS, SHOWN, hostileValue } from "./hostile_texts.mjs";
import { startStreamingModel } from "./streaming_model.mjs";

const TEAM = "hostile";
const BASES = ["Object", "BaseModel"];
/** Answers to a text that the API does not take. */
const REFUSED = [400, 404, 405, 409, 413, 422];
const AT_ONCE = 8;

const hex = (length) => randomUUID().replaceAll("-", "").slice(0, length);
const part = (text) => encodeURIComponent(text.toWellFormed());

/** Returns the texts, SHOWN first and each once, cut to a length. */
function shortened(texts, length) {
  return [...new Set([SHOWN, ...texts].map((text) => text.slice(0, length)))];
}

export class HostileProject {
  constructor(started) {
    this.server = started.server;
    this.team = TEAM;
    this.project = SHOWN;
    this.id = `${TEAM}/${SHOWN}`;
    this.v2 = `/v2/${TEAM}/${part(SHOWN)}`;
    this.path = `/api/v1/projects/${TEAM}/${part(SHOWN)}`;
    /** Numbers of accepted texts by field. */
    this.stored = {};
    /** Texts that the server takes inside JSON values. */
    this.texts = HOSTILE_TEXTS;
  }

  /** Sends a request that must succeed. */
  async ok(method, path, body, options = {}) {
    const answer = await this.server.api(method, path, { body, ...options });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  }

  post(path, body) {
    return this.ok("POST", path, body);
  }

  /** Sends a request whose text the server may refuse. Returns the answer, or null. */
  async offer(field, method, path, body) {
    this.stored[field] ??= 0;
    const answer = await this.server.api(method, path, { body });
    if (REFUSED.includes(answer.status)) return null;
    assert.ok(answer.status < 300, `${field}: ${method} ${path}: ${answer.status} ${answer.text}`);
    this.stored[field] += 1;
    return answer.json ?? {};
  }

  /** Offers every text, a few at once. `request(text, index)` returns [method, path, body]. */
  async offerAll(field, texts, request) {
    const left = texts.map((text, index) => [text, index]);
    const work = async () => {
      for (let next = left.shift(); next; next = left.shift()) await this.offer(field, ...request(...next));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  async fill() {
    await this.post("/api/v1/teams", { name: TEAM });
    await this.offerAll("project names", shortened(HOSTILE_TEXTS, 128), (name) => ["POST", "/api/v1/projects", { team: TEAM, name, description: name }]);
    await this.addCalls();
    this.tree = await this.addTree();
    this.otherTree = await this.addTree();
    await Promise.all([this.addAgents(), this.addFeedback(), this.addPeople(), this.addInference()]);
    await Promise.all([this.addObjects(), this.addRuns(), this.addArtifacts()]);
    await Promise.all([this.addEvaluation(), this.addQueues(), this.addAutomation(), this.addTraining()]);
  }

  /** A trace for each text, alone in every field of a call. */
  async addCalls() {
    const accepted = [];
    const now = Date.now();
    await this.offerAll("calls", HOSTILE_TEXTS, (text, index) => {
      const [id, time] = [randomUUID(), now - index * 1000];
      accepted.push({ text, id });
      const call = {
        project_id: this.id, id, trace_id: randomUUID(), op_name: text, display_name: text, started_at: new Date(time).toISOString(), ended_at: new Date(time + 500).toISOString(),
        attributes: { tenant: text }, inputs: { model: text, messages: [{ role: "user", content: text }] }, output: text, exception: index % 3 ? null : text,
        summary: { usage: { [text]: { requests: 1, prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } } }, thread_id: text, turn_id: id,
      };
      return ["POST", `${this.v2}/calls/complete`, { batch: [call] }];
    });
    const known = new Set();
    const { text: lines } = await this.server.api("POST", "/calls/stream_query", { body: { project_id: this.id, columns: ["id"] } });
    for (const line of lines.trim().split("\n")) known.add(JSON.parse(line).id);
    this.texts = accepted.filter(({ id }) => known.has(id)).map(({ text }) => text);
    this.document = this.texts.join("\n\n");
    this.value = hostileValue(this.texts);
  }

  /** Adds one trace with a step for each text. Returns the ids of the trace and its root. */
  async addTree() {
    const [trace_id, root, now] = [randomUUID(), randomUUID(), Date.now()];
    const call = (id, text, index) => ({
      project_id: this.id, id, trace_id, op_name: text, display_name: text, started_at: new Date(now + index).toISOString(), ended_at: new Date(now + index + 20).toISOString(),
      attributes: { kind: ["tool", "agent", "model"][index % 3], ...this.value }, inputs: { messages: [{ role: "user", content: text }] }, output: { role: "assistant", content: text },
      exception: index % 4 ? null : text, summary: {},
    });
    const children = this.texts.map((text, index) => ({ ...call(randomUUID(), text, index + 1), parent_id: root }));
    const inputs = { messages: [{ role: SHOWN, content: this.document }, { role: "user", content: this.document }], ...this.value };
    const output = { choices: [{ message: { role: "assistant", content: this.document } }], ...this.value };
    await this.post(`${this.v2}/calls/complete`, { batch: [{ ...call(root, SHOWN, 0), inputs, output }, ...children] });
    return { trace: trace_id, root };
  }

  async addAgents() {
    const now = BigInt(Date.now()) * 1_000_000n;
    const attribute = ([key, value]) => ({ key, value: { stringValue: value } });
    const spans = shortened(this.texts, 200).flatMap((text, index) => {
      const [traceId, root] = [hex(32), hex(16)];
      const messages = (role, content) => JSON.stringify([{ role, content }]);
      const span = (spanId, parentSpanId, name, values) => ({
        traceId, spanId, ...(parentSpanId ? { parentSpanId } : {}), name, status: { code: 2, message: text },
        startTimeUnixNano: String(now - BigInt(index) * 1_000_000_000n), endTimeUnixNano: String(now - BigInt(index) * 1_000_000_000n + 5_000_000n),
        attributes: Object.entries({ "gen_ai.agent.name": text, "gen_ai.agent.version": text, "gen_ai.conversation.id": text, "gen_ai.conversation.name": text, ...values }).map(attribute),
      });
      return [
        span(root, null, text, { "gen_ai.operation.name": "invoke_agent", "gen_ai.system_instructions": text, [text || "x"]: text }),
        span(hex(16), root, text, { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": text, "gen_ai.tool.call.arguments": text, "gen_ai.tool.call.result": text }),
        span(hex(16), root, text, {
          "gen_ai.operation.name": "chat", "gen_ai.request.model": text, "gen_ai.input.messages": messages("user", text), "gen_ai.output.messages": messages("assistant", text),
        }),
      ];
    });
    await this.ok("POST", "/v1/traces", { resourceSpans: [{ scopeSpans: [{ spans }] }] }, { headers: { project_id: this.id } });
  }

  async addFeedback() {
    const svc_ref = `svc:///${this.id}/call/${this.tree.root}`;
    const feedback = (feedback_type, payload, more = {}) => ["POST", "/feedback/create", { project_id: this.id, svc_ref, feedback_type, payload, ...more }];
    await this.offerAll("notes", HOSTILE_TEXTS, (note) => feedback("svc.note.1", { note }));
    await this.offerAll("feedback types", shortened(HOSTILE_TEXTS, 100), (text) => feedback(text, this.value, { creator: text }));
    await this.offerAll("scores", shortened(HOSTILE_TEXTS, 100), (text) => feedback("svc.runnable.scorer", { output: { [text]: text } }, {
      runnable_ref: `svc:///${this.id}/object/scorer:v1`, scorer_tags: [text], scorer_tag_reasons: { [text]: text }, scorer_ratings: { [text]: 1 }, scorer_rating_reasons: { [text]: text },
    }));
  }

  async addPeople() {
    await this.offerAll("user names", HOSTILE_TEXTS, (text, index) => ["POST", "/api/v1/users", { username: text, email: `user${index}@example.test`, name: text.slice(0, 60) }]);
    await this.offerAll("full names", shortened(HOSTILE_TEXTS, 128), (name, index) => ["POST", "/api/v1/users", { username: `person-${index}`, email: `person${index}@example.test`, name }]);
    await this.offerAll("members", shortened(HOSTILE_TEXTS, 128), (_, index) => ["PUT", `/api/v1/teams/${TEAM}/members/person-${index}`, { role: "MEMBER" }]);
    await this.offer("project members", "PUT", `${this.path}/members/person-0`, { role: "VIEWER" });
    await this.offerAll("API keys", shortened(HOSTILE_TEXTS, 128), (name) => ["POST", "/api/v1/api-keys", { name }]);
    await this.offerAll("service accounts", shortened(HOSTILE_TEXTS, 128), (description) => ["POST", `/api/v1/teams/${TEAM}/service-accounts`, { description }]);
    await this.offerAll("invitations", HOSTILE_TEXTS, (email) => ["POST", `/api/v1/teams/${TEAM}/invitations`, { role: "VIEWER", email }]);
    const { link } = await this.post(`/api/v1/teams/${TEAM}/invitations`, { role: "VIEWER", email: SHOWN });
    this.invitation = new URL(link, this.server.url);
    await this.offerAll("secrets", HOSTILE_TEXTS, (name) => ["POST", `/api/v1/teams/${TEAM}/secrets`, { name, value: "not shown" }]);
    await this.offer("preferences", "PUT", "/api/v1/me/preferences", { preferences: { traceViews: { [this.id]: this.texts.map((label) => ({ id: label, label, search: label })) }, ...this.value } });
  }

  async addInference() {
    this.model = await startStreamingModel({ constructor: this.document });
    await this.offerAll("upstreams", HOSTILE_TEXTS, (name) => ["POST", "/api/v1/upstreams", { name, url: this.model.url, health_path: "" }]);
    await this.offerAll("models", HOSTILE_TEXTS, (text) => ["POST", "/api/v1/models", { name: text, targets: [{ upstream: "constructor", model: "constructor" }] }]);
    await this.offerAll("owners of models", shortened(HOSTILE_TEXTS, 128), (owned_by, index) => ["POST", "/api/v1/models", { name: `owned-${index}`, owned_by, targets: [{ upstream: "constructor", model: owned_by }] }]);
    await this.offer("limits", "POST", "/api/v1/limits", { project: this.id, requests_per_minute: 1000 });
    await this.offerAll("prices", HOSTILE_TEXTS, (text) => ["POST", "/cost/create", { project_id: this.id, costs: { [text]: { prompt_token_cost: 1e-6, completion_token_cost: 1e-6, provider_id: text } } }]);
    const chat = { model: "constructor", stream: true, messages: [{ role: "user", content: this.document }] };
    await this.ok("POST", "/v1/chat/completions", chat, { headers: { "Compat-Project": this.id } });
  }

  async object(object_id, val, builtin_object_class) {
    const { digest } = await this.post("/obj/create", { obj: { project_id: this.id, object_id, val, ...(builtin_object_class ? { builtin_object_class } : {}) } });
    return { digest, ref: `svc:///${this.id}/object/${object_id}:${digest}` };
  }

  async addObjects() {
    const prompt = (content) => ({ _type: "MessagesPrompt", _class_name: "MessagesPrompt", _bases: ["Prompt", ...BASES], name: SHOWN, description: this.document, messages: [{ role: SHOWN, content }, { role: "system", content }], ...this.value });
    await this.object("prompt", prompt(SHOWN));
    const { digest } = await this.object("prompt", prompt(this.document));
    await this.offerAll("aliases of objects", shortened(HOSTILE_TEXTS, 128), (alias) => ["PUT", "/objs/prompt/aliases", { project_id: this.id, digest, aliases: [alias] }]);
    await this.offerAll("names of objects", HOSTILE_TEXTS, (text) => ["POST", "/obj/create", { obj: { project_id: this.id, object_id: text, val: prompt(text) } }]);
    await this.object("odd", { _type: SHOWN, _class_name: SHOWN, _bases: [SHOWN], ...this.value });
    await this.offerAll("saved views", HOSTILE_TEXTS, (label, index) => ["POST", "/obj/create", {
      obj: { project_id: this.id, object_id: `view-${index}`, builtin_object_class: "SavedView", val: { _type: "SavedView", _class_name: "SavedView", view_type: "traces", label, definition: { search: label } } },
    }]);
    await this.offerAll("ops", HOSTILE_TEXTS, (text, index) => ["POST", `${this.v2}/ops`, { name: `op ${index}`, source_code: text }]);
    await this.offerAll("names of datasets", shortened(HOSTILE_TEXTS, 128), (name) => ["POST", `${this.v2}/datasets`, { name, description: name, rows: [{ text: name }] }]);
    const rows = [this.value, ...this.texts.map((text) => ({ text, [text]: text, target: { [text]: text } }))];
    const first = await this.post(`${this.v2}/datasets`, { name: "rows", description: this.document, rows: rows.slice(1) });
    this.dataset = await this.post(`${this.v2}/datasets`, { name: "rows", description: this.document, rows });
    this.dataset.earlier = first.digest;
  }

  async addEvaluation() {
    const scorer = await this.object("scorer", { _type: "BuiltInScorer", _class_name: "BuiltInScorer", _bases: ["Scorer", ...BASES], kind: "exact_match", name: SHOWN, description: this.document });
    const dataset = `svc:///${this.id}/object/${this.dataset.object_id}:${this.dataset.digest}`;
    const evaluation = await this.object("evaluation", { _type: "Evaluation", _class_name: "Evaluation", _bases: BASES, name: SHOWN, description: this.document, dataset, scorers: [scorer.ref], trials: 1 });
    this.evaluations = [];
    for (const temperature of [0, 1]) {
      const model = await this.object("model", { _type: "Model", _class_name: "Model", _bases: BASES, name: SHOWN, kind: "chat_completion", model: SHOWN, prompt: SHOWN, parameters: { temperature } });
      const { evaluation_run_id: run } = await this.post(`${this.v2}/evaluation_runs`, { evaluation: evaluation.ref, model: model.ref });
      for (const [index, text] of this.texts.slice(0, 20).entries()) {
        const inputs = { text, [text]: text, target: { [text]: text } };
        const { prediction_id } = await this.post(`${this.v2}/predictions`, { evaluation_run_id: run, model: model.ref, inputs, output: temperature ? text : this.value });
        await this.post(`${this.v2}/scores`, { evaluation_run_id: run, prediction_id, scorer: scorer.ref, value: { passed: (index + temperature) % 2 === 0, [SHOWN]: 0.5, [text]: index, reason: text } });
        await this.post(`${this.v2}/predictions/${prediction_id}/finish`);
      }
      await this.post(`${this.v2}/evaluation_runs/${run}/finish`, { summary: this.value });
      this.evaluations.push(run);
    }
  }

  async addQueues() {
    const specs = [];
    for (const [id, field_schema] of Object.entries({ choice: { type: "string", enum: this.texts.slice(0, 9) }, words: { type: "string" }, grade: { type: "integer", minimum: 1, maximum: 5 } })) {
      specs.push((await this.object(id, { name: SHOWN, description: this.document, field_schema }, "AnnotationSpec")).ref);
    }
    await this.offerAll("queues", HOSTILE_TEXTS, (text) => ["POST", "/annotation_queues", { project_id: this.id, name: text, description: text, scorer_refs: [] }]);
    const { id } = await this.post("/annotation_queues", { project_id: this.id, name: SHOWN, description: this.document, scorer_refs: specs });
    const call_ids = [this.tree.root];
    await this.post(`/annotation_queues/${id}/items`, { project_id: this.id, call_ids, display_fields: ["inputs", "output", "attributes", `inputs.${SHOWN}`] });
    const answer = { project_id: this.id, svc_ref: `svc:///${this.id}/call/${this.tree.root}`, queue_id: id };
    await this.offer("answers of queues", "POST", "/feedback/create", { ...answer, feedback_type: "svc.annotation.words", annotation_ref: specs[1], payload: { value: this.document } });
    await this.offer("answers of queues", "POST", "/feedback/create", { ...answer, feedback_type: "svc.annotation.choice", annotation_ref: specs[0], payload: { value: this.texts[0] } });
    this.queue = id;
  }

  async addRuns() {
    const base = `${this.path}/runs`;
    await this.offerAll("runs", shortened(HOSTILE_TEXTS, 255), (name, index) => ["POST", base, { run_id: `run-${index}`, name, group: name, job_type: name, notes: name, tags: [name.slice(0, 128)], config: { [name]: name } }]);
    await this.offerAll("ids of runs", shortened(HOSTILE_TEXTS, 128), (run_id) => ["POST", base, { run_id, name: "by id" }]);
    this.runs = ["first", "second"];
    for (const run of this.runs) {
      await this.post(base, { run_id: run, name: SHOWN, config: { ...this.value, run }, notes: this.document, tags: shortened(this.texts, 128).slice(0, 90).filter((text) => text.trim() !== "") });
      const metrics = Object.fromEntries(this.texts.slice(0, 12).map((text, index) => [text, index]));
      await this.offer("metrics", "POST", `${base}/${run}/history`, { rows: [{ metrics: { [SHOWN]: 1, loss: 1 } }, { metrics: { [SHOWN]: 2, loss: 0.5 } }] });
      await this.offer("metrics", "POST", `${base}/${run}/history`, { rows: [{ metrics }] });
      await this.offer("summaries of runs", "POST", `${base}/${run}/finish`, { exit_code: 1, summary: this.value });
    }
  }

  async addArtifacts() {
    const base = `${this.path}/collections`;
    await this.offerAll("collections", shortened(HOSTILE_TEXTS, 128), (name) => ["POST", base, { name, type: "dataset", description: name }]);
    const empty = digestOf(Buffer.alloc(0));
    for (const name of ["files", SHOWN]) {
      const manifest = {};
      for (const text of this.texts) {
        const answer = await this.server.api("POST", `${base}/${part(name)}/versions`, { body: { type: "dataset", manifest: { [text]: { digest: empty, size: 0, ref: "https://example.test/a" } } } });
        assert.ok(answer.status < 500, answer.text);
        if (answer.status < 300) manifest[text] = { digest: empty, size: 0, ref: `https://example.test/${part(text)}` };
      }
      this.stored["files of artifacts"] = Object.keys(manifest).length;
      const body = { type: "dataset", manifest, metadata: this.value, description: this.document, aliases: ["whole"] };
      const { version } = await this.post(`${base}/${part(name)}/versions`, body);
      await this.server.api("POST", `${base}/${part(name)}/versions/${version.id}/commit`);
      await this.offerAll("aliases of artifacts", shortened(HOSTILE_TEXTS, 128), (alias) => ["PUT", `${base}/${part(name)}/versions/whole/aliases/${part(alias)}`]);
    }
    await this.offerAll("registries", shortened(HOSTILE_TEXTS, 115), (name) => ["POST", "/api/v1/registries", { name, visibility: "organization", description: name }]);
    await this.offer("links", "POST", `/api/v1/registries/${part(SHOWN)}/collections/${part(SHOWN)}/links`, { source: `${this.id}/${SHOWN}:whole`, aliases: [SHOWN] });
    await this.offerAll("protected aliases", shortened(HOSTILE_TEXTS, 128), (alias) => ["PUT", `/api/v1/registries/${part(SHOWN)}/protected-aliases/${part(alias)}`]);
    await this.offer("inputs of runs", "PUT", `${this.path}/runs/first/inputs/${part(`${this.id}/${SHOWN}:whole`)}`);
  }

  /** A delivery whose request and response are hostile. */
  async addAutomation() {
    const { server } = this;
    this.receiver = await startReceiver();
    this.receiver.answer = { status: 400, headers: { "content-type": "text/html", "x-hostile": SHOWN }, body: `<!doctype html>${this.document}` };
    await this.offerAll("webhooks", HOSTILE_TEXTS, (name) => ["POST", `/api/v1/teams/${TEAM}/webhooks`, { name, url_endpoint: this.receiver.url }]);
    const { items: [webhook] } = await this.ok("GET", `/api/v1/teams/${TEAM}/webhooks`);
    const scope = { type: "project", team: TEAM, project: this.project };
    const event = { type: "ADD_ARTIFACT_ALIAS", alias_regex: ".*" };
    await this.offerAll("automations", shortened(HOSTILE_TEXTS, 255), (name) => ["POST", "/api/v1/automations", { name, description: name, enabled: false, scope, event, action: { type: "noop" } }]);
    const automation = await makeAutomation(server, TEAM, event, webhook, { name: `deliver ${SHOWN}`, description: this.document.slice(0, 1900).toWellFormed(), scope, payload: { ...this.value, alias: "${alias}", document: this.document } });
    this.webhook = webhook.id;
    this.automation = automation.id;
    const artifacts = new ArtifactProject(server, TEAM, { project: part(SHOWN) });
    await artifacts.put("trigger", { "a.txt": SHOWN }, { aliases: [SHOWN] });
    const tried = (all) => all.some(({ attempt_count }) => attempt_count > 0);
    [{ id: this.delivery }] = await eventually(() => deliveriesOf(server, { automation_id: automation.id }), tried, "nothing was delivered");
  }

  /** In a project of its own: models share the names of collections. */
  async addTraining() {
    const project = "constructor";
    this.trainingId = `${TEAM}/${project}`;
    const client = new TrainingClient(this.server);
    const base_model = await addBaseModel(this.server);
    await this.offerAll("trained models", shortened(HOSTILE_TEXTS, 128), (name) => ["POST", "/v1/preview/models", { entity: TEAM, project, name, base_model }]);
    const model = await client.register({ entity: TEAM, project, name: SHOWN, base_model });
    const { id } = await client.train(model, [{ trajectories: [{ messages_and_choices: [{ role: "user", content: SHOWN }, { role: "assistant", content: this.document }], reward: 1 }] }]);
    const trainer = new ScriptedTrainer(this.server, { worker: SHOWN });
    const job = await trainer.lease();
    await job.postEvents(1, { ...trainingStarted(1), note: SHOWN }, { ...step(0.5), data: { loss: 0.5, [SHOWN]: 1 }, note: SHOWN });
    await job.post("/fail", { message: this.document.slice(0, 9000).toWellFormed() });
    this.job = id;
  }

  async close() {
    await this.model?.close();
    await this.receiver?.close();
  }
}
