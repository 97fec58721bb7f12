// The training API with a fake trainer.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";

import { ArtifactProject } from "./support/artifacts.mjs";
import { expectGrowthBelow } from "./support/expect.mjs";
import { freshName, makeTeam } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";
import { within } from "./support/time_limits.mjs";
import { ScriptedTrainer, TrainingClient, addBaseModel, group, started, step } from "./support/training.mjs";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let server;
let client;
let trainer;
let base;
let team;
before(async () => {
  server = await startServer();
  client = new TrainingClient(server);
  trainer = new ScriptedTrainer(server);
  base = await addBaseModel(server);
  team = (await makeTeam(server)).name;
});
after(() => server.dispose());

const register = (fields = {}) =>
  client.register({ entity: team, project: "lab", name: freshName("solver"), base_model: base, ...fields });
const artifacts = () => new ArtifactProject(server, team);
const detail = ({ json }) => json.detail;
const violation = (answer) => {
  assert.equal(answer.status, 422, answer.text);
  const [{ loc, type }] = answer.json.detail;
  return { loc, type };
};

describe("the sequence of the reference client", () => {
  test("register, train, poll, get the step, delete", async () => {
    const name = freshName("solver");
    const body = { entity: team, project: "lab", name, base_model: base, return_existing: true };
    const model = await client.ok("POST", "/models", { body });
    const { id, run_id, ...rest } = model;
    assert.match(id, UUID);
    assert.match(run_id, /./);
    assert.deepEqual({ ...rest, return_existing: true }, body);
    assert.deepEqual(await client.ok("POST", "/models", { body }), model);
    assert.equal(await client.step(model), 0);

    const job = await client.train(model, [group([1, 0, 0, 1]), group([0, 1, 0.5, 0])]);
    assert.match(job.id, UUID);
    const script = manualTrainer(4);
    const steps = await client.poll(job.id, () => script.next());
    assert.deepEqual(steps.map(({ loss }) => loss), [1, 1 / 2, 1 / 3, 1 / 4]);
    assert.equal(await client.step(model), 1);

    const kept = await artifacts().ok("GET", `/collections/${name}/versions/step1`);
    assert.equal(kept.type, "lora");
    assert.deepEqual(kept.aliases, ["latest", "step1"]);
    assert.equal(kept.metadata.base_model, base);
    assert.equal((await artifacts().read(name, "step1", "adapter_config.json")).status, 200);

    const { data } = await client.ok("GET", `/models/${model.id}/checkpoints`);
    assert.deepEqual(data.map(({ step: at }) => at), [0, 1]);
    assert.deepEqual(data[0].metrics, {});
    assert.equal(data[1].metrics.reward, 0.5);
    assert.deepEqual(
      await client.ok("DELETE", `/models/${model.id}/checkpoints`, { body: { steps: [0, 9] } }),
      { deleted_count: 1, not_found_steps: [9] },
    );
    assert.deepEqual(await client.ok("DELETE", `/models/${model.id}`), {
      model_id: model.id,
      deleted_checkpoints: 1,
      deleted_run: true,
    });
    assert.equal((await artifacts().api("GET", `/collections/${name}`)).status, 404);
    assert.equal((await artifacts().api("GET", `/runs/${model.run_id}`)).status, 404);
    assert.equal((await client.api("GET", `/models/${model.id}/checkpoints`)).status, 404);
  });

  test("examples: upload, train, poll the same events", async () => {
    const model = await register();
    const rows = [
      { messages: [{ role: "user", content: "a" }, { role: "assistant", content: "b" }] },
      { messages: [{ role: "user", content: "c" }, { role: "assistant", content: "d" }], tools: [] },
    ];
    const lines = rows.map((row) => JSON.stringify(row)).join("\n");
    const name = `${model.name}-sft-data-0123456789ab`;
    const fields = { metadata: { format: "jsonl", num_trajectories: 2 } };
    await artifacts().put(name, { "train.jsonl": lines }, fields);
    const job = await client.sft(model, `svc-artifact:///${team}/lab/${name}:v0`, {
      batch_size: 1,
      learning_rate: [1e-4, 5e-5],
      metric_logging: { enabled: true, target_training_step: 1 },
    });
    const held = await trainer.lease();
    assert.equal(held.id, job.id);
    assert.equal(held.offer.job.kind, "sft");
    assert.deepEqual(held.offer.config.learning_rate, [1e-4, 5e-5]);
    assert.deepEqual(held.offer.config.metric_logging, { enabled: true, target_training_step: 1 });
    assert.equal((await held.ok("GET", "/data")).text, lines);
    await held.run(2);
    assert.equal((await client.poll(job.id)).length, 2);
    assert.equal(await client.step(model), 1);
  });

  test("download a checkpoint, fork it under another name, continue training", async () => {
    const source = await register();
    for (let i = 0; i < 2; ++i) {
      await client.train(source, [group([0, 1])]);
      await (await trainer.lease()).run(1);
    }
    const { items } = await artifacts().ok("GET", `/collections/${source.name}/versions`);
    const steps = items.flatMap(({ aliases }) => aliases.filter((alias) => alias.startsWith("step")));
    assert.deepEqual(steps.sort(), ["step0", "step1", "step2"]);
    const files = {};
    for (const name of ["adapter_config.json", "adapter_model.safetensors"])
      files[name] = (await artifacts().read(source.name, "step2", name)).bytes;

    const fork = await register();
    const metadata = { "svc.base_model": base };
    await artifacts().put(fork.name, files, { type: "lora", aliases: ["step2", "latest"], metadata });
    assert.equal(await client.step(fork), 2);
    await client.train(fork, [group([0, 1])]);
    const held = await trainer.lease();
    assert.equal(held.offer.adapter.step, 2);
    assert.deepEqual((await held.ok("GET", "/adapter/adapter_model.safetensors")).bytes, files["adapter_model.safetensors"]);
    await held.run(1);
    assert.equal(await client.step(fork), 3);
    assert.deepEqual((await artifacts().ok("GET", `/collections/${fork.name}/versions/step3`)).aliases, ["latest", "step3"]);
  });
});

/** Returns a trainer that does one action per call, so that a poll sees every state. */
function manualTrainer(steps) {
  const run = (async function* play() {
    const held = await trainer.lease();
    yield;
    await held.postEvents(1, started(steps));
    yield;
    for (let i = 0; i < steps; ++i) {
      await held.postEvents(i + 2, step(1 / (i + 1)));
      yield;
    }
    await held.uploadAdapter();
    await held.complete({ metrics: { reward: 0.5 } });
    while (true) yield;
  })();
  return { next: () => run.next() };
}

describe("models", () => {
  test("are created once; the second request is rejected unless return_existing is set", async () => {
    const body = { entity: team, project: "lab", name: freshName("solver"), base_model: base };
    const model = await client.ok("POST", "/models", { body });
    const again = await client.api("POST", "/models", { body });
    assert.equal(again.status, 409);
    assert.equal(typeof detail(again), "string");
    const same = await client.ok("POST", "/models", { body: { ...body, return_existing: true } });
    assert.equal(same.id, model.id);
  });

  test("need an available base model", async () => {
    const answer = await client.api("POST", "/models", {
      body: { entity: team, project: "lab", name: freshName("solver"), base_model: "vendor/unknown" },
    });
    assert.equal(answer.status, 400);
    assert.equal(typeof detail(answer), "string");
  });

  test("are validated by the schema", async () => {
    const answer = await client.api("POST", "/models", { body: { entity: 7, name: "a/b" } });
    assert.equal(answer.status, 422);
    assert.deepEqual(
      answer.json.detail.map(({ loc, type }) => [loc.join("."), type]).sort(),
      [
        ["body.base_model", "missing"],
        ["body.entity", "string_type"],
        ["body.name", "string_pattern_mismatch"],
        ["body.project", "missing"],
      ],
    );
  });

  test("ignore unknown members", async () => {
    assert.match((await register({ colour: "red" })).id, UUID);
  });

  test("that do not exist are 404, with any form of id", async () => {
    for (const id of ["00000000-0000-0000-0000-000000000000", "nonsense"]) {
      for (const [method, path, body] of [
        ["GET", `/models/${id}/checkpoints`],
        ["DELETE", `/models/${id}`],
        ["DELETE", `/models/${id}/checkpoints`, { steps: [] }],
        ["POST", `/models/${id}/log`, { split: "val", trajectory_groups: [] }],
        ["GET", `/training-jobs/${id}`],
        ["GET", `/training-jobs/${id}/events`],
      ]) {
        const answer = await client.api(method, path, { body });
        assert.equal(answer.status, 404, `${method} ${path}: ${answer.text}`);
        assert.equal(typeof detail(answer), "string");
      }
    }
  });

  test("log the metrics of their trajectories", async () => {
    const model = await register();
    const body = { model_id: "ignored", split: "val", trajectory_groups: [group([1, 0], { metrics: { turns: 3 } })] };
    await client.ok("POST", `/models/${model.id}/log`, { body });
    const { data } = await client.ok("GET", `/models/${model.id}/checkpoints`);
    assert.deepEqual(data[0].metrics, {
      "val/reward": 0.5,
      "val/reward_std_dev": 0.5,
      "val/exception_rate": 0,
      "val/turns": 3,
      training_step: 0,
    });
    const run = await artifacts().ok("GET", `/runs/${model.run_id}`);
    assert.equal(run.summary["val/reward"], 0.5);
  });
});

describe("checkpoints", () => {
  test("are paged in both directions", async () => {
    const model = await register();
    for (let i = 0; i < 3; ++i) {
      await client.train(model, [group([0, 1])]);
      await (await trainer.lease()).run(1);
    }
    const list = (query) => client.ok("GET", `/models/${model.id}/checkpoints${query}`);
    const whole = await list("");
    assert.equal(whole.object, "list");
    assert.deepEqual(whole.data.map(({ step: at }) => at), [0, 1, 2, 3]);
    assert.equal(whole.first_id, whole.data[0].id);
    assert.equal(whole.last_id, whole.data[3].id);
    assert.equal(whole.has_more, false);
    const seen = [];
    for (let page = await list("?limit=1"); page.data.length > 0; ) {
      seen.push(page.data[0].step);
      assert.equal(page.has_more, seen.length < 4);
      page = await list(`?limit=1&after=${page.last_id}`);
    }
    assert.deepEqual(seen, [0, 1, 2, 3]);
    const end = await list(`?after=${whole.last_id}`);
    assert.deepEqual(end, { object: "list", data: [], first_id: "", last_id: "", has_more: false });
    const down = await list(`?order=desc&limit=2&after=${whole.last_id}`);
    assert.deepEqual(down.data.map(({ step: at }) => at), [2, 1]);
    const unknown = await client.api("GET", `/models/${model.id}/checkpoints?after=none`);
    assert.equal(unknown.status, 404);
  });

  test("with invalid page parameters are rejected by the schema", async () => {
    const model = await register();
    for (const [query, loc, type] of [
      ["limit=0", "limit", "greater_than_equal"],
      ["limit=101", "limit", "less_than_equal"],
      ["limit=x", "limit", "int_parsing"],
      ["order=up", "order", "literal_error"],
    ]) {
      const answer = await client.api("GET", `/models/${model.id}/checkpoints?${query}`);
      assert.deepEqual(violation(answer), { loc: ["query", loc], type });
    }
  });
});

describe("jobs", () => {
  test("pass through their states and have every member", async () => {
    const model = await register();
    const job = await client.train(model, [group([0, 1])]);
    const { created_at, ...fresh } = job;
    assert.deepEqual(fresh, {
      id: job.id,
      model_id: model.id,
      status: "PENDING",
      progress: null,
      error_message: null,
      training_start: null,
      training_end: null,
      updated_at: created_at,
    });
    assert.deepEqual(await client.events(job.id), []);
    const held = await trainer.lease();
    assert.equal((await client.job(job.id)).status, "PENDING");
    await held.postEvents(1, started(2));
    const running = await client.job(job.id);
    assert.equal(running.status, "RUNNING");
    assert.notEqual(running.training_start, null);
    assert.equal(running.progress, 0);
    await held.postEvents(2, step(1));
    assert.equal((await client.job(job.id)).progress, 0.5);
    await held.postEvents(3, step(0.5));
    await held.uploadAdapter();
    assert.deepEqual(await held.complete(), { step: 1, version: "v1" });
    assert.deepEqual(await held.complete(), { step: 1, version: "v1" }, "a repeated request returns the same response");
    const done = await client.job(job.id);
    assert.equal(done.status, "COMPLETED");
    assert.equal(done.progress, 1);
    assert.notEqual(done.training_end, null);
    const events = await client.events(job.id, 1);
    assert.deepEqual(
      events.map(({ type }) => type),
      ["training_started", "gradient_step", "gradient_step", "training_ended"],
    );
    assert.deepEqual(events[0].data, { num_sequences: 2 });
    assert.deepEqual(events[3].data, {});
    const tail = await client.ok("GET", `/training-jobs/${job.id}/events?after=${events[3].id}`);
    assert.deepEqual(tail, { object: "list", data: [], first_id: "", last_id: "", has_more: false });
    assert.equal((await client.api("GET", `/training-jobs/${job.id}/events?after=none`)).status, 404);
  });

  test("that fail report the reason to polling clients", async () => {
    const model = await register();
    const job = await client.train(model, [group([0, 1])]);
    const held = await trainer.lease();
    await held.postEvents(1, started(2));
    await held.post("/fail", { message: "The loss is not a number: lower learning_rate." });
    await assert.rejects(client.poll(job.id), /lower learning_rate/);
    const failed = await client.job(job.id);
    assert.equal(failed.status, "FAILED");
    assert.equal(failed.error_message, "The loss is not a number: lower learning_rate.");
    assert.equal(await client.step(model), 0);
  });

  test("without training data publish a copy of the last checkpoint", async () => {
    const model = await register();
    const job = await client.train(model, [group([1, 1])]);
    const held = await trainer.lease();
    await held.postEvents(1, started(0));
    await held.complete({ unchanged: true, metrics: { num_groups_trainable: 0 } });
    assert.deepEqual(await client.poll(job.id), []);
    const { data } = await client.ok("GET", `/models/${model.id}/checkpoints?order=desc`);
    assert.deepEqual([data[0].step, data[0].metrics], [1, { num_groups_trainable: 0 }]);
  });

  test("are cancelled with their model", async () => {
    const model = await register();
    const job = await client.train(model, [group([0, 1])]);
    const held = await trainer.lease();
    await held.postEvents(1, started(2));
    await client.ok("DELETE", `/models/${model.id}`);
    assert.equal((await client.job(job.id)).status, "CANCELLED");
    await assert.rejects(client.poll(job.id), /deleted/);
    assert.equal((await held.post("/heartbeat", {})).cancel, true);
    const late = await held.api("POST", "/events", { body: { first: 2, events: [step(1)] } });
    assert.equal(late.status, 409);
    assert.equal(late.json.code, "job_cancelled");
  });

  test("are listed, read and cancelled by operators", async () => {
    const model = await register({ project: freshName("ops") });
    const jobs = [await client.train(model, [group([0, 1])]), await client.train(model, [group([0, 1])])];
    const list = `/api/v1/training-jobs?project=${team}/${model.project}`;
    const { items } = (await server.api("GET", list)).json;
    assert.deepEqual(items.map(({ id }) => id), [jobs[1].id, jobs[0].id]);
    assert.equal(items[0].model, model.name);
    assert.equal(items[0].config.loss_fn, "cispo");
    const page = (await server.api("GET", `${list}&limit=1`)).json;
    const rest = (await server.api("GET", `${list}&limit=1&cursor=${page.next_cursor}`)).json;
    assert.equal(rest.items[0].id, jobs[0].id);
    const cancelled = await server.api("POST", `/api/v1/training-jobs/${jobs[0].id}/cancel`);
    assert.equal(cancelled.json.status, "CANCELLED");
    const held = await trainer.lease();
    assert.equal(held.id, jobs[1].id, "the next job starts");
    await held.postEvents(1, started(4), step(1));
    await held.post("/heartbeat", { seconds_left: 30 });
    const shown = (await server.api("GET", `/api/v1/training-jobs/${jobs[1].id}`)).json;
    assert.equal(shown.progress, 0.25);
    assert.ok(shown.seconds_left > 0 && shown.seconds_left <= 30);
    await held.post("/fail", { message: "enough" });
    const failed = (await server.api("GET", `${list}&status=FAILED`)).json;
    assert.deepEqual(failed.items.map(({ id }) => id), [jobs[1].id]);
  });

  test("of one model run one at a time, in order; jobs of other models run in parallel", async () => {
    const one = await register();
    const other = await register();
    const first = await client.train(one, [group([0, 1])]);
    const second = await client.train(one, [group([0, 1])]);
    const third = await client.train(other, [group([0, 1])]);
    const [a, b, c] = ["a", "b", "c"].map(() => new ScriptedTrainer(server));
    const held = await a.lease();
    assert.equal(held.id, first.id);
    const beside = await b.lease();
    assert.equal(beside.id, third.id);
    const waiting = c.lease(30);
    await held.run(1);
    const next = await waiting;
    assert.equal(next.id, second.id);
    assert.equal(next.offer.job.step, 2);
    assert.equal(next.offer.adapter.step, 1);
    await next.run(1);
    await beside.run(1);
  });
});

describe("the body of a job", () => {
  let model;
  before(async () => (model = await register()));

  test("is validated group by group", async () => {
    const send = (body) => client.api("POST", "/training-jobs", { body });
    const bad = { model_id: model.id, trajectory_groups: [group([0]), { trajectories: [{ reward: "high" }] }] };
    assert.deepEqual(violation(await send(bad)), {
      loc: ["body", "trajectory_groups", 1, "trajectories", 0, "reward"],
      type: "float_parsing",
    });
    assert.deepEqual(violation(await send({ model_id: "x", trajectory_groups: [] })), {
      loc: ["body", "model_id"],
      type: "uuid_parsing",
    });
    assert.deepEqual(violation(await send({ model_id: model.id })), {
      loc: ["body", "trajectory_groups"],
      type: "missing",
    });
    assert.deepEqual(violation(await send({ model_id: model.id, trajectory_groups: {} })), {
      loc: ["body", "trajectory_groups"],
      type: "list_type",
    });
    assert.deepEqual(violation(await send('{"model_id": "x", "trajectory_groups": [{]}')).type, "json_invalid");
    assert.deepEqual(violation(await send("[1]")).loc, ["body"]);
    assert.equal(violation(await send('{"trajectory_groups":[{},}')).type, "json_invalid");
    const message = await send({
      model_id: model.id,
      trajectory_groups: [{ trajectories: [{ messages_and_choices: [{ role: "captain", content: "x" }] }] }],
    });
    assert.deepEqual(violation(message).loc.slice(0, 6), [
      "body", "trajectory_groups", 0, "trajectories", 0, "messages_and_choices",
    ]);
  });

  test("has a rule for every field of the configuration", async () => {
    for (const [field, value, type] of [
      ["loss_fn", "reinforce", "literal_error"],
      ["importance_sampling_level", "word", "literal_error"],
      ["kl_penalty_source", "nobody", "literal_error"],
      ["kl_penalty_coef", -1, "greater_than_equal"],
      ["kl_penalty_reference_step", -1, "greater_than_equal"],
      ["kl_penalty_step_lag", 0, "greater_than_equal"],
      ["advantage_balance", 2, "less_than_equal"],
      ["advantage_balance", -2, "greater_than_equal"],
      ["packed_sequence_length", 0, "greater_than_equal"],
      ["learning_rate", "fast", "float_parsing"],
      ["ppo", "perhaps", "bool_parsing"],
    ]) {
      const body = { model_id: model.id, trajectory_groups: [], experimental_config: { [field]: value } };
      assert.deepEqual(violation(await client.api("POST", "/training-jobs", { body })), {
        loc: ["body", "experimental_config", field],
        type,
      });
    }
    const both = { kl_penalty_reference_step: 0, kl_penalty_step_lag: 1 };
    const body = { model_id: model.id, trajectory_groups: [], experimental_config: both };
    assert.equal(violation(await client.api("POST", "/training-jobs", { body })).type, "value_error");
    const gone = { ...body, experimental_config: { kl_penalty_reference_step: 7 } };
    assert.equal((await client.api("POST", "/training-jobs", { body: gone })).status, 400);
    const path = { ...body, experimental_config: { kl_ref_adapter_path: "no/such/thing:v0" } };
    assert.equal((await client.api("POST", "/training-jobs", { body: path })).status, 400);
  });

  test("may have null for defaults; unknown members of trajectories reach the trainer", async () => {
    const sent = { ...group([0, 1], { colour: "red", metadata: { scenario_id: "s" } }), logs: ["a"] };
    const config = { learning_rate: null, loss_fn: "ppo", epsilon: null };
    const job = await client.train(model, [sent], config);
    const held = await trainer.lease();
    assert.equal(held.id, job.id);
    assert.equal(held.offer.config.learning_rate, 5e-6);
    assert.equal(held.offer.config.epsilon, 0.2);
    assert.deepEqual(held.offer.data.count, 1);
    const { text, bytes } = await held.ok("GET", "/data");
    assert.deepEqual(text.trim().split("\n").map(JSON.parse), [sent]);
    assert.equal(held.offer.data.size, bytes.length);
    const part = await held.api("GET", "/data", { headers: { Range: "bytes=1-4" } });
    assert.equal(part.status, 206);
    assert.deepEqual(part.bytes, bytes.subarray(1, 5));
    await held.run(1);
  });

  test("may be compressed, and sent in chunks of any size", async () => {
    const groups = Array.from({ length: 40 }, (_, i) => group([i, 1, 2, 3], { logs: ["☃".repeat(i * 50)] }));
    const text = JSON.stringify({ model_id: model.id, trajectory_groups: groups }, null, 1);
    for (const [body, headers] of [
      [gzipSync(text), { "Content-Encoding": "gzip" }],
      [Buffer.from(text), {}],
    ]) {
      const job = await client.ok("POST", "/training-jobs", { body, headers });
      const held = await trainer.lease();
      assert.equal(held.id, job.id);
      const lines = (await held.ok("GET", "/data")).text.trim().split("\n");
      assert.deepEqual(lines.map(JSON.parse), groups);
      await held.run(1);
    }
    const broken = { "Content-Encoding": "gzip" };
    const answer = await client.api("POST", "/training-jobs", { body: Buffer.from(text), headers: broken });
    assert.equal(answer.status, 400);
  });

  test("does not increase the server's memory if it is large", within(120_000), async () => {
    const noise = randomBytes(48 * 1024).toString("hex");
    const one = JSON.stringify(group([0, 1], { logs: [noise] }));
    const body = Buffer.from(
      `{"model_id":"${model.id}","trajectory_groups":[${Array.from({ length: 300 }, () => one).join(",")}]}`,
    );
    assert.ok(body.length > 50e6);
    const before_kb = server.residentKilobytes();
    const job = await client.ok("POST", "/training-jobs", { body });
    expectGrowthBelow(server.residentKilobytes() - before_kb, 30_000);
    const held = await trainer.lease();
    assert.equal(held.id, job.id);
    assert.equal(held.offer.data.count, 300);
    await held.run(1);
  });
});

describe("examples", () => {
  let model;
  before(async () => (model = await register()));
  const url = (name, version = "v0") => `svc-artifact:///${team}/lab/${name}:${version}`;
  const line = JSON.stringify({ messages: [{ role: "user", content: "a" }, { role: "assistant", content: "b" }] });
  const refused = async (data, config = null) => {
    const body = { model_id: model.id, training_data_url: data, config };
    return client.api("POST", "/sft-training-jobs", { body });
  };

  test("are found in both layouts, and as the only JSONL file", async () => {
    for (const [files, chosen] of [
      [{ "trajectories.jsonl": `${line}\n1`, "metadata.json": "{}" }, `${line}\n1`],
      [{ "train.jsonl": `${line}\n2` }, `${line}\n2`],
      [{ "rows.jsonl": `${line}\n3`, "README.md": "x" }, `${line}\n3`],
    ]) {
      const name = freshName("rows");
      await artifacts().put(name, files);
      const job = await client.sft(model, url(name));
      const held = await trainer.lease();
      assert.equal(held.id, job.id);
      assert.equal((await held.ok("GET", "/data")).text, chosen);
      assert.equal(held.offer.config.batch_size, 2);
      await held.run(1);
    }
  });

  test("that do not exist are rejected", async () => {
    const name = freshName("rows");
    await artifacts().put(name, { "a.jsonl": line, "b.jsonl": line });
    for (const data of [url(name), url("nothing-here"), url(name, "v7"), "nonsense", "https://example.test/x"]) {
      const answer = await refused(data);
      assert.equal(answer.status, 400, data);
      assert.equal(typeof detail(answer), "string");
    }
  });

  test("requested again return the same job until the data is deleted", async () => {
    const name = freshName("rows");
    await artifacts().put(name, { "train.jsonl": line });
    const job = await client.sft(model, url(name));
    assert.equal((await client.sft(model, url(name))).id, job.id);
    await (await trainer.lease()).run(1);
    assert.equal((await client.sft(model, url(name))).id, job.id);
    await artifacts().ok("DELETE", `/collections/${name}`);
    assert.equal((await refused(url(name))).status, 400);
  });

  test("have a configuration that is validated by the schema", async () => {
    const name = freshName("rows");
    await artifacts().put(name, { "train.jsonl": line });
    for (const [config, loc, type] of [
      [{ batch_size: "some" }, "batch_size", "int_parsing"],
      [{ assistant_turns: "first" }, "assistant_turns", "literal_error"],
      [{ metric_logging: 1 }, "metric_logging", undefined],
    ]) {
      const answer = violation(await refused(url(name), config));
      assert.deepEqual(answer.loc.slice(0, 3), ["body", "config", loc]);
      if (type) assert.equal(answer.type, type);
    }
    for (const config of [{ batch_size: "auto" }, { batch_size: null }, { batch_size: 4, learning_rate: 1e-4 }]) {
      const rows = freshName("rows");
      await artifacts().put(rows, { "train.jsonl": `${line}\n${rows}` });
      await client.sft(model, url(rows), config);
      const held = await trainer.lease();
      assert.equal(held.offer.config.batch_size, config.batch_size === 4 ? 4 : 2);
      assert.equal(held.offer.config.learning_rate, config.learning_rate ?? 5e-5);
      await held.run(1);
    }
  });
});
