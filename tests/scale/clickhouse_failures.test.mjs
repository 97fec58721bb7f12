// ClickHouse that is full, slow or refuses: clear errors, nothing acknowledged is lost, nothing is stored twice, and the
// server recovers without a restart.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Project, at, uuid7 } from "../http/support/calls.mjs";
import { eventually } from "../http/support/deliveries.mjs";
import { startServer } from "../http/support/server.mjs";
import { startClickHouse } from "./support/clickhouse_server.mjs";
import { startFaultProxy } from "./support/fault_proxy.mjs";

const LIMIT_MS = 3000; // of one query and one INSERT
const CONCURRENT = 100;

let clickhouse;
let proxy;
let server;
let database;

before(async () => {
  clickhouse = await startClickHouse();
  proxy = await startFaultProxy(clickhouse.url);
  const env = await clickhouse.newDatabase();
  database = env.SPINDLE_TRACES_CLICKHOUSE_DATABASE;
  server = await startServer({
    env: {
      ...env,
      SPINDLE_METADATA: "sqlite",
      SPINDLE_TRACES_CLICKHOUSE_URL: proxy.url,
      SPINDLE_TRACES_QUERY_TIMEOUT: `${LIMIT_MS}ms`,
      SPINDLE_TRACES_CLICKHOUSE_INSERT_TIMEOUT: `${LIMIT_MS}ms`,
    },
  });
});

after(async () => {
  await server?.dispose();
  await proxy?.close();
  await clickhouse?.dispose();
});

const isInsert = ({ url }) => /INSERT/i.test(decodeURIComponent(url.replaceAll("+", " ")));

/** The response of ClickHouse to a statement that fails. */
const exception = (status, code, text) => ({
  answer: { status, headers: { "x-clickhouse-exception-code": String(code) }, body: `Code: ${code}. DB::Exception: ${text} (version 26.9.1.1)\n` },
});

const wholeCall = (project, id) => ({
  project_id: project.id, id, trace_id: id, op_name: "op", started_at: at(0), ended_at: at(1), attributes: {}, inputs: {}, output: id, summary: {},
});
const write = (project, id) => project.post(`/v2/${project.id}/calls/complete`, { batch: [wholeCall(project, id)] });
const read = (project) => project.post("/calls/stream_query", { project_id: project.id });

function expectRefused(answer, status, reason = /./) {
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.json.reason, reason);
  if (status === 429 || status === 503) assert.match(answer.headers["retry-after"] ?? "", /^\d+$/, answer.text);
  assert.doesNotMatch(answer.text, /127\.0\.0\.1|DB::Exception/);
  assert.ok(!clickhouse.password || !answer.text.includes(clickhouse.password));
}

/** Expects exactly these calls, each once. */
async function expectCalls(project, ids) {
  const found = (await project.query({})).map(({ id }) => id);
  assert.deepEqual(found.sort(), [...ids].sort());
}

/** Runs `work` while requests have a fault. */
async function during(fault, work) {
  proxy.fault = fault;
  try {
    return await work();
  } finally {
    proxy.fault = () => undefined;
  }
}

describe("an exception of ClickHouse", () => {
  const faults = [
    ["a full disk", exception(500, 243, "Cannot reserve 1.00 MiB, not enough space. (NOT_ENOUGH_SPACE)"), 507, /disk of ClickHouse is full/],
    ["too many parts", exception(500, 252, "Too many parts (3000). (TOO_MANY_PARTS)"), 429, /overloaded/],
    ["a read-only replica", exception(500, 242, "Table is in readonly mode. (TABLE_IS_READ_ONLY)"), 503, /replica .* is not available/],
    ["a missing privilege", exception(500, 497, "scale: Not enough privileges. (ACCESS_DENIED)"), 503, /lacks a privilege/],
    ["a missing column", exception(404, 16, "No such column. (NO_SUCH_COLUMN_IN_TABLE)"), 503, /table or column .* is missing/],
  ];
  for (const [name, fault, status, reason] of faults) {
    test(`${name}: the write is refused, reads go on, and the next write succeeds`, async () => {
      const project = new Project(server);
      const [kept, refused] = [uuid7(), uuid7()];
      assert.equal((await write(project, kept)).status, 200);
      await during((request) => (isInsert(request) ? fault : undefined), async () => {
        expectRefused(await write(project, refused), status, reason);
        await expectCalls(project, [kept]);
      });
      await expectCalls(project, [kept]);
      assert.equal((await write(project, refused)).status, 200);
      await expectCalls(project, [kept, refused]);
    });
  }

  test("a password that changed on ClickHouse: reads and writes are refused until it is restored", async (t) => {
    if (!clickhouse.password) return t.skip("the ClickHouse server has no password");
    const project = new Project(server);
    const id = uuid7();
    assert.equal((await write(project, id)).status, 200);
    await during(() => ({ headers: { "x-clickhouse-key": "changed" } }), async () => {
      expectRefused(await write(project, uuid7()), 503, /refuses the user or the password/);
      expectRefused(await read(project), 503, /refuses the user or the password/);
      assert.equal((await server.api("GET", "/health", { key: null })).status, 200);
    });
    await expectCalls(project, [id]);
  });
});

describe("a slow ClickHouse", () => {
  /** Holds requests until `release()`. */
  function holding(matches) {
    let release;
    const held = new Promise((resolve) => (release = resolve));
    return { fault: (request) => (matches(request) ? { held } : undefined), release };
  }

  test("a query that takes too long gets 504", async () => {
    const project = new Project(server);
    assert.equal((await write(project, uuid7())).status, 200);
    const { fault, release } = holding((request) => !isInsert(request));
    await during(fault, async () => expectRefused(await read(project), 504));
    release();
    assert.equal((await read(project)).status, 200);
  });

  test("an INSERT that arrives after its request was refused, and again, is stored once", async () => {
    const project = new Project(server);
    const id = uuid7();
    const { fault, release } = holding(isInsert);
    const refused = await during(fault, () => write(project, id));
    assert.ok([503, 504].includes(refused.status), refused.text);
    expectRefused(refused, refused.status);
    assert.equal((await write(project, id)).status, 200);
    release();
    await eventually(
      () => clickhouse.query(`SELECT count() FROM calls FINAL WHERE id = '${id}' FORMAT TSV`, database),
      (count) => count.trim() === "1",
    );
    await expectCalls(project, [id]);
  });

  test("many writes meanwhile end with clear errors, and other requests are served", async () => {
    const project = new Project(server);
    const ids = Array.from({ length: CONCURRENT }, () => uuid7());
    const { fault, release } = holding(isInsert);
    const answers = await during(fault, async () => {
      const writing = Promise.all(ids.map((id) => write(project, id)));
      for (let i = 0; i < 20; i += 1) assert.equal((await server.api("GET", "/health", { key: null })).status, 200);
      return writing;
    });
    release();
    for (const answer of answers) {
      assert.ok([429, 503, 504].includes(answer.status), `${answer.status} ${answer.text}`);
      expectRefused(answer, answer.status);
    }
    await Promise.all(ids.map((id) => eventually(() => write(project, id), ({ status }) => status === 200, "a write does not succeed")));
    await expectCalls(project, ids);
  });

  test("a connection that breaks before the response: the INSERT is repeated and stored once", async () => {
    const project = new Project(server);
    const id = uuid7();
    let cut = false;
    const breaking = (request) => {
      if (cut || !isInsert(request)) return undefined;
      cut = true;
      return { response: (stored) => ({ ...stored, cut: 0 }) };
    };
    const answer = await during(breaking, () => write(project, id));
    assert.equal(answer.status, 200, answer.text);
    assert.ok(cut);
    await expectCalls(project, [id]);
  });
});
