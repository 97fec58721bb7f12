// /table/*.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";

import { expectGrowthBelow, expectViolations } from "./support/expect.mjs";
import { ProjectClient, expectOk, expectRefusal } from "./support/objects.mjs";
import { startServer } from "./support/server.mjs";

const ROWS = [
  { id: 1, value: 2 },
  { id: 2, value: 3 },
  { id: 3, value: 4 },
];
const ROW_DIGESTS = [
  "mriP98RC2VPGkzk0QeZZ2hq4pUA8fQnhNlsivPxyYYA",
  "DT31YGNzrm7UClL9NXjXYHGXBhYZJsh4Ct9jjBWY74s",
  "1dMFHVoxulzjLOSTzDQMrTQ5ckPCI3aF2487OjvmxJI",
];
const TABLE = "03b86e8588d298a1814945664597d94281cb0dbca3b4ff8b0fcff30a6305d33e";
const EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const fresh = () => new ProjectClient(server);
const vals = (rows) => rows.map((row) => row.val);
const tableDigest = (digests) => createHash("sha256").update(digests.join("")).digest("hex");

describe("creating a table", () => {
  test("returns the documented digests", async () => {
    const project = fresh();
    assert.deepEqual(await project.table(ROWS), { digest: TABLE, row_digests: ROW_DIGESTS });
    assert.deepEqual(await project.table([]), { digest: EMPTY, row_digests: [] });
    assert.deepEqual(
      await project.rows(TABLE),
      ROWS.map((val, i) => ({ digest: ROW_DIGESTS[i], val, original_index: i })),
    );
    assert.deepEqual(await project.rows(EMPTY), []);
  });

  test("keeps repeated rows and their order", async () => {
    const project = fresh();
    const { digest, row_digests } = await project.table([ROWS[0], ROWS[1], ROWS[0]]);
    assert.equal(row_digests[0], row_digests[2]);
    assert.deepEqual((await project.rows(digest)).map((row) => row.original_index), [0, 1, 2]);
    assert.deepEqual(vals(await project.rows(digest)), [ROWS[0], ROWS[1], ROWS[0]]);
  });

  test("stores nothing when the client expects another digest", async () => {
    const project = fresh();
    const table = { project_id: project.project, rows: ROWS, expected_digest: EMPTY };
    expectRefusal(
      await project.send("POST", "/table/create", { table }),
      409,
      `Client table digest ${EMPTY} != server digest ${TABLE}`,
    );
    assert.deepEqual(expectOk(await project.post("/table/query_stats", { digest: TABLE })), { count: 0 });
  });

  test("accepts only objects as rows", async () => {
    const project = fresh();
    expectViolations(
      await project.send("POST", "/table/create", {
        table: { project_id: project.project, rows: [{}, 5, [1], null] },
      }),
      ["dict_type", "body", "table", "rows", 1],
      ["dict_type", "body", "table", "rows", 2],
      ["dict_type", "body", "table", "rows", 3],
    );
    expectViolations(await server.api("POST", "/table/create", { body: { table: { rows: 1 } } }),
      ["missing", "body", "table", "project_id"],
      ["list_type", "body", "table", "rows"],
    );
    expectViolations(await server.api("POST", "/table/create", { body: {} }), ["missing", "body", "table"]);
  });
});

describe("a table of digests", () => {
  test("can be created before its rows", async () => {
    const project = fresh();
    const body = { row_digests: ROW_DIGESTS };
    assert.deepEqual(expectOk(await project.post("/table/create_from_digests", body)), { digest: TABLE });
    assert.deepEqual(expectOk(await project.post("/table/query_stats", { digest: TABLE })), { count: 3 });
    assert.deepEqual(await project.rows(TABLE), []);
    await project.table(ROWS.slice(1));
    assert.deepEqual((await project.rows(TABLE)).map((row) => row.original_index), [1, 2]);
    await project.table(ROWS.slice(0, 1));
    assert.deepEqual(vals(await project.rows(TABLE)), ROWS);
  });

  test("can be empty, as SDKs send it to probe for support", async () => {
    const project = fresh();
    assert.deepEqual(expectOk(await project.post("/table/create_from_digests", { row_digests: [] })), {
      digest: EMPTY,
    });
  });

  test("is rejected with another digest than expected, and with invalid digests", async () => {
    const project = fresh();
    expectRefusal(
      await project.post("/table/create_from_digests", { row_digests: [], expected_digest: TABLE }),
      409,
      `Client table digest ${TABLE} != server digest ${EMPTY}`,
    );
    expectRefusal(await project.post("/table/create_from_digests", { row_digests: ["a\nb"] }), 400, /digest/);
    expectViolations(await project.post("/table/create_from_digests", { row_digests: [1] }), [
      "string_type",
      "body",
      "row_digests",
      0,
    ]);
  });
});

describe("updating", () => {
  test("appends, pops and inserts in order", async () => {
    const project = fresh();
    await project.table(ROWS);
    const answer = expectOk(
      await project.post("/table/update", {
        base_digest: TABLE,
        updates: [
          { append: { row: { n: "last" } } },
          { pop: { index: 0 } },
          { insert: { index: 1, row: { n: "second" } } },
          { insert: { index: 4, row: { n: "end" } } },
        ],
      }),
    );
    const rows = await project.rows(answer.digest);
    assert.deepEqual(vals(rows), [ROWS[1], { n: "second" }, ROWS[2], { n: "last" }, { n: "end" }]);
    assert.equal(answer.digest, tableDigest(rows.map((row) => row.digest)));
    const touched = [rows[3].digest, ROW_DIGESTS[0], rows[1].digest, rows[4].digest];
    assert.deepEqual(answer.updated_row_digests, touched);
    assert.deepEqual(vals(await project.rows(TABLE)), ROWS);
  });

  test("rejects invalid positions and unknown tables", async () => {
    const project = fresh();
    await project.table(ROWS);
    const update = (base_digest, ...updates) =>
      project.post("/table/update", { base_digest, updates });
    for (const index of [3, 4, -1]) {
      expectRefusal(await update(TABLE, { pop: { index } }), 400, "Index out of range");
    }
    for (const index of [4, -1]) {
      expectRefusal(await update(TABLE, { insert: { index, row: {} } }), 400, "Index out of range");
    }
    expectRefusal(await update("nope"), 404, "Table nope not found");
    assert.equal(expectOk(await update(TABLE)).digest, TABLE);
  });

  test("reports each alternative for an update that matches none", async () => {
    const project = fresh();
    expectViolations(
      await project.post("/table/update", { base_digest: TABLE, updates: [{ append: { row: 1 } }] }),
      ["dict_type", "body", "updates", 0, "TableAppendSpec", "append", "row"],
      ["missing", "body", "updates", 0, "TablePopSpec", "pop"],
      ["missing", "body", "updates", 0, "TableInsertSpec", "insert"],
    );
  });
});

describe("reading rows", () => {
  const NESTED = [
    { k: "b", d: { n: 10 } },
    { k: "a", d: { n: 9 } },
    { k: "c" },
    { k: "a", d: { n: "x" } },
    { k: "d", d: { n: null } },
  ];
  let project;
  let nested;
  before(async () => {
    project = fresh();
    await project.table(ROWS);
    nested = (await project.table(NESTED)).digest;
  });

  const by = (field, direction = "asc") => ({ sort_by: [{ field, direction }] });
  const CASES = [
    [{}, [0, 1, 2, 3, 4]],
    [{ limit: 2 }, [0, 1]],
    [{ limit: 2, offset: 3 }, [3, 4]],
    [{ offset: 9 }, []],
    [{ limit: 0 }, []],
    [by("k"), [1, 3, 0, 2, 4]],
    [by("k", "desc"), [4, 2, 0, 1, 3]],
    [by("d.n"), [1, 0, 3, 2, 4]],
    [by("d.n", "desc"), [0, 1, 3, 2, 4]],
    [{ ...by("d.n"), limit: 2, offset: 1 }, [0, 3]],
    [by("no.such"), [0, 1, 2, 3, 4]],
    [{ sort_by: [{ field: "k", direction: "asc" }, { field: "d.n", direction: "desc" }] }, [1, 3, 0, 2, 4]],
    [{ sort_by: [] }, [0, 1, 2, 3, 4]],
    [{ filter: { row_digests: [] } }, []],
    [{ filter: { row_digests: null } }, [0, 1, 2, 3, 4]],
    [{ filter: {} }, [0, 1, 2, 3, 4]],
  ];
  for (const [more, places] of CASES) {
    test(`with ${JSON.stringify(more)} gives ${places.join(" ") || "none"}`, async () => {
      const rows = await project.rows(nested, more);
      assert.deepEqual(rows.map((row) => row.original_index), places);
      assert.deepEqual(vals(rows), places.map((place) => NESTED[place]));
    });
  }

  test("finds rows by digest, in table order", async () => {
    const filter = { row_digests: [ROW_DIGESTS[2], "nope", ROW_DIGESTS[0]] };
    assert.deepEqual(vals(await project.rows(TABLE, { filter })), [ROWS[0], ROWS[2]]);
    assert.deepEqual(vals(await project.rows(TABLE, { filter, offset: 1 })), [ROWS[2]]);
    assert.deepEqual(vals(await project.rows(TABLE, { filter, ...by("id", "desc") })), [ROWS[2], ROWS[0]]);
  });

  test("returns an error for unknown tables", async () => {
    assert.deepEqual(await project.rows("nope"), []);
    assert.deepEqual(await project.withProject().rows(TABLE), []);
    assert.deepEqual(expectOk(await project.post("/table/query_stats", { digest: "nope" })), { count: 0 });
  });

  test("rejects sort fields with empty parts, and invalid bodies", async () => {
    for (const field of ["", ".a", "a.", "a..b"]) {
      expectRefusal(await project.post("/table/query", { digest: TABLE, ...by(field) }), 400, /sort field/);
    }
    expectRefusal(await project.post("/table/query", { digest: TABLE, limit: -1 }), 400, /^Limit must/);
    expectViolations(
      await project.post("/table/query", { filter: 1, sort_by: [{ field: "a", direction: "up" }] }),
      ["missing", "body", "digest"],
      ["model_attributes_type", "body", "filter"],
      ["literal_error", "body", "sort_by", 0, "direction"],
    );
  });

  test("counts rows and bytes of known tables", async () => {
    assert.deepEqual(expectOk(await project.post("/table/query_stats", { digest: TABLE })), { count: 3 });
    const digests = [TABLE, "nope", EMPTY];
    await project.table([]);
    assert.deepEqual(
      expectOk(await project.post("/table/query_stats_batch", { digests, include_storage_size: true })),
      {
        tables: [
          { count: 3, digest: TABLE, storage_size_bytes: 3 * '{"id": 1, "value": 2}'.length },
          { count: 0, digest: EMPTY, storage_size_bytes: 0 },
        ],
      },
    );
    assert.deepEqual(expectOk(await project.post("/table/query_stats_batch", { digests: [TABLE] })), {
      tables: [{ count: 3, digest: TABLE, storage_size_bytes: null }],
    });
    assert.deepEqual(expectOk(await project.post("/table/query_stats_batch")), { tables: [] });
  });
});

describe("a large table", () => {
  const COUNT = 60_000;
  const FILLER = "f".repeat(400);
  const rowAt = (i) => ({ i, reversed: COUNT - i, f: FILLER });
  let project;
  let digest;
  before(async () => {
    project = fresh();
    const digests = [];
    for (let begin = 0; begin < COUNT; begin += 5000) {
      const rows = Array.from({ length: 5000 }, (_, i) => rowAt(begin + i));
      digests.push(...(await project.table(rows)).row_digests);
    }
    ({ digest } = expectOk(await project.post("/table/create_from_digests", { row_digests: digests })));
  });

  test("is paged and sorted at any offset", async () => {
    const middle = await project.rows(digest, { offset: 30_999, limit: 2 });
    assert.deepEqual(vals(middle), [rowAt(30_999), rowAt(31_000)]);
    const sort_by = [{ field: "reversed", direction: "asc" }];
    const first = await project.rows(digest, { sort_by, limit: 2 });
    assert.deepEqual(vals(first), [rowAt(COUNT - 1), rowAt(COUNT - 2)]);
    assert.deepEqual(expectOk(await project.post("/table/query_stats", { digest })), { count: COUNT });
  });

  test("is streamed without loading it into memory", async () => {
    const before = server.residentKilobytes();
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, server.residentKilobytes())), 5);
    const answer = await project.post("/table/query", { digest });
    clearInterval(watch);
    assert.equal(answer.status, 200);
    assert.equal(answer.json.rows.length, COUNT);
    assert.deepEqual(answer.json.rows[COUNT - 1].val, rowAt(COUNT - 1));
    const whole = answer.bytes.length / 1024;
    expectGrowthBelow(most - before, whole / 2);
  });
});
