// Mixed load of two tenants for tests that kill the server. Each kind of load is a class with three methods:
// prepare() runs once; write() does one unit of work, which counts when the server has acknowledged it (false if
// there was nothing to do); check() expects that no acknowledged data is lost, duplicated or another tenant's.

import assert from "node:assert/strict";

import { ArtifactProject } from "./artifacts.mjs";
import { Project, uuid7 } from "./calls.mjs";
import { eventually, makeAutomation, makeWebhook } from "./deliveries.mjs";
import { EvaluationProject } from "./evaluations.mjs";
import { addLimit, addModel, chat, expectOpenAiError, setDeploymentPrice } from "./gateway.mjs";
import { PATHS, rejectionsIn, request, send, span } from "./otlp.mjs";
import { freshName, listAll, makeKey, makeMember, makeTeam } from "./people.mjs";
import { startReceiver } from "./receiver.mjs";
import { RunProject } from "./runs.mjs";
import { startScriptedUpstream } from "./scripted_upstream.mjs";
import { ScriptedTrainer, TrainingClient, addBaseModel, group, started, step } from "./training.mjs";
import { question, startUpstream } from "./upstream.mjs";

const PAGE = 1000;

/** The fake upstreams that the Spindle server calls. */
export class Upstreams {
  static async start() {
    const upstreams = new Upstreams();
    upstreams.completions = await startScriptedUpstream();
    upstreams.answers = await startUpstream((asked) => ({ text: question(asked) }));
    return upstreams;
  }

  /** Environment for the server. */
  get env() {
    return { SPINDLE_EVALUATION_UPSTREAM_URL: this.answers.url };
  }

  async close() {
    await this.completions.close();
    await this.answers.close();
  }
}

/** Fails with the first difference between acknowledged and stored data. */
function compare(what, { acknowledged, sent, found }) {
  const seen = new Set();
  for (const each of found) {
    assert.ok(!seen.has(each), `${what}: ${each} is duplicated`);
    seen.add(each);
    assert.ok(sent.has(each), `${what}: ${each} was never sent by this tenant`);
  }
  for (const each of acknowledged) assert.ok(seen.has(each), `${what}: ${each} was acknowledged and is lost`);
}

/** One kind of load of one tenant. */
class Load {
  acknowledged = new Set();
  sent = new Set();

  constructor(tenant, upstreams) {
    this.tenant = tenant;
    this.upstreams = upstreams;
  }

  async prepare() {}

  /** Number of acknowledged units of work. */
  get amount() {
    return this.acknowledged.size;
  }

  /** Expects one of these statuses. Only a lost connection is an acceptable error. */
  expectStatus(answer, ...statuses) {
    assert.ok(statuses.includes(answer.status), `${this.constructor.name}: ${answer.status} ${answer.text}`);
    return answer.json;
  }

  /** Runs `work` and records `ids` as acknowledged after it. */
  async recordAcknowledged(ids, work) {
    for (const id of ids) this.sent.add(id);
    const outcome = await work();
    for (const id of ids) this.acknowledged.add(id);
    return outcome;
  }
}

class Calls extends Load {
  get project() {
    return `${this.tenant.team}/calls`;
  }

  async write(server, random) {
    const of = (id) => ({
      project_id: this.project,
      id,
      trace_id: uuid7(),
      op_name: "op",
      started_at: new Date().toISOString(),
      attributes: {},
      inputs: { tenant: this.tenant.team },
    });
    const post = (path, body) => server.api("POST", path, { body, key: this.tenant.key });
    const end = (id) => ({ id, ended_at: new Date().toISOString(), summary: {}, output: `out ${id}` });
    if (random() < 0.5) {
      const batch = Array.from({ length: 1 + Math.floor(random() * 20) }, () => uuid7());
      await this.recordAcknowledged(batch, async () => {
        const whole = batch.map((id) => ({ ...of(id), ...end(id) }));
        this.expectStatus(await post(`/v2/${this.project}/calls/complete`, { batch: whole }), 200);
      });
    } else {
      const id = uuid7();
      await this.recordAcknowledged([id], async () => {
        this.sent.add(id);
        this.expectStatus(await post("/call/start", { start: of(id) }), 200);
        this.expectStatus(await post("/call/end", { end: { project_id: this.project, ...end(id) } }), 200);
      });
    }
  }

  async check(server) {
    const found = await new Project(server, this.project).query({ columns: ["inputs", "output"] });
    compare("calls", { ...this, found: found.map(({ id }) => id) });
    for (const { id, inputs, output } of found) {
      assert.equal(inputs.tenant, this.tenant.team, `call ${id} belongs to another tenant`);
      if (this.acknowledged.has(id)) assert.equal(output, `out ${id}`);
    }
    assert.equal((await new Project(server, this.project).stats()).count, found.length);
  }
}

class Spans extends Load {
  get project() {
    return `${this.tenant.team}/spans`;
  }

  async write(server, random) {
    const spans = Array.from({ length: 1 + Math.floor(random() * 10) }, () => span("step", { tenant: this.tenant.team }));
    await this.recordAcknowledged(spans.map(({ spanId }) => spanId), async () => {
      const answer = await send(server, PATHS.both, request([{ "service.name": "s" }, ...spans]), {
        project: this.project,
        key: this.tenant.key,
      });
      this.expectStatus(answer, 200);
      assert.equal(rejectionsIn(answer), null, answer.text);
    });
  }

  async check(server) {
    const project = new Project(server, this.project);
    const calls = await project.query({ columns: ["id"] });
    compare("spans as calls", { ...this, found: calls.map(({ id }) => id) });
    const rows = [];
    for (let offset = 0; ; offset += PAGE) {
      const { spans } = await project.ok("/agents/spans/query", { project_id: this.project, limit: PAGE, offset });
      rows.push(...spans.map(({ span_id }) => span_id));
      if (spans.length < PAGE) break;
    }
    compare("spans", { ...this, found: rows });
  }
}

class Feedback extends Load {
  get project() {
    return `${this.tenant.team}/feedback`;
  }

  async write(server) {
    const word = freshName(this.tenant.team);
    await this.recordAcknowledged([word], async () => {
      const body = {
        project_id: this.project,
        svc_ref: `svc:///${this.project}/call/${uuid7()}`,
        feedback_type: "custom",
        payload: { word },
      };
      this.expectStatus(await server.api("POST", "/feedback/create", { body, key: this.tenant.key }), 200);
    });
  }

  async check(server) {
    const found = [];
    const project = new Project(server, this.project);
    for (let offset = 0; ; offset += PAGE) {
      const { result } = await project.ok("/feedback/query", { project_id: this.project, limit: PAGE, offset, fields: ["payload"] });
      found.push(...result.map(({ payload }) => payload.word));
      if (result.length < PAGE) break;
    }
    compare("feedback", { ...this, found });
  }
}

class Artifacts extends Load {
  contents = new Map();

  async write(server) {
    const word = freshName(this.tenant.team);
    const files = { "a.txt": word };
    const artifacts = new ArtifactProject(server, this.tenant.team, { key: this.tenant.key });
    await this.recordAcknowledged([word], async () => {
      const { id, version_index } = await artifacts.put("data", files, { aliases: [word] });
      this.contents.set(word, { id, version_index });
    });
  }

  async check(server) {
    const artifacts = new ArtifactProject(server, this.tenant.team);
    const versions = this.sent.size > 0 ? await listAll(server, `${artifacts.path}/collections/data/versions`) : [];
    const committed = versions.filter(({ state }) => state === "COMMITTED");
    const words = committed.flatMap(({ aliases }) => aliases.filter((alias) => alias !== "latest"));
    compare("artifacts", { ...this, found: words });
    const indexes = committed.map(({ version_index }) => version_index);
    assert.equal(new Set(indexes).size, indexes.length, "two versions have the same number");
    for (const { id, version_index, aliases } of committed) {
      const word = aliases.find((alias) => alias !== "latest");
      const known = this.contents.get(word);
      if (known) assert.deepEqual({ id, version_index }, known);
      const { status, bytes } = await artifacts.read("data", `v${version_index}`, "a.txt");
      assert.equal(status, 200);
      assert.equal(bytes.toString(), word);
    }
  }
}

class Runs extends Load {
  lines = 0;

  get amount() {
    return this.lines;
  }

  async prepare(server) {
    this.run = `run-${this.tenant.team}`;
    await new RunProject(server, this.tenant.team, { key: this.tenant.key }).start({ run_id: this.run });
  }

  async write(server, random) {
    const offset = this.lines;
    const rows = Array.from({ length: 1 + Math.floor(random() * 20) }, (_, i) => ({
      step: offset + i,
      metrics: { line: offset + i },
    }));
    // Rows that the server stored without a response are sent again with the same offset.
    const runs = new RunProject(server, this.tenant.team, { key: this.tenant.key });
    const { history_line_count } = await runs.log(this.run, rows, { offset });
    this.lines = Math.max(offset + rows.length, history_line_count);
  }

  async check(server) {
    const runs = new RunProject(server, this.tenant.team);
    const all = await listAll(server, `${runs.path}/${this.run}/history?keys=line`, { limit: PAGE });
    assert.ok(all.length >= this.lines, `runs: ${this.lines} rows were acknowledged, ${all.length} are stored`);
    assert.deepEqual(all.map(({ line }) => line), all.map((_, i) => i), "runs: rows are lost, duplicated or out of order");
    this.lines = all.length;
  }
}

class Usage extends Load {
  answered = 0;

  get amount() {
    return this.answered;
  }

  async prepare(server) {
    this.model = await addModel(server, [this.upstreams.completions.url], { teams: [this.tenant.team] });
  }

  async write(server, random) {
    const stream = random() < 0.5;
    const options = { key: this.tenant.key, headers: { "Compat-Project": `${this.tenant.team}/chat` } };
    const answer = await chat(server, this.model, { stream }, options);
    this.expectStatus(answer, 200);
    if (stream) assert.match(answer.text, /data: \[DONE\]\n\n$/);
    this.answered += 1;
  }

  async check(server) {
    const path = `/api/v1/usage?${new URLSearchParams({ group_by: "model", model: this.model })}`;
    // A node forwards the usage in its journal about once a second.
    const { requests, prompt_tokens } = await eventually(
      async () => this.expectStatus(await server.api("GET", path), 200).items[0] ?? { requests: 0, prompt_tokens: 0 },
      (row) => row.requests >= this.answered,
      `usage: not all of ${this.answered} completions are recorded`,
    );
    const asked = this.upstreams.completions.exchanges.filter(({ body }) => body.model === this.model).length;
    assert.ok(requests <= asked, `usage: ${asked} completions were made, ${requests} are recorded`);
    assert.ok(prompt_tokens >= this.answered * 10 && prompt_tokens <= asked * 10, `usage: ${prompt_tokens} tokens`);
  }
}

/** Spends one budget after the other. The budget of the next key is known to all nodes long before it is used. */
class Budgets extends Load {
  // A request reserves more than a thousand tokens for its prompt.
  static PRICES = { prompt: 1e-6, completion: 1e-3 };
  static COST = 10 * Budgets.PRICES.prompt + 5 * Budgets.PRICES.completion; // of a completion
  static REQUESTS = 40; // that a budget pays for
  answered = 0;
  keys = []; // {key, asked, answered, refused} in order of use; the last one is the next

  get amount() {
    return this.answered;
  }

  async prepare(server) {
    this.model = await addModel(server, [this.upstreams.completions.url]);
    await setDeploymentPrice(server, this.model, Budgets.PRICES);
    await this.#addKey(server);
    await this.#addKey(server);
  }

  async #addKey(server) {
    const { key, key_id } = await makeKey(server, "admin");
    await addLimit(server, { key: key_id, budget_usd: Budgets.REQUESTS * Budgets.COST });
    this.keys.push({ key, asked: 0, answered: 0, refused: 0 });
  }

  async write(server) {
    // Refusals in succession, so that every node has refused.
    if (this.keys.at(-2).refused >= 6) await this.#addKey(server);
    const current = this.keys.at(-2);
    current.asked += 1;
    const answer = await chat(server, this.model, { max_tokens: 5 }, { key: current.key });
    if (answer.status === 402) {
      expectOpenAiError(answer, 402, "insufficient_quota", "insufficient_quota");
      current.asked -= 1;
      current.refused += 1;
      return false;
    }
    this.expectStatus(answer, 200);
    current.refused = 0;
    current.answered += 1;
    this.answered += 1;
    return true;
  }

  async check() {
    for (const { asked, answered } of this.keys) {
      const { REQUESTS } = Budgets;
      assert.ok(answered <= REQUESTS, `budgets: one for ${REQUESTS} completions paid for ${answered}, of ${asked}`);
    }
  }
}

class Deliveries extends Load {
  async prepare(server) {
    this.receiver = await startReceiver();
    const { team } = this.tenant;
    const hook = await makeWebhook(server, team, { url_endpoint: this.receiver.url, max_concurrency: 16 });
    const event = { type: "ADD_ARTIFACT_TAG", tag_regex: "" };
    await makeAutomation(server, team, event, hook, { payload: '{"tag":"${tag}","project":"${project_name}"}' });
    await new ArtifactProject(server, team).put("tagged", { "a.txt": team });
  }

  async write(server) {
    const tag = freshName(this.tenant.team);
    await this.recordAcknowledged([tag], async () => {
      const path = `/api/v1/projects/${this.tenant.team}/lab/collections/tagged/versions/v0/tags/${tag}`;
      this.expectStatus(await server.api("PUT", path, { key: this.tenant.key }), 204);
    });
  }

  async check() {
    const tagOf = ({ body }) => JSON.parse(body).tag;
    await eventually(
      () => {
        const received = new Set(this.receiver.requests.map(tagOf));
        return [...this.acknowledged].filter((tag) => !received.has(tag)).length;
      },
      (missing) => missing === 0,
      "deliveries are lost",
    );
    const tagById = new Map();
    for (const each of this.receiver.requests) {
      const id = each.headers["webhook-id"];
      assert.equal(tagById.get(id) ?? tagOf(each), tagOf(each), "deliveries: one id for two events");
      tagById.set(id, tagOf(each));
    }
    // Repeated deliveries have the same id, so each tag has one id.
    compare("deliveries", { ...this, found: tagById.values() });
  }

  close() {
    return this.receiver.close();
  }
}

class Evaluations extends Load {
  static EXAMPLES = 25;

  get projectName() {
    return `${this.tenant.team}/evaluations`;
  }

  async prepare(server) {
    const project = new EvaluationProject(server, this.projectName);
    const rows = Array.from({ length: Evaluations.EXAMPLES }, (_, i) => ({ number: i, target: String(i) }));
    const exact = await project.scorer("exact", { kind: "exact_match" });
    this.evaluation = await project.evaluation(rows, [exact]);
    this.model = await project.model({ prompt: "{number}" });
  }

  /** Starts one run at a time and polls its status. */
  async write(server) {
    const project = new EvaluationProject(server, this.projectName);
    if (this.current === undefined) {
      this.current = await project.evaluate(this.evaluation, this.model);
      this.acknowledged.add(this.current);
      return true;
    }
    const { code } = await project.status(this.current);
    if (code !== "running") this.current = undefined;
    return false;
  }

  async check(server) {
    const project = new EvaluationProject(server, this.projectName);
    for (const run of this.acknowledged) {
      const status = await project.finished(run);
      assert.equal(status.code, "complete", JSON.stringify(status));
      const { EXAMPLES } = Evaluations;
      assert.deepEqual(status.output.exact, { passed: { true_count: EXAMPLES, true_fraction: 1 } });
      const rows = await project.rows(run);
      assert.equal(rows.length, EXAMPLES, "evaluations: rows are lost or duplicated");
      assert.equal(new Set(rows.map(({ inputs }) => inputs.example)).size, EXAMPLES, "evaluations: an example is duplicated");
      const below = await project.calls.query({ filter: { parent_ids: rows.map(({ id }) => id) } });
      assert.equal(below.length, 2 * EXAMPLES, "evaluations: predictions or scores are lost or duplicated");
    }
    this.current = undefined;
  }
}

class TrainingEvents extends Load {
  jobs = new Map(); // id to the number of acknowledged events

  get amount() {
    return [...this.jobs.values()].reduce((sum, posted) => sum + posted, 0);
  }

  async prepare(server) {
    const client = new TrainingClient(server);
    const base_model = await addBaseModel(server);
    const name = freshName("solver");
    this.model = await client.register({ entity: this.tenant.team, project: "lab", name, base_model });
    this.worker = freshName("trainer");
  }

  /** Creates a job if none is open, and posts the next event of the leased job. */
  async write(server) {
    if (this.job === undefined) {
      const client = new TrainingClient(server, { key: this.tenant.key });
      this.job = (await client.train(this.model, [group([0, 1])])).id;
      this.jobs.set(this.job, 0);
    }
    const posted = this.jobs.get(this.job);
    const token = this.held?.id === this.job ? this.held : await this.lease(server);
    if (token === undefined) return false;
    const event = posted === 0 ? started(1000) : step(1 / posted);
    const headers = { "Lease-Token": token.token };
    const path = `/api/v1/trainer/jobs/${this.job}/events`;
    const answer = await server.api("POST", path, { body: { first: posted + 1, events: [event] }, headers });
    if (answer.status === 409) this.held = undefined;
    this.expectStatus(answer, 200, 409);
    if (answer.status === 200) this.jobs.set(this.job, posted + 1);
    return answer.status === 200;
  }

  /** Leases a job. The server may offer any tenant's job; releases a job of the other tenant. */
  async lease(server) {
    const held = await new ScriptedTrainer(server, { worker: this.worker }).lease();
    if (held === undefined) return undefined;
    if (held.id !== this.job) {
      this.expectStatus(await held.api("POST", "/release", { body: {} }), 200, 409);
      return undefined;
    }
    this.held = { id: held.id, token: held.offer.lease.token };
    return this.held;
  }

  async check(server) {
    const client = new TrainingClient(server);
    for (const [id, posted] of this.jobs) {
      const events = await client.events(id);
      if (process.env.SPINDLE_SANITIZED && events.at(-1)?.type === "training_failed") this.#expectLost(id, events.pop());
      // One more event may be stored whose response was lost.
      assert.ok(events.length >= posted && events.length <= posted + 1, `training: ${posted} events were acknowledged, ${events.length} are there`);
      assert.deepEqual(
        events.map(({ type }) => type),
        events.map((_, i) => (i === 0 ? "training_started" : "gradient_step")),
      );
      const losses = events.slice(1).map(({ data }) => data.loss);
      assert.deepEqual(losses, losses.map((_, i) => 1 / (i + 1)), "training: events are out of order or duplicated");
      this.jobs.set(id, events.length);
    }
  }

  /** Expects that a job failed because kills ended three leases before an event, which happens with a sanitizer. */
  #expectLost(id, { data }) {
    assert.match(data.error_message, /^Trainers were lost 3 times at this job without progress/);
    if (id === this.job) this.job = undefined;
  }
}

const KINDS = [Calls, Spans, Feedback, Artifacts, Runs, Usage, Budgets, Deliveries, Evaluations, TrainingEvents];

/** A team, one of its members, and all kinds of load. */
export class Tenant {
  /** Creates a tenant. `skip` names kinds of load to omit, to isolate a fault. */
  static async create(server, upstreams, skip = []) {
    const tenant = new Tenant();
    tenant.team = (await makeTeam(server)).name;
    tenant.key = (await makeMember(server, tenant.team, "ADMIN")).key;
    tenant.loads = KINDS.filter(({ name }) => !skip.includes(name)).map((Kind) => new Kind(tenant, upstreams));
    for (const load of tenant.loads) await load.prepare(server);
    return tenant;
  }

  async check(server) {
    for (const load of this.loads) await load.check(server);
  }

  /** Expects that another tenant's key cannot read this tenant's projects. */
  async checkForeign(server, key) {
    for (const project of ["calls", "spans", "feedback", "evaluations", "chat"]) {
      const project_id = `${this.team}/${project}`;
      for (const path of ["/calls/stream_query", "/feedback/query", "/agents/spans/query"]) {
        const answer = await server.api("POST", path, { body: { project_id }, key });
        assert.equal(answer.status, 404, `${path} of ${project_id}: ${answer.text}`);
      }
    }
  }

  async close() {
    for (const load of this.loads) await load.close?.();
  }
}
