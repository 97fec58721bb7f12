// `spindle traces export` and `spindle traces import` with a running server.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync, watch, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { Project, at, uuid7 } from "./support/calls.mjs";
import { freshName, makeTeam, makeUser } from "./support/people.mjs";
import { Program, makeFolder, runSpindle } from "./support/program.mjs";
import { ADMIN_KEY, startServer } from "./support/server.mjs";

let server;
let scratch;
before(async () => {
  server = await startServer();
  scratch = makeFolder();
});
after(() => server.dispose());

const folder = (name) => join(scratch, `${freshName("folder")}-${name}`);
const words = (command, options) => ["traces", command, ...Object.entries(options).flat()];
const exportArgs = (project, output, more = {}) =>
  words("export", { "--project": project.id, "--output": output, ...more });
const importArgs = (project, input, more = {}) =>
  words("import", { "--project": project.id, "--input": input, ...more });

/** Runs a command that must succeed. */
async function run(args, ...flags) {
  const ended = await server.cli(...args, ...flags);
  assert.equal(ended.code, 0, ended.stderr);
  return ended;
}

/** Runs a command that must fail; resolves with its message. */
async function expectFailure(args, ...flags) {
  const ended = await server.cli(...args, ...flags);
  assert.equal(ended.code, 1, ended.stdout);
  return ended.stderr;
}

const manifestIn = (path) => JSON.parse(readFileSync(join(path, "manifest.json"), "utf8"));

/** Returns the calls in the files of a finished JSON Lines export. */
function exported(path) {
  const manifest = manifestIn(path);
  assert.equal(manifest.finished, true);
  return manifest.parts.flatMap(({ file, calls }) => {
    const lines = readFileSync(join(path, file), "utf8").split("\n").filter(Boolean);
    assert.equal(lines.length, calls, file);
    return lines.map((line) => JSON.parse(line));
  });
}

/** Returns the members that must be equal in the old and the new project. */
function comparable(calls) {
  return calls.map(({ project_id, svc_user_id, ...rest }) => rest);
}

/** Creates calls of every kind, and a reference into the project itself. */
async function everyKind(project) {
  const { digest } = await project.ok("/obj/create", {
    obj: { project_id: project.id, object_id: "prompt", val: { text: "hello" } },
  });
  const prompt = `svc:///${project.id}/object/prompt:${digest}`;
  const trace_id = uuid7();
  const root = uuid7();
  await project.complete(
    {
      id: root,
      trace_id,
      op_name: `svc:///${project.id}/op/answer:${digest}`,
      display_name: "Answer",
      started_at: "2024-05-01T00:00:00.000001Z",
      ended_at: "2024-05-01T00:00:02.999999Z",
      attributes: { svc: { source: "test" }, tags: ["a", "b"], number: 1.5 },
      inputs: { prompt, text: "ünï ☃ 😀 \"quoted\" \\ \n\t", deep: { list: [1, [2, [3, {}]], null] } },
      output: JSON.stringify({ prompt, n: 1 }),
      summary: {
        usage: { "gpt-4o": { prompt_tokens: 10, completion_tokens: 3, requests: 1 } },
        status_counts: { success: 2, error: 0 },
        svc: { own: "kept" },
        score: 0.25,
      },
      thread_id: "thread-1",
      turn_id: root,
      svc_run_id: `${project.id}/run1`,
      svc_run_step: 0,
      svc_run_step_end: 7,
    },
    { trace_id, parent_id: root, exception: "Traceback:\n  boom", output: null, inputs: { api_key: "k" } },
    { trace_id, parent_id: root, output: [], otel_dump: { name: "span", attributes: { a: "1" } } },
    { output: false, started_at: at(5), ended_at: at(5) },
    { output: "", op_name: "plain", started_at: at(5), ended_at: at(6) },
    { output: { elsewhere: "svc:///nobody/knows/object/x:1", big: 9007199254740991 }, started_at: at(5) },
  );
  await project.start({ started_at: at(7), display_name: "still running", inputs: { prompt } });
  const late = await project.start({ started_at: at(8), attributes: { a: {} } });
  await project.end(late.id, { ended_at: at(9), summary: { usage: {} } });
  return prompt;
}

for (const format of ["jsonl", "parquet"]) {
  describe(`a round trip through ${format}`, () => {
    test("restores every call unchanged", async () => {
      const project = new Project(server);
      await everyKind(project);
      const path = folder("all");
      const out = await run(exportArgs(project, path, { "--format": format, "--page": "3" }));
      assert.match(out.stdout, /^Exported .*: 8 calls in 3 parts\.\n$/);
      const copy = new Project(server);
      const back = await run(importArgs(copy, path), "--keep-refs");
      assert.match(back.stdout, /^Imported 8 calls into .*\.\n$/);
      const before = await project.query();
      const now = await copy.query();
      assert.equal(before.length, 8);
      assert.deepEqual(comparable(now), comparable(before));
      assert.ok(now.every((call) => call.project_id === copy.id));
      assert.deepEqual(await copy.stats(), await project.stats());
    });

    test("keeps numbers beyond the precision of JavaScript", async () => {
      const project = new Project(server);
      const [{ id }] = await project.complete({});
      const numbers = "[123456789012345678901234567890,1.10,1e400,-0.0]";
      const body = `{"batch":[{"project_id":"${project.id}","id":"${id}","trace_id":"${uuid7()}",
        "op_name":"op","started_at":"${at(0)}","ended_at":"${at(1)}","attributes":{},
        "inputs":{"n":${numbers}},"output":${numbers},"summary":{}}]}`;
      await project.ok(`/v2/${project.id}/calls/complete`, body);
      const path = folder("numbers");
      await run(exportArgs(project, path, { "--format": format }));
      const copy = new Project(server);
      await run(importArgs(copy, path));
      const { text } = await copy.post("/calls/stream_query", { project_id: copy.id });
      assert.equal(text.split(numbers).length, 3, text);
    });

    test("rewrites references to the new project", async () => {
      const project = new Project(server);
      const prompt = await everyKind(project);
      const path = folder("refs");
      await run(exportArgs(project, path, { "--format": format }));
      const copy = new Project(server);
      await run(importArgs(copy, path));
      const root = (await copy.query()).find(({ display_name }) => display_name === "Answer");
      const moved = prompt.replace(project.id, copy.id);
      assert.equal(root.inputs.prompt, moved);
      assert.equal(JSON.parse(root.output).prompt, moved);
      assert.ok(root.op_name.startsWith(`svc:///${copy.id}/op/answer:`), root.op_name);
      const [foreign] = await copy.query({
        query: { $expr: { $eq: [{ $getField: "output.big" }, { $literal: 9007199254740991 }] } },
      });
      assert.equal(foreign.output.elsewhere, "svc:///nobody/knows/object/x:1");
    });

    test("can be repeated without duplicates", async () => {
      const project = new Project(server);
      await everyKind(project);
      const path = folder("twice");
      await run(exportArgs(project, path, { "--format": format }));
      const copy = new Project(server);
      await run(importArgs(copy, path));
      const once = await copy.query();
      await run(importArgs(copy, path));
      assert.deepEqual(await copy.query(), once);
    });

    test("works with a project that has no calls", async () => {
      const path = folder("empty");
      const out = await run(exportArgs(new Project(server), path, { "--format": format }));
      assert.match(out.stdout, /: 0 calls in 0 parts\./);
      assert.deepEqual(readdirSync(path), ["manifest.json"]);
      const back = await run(importArgs(new Project(server), path));
      assert.match(back.stdout, /^Imported 0 calls/);
    });
  });
}

describe("an export that is killed", () => {
  const CALLS = 2000;
  let project;
  let ids;
  before(async () => {
    project = new Project(server);
    const calls = await manyCalls(project, CALLS);
    ids = calls.map(({ id }) => id).sort();
  });

  for (const format of ["jsonl", "parquet"]) {
    test(`resumes without gaps and duplicates, in ${format}`, async () => {
      const path = folder("killed");
      const args = [
        ...exportArgs(project, path, { "--format": format, "--page": "100" }),
        "--data-dir",
        server.dataDir,
      ];
      let kills = 0;
      for (let goal = 3; goal <= 15; goal += 4) {
        const program = new Program(args, { env: { SPINDLE_ADMIN_API_KEY: ADMIN_KEY } });
        await program.waitForLine(new RegExp(`calls-0000${String(goal).padStart(2, "0")}`));
        program.signal("SIGKILL");
        if ((await program.ended).signal === "SIGKILL") kills += 1;
      }
      assert.ok(kills > 0, "it was never killed");
      const last = await run(args.slice(0, -2));
      assert.match(last.stderr, /continuing after \d+00 calls/);
      assert.equal(manifestIn(path).parts.length, CALLS / 100);
      assert.deepEqual(readdirSync(path).filter((name) => !/^(calls-\d{6}\.\w+|manifest\.json)$/.test(name)), []);
      if (format === "jsonl") {
        assert.deepEqual(exported(path).map(({ id }) => id).sort(), ids);
      } else {
        const copy = new Project(server);
        await run(importArgs(copy, path));
        const copied = await copy.query({ columns: ["id"] });
        assert.deepEqual(copied.map(({ id }) => id).sort(), ids);
      }
      const again = await run(args.slice(0, -2));
      assert.match(again.stdout, /already contains the complete export of .*: 2000 calls in 20 parts\./);
    });
  }
});

describe("an import that is killed", () => {
  test("resumes at its last position", async () => {
    const project = new Project(server);
    await manyCalls(project, 4000);
    const path = folder("import");
    await run(exportArgs(project, path, { "--page": "1500" }));
    const copy = new Project(server);
    const program = new Program([...importArgs(copy, path), "--data-dir", server.dataDir], {
      env: { SPINDLE_ADMIN_API_KEY: ADMIN_KEY },
    });
    await appears(path, "import-state.json");
    program.signal("SIGKILL");
    assert.equal((await program.ended).signal, "SIGKILL");
    const state = JSON.parse(readFileSync(join(path, "import-state.json"), "utf8"));
    assert.ok(state.calls > 0 && state.calls < 4000, JSON.stringify(state));
    const rest = await run(importArgs(copy, path));
    assert.match(rest.stderr, /continuing after calls-\d{6}\.jsonl:\d+/);
    assert.match(rest.stdout, /^Imported 4000 calls/);
    assert.deepEqual(comparable(await copy.query()), comparable(await project.query()));
    assert.equal(existsSync(join(path, "import-state.json")), false);
  });
});

/** Creates calls of which many start at the same time, as SDKs with many workers send them. */
async function manyCalls(project, count) {
  const calls = [];
  for (let sent = 0; sent < count; sent += 500) {
    const batch = Array.from({ length: Math.min(500, count - sent) }, (_, i) => ({
      started_at: at(Math.floor((sent + i) / 7)),
      ended_at: at(Math.floor((sent + i) / 7) + 1),
      inputs: { n: sent + i, text: "x".repeat(200) },
    }));
    calls.push(...(await project.complete(...batch)));
  }
  return calls;
}

/** Resolves when the folder contains a file with that name. */
function appears(path, name) {
  return new Promise((resolve) => {
    const watcher = watch(path, () => {
      if (!existsSync(join(path, name))) return;
      watcher.close();
      resolve();
    });
  });
}

describe("an export", () => {
  test("contains the calls of a time range: start inclusive, end exclusive", async () => {
    const project = new Project(server);
    await project.complete(...[0, 10, 20, 30].map((n) => ({ started_at: at(n), inputs: { n } })));
    const path = folder("range");
    await run(exportArgs(project, path, { "--from": at(10), "--to": at(30) }));
    assert.deepEqual(exported(path).map(({ inputs }) => inputs.n), [10, 20]);
  });

  test("contains what the reader may see", async () => {
    const project = new Project(server);
    await everyKind(project);
    const path = folder("seen");
    await run(exportArgs(project, path));
    assert.deepEqual(exported(path), await project.query());
  });

  test("rejects a folder with other content", async () => {
    const project = new Project(server);
    await project.complete({});
    const path = folder("taken");
    await run(exportArgs(project, path));
    assert.match(await expectFailure(exportArgs(new Project(server), path)), /contains another export/);
    assert.match(await expectFailure(exportArgs(project, path, { "--format": "parquet" })), /contains another export/);
    assert.match(await expectFailure(exportArgs(project, scratch)), /choose an empty folder/);
    const file = folder("file");
    writeFileSync(file, "");
    assert.match(await expectFailure(exportArgs(project, file)), /is not a folder/);
  });

  test("is rejected for users who may not read the project", async () => {
    const project = new Project(server);
    await project.complete({});
    const outsider = await makeUser(server);
    const message = await expectFailure(exportArgs(project, folder("outsider"), { "--url": server.url, "--key": outsider.key }));
    assert.match(message, /the server answered 404/);
    assert.match(await expectFailure(exportArgs(project, folder("wrong"), { "--key": "nonsense" })), /answered 401/);
  });
});

describe("an import", () => {
  test("sets the importing user", async () => {
    const project = new Project(server);
    await project.complete({});
    const path = folder("who");
    await run(exportArgs(project, path));
    const ada = await makeUser(server);
    const team = await makeTeam(server, { admin: ada.username });
    const copy = new Project(server, `${team.name}/copy`);
    const keyFile = folder("key");
    writeFileSync(keyFile, `${ada.key}\n`);
    await run(importArgs(copy, path, { "--url": server.url, "--key": `@${keyFile}` }));
    const [call] = await copy.query();
    assert.notEqual(call.svc_user_id, (await project.query())[0].svc_user_id);
  });

  test("names an invalid line, and skips it on request", async () => {
    const project = new Project(server);
    await project.complete({ started_at: at(0) }, { started_at: at(1) }, { started_at: at(2) });
    const lines = (await project.query()).map((call) => JSON.stringify(call));
    const path = folder("bad");
    mkdirSync(path);
    const file = join(path, "calls.jsonl");
    writeFileSync(file, [lines[0], '{"id": 7', lines[1].replace(/"id":"[^"]*"/, '"id":"NOT-ONE"'), lines[2]].join("\n"));
    const copy = new Project(server);
    assert.match(await expectFailure(importArgs(copy, file)), /calls\.jsonl:2: not JSON/);
    const skipping = await run(importArgs(copy, file), "--skip-bad");
    assert.match(skipping.stdout, /^Imported 2 calls into .*\. Skipped 2 bad lines\.\n$/);
    assert.match(skipping.stderr, /skipped calls\.jsonl:2: not JSON/);
    assert.match(skipping.stderr, /skipped calls\.jsonl:3: Invalid UUID: NOT-ONE/);
    assert.equal((await copy.stats()).count, 2);
  });

  test("rejects folders that are no export, and modified parts", async () => {
    const copy = new Project(server);
    assert.match(await expectFailure(importArgs(copy, join(scratch, "none"))), /no such folder or file/);
    const empty = folder("nothing");
    mkdirSync(empty);
    assert.match(await expectFailure(importArgs(copy, empty)), /contains no manifest\.json/);
    const project = new Project(server);
    await project.complete({});
    const path = folder("changed");
    await run(exportArgs(project, path));
    writeFileSync(join(path, "calls-000001.jsonl"), "{}\n");
    assert.match(await expectFailure(importArgs(copy, path)), /not the file that was exported/);
    assert.equal((await copy.stats()).count, 0);
  });

  test("waits when the server returns Retry-After", async () => {
    const asked = [];
    const busy = createServer((request, response) => {
      asked.push(request.url);
      request.resume().on("end", () => {
        const first = asked.length === 1;
        response.writeHead(first ? 503 : 200, first ? { "Retry-After": "1" } : {}).end("{}");
      });
    });
    await new Promise((resolve) => busy.listen(0, "127.0.0.1", resolve));
    try {
      const file = `${folder("one")}.jsonl`;
      const call = { id: uuid7(), trace_id: uuid7(), op_name: "op", started_at: at(0), ended_at: at(1) };
      writeFileSync(file, JSON.stringify(call));
      const url = `http://127.0.0.1:${busy.address().port}`;
      const ended = await run(importArgs(new Project(server, "team/app"), file, { "--url": url, "--key": "any" }));
      assert.match(ended.stderr, /retrying in 1 s/);
      assert.match(ended.stdout, /^Imported 1 call into team\/app\.\n$/);
      assert.deepEqual(asked, ["/v2/team/app/calls/complete", "/v2/team/app/calls/complete"]);
    } finally {
      busy.close();
    }
  });
});

test("without a server, the commands print advice", async () => {
  const args = ["traces", "export", "--project", "a/b", "--output", folder("never"), "--data-dir", scratch];
  const ended = await runSpindle(args);
  assert.equal(ended.code, 1);
  assert.match(ended.stderr, /no server runs on the data folder .*start one with `spindle serve`/);
  const unreachable = await runSpindle([...args, "--url", "http://127.0.0.1:1", "--key", "any"]);
  assert.equal(unreachable.code, 1);
  assert.match(unreachable.stderr, /no response from http:\/\/127\.0\.0\.1:1/);
});
