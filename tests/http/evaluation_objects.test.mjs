// Ops, datasets, scorers, models and evaluations through /v2, stored as ordinary objects.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { contentDigest, expectOk, expectRefusal } from "./support/objects.mjs";
import { expectTimestamp, expectViolations } from "./support/expect.mjs";
import { startServer } from "./support/server.mjs";
import { V2Project } from "./support/v2_project.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const HEADER = (name) => ({ _type: name, _class_name: name, _bases: ["Object", "BaseModel"] });

/** Returns the object from /obj/read. */
async function stored(project, object_id, digest = "latest") {
  return (await project.ok("/obj/read", { project_id: project.id, object_id, digest })).obj;
}

/** Returns a version without its creation time. */
function withoutTime({ created_at, ...rest }) {
  expectTimestamp(created_at);
  return rest;
}

async function read(project, plural, object_id, digest = "latest") {
  return withoutTime(expectOk(await project.v2("GET", `${plural}/${object_id}/versions/${digest}`)));
}

describe("names", () => {
  test("become ids by the documented rule", async () => {
    const project = new V2Project(server);
    const made = await project.make("datasets", { name: "My Data Set/1", rows: [] });
    assert.equal(made.object_id, "my_data_set_1");
    assert.equal((await project.make("datasets", { rows: [] })).object_id, "Dataset");
    assert.equal((await project.make("ops", {})).object_id, "Op");
    assert.equal((await project.make("ops", { name: null })).object_id, "Op");
    assert.equal((await stored(project, "Dataset")).val.name, "Dataset");
  });

  test("that become empty are rejected", async () => {
    const project = new V2Project(server);
    expectRefusal(await project.v2("POST", "models", { name: "???", source_code: "x" }), 422, "Object name cannot be empty");
    expectRefusal(await project.v2("POST", "datasets", { name: "x".repeat(200), rows: [] }), 400, /String too long/);
  });

  test("of objects of another kind are rejected", async () => {
    const project = new V2Project(server);
    await project.make("models", { name: "thing", source_code: "x" });
    expectRefusal(await project.v2("POST", "datasets", { name: "thing", rows: [] }), 400, /thing/);
  });
});

describe("ops", () => {
  test("store their code in a file", async () => {
    const project = new V2Project(server);
    const made = await project.make("ops", { name: "Answer", source_code: "def answer(): ..." });
    assert.deepEqual(Object.keys(made).sort(), ["digest", "object_id", "version_index"]);
    assert.equal(made.version_index, 0);
    const object = await stored(project, "answer");
    assert.equal(object.kind, "op");
    assert.deepEqual(object.val, {
      _type: "CustomSvcType",
      svc_type: { type: "Op" },
      files: { "obj.py": contentDigest("def answer(): ...") },
    });
    const { object_id, digest } = made;
    assert.deepEqual(await read(project, "ops", "answer"), { object_id, digest, version_index: 0, code: "def answer(): ..." });
    const eager = await project.v2("GET", "ops/answer/versions/v0?eager=true");
    assert.equal(expectOk(eager).code, "def answer(): ...");
  });

  test("without code have a placeholder", async () => {
    const project = new V2Project(server);
    await project.make("ops", { name: "silent" });
    assert.match((await read(project, "ops", "silent")).code, /no code was sent/);
  });
});

describe("datasets", () => {
  test("store their rows in a table", async () => {
    const project = new V2Project(server);
    const rows = [{ q: 1, ref: project.ref("other") }, { q: 2 }];
    const made = await project.make("datasets", { name: "Quiz", description: "easy", rows });
    const object = await stored(project, "quiz");
    assert.match(object.val.rows, new RegExp(`^svc:///${project.id}/table/[0-9a-f]{64}$`));
    assert.deepEqual(object.val, { ...HEADER("Dataset"), name: "Quiz", description: "easy", rows: object.val.rows });
    assert.equal(object.base_object_class, "Dataset");
    const { object_id, digest } = made;
    assert.deepEqual(await read(project, "datasets", "quiz"), {
      object_id, digest, version_index: 0, name: "Quiz", description: "easy", rows: object.val.rows,
    });
    const table = await project.ok("/table/query", { project_id: project.id, digest: object.val.rows.split("/").at(-1) });
    assert.deepEqual(table.rows.map(({ val }) => val), rows);
  });
});

describe("scorers", () => {
  test("contain the digests of two ops", async () => {
    const project = new V2Project(server);
    const made = await project.make("scorers", { name: "Exact Match", op_source_code: "def score(): ..." });
    assert.deepEqual(Object.keys(made).sort(), ["digest", "object_id", "scorer", "version_index"]);
    assert.equal(made.scorer, project.ref("exact_match", made.digest));
    const object = await stored(project, "exact_match");
    const score = await stored(project, "exact_match_score");
    const summarize = await stored(project, "exact_match_summarize");
    assert.deepEqual(object.val, {
      ...HEADER("Scorer"), name: "Exact Match", description: null,
      score: score.digest, summarize: summarize.digest, column_map: null,
    });
    assert.equal((await read(project, "ops", "exact_match_score")).code, "def score(): ...");
    const { object_id, digest } = made;
    assert.deepEqual(await read(project, "scorers", "exact_match"), {
      object_id, digest, version_index: 0, name: "Exact Match", description: null, score_op: score.digest,
    });
  });
});

describe("models", () => {
  test("return the attributes they were created with", async () => {
    const project = new V2Project(server);
    const attributes = { temperature: 0.5, prompt: project.ref("prompt"), name: "ignored" };
    const made = await project.make("models", { name: "Bot", source_code: "class Bot: ...", attributes });
    assert.equal(made.model_ref, project.ref("bot", made.digest));
    const object = await stored(project, "bot");
    assert.deepEqual(object.val, {
      ...HEADER("Model"), name: "Bot", description: null,
      files: { "obj.py": contentDigest("class Bot: ...") },
      temperature: 0.5, prompt: project.ref("prompt"),
    });
    const { object_id, digest } = made;
    assert.deepEqual(await read(project, "models", "bot"), {
      object_id, digest, version_index: 0, name: "Bot", description: null, source_code: "class Bot: ...",
      attributes: { temperature: 0.5, prompt: project.ref("prompt") },
    });
    await project.make("models", { name: "plain", source_code: "" });
    const plain = await read(project, "models", "plain");
    assert.deepEqual([plain.attributes, plain.source_code], [null, ""]);
  });
});

describe("evaluations", () => {
  test("refer to their dataset, scorers and ops", async () => {
    const project = new V2Project(server);
    const body = {
      name: "Nightly", dataset: project.ref("quiz"), scorers: [project.ref("exact")], trials: 3,
      evaluation_name: "run of the night", eval_attributes: { owner: "me", trials: 9 },
    };
    const made = await project.make("evaluations", body);
    assert.equal(made.evaluation_ref, project.ref("nightly", made.digest));
    const object = await stored(project, "nightly");
    const op = async (name) => (await stored(project, name)).digest;
    const ops = {
      evaluate: await op("nightly.evaluate"),
      predict_and_score: await op("nightly.predict_and_score"),
      summarize: await op("nightly.summarize"),
    };
    assert.deepEqual(object.val, {
      ...HEADER("Evaluation"), name: "Nightly", description: null, dataset: project.ref("quiz"),
      scorers: [project.ref("exact")], trials: 3, evaluation_name: "run of the night", metadata: null,
      preprocess_model_input: null, ...ops, owner: "me",
    });
    const { object_id, digest } = made;
    assert.deepEqual(await read(project, "evaluations", "nightly"), {
      object_id, digest, version_index: 0, name: "Nightly", description: null, dataset: project.ref("quiz"),
      scorers: [project.ref("exact")], trials: 3, evaluation_name: "run of the night",
      evaluate_op: ops.evaluate, predict_and_score_op: ops.predict_and_score, summarize_op: ops.summarize,
    });
  });

  test("have one trial and no scorers by default", async () => {
    const project = new V2Project(server);
    await project.make("evaluations", { name: "small", dataset: project.ref("quiz") });
    const { trials, scorers } = await read(project, "evaluations", "small");
    assert.deepEqual([trials, scorers], [1, []]);
  });
});

describe("versions", () => {
  test("are read by digest, number and `latest`, and listed", async () => {
    const project = new V2Project(server);
    const make = (q) => project.make("datasets", { name: "quiz", rows: [{ q }] });
    const made = [await make(1), await make(2)];
    assert.deepEqual(made.map(({ version_index }) => version_index), [0, 1]);
    for (const [version, index] of [[made[0].digest, 0], ["v0", 0], ["v1", 1], ["latest", 1]]) {
      assert.equal((await read(project, "datasets", "quiz", version)).version_index, index);
    }
    assert.equal((await make(1)).version_index, 0, "the same content is the same version");
    assert.equal((await read(project, "datasets", "quiz")).version_index, 0);
    await project.make("models", { name: "bot", source_code: "x" });
    assert.deepEqual((await project.list("datasets")).map(({ version_index }) => version_index), [0, 1]);
    assert.deepEqual((await project.list("datasets?limit=1&offset=1")).map(({ version_index }) => version_index), [1]);
    assert.deepEqual((await project.list("models")).map(({ name }) => name), ["bot"]);
    assert.deepEqual(await project.list("scorers"), []);
    const { objs } = await project.ok("/objs/query", { project_id: project.id, filter: { base_object_classes: ["Dataset"] } });
    assert.equal(objs.length, 2);
  });

  test("are deleted by digest or all together", async () => {
    const project = new V2Project(server);
    const make = (q) => project.make("datasets", { name: "quiz", rows: [{ q }] });
    const made = [await make(1), await make(2), await make(3)];
    const some = await project.v2("DELETE", `datasets/quiz?digests=${made[0].digest}&digests=v1`);
    assert.deepEqual(expectOk(some), { num_deleted: 2 });
    assert.equal((await project.v2("GET", "datasets/quiz/versions/v0")).status, 404);
    assert.deepEqual(expectOk(await project.v2("DELETE", "datasets/quiz")), { num_deleted: 1 });
    expectRefusal(await project.v2("DELETE", "datasets/quiz"), 404, "Obj quiz:latest not found");
    expectRefusal(await project.v2("DELETE", "datasets/quiz?digests=v0"), 404, "Obj quiz:v0 not found");
  });

  test("of another kind are not found", async () => {
    const project = new V2Project(server);
    await project.make("models", { name: "bot", source_code: "x" });
    expectRefusal(await project.v2("GET", "datasets/bot/versions/latest"), 404, "Obj bot:latest not found");
    expectRefusal(await project.v2("GET", "ops/bot/versions/latest"), 404, "Obj bot:latest not found");
    expectRefusal(await project.v2("DELETE", "scorers/bot"), 404, "Obj bot:latest not found");
    assert.equal((await read(project, "models", "bot")).name, "bot");
    expectRefusal(await project.v2("GET", "models/none/versions/latest"), 404, "Obj none:latest not found");
  });

  test("of a project without writes are an empty list", async () => {
    const project = new V2Project(server);
    for (const plural of ["ops", "datasets", "scorers", "evaluations", "models"]) {
      assert.deepEqual(await project.list(plural), []);
      assert.equal((await project.v2("GET", `${plural}/x/versions/latest`)).status, 404);
      assert.equal((await project.v2("DELETE", `${plural}/x`)).status, 404);
    }
  });

  test("published by an SDK are returned with their available members", async () => {
    const project = new V2Project(server);
    const val = { ...HEADER("Model"), name: "sdk", temperature: 1 };
    await project.ok("/obj/create", { obj: { project_id: project.id, object_id: "sdk", val } });
    const model = await read(project, "models", "sdk");
    assert.deepEqual([model.source_code, model.attributes], ["", { temperature: 1 }]);
  });
});

test("invalid bodies are rejected with their violations", async () => {
  const project = new V2Project(server);
  const cases = [
    ["datasets", {}, ["missing", "body", "rows"]],
    ["datasets", { rows: [1] }, ["dict_type", "body", "rows", 0]],
    ["scorers", { op_source_code: 1 }, ["missing", "body", "name"], ["string_type", "body", "op_source_code"]],
    ["evaluations", { name: "x", trials: "many" }, ["missing", "body", "dataset"], ["int_parsing", "body", "trials"]],
    ["evaluations", { name: "x", dataset: "y", eval_attributes: 1 }, ["dict_type", "body", "eval_attributes"]],
    ["models", { name: null, source_code: "x" }, ["string_type", "body", "name"]],
  ];
  for (const [plural, body, ...violations] of cases) {
    expectViolations(await project.v2("POST", plural, body), ...violations);
  }
  expectViolations(await project.v2("GET", "datasets?limit=x"), ["int_parsing", "query", "limit"]);
  expectRefusal(await project.v2("GET", "datasets?limit=-1"), 400, "Limit must be a positive integer");
  expectRefusal(await project.v2("POST", "evaluations", { name: "x", dataset: "svc:///broken" }), 400, /./);
});
