// An S3 server that denies, is slow, loses parts or breaks connections: clear errors, nothing acknowledged is lost, no
// wrong bytes are served, and the server recovers without a restart.

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { ArtifactProject } from "../http/support/artifacts.mjs";
import { eventually } from "../http/support/deliveries.mjs";
import { ProjectClient, expectOk } from "../http/support/objects.mjs";
import { freshName, makeTeam } from "../http/support/people.mjs";
import { filesIn } from "../http/support/program.mjs";
import { startServer, withServer } from "../http/support/server.mjs";
import { startFaultProxy } from "./support/fault_proxy.mjs";
import { startS3 } from "./support/s3_server.mjs";

const MIB = 1024 * 1024;
const LARGE = 66 * MIB; // uploaded in parts

let s3;
let proxy;
let server;
let artifacts;

/** The settings of a server whose bucket is behind the proxy. */
const environment = (more = {}) => ({
  ...s3.environment(`${freshName("faults")}/`),
  SPINDLE_METADATA: "sqlite",
  SPINDLE_FILES_S3_ENDPOINT: proxy.url,
  ...more,
});

before(async () => {
  s3 = await startS3();
  proxy = await startFaultProxy(s3.endpoint);
  server = await startServer({ env: environment() });
  artifacts = new ArtifactProject(server, (await makeTeam(server)).name);
});

after(async () => {
  await server?.dispose();
  await proxy?.close();
  await s3?.dispose();
});

const error = (status, code) => ({
  answer: { status, headers: { "content-type": "application/xml" }, body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>injected</Message></Error>` },
});
const isWrite = ({ method }) => method === "PUT" || method === "POST";
const isPart = ({ method, url }) => method === "PUT" && /[?&]partNumber=/.test(url);
const isRead = ({ method }) => method === "GET";

/** Runs `work` while requests have a fault, which must have happened. */
async function during(fault, work) {
  const before = proxy.faults;
  proxy.fault = fault;
  try {
    return await work();
  } finally {
    proxy.fault = () => undefined;
    assert.ok(proxy.faults > before, "the fault did not happen");
  }
}

function expectRefused(answer, status = 503) {
  assert.equal(answer.status, status, answer.text);
  if (status === 503) assert.match(answer.headers["retry-after"] ?? "", /^\d+$/, answer.text);
  assert.doesNotMatch(answer.text, /127\.0\.0\.1|spindle-scale|injected/);
}

const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** Drops the copies on this server, so that the next read asks the bucket. */
function forget() {
  const folder = join(server.dataDir, "blob-cache");
  for (const name of filesIn(folder)) rmSync(join(folder, name));
}

/** Expects an upload to be refused with a log entry, and to succeed when the fault is over. */
async function refusedAndRecovered(fault, reason) {
  const project = new ProjectClient(server);
  const content = freshName("content");
  await during(fault, async () => expectRefused(await project.upload("/file/create", content)));
  assert.match(server.logs, reason);
  const stored = expectOk(await project.upload("/file/create", content));
  const answer = await project.post("/file/content", stored);
  assert.equal(answer.text, content);
}

test("denied access refuses writes until it is granted", () =>
  refusedAndRecovered((request) => (isWrite(request) ? error(403, "AccessDenied") : undefined), /s3_denied/));

test("wrong credentials refuse writes until they are right", () =>
  refusedAndRecovered((request) => (isWrite(request) ? error(403, "SignatureDoesNotMatch") : undefined), /s3_denied/));

test("an upload that the S3 server received shortened is refused", () =>
  refusedAndRecovered(
    (request) => (isWrite(request) && request.body.length > 1 ? { body: request.body.subarray(0, request.body.length - 1) } : undefined),
    /s3_wrong_checksum|s3_denied|s3_failed/,
  ));

test("a full S3 server refuses writes with 507", async () => {
  const project = new ProjectClient(server);
  const content = freshName("content");
  await during((request) => (isWrite(request) ? error(507, "InsufficientStorage") : undefined), async () =>
    expectRefused(await project.upload("/file/create", content), 507),
  );
  expectOk(await project.upload("/file/create", content));
});

test("a slow S3 server: requests end in time, others are served, and uploads succeed afterwards", () =>
  withServer({ env: environment({ SPINDLE_FILES_S3_TIMEOUT: "1s" }) }, async (impatient) => {
    const project = new ProjectClient(impatient);
    let release;
    const held = new Promise((resolve) => (release = resolve));
    await during((request) => (isWrite(request) ? { held } : undefined), async () => {
      const writing = Promise.all(Array.from({ length: 20 }, () => project.upload("/file/create", freshName("slow"))));
      for (let i = 0; i < 20; i += 1) assert.equal((await impatient.api("GET", "/api/v1/me")).status, 200);
      for (const answer of await writing) expectRefused(answer);
    });
    release();
    const after = () => project.upload("/file/create", "after");
    await eventually(after, ({ status }) => status === 200, "the server does not recover");
  }));

test("requests that fail once are repeated", async () => {
  const seen = new Set();
  const content = randomBytes(LARGE);
  const name = freshName("large");
  await during(
    ({ method, url }) => {
      const key = `${method} ${url}`;
      if (seen.has(key)) return undefined;
      seen.add(key);
      return error(503, "SlowDown");
    },
    () => artifacts.put(name, { "a.bin": content }),
  );
  forget();
  const answer = await artifacts.read(name, "latest", "a.bin");
  assert.equal(answer.status, 200, answer.text);
  assert.equal(digest(answer.bytes), digest(content));
});

test("an S3 server that loses a part: the upload is refused, and succeeds when it is sent again", async () => {
  const content = randomBytes(LARGE);
  const files = { "a.bin": content };
  const name = freshName("lost");
  const { version, uploads } = await artifacts.begin(name, files);
  const [{ url, method, headers }] = uploads;
  const { pathname, search } = new URL(url);
  const send = () => server.api(method, pathname + search, { key: null, body: content, headers });
  // The server claims to have the part.
  const lose = (request) =>
    isPart(request) ? { answer: { status: 200, headers: { etag: `"${createHash("md5").update(request.body).digest("hex")}"` } } } : undefined;
  await during(lose, async () => expectRefused(await send()));
  const early = await artifacts.api("POST", `/collections/${name}/versions/${version.id}/commit`);
  assert.ok(early.status >= 400 && early.status < 500, `a version without its file was committed: ${early.text}`);
  assert.equal((await send()).status, 200);
  await artifacts.commit(name, version.id);
  forget();
  const answer = await artifacts.read(name, "latest", "a.bin");
  assert.equal(digest(answer.bytes), digest(content));
});

test("a download whose connection breaks is never served as complete", async () => {
  const content = randomBytes(9 * MIB);
  const name = freshName("cut");
  await artifacts.put(name, { "a.bin": content });
  forget();
  const cut = (request) => (isRead(request) ? { response: (stored) => ({ ...stored, cut: Math.floor(stored.body.length / 2) }) } : undefined);
  const outcome = await during(cut, () => artifacts.read(name, "latest", "a.bin").catch((broken) => ({ broken })));
  assert.ok(outcome.broken || outcome.status === 503, `${outcome.status}`);
  const answer = await eventually(() => artifacts.read(name, "latest", "a.bin"), ({ status }) => status === 200);
  assert.equal(digest(answer.bytes), digest(content));
});
