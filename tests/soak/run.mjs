// Runs the server at partial load with many projects, and checks that its resource use does not grow:
//
//   node tests/soak/run.mjs [--minutes 120] [--projects 2000] [--rate 50] [--sample-seconds 10] [--traces-memory 384MiB]
//                           [--warm-up-minutes 30]
//
// `rate` is writes per second over all projects: half of what the machine sustains. `traces-memory` limits the
// cache of the trace store: it must be full after the warm-up, or the cache looks like a leak. The time before
// `minutes` writes at twice the rate and reads as often as the server answers, because
// * the cache fills with the data: at 100 writes per second and 256 MiB, the lowest samples still rose by 90 MiB in
//   80 minutes, when the highest rose by 25 MiB;
// * DuckDB keeps the handles of freed temporary blocks until its eviction queues are long (32,768 entries each), which
//   is estimated to take 50,000 queries.
// Prints a sample line for each interval and, at the end, the trend after the first quarter and a result. Exit status 1
// if memory is not flat within 5 %, open files are not flat, or the data folder grows faster than the data.
// SPINDLE_BIN names another server program.

import assert from "node:assert/strict";
import { lstatSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";

import { uuid7 } from "../http/support/calls.mjs";
import { PATHS, request, send, span } from "../http/support/otlp.mjs";
import { makeTeam } from "../http/support/people.mjs";
import { makeFolder, removeFolder } from "../http/support/program.mjs";
import { startServer } from "../http/support/server.mjs";
import { growth, verdictOf } from "./trend.mjs";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "120" },
    projects: { type: "string", default: "2000" },
    rate: { type: "string", default: "50" },
    "sample-seconds": { type: "string", default: "10" },
    "traces-memory": { type: "string", default: "384MiB" },
    "warm-up-minutes": { type: "string", default: "30" },
  },
});
const minutes = Number(values.minutes);
const warm_up_minutes = Number(values["warm-up-minutes"]);
const projects = Number(values.projects);
const rate = Number(values.rate);
const sampleMs = Number(values["sample-seconds"]) * 1000;
const TEAMS = 20;
const CALLS = 10; // per write

const teams = [];
const written = { requests: 0, bytes: 0, reads: 0 };

function residentBytes(pid) {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) * 1024;
}

/** Counts the connections from this program to the server. */
function ownConnections(port) {
  const remote = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = readFileSync("/proc/self/net/tcp", "utf8").trim().split("\n").slice(1);
  return rows.map((row) => row.trim().split(/\s+/)).filter(([, , to, state]) => to.endsWith(remote) && state === "01").length;
}

/** Counts the open files of the server without these connections: their number depends on how fast it answers. */
function openFiles(server) {
  return readdirSync(`/proc/${server.program.pid}/fd`).length - ownConnections(Number(new URL(server.url).port));
}

function folderBytes(folder) {
  let sum = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    try {
      sum += entry.isDirectory() ? folderBytes(path) : lstatSync(path).size;
    } catch {
      // Deleted in the meantime.
    }
  }
  return sum;
}

const nameOf = (number) => `${teams[number % TEAMS]}/p${Math.floor(number / TEAMS)}`;

async function writeCalls(server, project_id) {
  const time = new Date().toISOString();
  const batch = Array.from({ length: CALLS }, (_, i) => ({
    project_id,
    id: uuid7(),
    trace_id: uuid7(),
    op_name: "op",
    started_at: time,
    ended_at: time,
    attributes: {},
    inputs: { question: `what is ${Math.random()}`, i },
    output: "x".repeat(200),
    summary: {},
  }));
  const body = JSON.stringify({ batch });
  const answer = await server.api("POST", `/v2/${project_id}/calls/complete`, { body });
  assert.equal(answer.status, 200, answer.text);
  written.bytes += body.length;
}

async function writeSpans(server, project) {
  const spans = Array.from({ length: CALLS }, () => span("step", { "gen_ai.operation.name": "chat", text: "y".repeat(100) }));
  const answer = await send(server, PATHS.both, request([{ "service.name": "soak" }, ...spans]), { project });
  assert.equal(answer.status, 200, answer.text);
  written.bytes += CALLS * 300;
}

async function writeFeedback(server, project_id) {
  const body = { project_id, svc_ref: `svc:///${project_id}/call/${uuid7()}`, feedback_type: "custom", payload: { v: 1 } };
  const answer = await server.api("POST", "/feedback/create", { body });
  assert.equal(answer.status, 200, answer.text);
  written.bytes += 200;
}

async function read(server, project_id) {
  const answer = await server.api("POST", "/calls/stream_query", { body: { project_id, limit: 20 } });
  assert.equal(answer.status, 200, answer.text);
  written.reads += 1;
}

/** Does one write, mostly of calls; every tenth also reads. */
async function work(server, number) {
  const project = nameOf(number % projects);
  const kinds = [writeCalls, writeCalls, writeCalls, writeSpans, writeFeedback];
  await kinds[number % kinds.length](server, project);
  if (number % 10 === 0) await read(server, project);
  written.requests += 1;
}

/** Writes at this rate for this time, and calls `look` between writes. */
async function load(server, duration_minutes, writes_per_second, look) {
  const began = performance.now();
  const end = began + duration_minutes * 60_000;
  let number = 0;
  const under_way = new Set();
  while (performance.now() < end) {
    const due = ((performance.now() - began) / 1000) * writes_per_second;
    while (number < due && under_way.size < 64) {
      const one = work(server, number).finally(() => under_way.delete(one));
      under_way.add(one);
      number += 1;
    }
    look(began);
    await Promise.race([...under_way, pause(5)]);
  }
  await Promise.all(under_way);
}

async function warmUp(server) {
  let writing = true;
  const readers = Array.from({ length: 2 }, async (_, first) => {
    for (let i = first; writing; i += 2) await read(server, nameOf(i % projects));
  });
  await load(server, warm_up_minutes, 2 * rate, () => {});
  writing = false;
  await Promise.all(readers);
  console.log(`warmed up with ${written.requests} writes and ${written.reads} reads`);
}

async function soak(server, folder) {
  const samples = [];
  let next_sample = performance.now();
  await load(server, minutes, rate, (began) => {
    if (performance.now() >= next_sample) {
      const sample = {
        seconds: Math.round((performance.now() - began) / 1000),
        resident: residentBytes(server.program.pid),
        files: openFiles(server),
        folder: folderBytes(folder),
        data: written.bytes,
      };
      samples.push(sample);
      console.log(
        `${sample.seconds} s: ${(sample.resident / 2 ** 20).toFixed(1)} MiB resident, ${sample.files} open files, ` +
          `folder ${(sample.folder / 2 ** 20).toFixed(1)} MiB for ${(sample.data / 2 ** 20).toFixed(1)} MiB of data, ${written.requests} writes`,
      );
      next_sample += sampleMs;
    }
  });
  return samples;
}

const folder = makeFolder();
const server = await startServer({ dataDir: join(folder, "data"), args: ["--traces-memory", values["traces-memory"]] });
try {
  for (let i = 0; i < TEAMS; i += 1) teams.push((await makeTeam(server)).name);
  // Every project exists and has data before the first sample.
  for (let i = 0; i < projects; i += 1) await writeCalls(server, nameOf(i));
  console.log(`${projects} projects; ${rate} writes per second for ${minutes} minutes`);
  if (warm_up_minutes > 0) await warmUp(server);
  const samples = await soak(server, join(folder, "data"));
  const verdict = verdictOf(samples);
  console.log(`after warm-up: memory ${growth(verdict.memory)}, open files ${growth(verdict.files)}, folder per byte of data ${growth(verdict.folder)}`);
  for (const fault of verdict.faults) console.error(`FAULT: ${fault}`);
  console.log(verdict.faults.length === 0 ? "flat" : "not flat");
  process.exitCode = verdict.faults.length === 0 ? 0 : 1;
} finally {
  await server.kill();
  removeFolder(folder);
}
process.exit();
