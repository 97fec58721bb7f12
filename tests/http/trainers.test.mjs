// spindle-trainer as an operator starts it: several on one host, in separate folders or not, with invalid options,
// deleted files and unreachable servers.

import assert from "node:assert/strict";
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";

import { freshName } from "./support/people.mjs";
import { makeFolder } from "./support/program.mjs";
import { NANO, NANO_ENV, examples, runTrainer, startTrainer } from "./support/real_trainer.mjs";
import { startServer } from "./support/server.mjs";
import { TrainingServer } from "./support/training_server.mjs";

const ASKS = /"event":"asks_for_jobs".*/;

const linesOf = (trainer, event) => trainer.stderr.split("\n").filter((line) => line.includes(`"event":"${event}"`));

/** Returns the start event of a trainer. */
async function startEvent(trainer) {
  await trainer.waitForLine(ASKS);
  const { worker, folder } = JSON.parse(linesOf(trainer, "asks_for_jobs")[0]);
  return { worker, folder };
}

describe("trainers on one host", () => {
  let training;
  const trainers = [];
  before(async () => (training = await TrainingServer.start(NANO_ENV)));
  after(async () => {
    for (const trainer of trainers) trainer.signal("SIGKILL");
    await training.dispose();
  });

  /** Starts a trainer with the documented options only. */
  function start(cwd, args = []) {
    const line = ["--server", training.server.url, "--key", training.server.adminKey, "--threads", "1", ...args];
    const trainer = runTrainer(line, { cwd });
    trainers.push(trainer);
    return trainer;
  }

  async function stop(...some) {
    for (const trainer of some) {
      trainer.signal("SIGTERM");
      assert.equal((await trainer.ended).code, 0);
    }
  }

  test("have unique names and folders by default", async () => {
    const cwd = makeFolder();
    const jobs = [];
    for (let i = 0; i < 2; ++i) jobs.push(await training.sft(await training.model(), examples(60)));
    const pair = [start(cwd), start(cwd)];
    const each = await Promise.all(pair.map(startEvent));
    assert.deepEqual(each.map(({ folder }) => folder).sort(), ["./spindle-trainer", "./spindle-trainer-2"]);
    assert.notEqual(each[0].worker, each[1].worker);
    for (const job of jobs) {
      await training.completed(job);
      assert.equal((await training.gradientSteps(job)).length, 60);
    }
    for (const trainer of pair) assert.doesNotMatch(trainer.stderr, /job_lost|job_failed|job_given_back/);
    await stop(...pair);
  });

  test("that restart keep their name and resume their jobs", async () => {
    const cwd = makeFolder();
    const killed = start(cwd, ["--save-every", "0"]);
    const before = await startEvent(killed);
    const job = await training.sft(await training.model(), examples(60));
    await training.until(job, ({ progress }) => progress > 0.1);
    killed.signal("SIGKILL");
    await killed.ended;
    const again = start(cwd);
    assert.deepEqual(await startEvent(again), before);
    await training.completed(job);
    assert.equal((await training.gradientSteps(job)).length, 60);
    assert.equal(linesOf(again, "job_leased").length, 1);
    await stop(again);
  });

  test("exit if another trainer uses their folder", async () => {
    const folder = join(makeFolder(), "given");
    const first = start(undefined, ["--folder", folder]);
    await startEvent(first);
    const job = await training.sft(await training.model(), examples(20));
    const second = await start(undefined, ["--folder", folder, "--name", freshName("other")]).ended;
    assert.equal(second.code, 1);
    assert.equal(
      second.stderr,
      `spindle-trainer: the folder ${folder} is in use by another trainer (process ${first.pid}): give each its own with --folder\n`,
    );
    await training.completed(job);
    await stop(first);
  });
});

describe("a trainer whose files are deleted", () => {
  let training;
  let trainer;
  let folder;
  before(async () => (training = await TrainingServer.start(NANO_ENV)));
  beforeEach(async () => {
    folder = join(makeFolder(), "trainer");
    trainer = startTrainer(training.server, { folder });
    await startEvent(trainer);
  });
  afterEach(() => {
    trainer.signal("SIGKILL");
    return trainer.ended;
  });
  after(() => training.dispose());

  test("releases its job, which completes normally", async () => {
    const job = await training.sft(await training.model(), examples(60));
    await training.until(job, ({ progress }) => progress > 0.1);
    renameSync(join(folder, "jobs"), join(folder, "gone"));
    await training.completed(job);
    assert.equal((await training.gradientSteps(job)).length, 60);
    assert.equal(linesOf(trainer, "job_given_back").length, 1);
  });

  test("fails the job with the reason after several attempts, and keeps running", async () => {
    const jobs = join(folder, "jobs");
    writeFileSync(jobs, "in the way");
    const model = await training.model();
    const message = await training.failed(await training.sft(model, examples(3)));
    assert.match(message, /^The trainer .* failed, not the job: Cannot write .* then start the job again\.$/);
    assert.ok(!message.includes(folder), message);
    assert.equal(linesOf(trainer, "job_given_back").length, 2);
    rmSync(jobs);
    await training.completed(await training.sft(model, examples(4)));
  });
});

test("a trainer logs once that its server is unreachable, and once that it is reachable", async () => {
  const training = await TrainingServer.start(NANO_ENV);
  const { dataDir, url } = training.server;
  await training.server.kill();
  const trainer = startTrainer(training.server);
  try {
    await trainer.waitForLine(/"event":"server_unreachable"/);
    const [line] = linesOf(trainer, "server_unreachable");
    assert.ok(line.includes(`"server":"${url}"`), line);
    const again = await startServer({ env: NANO_ENV, dataDir, listen: new URL(url).host });
    again.ownsFolder = true;
    training.use(again);
    await trainer.waitForLine(/"event":"server_answers_again"/);
    await training.completed(await training.sft(await training.model(), examples(2)));
    for (const event of ["server_unreachable", "server_answers_again"]) assert.equal(linesOf(trainer, event).length, 1);
  } finally {
    trainer.signal("SIGKILL");
    await training.dispose();
  }
});

describe("spindle-trainer", () => {
  const ended = (args, env) => runTrainer(args, { cwd: makeFolder(), env }).ended;
  const key = ["--key", "no-such-key-0123456789"];

  test("reports invalid options", async () => {
    for (const [args, expected] of [
      [["--server", "http://127.0.0.1:1/v1", ...key], /--server http:\/\/127\.0\.0\.1:1\/v1: leave out \/v1: --server http:\/\/127\.0\.0\.1:1\n/],
      [["--server", "127.0.0.1:1", ...key], /an address begins with http:\/\/ or https:\/\//],
      [["--server", "http://127.0.0.1:1"], /there is no key: give one with --key, or in SPINDLE_TRAINER_KEY\./],
      [["--server", "http://127.0.0.1:1", ...key, "--threads", "-1"], /--threads/],
      [["sft", "--base", NANO, "--data", "x", "--out", "y", "--threads", "-1"], /--threads/],
    ]) {
      const { code, stderr } = await ended(args);
      assert.equal(code, 2, args.join(" "));
      assert.match(stderr, expected);
    }
    const { code, stdout } = await ended(["--help"]);
    assert.equal(code, 0);
    assert.match(stdout, /description is\s+'trainer' or begins with\s+'trainer '/);
  });

  test("reports a server without the trainer API", async () => {
    const server = await startServer();
    try {
      const line = ["--server", `${server.url}/elsewhere`, "--key", server.adminKey];
      const { code, stderr } = await ended(line);
      assert.equal(code, 1);
      assert.match(stderr, /has no trainer API: is it the address of a Spindle server, as in/);
    } finally {
      await server.dispose();
    }
  });

  test("in standalone mode names unknown members and unusable lines", async () => {
    const folder = makeFolder();
    const write = (name, text) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const rows = write("rows.jsonl", examples(2).map((row) => `${JSON.stringify(row)}\n`).join(""));
    const config = write("config.json", '{"batchsize": 1, "learning_rate": 1e-4, "lr": 1}');
    const job = ["--base", NANO, "--data", rows, "--out", join(folder, "out"), "--threads", "1"];
    const misspelt = await ended(["sft", ...job, "--config", config]);
    assert.equal(misspelt.code, 1);
    assert.match(misspelt.stderr, /unknown fields: batchsize, lr\.\n$/);
    const wrong = await ended(["rl", ...job]);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /line 1: it has no trajectories: RL learns from groups, .*; this is an example for SFT\.\n$/);
    assert.ok(!existsSync(join(folder, "out")));
  });
});
