// spindle-trainer as a person starts it: several on one host, in folders of their own or not, with
// options that are wrong, files that vanish and servers that are not there.

import assert from "node:assert/strict";
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";

import { freshName } from "./support/people.mjs";
import { makeFolder } from "./support/program.mjs";
import { NANO, NANO_ENV, examples, runTrainer, startTrainer } from "./support/real_trainer.mjs";
import { startServer } from "./support/server.mjs";
import { Lab } from "./support/training_lab.mjs";

const ASKS = /"event":"asks_for_jobs".*/;

const linesOf = (trainer, event) => trainer.stderr.split("\n").filter((line) => line.includes(`"event":"${event}"`));

/** What a trainer says of itself when it begins. */
async function introduced(trainer) {
  await trainer.waitForLine(ASKS);
  const { worker, folder } = JSON.parse(linesOf(trainer, "asks_for_jobs")[0]);
  return { worker, folder };
}

describe("trainers on one host", () => {
  let lab;
  const trainers = [];
  before(async () => (lab = await Lab.start(NANO_ENV)));
  after(async () => {
    for (const trainer of trainers) trainer.signal("SIGKILL");
    await lab.dispose();
  });

  /** With nothing but what the documentation says. */
  function start(cwd, args = []) {
    const line = ["--server", lab.server.url, "--key", lab.server.adminKey, "--threads", "1", ...args];
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

  test("have names and folders of their own without being told", async () => {
    const cwd = makeFolder();
    const jobs = [];
    for (let i = 0; i < 2; ++i) jobs.push(await lab.sft(await lab.model(), examples(60)));
    const pair = [start(cwd), start(cwd)];
    const each = await Promise.all(pair.map(introduced));
    assert.deepEqual(each.map(({ folder }) => folder).sort(), ["./spindle-trainer", "./spindle-trainer-2"]);
    assert.notEqual(each[0].worker, each[1].worker);
    for (const job of jobs) {
      await lab.completed(job);
      assert.equal((await lab.story(job)).length, 60);
    }
    for (const trainer of pair) assert.doesNotMatch(trainer.stderr, /job_lost|job_failed|job_given_back/);
    await stop(...pair);
  });

  test("that come back are known again, and go on with what they had", async () => {
    const cwd = makeFolder();
    const killed = start(cwd, ["--save-every", "0"]);
    const before = await introduced(killed);
    const job = await lab.sft(await lab.model(), examples(60));
    await lab.until(job, ({ progress }) => progress > 0.1);
    killed.signal("SIGKILL");
    await killed.ended;
    const again = start(cwd);
    assert.deepEqual(await introduced(again), before);
    await lab.completed(job);
    assert.equal((await lab.story(job)).length, 60);
    assert.equal(linesOf(again, "job_leased").length, 1);
    await stop(again);
  });

  test("end when another one has the folder they are given", async () => {
    const folder = join(makeFolder(), "given");
    const first = start(undefined, ["--folder", folder]);
    await introduced(first);
    const job = await lab.sft(await lab.model(), examples(20));
    const second = await start(undefined, ["--folder", folder, "--name", freshName("other")]).ended;
    assert.equal(second.code, 1);
    assert.equal(
      second.stderr,
      `spindle-trainer: the folder ${folder} is in use by another trainer (process ${first.pid}): give each its own with --folder\n`,
    );
    await lab.completed(job);
    await stop(first);
  });
});

describe("a trainer whose files vanish", () => {
  let lab;
  let trainer;
  let folder;
  before(async () => (lab = await Lab.start(NANO_ENV)));
  beforeEach(async () => {
    folder = join(makeFolder(), "trainer");
    trainer = startTrainer(lab.server, { folder });
    await introduced(trainer);
  });
  afterEach(() => {
    trainer.signal("SIGKILL");
    return trainer.ended;
  });
  after(() => lab.dispose());

  test("gives its job back, which is none the worse for it", async () => {
    const job = await lab.sft(await lab.model(), examples(60));
    await lab.until(job, ({ progress }) => progress > 0.1);
    renameSync(join(folder, "jobs"), join(folder, "gone"));
    await lab.completed(job);
    assert.equal((await lab.story(job)).length, 60);
    assert.equal(linesOf(trainer, "job_given_back").length, 1);
  });

  test("says in the end that it is to blame, and lives on", async () => {
    const jobs = join(folder, "jobs");
    writeFileSync(jobs, "in the way");
    const model = await lab.model();
    const message = await lab.failed(await lab.sft(model, examples(3)));
    assert.match(message, /^The trainer .* is in trouble, not the job: Cannot write .* then start the job again\.$/);
    assert.ok(!message.includes(folder), message);
    assert.equal(linesOf(trainer, "job_given_back").length, 2);
    rmSync(jobs);
    await lab.completed(await lab.sft(model, examples(4)));
  });
});

test("a trainer says once that its server is not there, and once that it is", async () => {
  const lab = await Lab.start(NANO_ENV);
  const { dataDir, url } = lab.server;
  await lab.server.kill();
  const trainer = startTrainer(lab.server);
  try {
    await trainer.waitForLine(/"event":"server_unreachable"/);
    const [line] = linesOf(trainer, "server_unreachable");
    assert.ok(line.includes(`"server":"${url}"`), line);
    const again = await startServer({ env: NANO_ENV, dataDir, listen: new URL(url).host });
    again.ownsFolder = true;
    lab.use(again);
    await trainer.waitForLine(/"event":"server_answers_again"/);
    await lab.completed(await lab.sft(await lab.model(), examples(2)));
    for (const event of ["server_unreachable", "server_answers_again"]) assert.equal(linesOf(trainer, event).length, 1);
  } finally {
    trainer.signal("SIGKILL");
    await lab.dispose();
  }
});

describe("spindle-trainer", () => {
  const ended = (args, env) => runTrainer(args, { cwd: makeFolder(), env }).ended;
  const key = ["--key", "no-such-key-0123456789"];

  test("says what is wrong with its options", async () => {
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

  test("says when what answers gives out no jobs", async () => {
    const server = await startServer();
    try {
      const line = ["--server", `${server.url}/elsewhere`, "--key", server.adminKey];
      const { code, stderr } = await ended(line);
      assert.equal(code, 1);
      assert.match(stderr, /gives out no jobs: is it the address of a Spindle server, as in/);
    } finally {
      await server.dispose();
    }
  });

  test("by hand names what it does not know, and lines it cannot learn from", async () => {
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
    assert.match(misspelt.stderr, /no such configuration has batchsize, lr\.\n$/);
    const wrong = await ended(["rl", ...job]);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /line 1: it has no trajectories: RL learns from groups, .*; this is an example for SFT\.\n$/);
    assert.ok(!existsSync(join(folder, "out")));
  });
});
