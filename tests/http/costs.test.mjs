// /cost/create, /cost/query, /cost/purge and `spindle prices`, through the running server.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { expectTimestamp, expectViolations } from "./support/expect.mjs";
import { freshName, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ENTRY = { prompt_token_cost: 5e-6, completion_token_cost: 1.5e-5 };

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

function post(path, body, options = {}) {
  return server.api("POST", path, { body, ...options });
}

/** Returns an unused project name. */
function project() {
  return `${freshName("team")}/app`;
}

async function created(project_id, costs) {
  const answer = await post("/cost/create", { project_id, costs });
  assert.equal(answer.status, 200, answer.text);
  return answer.json.ids.map(([id]) => id);
}

async function results(project_id, more = {}) {
  const answer = await post("/cost/query", { project_id, ...more });
  assert.equal(answer.status, 200, answer.text);
  return answer.json.results;
}

function expectRefusal(answer, status, reason) {
  assert.equal(answer.status, status, answer.text);
  assert.deepEqual(answer.json, { reason });
}

const field = (name) => ({ $getField: name });
const literal = (value) => ({ $literal: value });
const is = (name, value) => ({ $eq: [field(name), literal(value)] });
const where = ($expr) => ({ query: { $expr } });

describe("creating costs", () => {
  test("returns [cost id, model] in the order of the request", async () => {
    const answer = await post("/cost/create", {
      project_id: project(),
      costs: { "gpt-4o": ENTRY, "a-model": { ...ENTRY, provider_id: "x" }, "": ENTRY },
    });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(Object.keys(answer.json), ["ids"]);
    assert.deepEqual(answer.json.ids.map(([, model]) => model), ["gpt-4o", "a-model", ""]);
    for (const pair of answer.json.ids) {
      assert.equal(pair.length, 2);
      assert.match(pair[0], UUID7);
    }
  });

  test("accepts Basic credentials and a body without a content type", async () => {
    const basic = `Basic ${Buffer.from(`api:${server.adminKey}`).toString("base64")}`;
    const answer = await post("/cost/create", JSON.stringify({ project_id: project(), costs: {} }), {
      key: null,
      headers: { authorization: basic, "content-type": "" },
    });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.json, { ids: [] });
  });

  test("uses defaults for omitted members and stores given ones", async () => {
    const project_id = project();
    const before = Date.now();
    await created(project_id, {
      plain: ENTRY,
      full: {
        prompt_token_cost: -1,
        completion_token_cost: "0.25",
        cache_read_input_token_cost: 1e-7,
        cache_creation_input_token_cost: 3e-6,
        prompt_token_cost_unit: "EUR",
        completion_token_cost_unit: null,
        effective_date: "2024-02-03T04:05:06+01:00",
        provider_id: "openai",
      },
    });
    const [plain, full] = await results(project_id);
    expectTimestamp(plain.effective_date);
    assert.ok(Math.abs(Date.parse(plain.effective_date) - before) < 60_000);
    delete plain.id;
    delete plain.effective_date;
    assert.deepEqual(plain, {
      llm_id: "plain",
      prompt_token_cost: 5e-6,
      completion_token_cost: 1.5e-5,
      cache_read_input_token_cost: 0,
      cache_creation_input_token_cost: 0,
      prompt_token_cost_unit: "USD",
      completion_token_cost_unit: "USD",
      provider_id: "default",
    });
    delete full.id;
    assert.deepEqual(full, {
      llm_id: "full",
      prompt_token_cost: -1,
      completion_token_cost: 0.25,
      cache_read_input_token_cost: 1e-7,
      cache_creation_input_token_cost: 3e-6,
      prompt_token_cost_unit: "EUR",
      completion_token_cost_unit: "USD",
      effective_date: "2024-02-03T03:05:06Z",
      provider_id: "openai",
    });
  });

  test("sets the user, with neutral and vendor names", async () => {
    const project_id = project();
    for (const name of ["svc_user_id", "wb_user_id"]) {
      const answer = await post("/cost/create", { project_id, costs: { m: ENTRY }, [name]: "mallory" });
      assert.equal(answer.status, 200, answer.text);
    }
    assert.equal((await results(project_id, where(is("created_by", "mallory")))).length, 0);
    const { id } = (await server.api("GET", "/api/v1/me")).json;
    assert.equal((await results(project_id, where(is("created_by", id)))).length, 2);
  });

  test("stores two prices of one model", async () => {
    const project_id = project();
    await created(project_id, { m: ENTRY });
    await created(project_id, { m: ENTRY });
    assert.equal((await results(project_id)).length, 2);
  });

  test("reports all violations", async () => {
    expectViolations(await post("/cost/create", {}), ["missing", "body", "project_id"], ["missing", "body", "costs"]);
    expectViolations(
      await post("/cost/create", {
        project_id: 7,
        colour: "red",
        costs: {
          a: { prompt_token_cost: "x", completion_token_cost: null, extra: 1 },
          b: { ...ENTRY, effective_date: "tomorrow" },
          c: [],
        },
      }),
      ["string_type", "body", "project_id"],
      ["extra_forbidden", "body", "colour"],
      ["float_parsing", "body", "costs", "a", "prompt_token_cost"],
      ["float_type", "body", "costs", "a", "completion_token_cost"],
      ["extra_forbidden", "body", "costs", "a", "extra"],
      ["datetime_from_date_parsing", "body", "costs", "b", "effective_date"],
      ["model_attributes_type", "body", "costs", "c"],
    );
    expectViolations(await post("/cost/create", { project_id: "a/b", costs: [] }), ["dict_type", "body", "costs"]);
  });

  test("reports a missing member with the exact bytes", async () => {
    const answer = await post("/cost/create", { project_id: "a/b", costs: { m: { prompt_token_cost: 1 } } });
    assert.equal(
      answer.text,
      '{"detail":[{"type":"missing","loc":["body","costs","m","completion_token_cost"],' +
        '"msg":"Field required","input":{"prompt_token_cost":1}}]}',
    );
  });
});

describe("access to costs", () => {
  test("is 401 without a key, 404 for outsiders, 403 for viewers", async () => {
    const team = await makeTeam(server);
    const viewer = await makeMember(server, team.name, "VIEWER");
    const outsider = await makeUser(server);
    const project_id = `${team.name}/app`;
    const body = { project_id, costs: { m: ENTRY } };
    assert.equal((await post("/cost/create", body, { key: null })).status, 401);
    assert.equal((await post("/cost/create", body, { key: outsider.key })).status, 404);
    await created(project_id, { m: ENTRY });
    assert.equal((await post("/cost/create", body, { key: outsider.key })).status, 404);
    assert.equal((await post("/cost/query", { project_id }, { key: outsider.key })).status, 404);
    assert.equal((await post("/cost/query", { project_id }, { key: viewer.key })).json.results.length, 1);
    assert.equal((await post("/cost/create", body, { key: viewer.key })).status, 403);
    const purge = { project_id, ...where(is("id", "x")) };
    assert.equal((await post("/cost/purge", purge, { key: outsider.key })).status, 404);
    assert.equal((await post("/cost/purge", purge, { key: viewer.key })).status, 403);
  });

  test("is checked after the schema", async () => {
    const outsider = await makeUser(server);
    const answer = await post("/cost/create", { project_id: "nobody/app" }, { key: outsider.key });
    expectViolations(answer, ["missing", "body", "costs"]);
  });

  test("by id does not extend to other projects", async () => {
    const [mine, other] = [project(), project()];
    const [id] = await created(other, { m: ENTRY });
    await created(mine, { m: ENTRY });
    assert.equal((await post("/cost/purge", { project_id: mine, ...where(is("id", id)) })).status, 200);
    assert.equal((await results(other)).length, 1);
    assert.equal((await results(mine, where(is("id", id)))).length, 0);
  });
});

describe("querying costs", () => {
  let project_id;
  before(async () => {
    project_id = project();
    await created(project_id, {
      "gpt-4o": { ...ENTRY, effective_date: "2024-01-01" },
      claude: { prompt_token_cost: 3e-6, completion_token_cost: 1.5e-5, effective_date: "2025-01-01" },
      "gpt-4o-mini": { prompt_token_cost: 1.5e-7, completion_token_cost: 6e-7, effective_date: "2025-06-01" },
    });
  });
  const models = async (more) => (await results(project_id, more)).map(({ llm_id }) => llm_id);

  test("filters, sorts and pages", async () => {
    assert.deepEqual(await models(where(is("llm_id", "claude"))), ["claude"]);
    assert.deepEqual(await models(where({ $gt: [field("effective_date"), literal("2024-06-01")] })), [
      "claude",
      "gpt-4o-mini",
    ]);
    const gpt = { $contains: { input: field("llm_id"), substr: literal("GPT"), case_insensitive: true } };
    assert.deepEqual(await models(where(gpt)), ["gpt-4o", "gpt-4o-mini"]);
    const sort_by = [{ field: "prompt_token_cost", direction: "desc" }];
    assert.deepEqual(await models({ sort_by }), ["gpt-4o", "claude", "gpt-4o-mini"]);
    assert.deepEqual(await models({ sort_by, limit: 1, offset: 1 }), ["claude"]);
    assert.deepEqual(await models({ limit: 0 }), []);
  });

  test("returns null for fields that were not requested", async () => {
    const [first] = await results(project_id, { fields: ["llm_id"], limit: 1 });
    assert.equal(first.llm_id, "gpt-4o");
    const others = Object.entries(first).filter(([name]) => name !== "llm_id");
    assert.equal(others.length, 9);
    for (const [, value] of others) assert.equal(value, null);
  });

  test("ignores unknown members", async () => {
    assert.equal((await results(project_id, { colour: 1 })).length, 3);
  });

  test("omits the default prices; a project without prices is empty", async () => {
    assert.deepEqual(await results(project()), []);
  });

  test("rejects unknown fields and negative limits", async () => {
    const unknown = "Unknown field: colour";
    expectRefusal(await post("/cost/query", { project_id, ...where(is("colour", 1)) }), 400, unknown);
    expectRefusal(await post("/cost/query", { project_id, fields: ["colour"] }), 400, unknown);
    const sort_by = [{ field: "colour", direction: "asc" }];
    expectRefusal(await post("/cost/query", { project_id, sort_by }), 400, unknown);
    assert.equal((await post("/cost/query", { project_id, limit: -1 })).status, 400);
    expectViolations(
      await post("/cost/query", { project_id, sort_by: [{ field: "id", direction: "up" }], limit: "x" }),
      ["literal_error", "body", "sort_by", 0, "direction"],
      ["int_parsing", "body", "limit"],
    );
  });
});

describe("purging costs", () => {
  test("accepts ids in the supported forms", async () => {
    const project_id = project();
    const ids = await created(project_id, { a: ENTRY, b: ENTRY, c: ENTRY, d: ENTRY });
    const purge = async (expression) => {
      const answer = await post("/cost/purge", { project_id, ...where(expression) });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.json, {});
    };
    await purge(is("id", ids[0]));
    await purge({ $in: [field("id"), [literal(ids[1]), literal("unknown")]] });
    await purge({ $or: [is("id", ids[2])] });
    assert.deepEqual((await results(project_id)).map(({ id }) => id), [ids[3]]);
    await purge(is("id", ids[0]));
  });

  test("rejects everything else", async () => {
    const project_id = project();
    const purge = (expression) => post("/cost/purge", { project_id, ...where(expression) });
    const only = "Can only purge costs by specifying one or more cost ids";
    expectRefusal(await purge(is("llm_id", "a")), 400, only);
    expectRefusal(await purge({ $not: [is("id", "a")] }), 400, only);
    expectRefusal(await purge({ $and: [is("id", "a")] }), 400, only);
    expectRefusal(await purge({ $gt: [field("id"), literal("a")] }), 400, only);
    expectRefusal(await purge({ $eq: [literal("a"), field("id")] }), 400, "Expected key get_field_, got literal_");
    expectViolations(await post("/cost/purge", { project_id }), ["missing", "body", "query"]);
    expectViolations(
      await post("/cost/purge", { project_id, query: { $expr: is("id", "a"), more: 1 } }),
      ["extra_forbidden", "body", "query", "more"],
    );
  });
});

describe("spindle prices", () => {
  const lines = (text) => text.trim().split("\n").map((line) => JSON.parse(line));

  test("lists the built-in prices", async () => {
    const all = lines((await server.cli("prices", "ls", "--json")).stdout);
    assert.ok(new Set(all.map(({ model }) => model)).size >= 60);
    const gpt = lines((await server.cli("prices", "ls", "--model", "gpt-4o", "--json")).stdout);
    assert.deepEqual(
      gpt.map(({ prompt, completion, cache_read, effective_date }) => [prompt, completion, cache_read, effective_date]),
      [
        [5e-6, 1.5e-5, 0, "2024-10-08T00:00:00Z"],
        [2.5e-6, 1e-5, 0, "2024-12-18T00:00:00Z"],
        [2.5e-6, 1e-5, 1.25e-6, "2026-04-01T00:00:00Z"],
      ],
    );
  });

  test("imports only changes of the community's file while a server runs", async () => {
    const file = join(server.dataDir, "..", "community.json");
    const community = {
      sample_spec: { input_cost_per_token: 0 },
      "gpt-4": { input_cost_per_token: 3e-5, output_cost_per_token: 6e-5, litellm_provider: "openai" },
      "brand-new": {
        input_cost_per_token: 1e-6,
        output_cost_per_token: 2e-6,
        cache_read_input_token_cost: 1e-7,
        litellm_provider: "someone",
      },
      picture: { output_cost_per_image: 0.04 },
    };
    writeFileSync(file, JSON.stringify(community));
    const run = (...args) => server.cli("prices", "import", file, ...args);
    const dry = await run("--dry-run");
    assert.equal(dry.code, 0, dry.stderr);
    assert.match(dry.stdout, /1 new, 0 changed, 1 unchanged, 1 without token prices; nothing was stored/);
    const list = async () => lines((await server.cli("prices", "ls", "--json")).stdout);
    assert.ok(!(await list()).some(({ model }) => model === "brand-new"));

    assert.match((await run("--date", "2026-02-01")).stdout, /1 new, 0 changed, 1 unchanged/);
    assert.match((await run("--date", "2026-02-01")).stdout, /0 new, 0 changed, 2 unchanged/);
    community["brand-new"].output_cost_per_token = 3e-6;
    writeFileSync(file, JSON.stringify(community));
    const changed = lines((await run("--date", "2026-03-01", "--json")).stdout);
    assert.deepEqual(changed, [
      {
        model: "brand-new",
        change: "changed",
        prompt_before: 1e-6,
        prompt: 1e-6,
        completion_before: 2e-6,
        completion: 3e-6,
        effective_date: "2026-03-01T00:00:00Z",
      },
    ]);
    const rows = (await list()).filter(({ model }) => model === "brand-new");
    assert.deepEqual(rows.map(({ source, completion }) => [source, completion]), [
      ["imported", 2e-6],
      ["imported", 3e-6],
    ]);
  });

  test("reports errors in a file", async () => {
    const file = join(server.dataDir, "..", "broken.json");
    writeFileSync(file, "[1, 2");
    const broken = await server.cli("prices", "import", file);
    assert.equal(broken.code, 1);
    assert.match(broken.stderr, /Not a valid price file/);
    assert.equal((await server.cli("prices", "import", "/nowhere.json")).code, 1);
    assert.equal((await server.cli("prices", "import", file, "--date", "soon")).code, 2);
  });
});
