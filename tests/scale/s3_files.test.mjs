// Files in an S3 bucket that two servers with one PostgreSQL database share.

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { ArtifactProject } from "../http/support/artifacts.mjs";
import { ProjectClient, expectOk } from "../http/support/objects.mjs";
import { freshName, makeTeam } from "../http/support/people.mjs";
import { makeFolder, removeFolder, runSpindle } from "../http/support/program.mjs";
import { startServer } from "../http/support/server.mjs";
import { startPostgres } from "./support/postgres_server.mjs";
import { startS3 } from "./support/s3_server.mjs";

const MIB = 1024 * 1024;
const KILL_ROUNDS = 6;
const UPLOADS = 24;

let s3;
let postgres;
let environment;
let folders;
let first;
let second;
let team;

const start = (folder) => startServer({ env: environment, dataDir: join(folder, "data") });

before(async () => {
  s3 = await startS3();
  postgres = await startPostgres();
  environment = {
    ...s3.environment(`${freshName("scale")}/`),
    SPINDLE_METADATA: postgres.uri,
    SPINDLE_SECRET_KEY: randomBytes(32).toString("hex"),
  };
  folders = [makeFolder(), makeFolder()];
  first = await start(folders[0]);
  second = await start(folders[1]);
  team = (await makeTeam(first)).name;
});

after(async () => {
  await Promise.all([first?.dispose(), second?.dispose()]);
  for (const folder of folders ?? []) removeFolder(folder);
  await Promise.all([s3?.dispose(), postgres?.dispose()]);
});

const here = (server) => new ArtifactProject(server, team);
const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");

async function expectFile(server, collection, path, content) {
  const answer = await here(server).read(collection, "latest", path);
  assert.equal(answer.status, 200, answer.status === 200 ? "" : answer.text);
  assert.equal(digest(answer.bytes), digest(content));
}

test("another server reads what one has stored", async () => {
  const files = { "a.txt": "hello\n", "empty.txt": "", "b.bin": randomBytes(9 * MIB) };
  const name = freshName("data");
  await here(first).put(name, files);
  for (const [path, content] of Object.entries(files)) await expectFile(second, name, path, content);
  const range = await here(second).read(name, "latest", "b.bin", { range: "bytes=9000000-9000009" });
  assert.equal(range.status, 206, range.text);
  assert.ok(range.bytes.equals(files["b.bin"].subarray(9000000, 9000010)));

  const project = new ProjectClient(first);
  const stored = expectOk(await project.upload("/file/create", "of an object"));
  const answer = await new ProjectClient(second, project.project).post("/file/content", stored);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.text, "of an object");
});

test("content above 64 MiB is uploaded in parts and read back", async () => {
  const content = randomBytes(150 * MIB);
  const name = freshName("large");
  await here(first).put(name, { "model.bin": content });
  await expectFile(second, name, "model.bin", content);
  const range = await here(second).read(name, "latest", "model.bin", { range: `bytes=${100 * MIB}-${100 * MIB + 9}` });
  assert.ok(range.bytes.equals(content.subarray(100 * MIB, 100 * MIB + 10)));
});

test("files survive a restart and the loss of the cache", async () => {
  const name = freshName("data");
  await here(first).put(name, { "a.txt": name });
  await first.stop();
  rmSync(join(folders[0], "data", "blob-cache"), { recursive: true });
  first = await start(folders[0]);
  await expectFile(first, name, "a.txt", name);
});

test("a kill during uploads loses no acknowledged file", async () => {
  for (let round = 0; round < KILL_ROUNDS; round += 1) {
    const acknowledged = new Map();
    const project = here(first);
    let killed;
    const upload = async (i) => {
      const name = freshName(`kill${round}x${i}`);
      const content = randomBytes(i % 6 === 5 ? 66 * MIB : 200_000 + i);
      try {
        await project.put(name, { "a.bin": content });
        acknowledged.set(name, content);
        if (acknowledged.size === 2 + round * 2) killed ??= first.kill();
      } catch {
        // The server was killed.
      }
    };
    for (let i = 0; i < UPLOADS && !killed; i += 6) {
      await Promise.all(Array.from({ length: 6 }, (_, j) => upload(i + j)));
    }
    await (killed ?? first.kill());
    assert.ok(acknowledged.size > 0);
    for (const [name, content] of acknowledged) await expectFile(second, name, "a.bin", content);
    first = await start(folders[0]);
    for (const [name, content] of acknowledged) await expectFile(first, name, "a.bin", content);
  }
});

test("a server that cannot reach the bucket refuses writes and recovers without a restart", async (t) => {
  if (!s3.stop) return t.skip("the S3 server is not ours");
  const name = freshName("data");
  await here(first).put(name, { "a.txt": name });
  await expectFile(first, name, "a.txt", name);
  await s3.stop();
  const project = new ProjectClient(first);
  const refused = await project.upload("/file/create", "during the failure");
  assert.equal(refused.status, 503, refused.text);
  assert.doesNotMatch(refused.text, /127\.0\.0\.1|spindle-scale/);
  await expectFile(first, name, "a.txt", name); // from the cache
  assert.match(first.logs, /s3_unreachable/);
  await s3.start();
  expectOk(await project.upload("/file/create", "after the failure"));
});

test("spindle doctor checks the bucket", async () => {
  const folder = makeFolder();
  const doctor = async (more) => {
    const { stdout } = await runSpindle(["doctor", "--json", "--data-dir", join(folder, "data")], {
      env: { ...environment, ...more },
    });
    return JSON.parse(stdout).checks.find(({ check }) => check === "s3 bucket");
  };
  assert.equal((await doctor({})).verdict, "ok");
  const wrongKey = await doctor({ AWS_SECRET_ACCESS_KEY: "wrong" });
  assert.equal(wrongKey.verdict, "failure");
  assert.match(wrongKey.message, /refuses the credentials|do not allow/);
  const noBucket = await doctor({ SPINDLE_FILES_S3_BUCKET: "no-such-bucket" });
  assert.equal(noBucket.verdict, "failure");
  if (s3.readOnly) {
    const readOnly = await doctor(s3.readOnly);
    assert.match(readOnly.message, /^PUT object in the bucket .*AccessDenied/);
  }
  const nowhere = await doctor({ SPINDLE_FILES_S3_ENDPOINT: "http://127.0.0.1:1" });
  assert.match(nowhere.message, /could not be reached/);
  removeFolder(folder);
});

test("a backup leaves the files of the bucket out", async () => {
  const folder = makeFolder();
  const env = { ...environment, SPINDLE_METADATA: "sqlite", SPINDLE_FILES_S3_PREFIX: `${freshName("backup")}/` };
  const server = await startServer({ env, dataDir: join(folder, "data") });
  try {
    const project = new ArtifactProject(server, (await makeTeam(server)).name);
    await project.put("kept", { "a.txt": "in the bucket" });
    const taken = await server.cli("backup", join(folder, "backups"));
    assert.equal(taken.code, 0, taken.stderr);
    assert.match(taken.stdout, /contains no files: they are in the S3 bucket/);
    const verified = await server.cli("verify", join(folder, "backups"));
    assert.equal(verified.code, 0, verified.stdout);
    assert.match(verified.stdout, /1 reference to blobs in an S3 bucket/);
    await server.kill();
    const restored = await runSpindle(["restore", join(folder, "backups"), "--data-dir", join(folder, "restored")], { env: server.env });
    assert.equal(restored.code, 0, restored.stderr);
    const again = await startServer({ env, dataDir: join(folder, "restored") });
    const answer = await new ArtifactProject(again, project.team).read("kept", "latest", "a.txt");
    assert.equal(answer.text, "in the bucket");
    await again.dispose();
  } finally {
    await server.dispose();
    removeFolder(folder);
  }
});

test("downloads are redirected to the bucket only if allowed", async () => {
  const name = freshName("data");
  await here(first).put(name, { "a.txt": "direct" });
  const file = `/collections/${name}/versions/latest/files/a.txt?redirect=true`;
  const own = await here(first).api("GET", file);
  assert.equal(own.status, 302);
  assert.ok(own.headers.location.startsWith(first.url));
  const folder = makeFolder();
  const direct = await startServer({
    env: { ...environment, SPINDLE_FILES_S3_DIRECT_DOWNLOADS: "true" },
    dataDir: join(folder, "data"),
  });
  try {
    const answer = await here(direct).api("GET", file);
    assert.equal(answer.status, 302);
    assert.ok(answer.headers.location.startsWith(s3.endpoint), answer.headers.location);
    const bytes = await fetch(answer.headers.location);
    assert.equal(bytes.status, 200);
    assert.equal(await bytes.text(), "direct");
    const changed = await fetch(answer.headers.location.replace(/.$/, (c) => (c === "0" ? "1" : "0")));
    assert.equal(changed.status, 403);
  } finally {
    await direct.dispose();
    removeFolder(folder);
  }
});
