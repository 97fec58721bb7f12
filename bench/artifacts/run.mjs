// Upload and download of one large file as a ratio to `cp` plus one MD5 of the same file, in the same run on the
// same disk: over HTTP, and with `spindle artifact put|get`, which reads the file once more for its MD5.
//
// The server verifies the MD5 during the upload, computes the SHA-256 of the blob and syncs it; `cp` does none of
// that. The measurements alternate by round; results are medians. GB=0.5 makes the run shorter.

import { execFileSync, spawn } from "node:child_process";
import { randomFillSync } from "node:crypto";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";

const program = process.env.SPINDLE_BIN;
const gigabytes = Number(process.env.GB ?? 2);
const rounds = Number(process.env.ROUNDS ?? 3);
const scratch = mkdtempSync(join(process.env.SCRATCH ?? tmpdir(), "spindle-bench-"));
const key = "bench-bootstrap-key-0123456789";
// A server rejects unknown SPINDLE_ variables.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SPINDLE_")));
env.SPINDLE_ADMIN_API_KEY = key;

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

function makeFile(path) {
  const block = Buffer.allocUnsafe(1 << 24);
  const file = openSync(path, "w");
  for (let left = gigabytes * 1e9; left > 0; left -= block.length) {
    randomFillSync(block);
    writeSync(file, block, 0, Math.min(left, block.length));
  }
  closeSync(file);
}

async function startServer() {
  const log = join(scratch, "server.log");
  const args = ["serve", "--listen", "127.0.0.1:0", "--data-dir", join(scratch, "data")];
  const child = spawn(program, args, { stdio: ["ignore", "ignore", openSync(log, "a")], env });
  for (;;) {
    const found = /listening on (\S+)/.exec(readFileSync(log, "utf8"));
    if (found) return { child, url: found[1] };
    if (child.exitCode !== null) throw new Error(readFileSync(log, "utf8"));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function api(server, method, path, body) {
  const answer = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${text}`);
  return text ? JSON.parse(text) : undefined;
}

const run = (...command) => execFileSync(command[0], command.slice(1), { encoding: "utf8", env, maxBuffer: 1 << 24 });

async function timed(work) {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

function memoryOf(server) {
  const status = readFileSync(`/proc/${server.child.pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)[1]) / 1024;
}

const times = { cp: [], md5: [], upload: [], download: [], put: [], get: [] };
const server = await startServer();
try {
  const source = join(scratch, "source.bin");
  const copy = join(scratch, "copy.bin");
  const back = join(scratch, "back");
  for (let round = 0; round < rounds; ++round) {
    makeFile(source); // different bytes in each round, so that nothing is deduplicated
    run("sync");
    const { size } = statSync(source);
    times.cp.push(await timed(() => run("cp", source, copy)));
    run("sync");
    let digest;
    times.md5.push(await timed(() => {
      digest = Buffer.from(run("openssl", "md5", "-r", source).split(" ")[0], "hex").toString("base64");
    }));
    rmSync(copy);
    const collection = `/api/v1/projects/bench/lab/collections/raw${round}`;
    const manifest = { "big.bin": { digest, size } };
    const { version, uploads } = await api(server, "POST", `${collection}/versions`, { type: "dataset", manifest });
    times.upload.push(await timed(async () => {
      run("curl", "-sSf", "-T", source, "-H", `Content-MD5: ${digest}`, uploads[0].url);
      await api(server, "POST", `${collection}/versions/${version.id}/commit`);
    }));
    run("sync");
    const url = `${server.url}${collection}/versions/v0/files/big.bin`;
    times.download.push(await timed(() => run("curl", "-sSf", "-H", `Authorization: Bearer ${key}`, "-o", copy, url)));
    if (run("cmp", source, copy) !== "") throw new Error("the download differs from the upload");
    rmSync(copy);
    await api(server, "DELETE", `${collection}`);
    // A new team has no uploaded files yet.
    const target = `cli${round}/lab/data`;
    const folder = ["--data-dir", join(scratch, "data")];
    run("sync");
    times.put.push(await timed(() => run(program, "artifact", "put", target, source, ...folder)));
    run("sync");
    times.get.push(await timed(() => run(program, "artifact", "get", target, "--output", back, ...folder)));
    rmSync(back, { recursive: true });
  }
  const reference = median(times.cp) + median(times.md5);
  const line = (name, seconds) => {
    const rate = (gigabytes / seconds).toFixed(2);
    console.log(`${name.padEnd(22)} ${seconds.toFixed(2)} s  ${rate} GB/s  ${(reference / seconds).toFixed(2)} of cp and md5`);
  };
  console.log(`a file of ${gigabytes} GB, ${rounds} rounds, medians`);
  console.log(`cp ${median(times.cp).toFixed(2)} s, md5 ${median(times.md5).toFixed(2)} s`);
  line("upload over HTTP", median(times.upload));
  line("download over HTTP", median(times.download));
  line("spindle artifact put", median(times.put));
  line("spindle artifact get", median(times.get));
  console.log(`peak server memory ${memoryOf(server).toFixed(0)} MB`);
} finally {
  server.child.kill("SIGTERM");
  rmSync(scratch, { recursive: true, force: true });
}
