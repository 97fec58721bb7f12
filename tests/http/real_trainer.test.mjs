// Training that really trains: spindle-trainer on spindle-nano, started by the server or joined from
// elsewhere; killed, stopped, cancelled, and given what it cannot learn from.

import assert from "node:assert/strict";
import { readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { ArtifactProject } from "./support/artifacts.mjs";
import { freshName } from "./support/people.mjs";
import { NANO_ENV, OWN_TRAINER_ENV, examples, putExamples, sampledChoice, startTrainer, tokenGroups } from "./support/real_trainer.mjs";
import { filesIn } from "./support/program.mjs";
import { startServer } from "./support/server.mjs";
import { ENDED, Lab } from "./support/training_lab.mjs";

/** The programs that a process has started. */
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

describe("a server with a trainer of its own", () => {
  let lab;
  before(async () => (lab = await Lab.start(OWN_TRAINER_ENV)));
  after(() => lab.dispose());

  test("starts it when there is work, and serves what it made before it says that it ended", async () => {
    assert.deepEqual(trainersOf(lab.server), [], "none as long as there is nothing to do");
    const model = await lab.model();
    const job = await lab.client.train(model, tokenGroups(6), { learning_rate: 1e-4 });
    let served;
    const steps = await lab.client.poll(job.id, async () => {
      const name = `svc-artifact:///${lab.team}/lab/${model.name}:step1`;
      served ??= (await lab.chat(name)).status === 200 ? "served" : undefined;
    });
    assert.equal((await lab.chat(`svc-artifact:///${lab.team}/lab/${model.name}:step1`)).status, 200);
    assert.ok(steps.length >= 1);
    assert.ok(steps.every(({ loss, grad_norm, reward, completion_length }) =>
      [loss, grad_norm, reward, completion_length].every(Number.isFinite)));
    assert.equal(steps[0].completion_length, 12);
    assert.equal(await lab.client.step(model), 1);
    assert.equal(trainersOf(lab.server).length, 1);
    assert.ok(trainersOf(lab.server)[0].line.every((word) => !word.includes("KEY")), "no key where others see it");
  });

  test("the sequence of the reference client, with nothing but what it says", async () => {
    const { client } = lab;
    const model = await lab.model();
    const chosen = `svc-artifact:///${lab.team}/lab/${model.name}`;
    assert.equal(await client.step(model), 0);
    const messages = [{ role: "user", content: "How often does ant appear here? ant bee ant cat ant" }];
    const { json: sampled } = await lab.chat(chosen, { messages, n: 4, temperature: 1, logprobs: true, return_token_ids: true });
    const group = {
      trajectories: sampled.choices.map((choice, i) => ({
        messages_and_choices: [...messages, { ...choice, prompt_token_ids: sampled.prompt_token_ids }],
        ...(i === 0 ? {} : { reward: i / 4 }),
      })),
    };
    const rl = await client.train(model, [group], null);
    const [first] = await client.poll(rl.id, () => {});
    assert.ok(first["loss/probs_corr"] > 0.99, "what the trainer computes is what the engine sampled");
    assert.equal(await client.step(model), 1);
    const sft = await lab.sft(model, examples(4), { batch_size: 2, learning_rate: [1e-4, 5e-5] });
    assert.equal((await client.poll(sft.id, () => {})).length, 2);
    assert.equal(await client.step(model), 2);
    await client.ok("POST", `/models/${model.id}/log`, { body: { split: "val", trajectory_groups: [group] } });
    assert.notEqual((await lab.weights(model, "step1"))[0], (await lab.weights(model, "step2"))[0]);
    for (const version of ["", ":step2", ":latest", ":v1"]) assert.equal((await lab.chat(chosen + version)).status, 200);
    const deleted = await client.ok("DELETE", `/models/${model.id}/checkpoints`, { body: { steps: [0, 1] } });
    assert.equal(deleted.deleted_count, 2);
    assert.equal((await lab.chat(`${chosen}:step1`)).status, 404);
    assert.equal((await client.ok("DELETE", `/models/${model.id}`)).deleted_checkpoints, 1);
  });

  test("takes it along when it stops, and goes on afterwards", async () => {
    const other = await Lab.start(OWN_TRAINER_ENV);
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
      assert.equal((await other.story(job)).length, 30);
    } finally {
      await other.dispose();
    }
  });
});

describe("SIGKILL in the middle of a job", () => {
  let lab;
  let undisturbed;
  const rows = examples(24);
  before(async () => {
    lab = await Lab.start(OWN_TRAINER_ENV);
    const model = await lab.model();
    const sft = await lab.sft(model, rows);
    await lab.completed(sft);
    const rl = await lab.client.train(model, ...policyWork());
    await lab.completed(rl);
    undisturbed = {
      sft: { story: await lab.story(sft), weights: await lab.weights(model, "step1") },
      rl: { story: await lab.story(rl), weights: await lab.weights(model, "step2") },
    };
    assert.ok(undisturbed.rl.story.length >= 8, `${undisturbed.rl.story.length} steps`);
  });
  after(() => lab.dispose());

  const policyWork = () => [tokenGroups(24), { learning_rate: 1e-4, packed_sequence_length: 128 }];

  /** Both kinds of jobs one after the other, each disturbed once when it has begun. */
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
      assert.deepEqual(await place.story(job), undisturbed[kind].story);
      assert.deepEqual(await place.weights(model, kind === "sft" ? "step1" : "step2"), undisturbed[kind].weights);
    }
  }

  test("of the server's own trainer", async () => {
    const killed = new Set();
    await expectTheSame(lab, async () => {
      const [{ pid }] = trainersOf(lab.server);
      killed.add(pid);
      process.kill(pid, "SIGKILL");
    });
    assert.equal(killed.size, 2);
    assert.match(lab.server.logs, /"event":"trainer_died".*"signal":9/);
  });

  test("of the server with its own trainer", async () => {
    const own = await Lab.start(OWN_TRAINER_ENV);
    try {
      await expectTheSame(own, () => own.killServer());
    } finally {
      await own.dispose();
    }
  });

  test("of the server, while a trainer elsewhere waits for it to come back", async () => {
    const remote = await Lab.start(NANO_ENV);
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

  test("of a trainer elsewhere, whose job another one finishes", async () => {
    const remote = await Lab.start(NANO_ENV);
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

describe("a trainer from elsewhere", () => {
  let lab;
  let trainer;
  before(async () => {
    lab = await Lab.start(NANO_ENV);
    trainer = startTrainer(lab.server);
  });
  after(async () => {
    trainer.signal("SIGKILL");
    await lab.dispose();
  });

  test("drops a job that is cancelled, and takes the next", async () => {
    const model = await lab.model();
    const job = await lab.sft(model, examples(400));
    const next = await lab.sft(model, examples(3));
    const under_way = await lab.until(job, ({ progress }) => progress > 0);
    assert.ok(under_way.progress < 0.9);
    const path = `/api/v1/training-jobs/${job.id}`;
    assert.equal((await lab.server.api("POST", `${path}/cancel`)).status, 200);
    await lab.completed(next);
    assert.equal((await lab.client.job(job.id)).status, "CANCELLED");
    assert.equal(await lab.client.step(model), 1);
  });

  test("says how long it will take", async () => {
    const job = await lab.sft(await lab.model(), examples(400));
    let estimate = null;
    while (estimate === null) {
      const { json } = await lab.server.api("GET", `/api/v1/training-jobs/${job.id}`);
      assert.doesNotMatch(json.status, ENDED);
      estimate = json.seconds_left;
    }
    assert.ok(estimate > 0);
    await lab.server.api("POST", `/api/v1/training-jobs/${job.id}/cancel`);
  });

  test("hands its job back when it is stopped, without losing a step", async () => {
    const job = await lab.sft(await lab.model(), examples(30));
    await lab.until(job, ({ progress }) => progress > 0.1);
    trainer.signal("SIGTERM");
    assert.equal((await trainer.ended).code, 0);
    const done = (await lab.client.events(job.id)).length;
    assert.equal((await lab.client.job(job.id)).status, "RUNNING");
    trainer = startTrainer(lab.server);
    await lab.completed(job);
    assert.ok((await lab.story(job)).length + 2 > done);
  });

  test("with a key that is no good says so and ends", async () => {
    const stranger = startTrainer({ url: lab.server.url, adminKey: "no-such-key-0123456789" });
    const { code, stderr } = await stranger.ended;
    assert.equal(code, 1);
    assert.match(stderr, /The server does not know this key/);
  });

  test("tells what to do about what it cannot learn from", async () => {
    const model = await lab.model();
    const failure = async (job) => lab.failed(await job);
    assert.match(
      await failure(lab.sft(model, examples(4), { batch_size: 1, learning_rate: 1e30 })),
      /^The loss is not a number at step \d+: a lower learning_rate may help\.$/,
    );
    assert.match(
      await failure(lab.sft(model, examples(4), { batch_size: 1, learning_rate: [1e-4, 1e-4] })),
      /^learning_rate has 2 entries, but the data makes 4 batches of 1 rows/,
    );
    const [{ trajectories }] = tokenGroups(1);
    const short = sampledChoice([300, 301], [302, 303, 304]);
    short.logprobs.content.pop();
    const lost = [{ trajectories: [...trajectories, { messages_and_choices: [short], reward: 1 }] }];
    assert.match(await failure(lab.client.train(model, lost)), /: group 1: trajectories\[4\].*logprobs/);
    const strange = [{ trajectories: [...trajectories, { messages_and_choices: [sampledChoice([300], [999_999])], reward: 1 }] }];
    assert.match(await failure(lab.client.train(model, strange)), /trajectories\[4\].*999999/);
    const numbers = [{ messages: [{ role: "user", content: 7 }, { role: "assistant", content: "b" }] }];
    assert.match(
      await failure(lab.sft(model, numbers)),
      /line 1: messages\[0\]\.content is neither text nor a list of parts\.$/,
    );
    const garbled = await lab.client.sft(model, await putGarbage(), { batch_size: 1 });
    assert.match(await lab.failed(garbled), /line 2/i);
    assert.equal(await lab.client.step(model), 0);
  });

  /** Rows of which the second is none. */
  async function putGarbage() {
    const name = freshName("garbage");
    const lines = [JSON.stringify(examples(1)[0]), '{"messages": [', JSON.stringify(examples(1)[0])].join("\n");
    await new ArtifactProject(lab.server, lab.team).put(name, { "train.jsonl": lines });
    return `svc-artifact:///${lab.team}/lab/${name}:v0`;
  }

  test("learns from what was there when it was told to", async () => {
    const model = await lab.model();
    const busy = await lab.sft(model, examples(20));
    const url = await putExamples(lab.server, lab.team, examples(1));
    const job = await lab.client.sft(model, url);
    const [, name] = /\/([^/]+):v0$/.exec(url);
    assert.equal((await new ArtifactProject(lab.server, lab.team).api("DELETE", `/collections/${name}`)).status, 204);
    await lab.completed(busy);
    await lab.completed(job);
  });

  test("says when the data is lost", async () => {
    const model = await lab.model();
    const busy = await lab.sft(model, examples(20));
    const word = freshName("lost");
    const job = await lab.sft(model, [{ messages: [{ role: "user", content: word }, { role: "assistant", content: "b" }] }]);
    const kept = filesIn(lab.server.dataDir).map((file) => join(lab.server.dataDir, file));
    const lost = kept.filter((file) => statSync(file).size < 500 && readFileSync(file, "utf8").includes(word));
    assert.equal(lost.length, 1, "the file that holds the examples");
    rmSync(lost[0]);
    await lab.completed(busy);
    assert.match(await lab.failed(job), /^The server has lost the training data .*: upload it again/);
  });

  test("says when it runs out of memory, and lives on", async () => {
    trainer.signal("SIGTERM");
    await trainer.ended;
    trainer = startTrainer(lab.server, { shell: "ulimit -d 1000000;" });
    const model = await lab.model();
    const large = await lab.sft(model, examples(400), { batch_size: 400, learning_rate: 1e-4 });
    const message = await lab.failed(large);
    assert.match(message, /^The trainer ran out of memory: .*batch_size/);
    assert.doesNotMatch(message, /packed_sequence_length/);
    await lab.completed(await lab.sft(model, examples(3)));
    assert.ok(trainer.running);
  });
});
