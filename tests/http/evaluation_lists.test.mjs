// Order, cursors and filters of the lists of /v2: runs, datasets, models, scorers, evaluations and ops.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { expectViolations } from "./support/expect.mjs";
import { expectRefusal } from "./support/objects.mjs";
import { startServer } from "./support/server.mjs";
import { V2Project } from "./support/v2_project.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const BODIES = {
  ops: (i) => ({ source_code: `def op(): return ${i}` }),
  datasets: (i) => ({ rows: [{ i }] }),
  scorers: (i) => ({ op_source_code: `def score(): return ${i}` }),
  evaluations: (i) => ({ dataset: `svc:///a/b/object/data:v${i}` }),
  models: (i) => ({ source_code: `class M${i}: ...` }),
};

/** Reads all pages of a list. Returns the pages, each without its last line. */
async function pages(project, path, limit) {
  const all = [];
  let cursor = "";
  do {
    const lines = await project.list(`${path}${path.includes("?") ? "&" : "?"}limit=${limit}&include_cursor=true&cursor=${cursor}`);
    const last = lines.pop();
    assert.deepEqual(Object.keys(last), ["next_cursor"]);
    cursor = last.next_cursor;
    all.push(lines);
  } while (cursor !== null);
  return all;
}

/** Publishes versions of two objects in turn: one, two, one, … Returns `object_id:version_index` in this order. */
async function publish(project, plural, count) {
  const made = [];
  for (let i = 0; i < count; ++i) {
    const { object_id, version_index } = await project.make(plural, { name: ["one", "two"][i % 2], ...BODIES[plural](i) });
    made.push(`${object_id}:${version_index}`);
  }
  return made;
}

const versions = (lines) => lines.map(({ object_id, version_index }) => `${object_id}:${version_index}`);

for (const plural of Object.keys(BODIES)) {
  describe(plural, () => {
    test("are listed oldest first by default, newest first by request", async () => {
      const project = new V2Project(server);
      await publish(project, plural, 5);
      const oldest = versions(await project.list(plural));
      assert.deepEqual(versions(await project.list(`${plural}?order=oldest`)), oldest);
      assert.deepEqual(versions(await project.list(`${plural}?order=newest`)), [...oldest].reverse());
      assert.deepEqual(versions(await project.list(`${plural}?order=newest&limit=2&offset=1`)), [...oldest].reverse().slice(1, 3));
    });

    test("have pages without gaps, also while versions are added", async () => {
      const project = new V2Project(server);
      await publish(project, plural, 5);
      const oldest = versions(await project.list(plural));
      for (const [order, expected] of [["oldest", oldest], ["newest", [...oldest].reverse()]]) {
        for (const limit of [1, 2, 5, 100]) {
          const found = await pages(project, `${plural}?order=${order}`, limit);
          assert.deepEqual(versions(found.flat()), expected);
          assert.ok(found.every((page) => page.length <= limit));
        }
      }
      const [first, { next_cursor }] = await project.list(`${plural}?order=newest&limit=1&include_cursor=true`);
      await project.make(plural, { name: "three", ...BODIES[plural](9) });
      const rest = await project.list(`${plural}?order=newest&cursor=${next_cursor}`);
      assert.deepEqual(versions([first, ...rest]), [...oldest].reverse());
    });

    test("can be restricted to the latest versions", async () => {
      const project = new V2Project(server);
      await publish(project, plural, 5);
      const all = await project.list(plural);
      const newest = new Map(all.map((version) => [version.object_id, version.version_index]));
      const expected = [...newest].map(([id, index]) => `${id}:${index}`).sort();
      assert.deepEqual(versions(await project.list(`${plural}?latest_only=true`)).sort(), expected);
      const found = await pages(project, `${plural}?latest_only=true&order=newest`, 1);
      assert.deepEqual(versions(found.flat()).sort(), expected);
      assert.equal((await project.list(`${plural}?latest_only=false`)).length, all.length);
    });
  });
}

describe("runs", () => {
  const ids = (lines) => lines.map((run) => run.evaluation_run_id);

  test("are listed oldest first by default, newest first by request", async () => {
    const project = new V2Project(server);
    const made = [];
    for (let i = 0; i < 5; ++i) made.push(await project.run());
    assert.deepEqual(ids(await project.list("evaluation_runs")), made);
    assert.deepEqual(ids(await project.list("evaluation_runs?order=newest")), [...made].reverse());
    assert.deepEqual(ids(await project.list("evaluation_runs?order=newest&limit=2")), [made[4], made[3]]);
  });

  test("have pages without gaps, with filters, also while runs are added", async () => {
    const project = new V2Project(server);
    const made = [];
    for (let i = 0; i < 6; ++i) made.push(await project.run({ model: project.ref(i % 2 ? "odd" : "even") }));
    for (const [order, expected] of [["oldest", made], ["newest", [...made].reverse()]]) {
      for (const limit of [1, 4, 6, 100]) {
        assert.deepEqual(ids((await pages(project, `evaluation_runs?order=${order}`, limit)).flat()), expected);
      }
    }
    const odd = `evaluation_runs?order=newest&models=${encodeURIComponent(project.ref("odd"))}`;
    assert.deepEqual(ids((await pages(project, odd, 2)).flat()), [made[5], made[3], made[1]]);
    const [first, { next_cursor }] = await project.list("evaluation_runs?order=newest&limit=1&include_cursor=true");
    await project.run();
    const rest = await project.list(`evaluation_runs?order=newest&cursor=${next_cursor}`);
    assert.deepEqual(ids([first, ...rest]), [...made].reverse());
  });

  test("of a project without writes end with a cursor line if asked", async () => {
    const project = new V2Project(server);
    assert.deepEqual(await project.list("evaluation_runs?include_cursor=true"), [{ next_cursor: null }]);
    assert.deepEqual(await project.list("datasets?include_cursor=true"), [{ next_cursor: null }]);
    assert.deepEqual(await project.list("datasets?include_cursor=true&limit=0"), [{ next_cursor: null }]);
  });
});

test("invalid parameters are rejected", async () => {
  const project = new V2Project(server);
  await publish(project, "datasets", 3);
  await project.run();
  await project.run();
  const cursorOf = async (path) => (await project.list(`${path}&limit=1&include_cursor=true`)).at(-1).next_cursor;
  const datasets = await cursorOf("datasets?order=newest");
  const runs = await cursorOf("evaluation_runs?order=newest");
  for (const path of ["datasets", "evaluation_runs"]) {
    expectViolations(await project.v2("GET", `${path}?order=best`), ["literal_error", "query", "order"]);
    expectViolations(await project.v2("GET", `${path}?include_cursor=perhaps`), ["bool_parsing", "query", "include_cursor"]);
    for (const cursor of ["x", "YzE6", "YzE6bmV3ZXN0", Buffer.from("c1:newest\n1\n2\nx").toString("base64url")]) {
      expectViolations(await project.v2("GET", `${path}?order=newest&cursor=${cursor}`), ["value_error", "query", "cursor"]);
    }
  }
  const foreign = ["value_error", "query", "cursor"];
  expectViolations(await project.v2("GET", `datasets?order=oldest&cursor=${datasets}`), foreign);
  expectViolations(await project.v2("GET", `datasets?order=newest&cursor=${runs}`), foreign);
  expectViolations(await project.v2("GET", `evaluation_runs?order=newest&cursor=${datasets}`), foreign);
  expectRefusal(await project.v2("GET", `datasets?order=newest&offset=1&cursor=${datasets}`), 400, "cursor and offset exclude each other");
  expectViolations(await project.v2("GET", "datasets?latest_only=perhaps"), ["bool_parsing", "query", "latest_only"]);
});
