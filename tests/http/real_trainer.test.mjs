// Training of spindle-nano with the real spindle-trainer, started by the server or on another host: kills, stops,
// cancellation and invalid data.

import assert from "node:assert/strict";
import { readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { ArtifactProject } from "./support/artifacts.mjs";
import { freshName } from "./support/people.mjs";
import { NANO, NANO_ENV, OWN_TRAINER_ENV, examples, putExamples, sampledChoice, startTrainer, tokenGroups } from "./support/real_trainer.mjs";
import { filesIn } from "./support/program.mjs";
import { startServer } from "./support/server.mjs";
import { ENDED, TrainingServer } from "./support/training_server.mjs";

/** Returns the child processes of a process. */
function childrenOf(pid) {
  return readdirSync(`/proc/${pid}/task`)
    .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").trim().split(" "))
    .filter((child) => child !== "")
    .map((child) => ({ pid: Number(child), line: readFileSync(`/proc/${child}/cmdline`, "utf8").split("\0") }));
}

const trainersOf = (server) => childrenOf(server.program.pid).filter(({ line }) => line[0].endsWith("/spindle-trainer"));

const isThere = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe("a server with its own trainer", () => {
  let training;
  before(async () => (training = await TrainingServer.start(OWN_TRAINER_ENV)));
  after(() => training.dispose());

  test("starts it for a job, and serves the checkpoint before it reports the end", async () => {
    assert.deepEqual(trainersOf(training.server), [], "no trainer without a job");
    const model = await training.model();
    const job = await training.client.train(model, tokenGroups(6), { learning_rate: 1e-4 });
    let served;
    const steps = await training.client.poll(job.id, async () => {
      const name = `svc-artifact:///${training.team}/lab/${model.name}:step1`;
      served ??= (await training.chat(name)).status === 200 ? "served" : undefined;
    });
    assert.equal((await training.chat(`svc-artifact:///${training.team}/lab/${model.name}:step1`)).status, 200);
    assert.ok(steps.length >= 1);
    assert.ok(steps.every(({ loss, grad_norm, reward, completion_length }) =>
      [loss, grad_norm, reward, completion_length].every(Number.isFinite)));
    assert.equal(steps[0].completion_length, 12);
    assert.equal(await training.client.step(model), 1);
    assert.equal(trainersOf(training.server).length, 1);
    assert.ok(trainersOf(training.server)[0].line.every((word) => !word.includes("KEY")), "no key in the command line");
  });

  test("trains a base model whose file is in the file store", async () => {
    const { server } = training;
    const base_model = freshName("stored");
    assert.equal((await server.api("POST", "/api/v1/models", { body: { name: base_model, upload: true } })).status, 201);
    assert.equal((await server.api("PUT", `/api/v1/model-files/${base_model}`, { body: readFileSync(NANO) })).status, 200);
    const model = await training.model({ base_model });
    await training.completed(await training.sft(model, examples(2), { batch_size: 2, learning_rate: 1e-4 }));
    assert.equal(await training.client.step(model), 1);
    assert.equal((await training.chat(`svc-artifact:///${training.team}/lab/${model.name}:step1`)).status, 200);
  });

  test("supports the sequence of the reference client", async () => {
    const { client } = training;
    const model = await training.model();
    const chosen = `svc-artifact:///${training.team}/lab/${model.name}`;
    assert.equal(await client.step(model), 0);
    const messages = [{ role: "user", content: "How often does ant appear here? ant bee ant cat ant" }];
    const { json: sampled } = await training.chat(chosen, { messages, n: 4, temperature: 1, logprobs: true, return_token_ids: true });
    const group = {
      trajectories: sampled.choices.map((choice, i) => ({
        messages_and_choices: [...messages, { ...choice, prompt_token_ids: sampled.prompt_token_ids }],
        ...(i === 0 ? {} : { reward: i / 4 }),
      })),
    };
    const rl = await client.train(model, [group], null);
    const [first] = await client.poll(rl.id, () => {});
    assert.ok(first["loss/probs_corr"] > 0.99, "the trainer's log probabilities match the engine's");
    assert.equal(await client.step(model), 1);
    const sft = await training.sft(model, examples(4), { batch_size: 2, learning_rate: [1e-4, 5e-5] });
    assert.equal((await client.poll(sft.id, () => {})).length, 2);
    assert.equal(await client.step(model), 2);
    await client.ok("POST", `/models/${model.id}/log`, { body: { split: "val", trajectory_groups: [group] } });
    assert.notEqual((await training.weights(model, "step1"))[0], (await training.weights(model, "step2"))[0]);
    for (const version of ["", ":step2", ":latest", ":v1"]) assert.equal((await training.chat(chosen + version)).status, 200);
    const deleted = await client.ok("DELETE", `/models/${model.id}/checkpoints`, { body: { steps: [0, 1] } });
    assert.equal(deleted.deleted_count, 2);
    assert.equal((await training.chat(`${chosen}:step1`)).status, 404);
    assert.equal((await client.ok("DELETE", `/models/${model.id}`)).deleted_checkpoints, 1);
  });

  test("stops it with the server, and continues the job after a restart", async () => {
    const other = await TrainingServer.start(OWN_TRAINER_ENV);
    try {
      const model = await other.model();
      const job = await other.sft(model, examples(30));
      await other.until(job, ({ progress }) => progress > 0.1);
      const [{ pid }] = trainersOf(other.server);
      const { dataDir } = other.server;
      assert.equal((await other.server.stop()).code, 0);
      assert.ok(!isThere(pid));
      const again = await startServer({ env: other.env, dataDir });
      again.ownsFolder = true;
      other.use(again);
      await other.completed(job);
      assert.equal((await other.gradientSteps(job)).length, 30);
    } finally {
      await other.dispose();
    }
  });
});

describe("SIGKILL in the middle of a job", () => {
  let training;
  let undisturbed;
  const rows = examples(24);
  before(async () => {
    training = await TrainingServer.start(OWN_TRAINER_ENV);
    const model = await training.model();
    const sft = await training.sft(model, rows);
    await training.completed(sft);
    const rl = await training.client.train(model, ...policyWork());
    await training.completed(rl);
    undisturbed = {
      sft: { gradientSteps: await training.gradientSteps(sft), weights: await training.weights(model, "step1") },
      rl: { gradientSteps: await training.gradientSteps(rl), weights: await training.weights(model, "step2") },
    };
    assert.ok(undisturbed.rl.gradientSteps.length >= 8, `${undisturbed.rl.gradientSteps.length} steps`);
  });
  after(() => training.dispose());

  const policyWork = () => [tokenGroups(24), { learning_rate: 1e-4, packed_sequence_length: 128 }];

  /** Runs both kinds of jobs, calls `disturb` once during each, and expects the undisturbed results. */
  async function expectTheSame(place, disturb) {
    const model = await place.model();
    for (const [kind, start] of [
      ["sft", () => place.sft(model, rows)],
      ["rl", () => place.client.train(model, ...policyWork())],
    ]) {
      const job = await start();
      await place.until(job, ({ progress }) => progress > 0.2);
      await disturb();
      await place.completed(job);
      assert.deepEqual(await place.gradientSteps(job), undisturbed[kind].gradientSteps);
      assert.deepEqual(await place.weights(model, kind === "sft" ? "step1" : "step2"), undisturbed[kind].weights);
    }
  }

  test("of the server's own trainer", async () => {
    const killed = new Set();
    await expectTheSame(training, async () => {
      const [{ pid }] = trainersOf(training.server);
      killed.add(pid);
      process.kill(pid, "SIGKILL");
    });
    assert.equal(killed.size, 2);
    assert.match(training.server.logs, /"event":"trainer_died".*"signal":9/);
  });

  test("of the server with its own trainer", async () => {
    const own = await TrainingServer.start(OWN_TRAINER_ENV);
    try {
      await expectTheSame(own, () => own.killServer());
    } finally {
      await own.dispose();
    }
  });

  test("of the server, while a remote trainer waits for its restart", async () => {
    const remote = await TrainingServer.start(NANO_ENV);
    const trainer = startTrainer(remote.server);
    try {
      await expectTheSame(remote, () => remote.killServer());
      assert.ok(trainer.running);
      trainer.signal("SIGTERM");
      assert.equal((await trainer.ended).code, 0);
    } finally {
      trainer.signal("SIGKILL");
      await remote.dispose();
    }
  });

  test("of a remote trainer, whose job another trainer completes", async () => {
    const remote = await TrainingServer.start(NANO_ENV);
    const name = freshName("trainer");
    let trainer = startTrainer(remote.server, { name });
    try {
      await expectTheSame(remote, async () => {
        trainer.signal("SIGKILL");
        await trainer.ended;
        trainer = startTrainer(remote.server, { name });
      });
    } finally {
      trainer.signal("SIGKILL");
      await remote.dispose();
    }
  });
});

describe("a remote trainer", () => {
  let training;
  let trainer;
  before(async () => {
    training = await TrainingServer.start(NANO_ENV);
    trainer = startTrainer(training.server);
  });
  after(async () => {
    trainer.signal("SIGKILL");
    await training.dispose();
  });

  test("drops a cancelled job and leases the next", async () => {
    const model = await training.model();
    const job = await training.sft(model, examples(400));
    const next = await training.sft(model, examples(3));
    const under_way = await training.until(job, ({ progress }) => progress > 0);
    assert.ok(under_way.progress < 0.9);
    const path = `/api/v1/training-jobs/${job.id}`;
    assert.equal((await training.server.api("POST", `${path}/cancel`)).status, 200);
    await training.completed(next);
    assert.equal((await training.client.job(job.id)).status, "CANCELLED");
    assert.equal(await training.client.step(model), 1);
  });

  test("reports the remaining time", async () => {
    const job = await training.sft(await training.model(), examples(400));
    let estimate = null;
    while (estimate === null) {
      const { json } = await training.server.api("GET", `/api/v1/training-jobs/${job.id}`);
      assert.doesNotMatch(json.status, ENDED);
      estimate = json.seconds_left;
    }
    assert.ok(estimate > 0);
    await training.server.api("POST", `/api/v1/training-jobs/${job.id}/cancel`);
  });

  test("releases its job when it is stopped, without losing a step", async () => {
    const job = await training.sft(await training.model(), examples(30));
    await training.until(job, ({ progress }) => progress > 0.1);
    trainer.signal("SIGTERM");
    assert.equal((await trainer.ended).code, 0);
    const done = (await training.client.events(job.id)).length;
    assert.equal((await training.client.job(job.id)).status, "RUNNING");
    trainer = startTrainer(training.server);
    await training.completed(job);
    assert.ok((await training.gradientSteps(job)).length + 2 > done);
  });

  test("with an invalid key prints an error and exits", async () => {
    const outsider = startTrainer({ url: training.server.url, adminKey: "no-such-key-0123456789" });
    const { code, stderr } = await outsider.ended;
    assert.equal(code, 1);
    assert.match(stderr, /The server rejected the key/);
  });

  test("fails jobs with invalid data with advice", async () => {
    const model = await training.model();
    const failure = async (job) => training.failed(await job);
    assert.match(
      await failure(training.sft(model, examples(4), { batch_size: 1, learning_rate: 1e30 })),
      /^The loss is not a number at step \d+: a lower learning_rate may help\.$/,
    );
    assert.match(
      await failure(training.sft(model, examples(4), { batch_size: 1, learning_rate: [1e-4, 1e-4] })),
      /^learning_rate has 2 entries, but the data makes 4 batches of 1 rows/,
    );
    const [{ trajectories }] = tokenGroups(1);
    const short = sampledChoice([300, 301], [302, 303, 304]);
    short.logprobs.content.pop();
    const lost = [{ trajectories: [...trajectories, { messages_and_choices: [short], reward: 1 }] }];
    assert.match(await failure(training.client.train(model, lost)), /: group 1: trajectories\[4\].*logprobs/);
    const strange = [{ trajectories: [...trajectories, { messages_and_choices: [sampledChoice([300], [999_999])], reward: 1 }] }];
    assert.match(await failure(training.client.train(model, strange)), /trajectories\[4\].*999999/);
    const numbers = [{ messages: [{ role: "user", content: 7 }, { role: "assistant", content: "b" }] }];
    assert.match(
      await failure(training.sft(model, numbers)),
      /line 1: messages\[0\]\.content is neither text nor a list of parts\.$/,
    );
    const garbled = await training.client.sft(model, await putGarbage(), { batch_size: 1 });
    assert.match(await training.failed(garbled), /line 2/i);
    assert.equal(await training.client.step(model), 0);
  });

  /** Stores rows of which the second is invalid. */
  async function putGarbage() {
    const name = freshName("garbage");
    const lines = [JSON.stringify(examples(1)[0]), '{"messages": [', JSON.stringify(examples(1)[0])].join("\n");
    await new ArtifactProject(training.server, training.team).put(name, { "train.jsonl": lines });
    return `svc-artifact:///${training.team}/lab/${name}:v0`;
  }

  test("uses the data as it was when the job was created", async () => {
    const model = await training.model();
    const busy = await training.sft(model, examples(20));
    const url = await putExamples(training.server, training.team, examples(1));
    const job = await training.client.sft(model, url);
    const [, name] = /\/([^/]+):v0$/.exec(url);
    assert.equal((await new ArtifactProject(training.server, training.team).api("DELETE", `/collections/${name}`)).status, 204);
    await training.completed(busy);
    await training.completed(job);
  });

  test("reports lost data", async () => {
    const model = await training.model();
    const busy = await training.sft(model, examples(20));
    const word = freshName("lost");
    const job = await training.sft(model, [{ messages: [{ role: "user", content: word }, { role: "assistant", content: "b" }] }]);
    const kept = filesIn(training.server.dataDir).map((file) => join(training.server.dataDir, file));
    const lost = kept.filter((file) => statSync(file).size < 500 && readFileSync(file, "utf8").includes(word));
    assert.equal(lost.length, 1, "the file with the examples");
    rmSync(lost[0]);
    await training.completed(busy);
    assert.match(await training.failed(job), /^The server has lost the training data .*: upload it again/);
  });

  // A sanitizer reserves more address space than the limit leaves, and its operator new ends the program, where the real
  // one throws the exception that this test is about.
  const skip = Boolean(process.env.SPINDLE_SANITIZED);
  test("reports that memory is exhausted, and keeps running", { skip }, async () => {
    trainer.signal("SIGTERM");
    await trainer.ended;
    trainer = startTrainer(training.server, { shell: "ulimit -d 1000000;" });
    const model = await training.model();
    // Large enough that a tensor fails to fit, not a small allocation in a library, some of which do not check theirs.
    const large = await training.sft(model, examples(1200), { batch_size: 1200, learning_rate: 1e-4 });
    const message = await training.failed(large);
    assert.match(message, /^The trainer ran out of memory: .*batch_size/);
    assert.doesNotMatch(message, /packed_sequence_length/);
    await training.completed(await training.sft(model, examples(3)));
    assert.ok(trainer.running);
  });
});
