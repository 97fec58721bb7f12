// Damage to any file of the data folder: the server starts and serves intact data, or refuses to start with a
// message that names the file and a command. It never crashes and never returns wrong bytes.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { ArtifactProject } from "./support/artifacts.mjs";
import { Project, expectReason } from "./support/calls.mjs";
import { eventually } from "./support/deliveries.mjs";
import { expectError } from "./support/expect.mjs";
import { ProjectClient, contentDigest } from "./support/objects.mjs";
import { makeTeam } from "./support/people.mjs";
import { filesIn, makeFolder, removeFolder, runSpindle } from "./support/program.mjs";
import { ADMIN_KEY, startServer } from "./support/server.mjs";
import { within } from "./support/time_limits.mjs";

const ENV = { SPINDLE_ADMIN_API_KEY: ADMIN_KEY, SPINDLE_INFERENCE_DEFAULT_MODEL: "none", SPINDLE_TRAINING_LOCAL: "false" };
const CALLS = 10;
const SMALL_STORE = ["--traces-recent", "1MiB"];
const SMALL = "small content ".repeat(50);
const LARGE = Buffer.alloc(9 << 20, "large content ");

const flip = (at) => (path) => {
  const bytes = readFileSync(path);
  if (bytes.length === 0) return;
  bytes[Math.floor((bytes.length - 1) * at)] ^= 0x41;
  writeFileSync(path, bytes);
};
const truncateTo = (share) => (path) => truncateSync(path, Math.floor(statSync(path).size * share));

/** Kinds of damage to a file. */
const DAMAGES = {
  removed: (path) => rmSync(path),
  emptied: (path) => writeFileSync(path, ""),
  "truncated at a tenth": truncateTo(0.1),
  "truncated at a half": truncateTo(0.5),
  "truncated before its end": (path) => truncateSync(path, Math.max(0, statSync(path).size - 1)),
  "flipped at its beginning": flip(0),
  "flipped in the middle": flip(0.5),
  "flipped at its end": flip(1),
  "replaced by a folder": (path) => {
    rmSync(path);
    mkdirSync(path);
  },
  // The superuser can read every file.
  ...(process.getuid() === 0 ? {} : { unreadable: (path) => chmodSync(path, 0) }),
};

let base;
let original; // the data folder of a killed server
let team;
before(async () => {
  base = makeFolder();
  original = join(base, "original");
  // The server reads its key from the folder, so that the test covers the key files.
  const server = await startServer({ dataDir: original, args: SMALL_STORE, env: { SPINDLE_ADMIN_API_KEY: undefined } });
  team = (await makeTeam(server)).name;
  const artifacts = new ArtifactProject(server, team);
  await artifacts.put("data", { "small.txt": SMALL, "large.bin": LARGE });
  assert.equal((await new ProjectClient(server, `${team}/traces`).upload("/file/create", SMALL)).status, 200);
  const project = new Project(server, `${team}/traces`);
  // A backup flushes calls into the DuckDB file and removes their journal.
  await project.complete(...[0, 1, 2].map((i) => ({ output: `out ${i}` })));
  const saved = await runSpindle(["backup", join(base, "backups"), "--data-dir", original]);
  assert.equal(saved.code, 0, saved.stderr);
  assert.ok(existsSync(join(original, "traces/traces.record")));
  // After this kill the metadata is in the write-ahead log of the database, after the next in its main file.
  await server.kill();
  const again = await startServer({ dataDir: original, env: { SPINDLE_ADMIN_API_KEY: undefined } });
  assert.equal((await again.stop()).code, 0);
  const last = await startServer({ dataDir: original, args: SMALL_STORE, env: { SPINDLE_ADMIN_API_KEY: undefined } });
  await makeTeam(last);
  // Rows beyond the memory limit of the store are flushed into DuckDB's write-ahead log; the journals stay.
  const traces = new Project(last, `${team}/traces`);
  for (const i of [3, 4, 5]) await traces.complete({ output: `out ${i}`, inputs: { padding: randomBytes(400_000).toString("hex") } });
  const log = join(original, "traces/traces.duckdb.wal");
  await eventually(() => existsSync(log) && statSync(log).size, (size) => size > 1 << 20);
  // These calls are in a journal only.
  await traces.complete(...[6, 7, 8, 9].map((i) => ({ output: `out ${i}` })));
  await last.kill();
});
after(() => removeFolder(base));

let copies = 0;
function copyOf(folder) {
  const copy = join(base, `copy-${copies++}`);
  cpSync(folder, copy, { recursive: true });
  return copy;
}

/** Starts a server on the folder; resolves with the server, or with its refusal. */
async function tryStart(dataDir, key, args = []) {
  try {
    const server = await startServer({ dataDir, args, env: { SPINDLE_ADMIN_API_KEY: key } });
    return { server };
  } catch (error) {
    const found = /^ended with ([^:]*): ([\s\S]*)$/.exec(error.message);
    assert.ok(found, error.message);
    return { code: found[1], message: found[2] };
  }
}

/** Expects every file unchanged, or a 502 with a reason. */
async function expectIntactFiles(server) {
  const artifacts = new ArtifactProject(server, team);
  for (const [name, content] of [["small.txt", Buffer.from(SMALL)], ["large.bin", LARGE]]) {
    for (const headers of [{}, { range: "bytes=5000-5999" }, { range: "bytes=-10" }]) {
      let answer;
      try {
        answer = await artifacts.read("data", "latest", name, headers);
      } catch {
        continue; // truncated: every client detects it
      }
      if (answer.status === 502) {
        assert.match(answer.text, /content_(damaged|missing)|stored content/);
        continue;
      }
      if (answer.status === 416) continue;
      if (answer.status === 404 || answer.status === 403) continue; // not in the metadata of this server
      assert.ok([200, 206].includes(answer.status), `${name}: ${answer.status} ${answer.text.slice(0, 200)}`);
      const range = /bytes (\d+)-(\d+)\//.exec(answer.headers["content-range"] ?? "");
      const expected = range ? content.subarray(Number(range[1]), Number(range[2]) + 1) : content;
      assert.ok(answer.bytes.equals(expected), `${name}: wrong bytes with status ${answer.status}`);
    }
  }
}

/** Expects all calls, or a metric that reports missing calls, unless the damage is undetectable. */
async function expectIntactCalls(server, undetectable = false) {
  const answer = await new Project(server, `${team}/traces`).post("/calls/stream_query", { project_id: `${team}/traces` });
  if (answer.status !== 200) {
    assert.ok([403, 404, 503].includes(answer.status), answer.text);
    return;
  }
  const outputs = answer.text.split("\n").filter(Boolean).map((line) => JSON.parse(line).output);
  for (const output of outputs) assert.match(output, /^out \d$/);
  if (new Set(outputs).size === CALLS || undetectable) return;
  const { text } = await server.api("GET", "/metrics");
  assert.match(text, /^spindle_columnar_incomplete 1$/m, `${outputs.length} of ${CALLS} calls, and no word of it`);
}

const sole = (pattern) => (names) => names.filter((name) => pattern.test(name)).slice(0, 1);
const final = (pattern) => (names) => names.filter((name) => pattern.test(name)).sort((a, b) => a.length - b.length || (a < b ? -1 : 1)).slice(-1);
const bySize = (compare) => (names) => {
  const blobs = names.filter((name) => /^files\/[0-9a-f]{2}\//.test(name));
  return blobs.filter((name) => compare(statSync(join(original, name)).size)).slice(0, 1);
};

/**
 * For each file of the data folder: the kinds of damage with which the server must refuse to start. With the others
 * it may start if all data is intact.
 */
const FILES = {
  "metadata.sqlite": {
    pick: sole(/^metadata\.sqlite$/),
    refused: ["removed", "emptied", "truncated at a tenth", "truncated at a half", "flipped at its beginning", "replaced by a folder", "unreadable"],
  },
  "metadata.sqlite-wal": { pick: sole(/^metadata\.sqlite-wal$/), refused: ["replaced by a folder"] },
  "metadata.sqlite-shm": { pick: sole(/^metadata\.sqlite-shm$/), refused: ["replaced by a folder"] },
  "secret-key": {
    pick: sole(/^secret-key$/),
    refused: Object.keys(DAMAGES).filter((damage) => !/before its end|at its end/.test(damage)),
  },
  "admin-api-key": { pick: sole(/^admin-api-key$/), refused: ["emptied", "truncated at a tenth", "replaced by a folder", "unreadable"] },
  "traces.duckdb": { pick: sole(/^traces\/traces\.duckdb$/), refused: [] },
  "traces.duckdb.wal": { pick: sole(/^traces\/traces\.duckdb\.wal$/), refused: [] },
  "traces.record": { pick: sole(/^traces\/traces\.record$/), refused: [] },
  "the first journal": { pick: sole(/^traces\/journal-/), refused: [] },
  // A crash during an unacknowledged write leaves a truncated last journal.
  "the last journal": { pick: final(/^traces\/journal-/), refused: [], undetectable: true },
  lock: { pick: sole(/^lock$/), refused: ["replaced by a folder"] },
  "a small blob": { pick: bySize((size) => size < 1 << 20), refused: [] },
  "a large blob": { pick: bySize((size) => size > 1 << 20), refused: [] },
};

for (const [title, { pick, refused, undetectable }] of Object.entries(FILES)) {
  describe(title, () => {
    for (const [damage, apply] of Object.entries(DAMAGES)) {
      test(damage, within(120_000), async () => {
        const [name] = pick(filesIn(original));
        assert.ok(name, `the data folder has no ${title}`);
        const key = readFileSync(join(original, "admin-api-key"), "utf8").trim();
        const dataDir = copyOf(original);
        apply(join(dataDir, name));
        const { server, code, message } = await tryStart(dataDir, undefined);
        if (server) {
          try {
            assert.ok(!refused.includes(damage), `it starts on ${name} ${damage}`);
            if (server.adminKey !== key) server.adminKey = key; // the key file has another key now
            server.client.key = key;
            await expectIntactFiles(server);
            await expectIntactCalls(server, undetectable);
            assert.equal((await server.stop()).code, 0);
          } finally {
            await server.kill();
          }
        } else {
          assert.equal(code, "1", message);
          assert.ok(message.includes(name.split("/").at(-1).replace(/-(wal|shm)$/, "")), `${name}: ${message}`);
          assert.match(message, /spindle (restore|serve|verify)|restore|(remove|delete) it|--data-dir/, message);
          assert.ok(!/Sanitizer|terminate called|SIGSEGV/.test(message), message);
        }
        chmodSync(join(dataDir, "."), 0o700);
        rmSync(dataDir, { recursive: true, force: true });
      });
    }
  });
}

describe("a missing database beside other data", () => {
  test("stops every command that would create a new one, and changes nothing", async () => {
    const dataDir = copyOf(original);
    for (const name of readdirSync(dataDir)) if (name.startsWith("metadata.sqlite")) rmSync(join(dataDir, name));
    const before = filesIn(dataDir).sort();
    for (const args of [["serve", "--listen", "127.0.0.1:0"], ["user", "list"], ["backup", join(base, "none")]]) {
      const ended = await runSpindle([...args, "--data-dir", dataDir], { env: ENV });
      assert.equal(ended.code, 1, args.join(" "));
      for (const word of [/metadata\.sqlite is missing/, /spindle restore/, /--start-empty/, /SPINDLE_METADATA/]) assert.match(ended.stderr, word);
    }
    assert.deepEqual(filesIn(dataDir).sort(), before);
  });

  test("is accepted with --start-empty, which moves the other data aside", async () => {
    const dataDir = copyOf(original);
    rmSync(join(dataDir, "metadata.sqlite"));
    const { server } = await tryStart(dataDir, undefined, ["--start-empty"]);
    try {
      const [aside] = readdirSync(dataDir).filter((name) => name.startsWith("set-aside-"));
      assert.ok(aside);
      for (const name of ["traces", "files", "secret-key"]) assert.ok(existsSync(join(dataDir, aside, name)), name);
      assert.equal((await server.api("GET", "/api/v1/teams")).json.items.length, 0);
    } finally {
      await server.kill();
    }
    // Applies once: the next start uses the new deployment.
    const next = await tryStart(dataDir, undefined);
    assert.ok(next.server);
    await next.server.kill();
  });
});

describe("damaged content", () => {
  test("is rejected with a reason, and intact after another upload", async () => {
    const dataDir = copyOf(original);
    for (const name of filesIn(dataDir).filter((each) => /^files\/[0-9a-f]{2}\//.test(each))) flip(0.3)(join(dataDir, name));
    const { server } = await tryStart(dataDir, undefined);
    try {
      const artifacts = new ArtifactProject(server, team);
      const answer = await artifacts.read("data", "latest", "small.txt");
      expectError(answer, 502, "content_damaged");
      const part = await artifacts.read("data", "latest", "large.bin", { range: "bytes=9000000-9000010" });
      expectError(part, 502, "content_damaged");
      // A complete read of large content is aborted: the server finds the damage while it sends.
      await assert.rejects(artifacts.read("data", "latest", "large.bin"));
      const project = new ProjectClient(server, `${team}/traces`);
      const digest = contentDigest(Buffer.from(SMALL));
      expectReason(await project.post("/file/content", { digest }), 502, /stored content is damaged/);
      assert.equal((await project.upload("/file/create", SMALL)).status, 200);
      assert.equal((await project.post("/file/content", { digest })).text, SMALL);
      assert.equal((await artifacts.read("data", "latest", "small.txt")).text, SMALL);
    } finally {
      await server.kill();
    }
  });

  test("is detected while the server runs", async () => {
    const dataDir = copyOf(original);
    const { server } = await tryStart(dataDir, undefined);
    try {
      const artifacts = new ArtifactProject(server, team);
      assert.equal((await artifacts.read("data", "latest", "small.txt")).text, SMALL);
      const [name] = bySize((size) => size < 1 << 20)(filesIn(dataDir));
      flip(0.5)(join(dataDir, name));
      expectError(await artifacts.read("data", "latest", "small.txt"), 502, "content_damaged");
      rmSync(join(dataDir, name));
      expectError(await artifacts.read("data", "latest", "small.txt"), 502, "content_missing");
    } finally {
      await server.kill();
    }
  });
});
