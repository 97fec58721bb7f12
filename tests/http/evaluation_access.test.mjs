// Access control of the evaluations of a project: outsiders cannot see them, viewers cannot change them.

import { after, before, describe, test } from "node:test";
import assert from "node:assert/strict";

import { V2Project } from "./support/v2_project.mjs";
import { makeTeam, makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";
import { checkAccess } from "./support/access_checks.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const reads = true;
const v2 = (method, path, body) => (id, made) => [
  method,
  `/v2/${id}/${typeof path === "function" ? path(made) : path}`,
  typeof body === "function" ? body(made) : body,
];
const REF = "svc:///a/b/object/x:v0";

/** Returns the requests for the operations of one kind of object. */
function kind(plural, body) {
  const base = `/v2/{entity}/{project}/${plural}`;
  return {
    [`POST ${base}`]: { ask: v2("POST", plural, body) },
    [`GET ${base}`]: { reads, ask: v2("GET", plural) },
    [`GET ${base}/{object_id}/versions/{digest}`]: {
      reads,
      ask: v2("GET", (made) => `${plural}/${made[plural]}/versions/latest`),
    },
    [`DELETE ${base}/{object_id}`]: { ask: v2("DELETE", (made) => `${plural}/${made[plural]}`) },
  };
}

const BODIES = {
  ops: { name: "an op" },
  datasets: { name: "a dataset", rows: [{ a: 1 }] },
  scorers: { name: "a scorer", op_source_code: "x" },
  evaluations: { name: "an evaluation", dataset: REF },
  models: { name: "a model", source_code: "x" },
};

const TABLE = {
  ...Object.assign({}, ...Object.entries(BODIES).map(([plural, body]) => kind(plural, body))),
  "POST /v2/{entity}/{project}/evaluation_runs": {
    ask: v2("POST", "evaluation_runs", { evaluation: REF, model: REF }),
  },
  "GET /v2/{entity}/{project}/evaluation_runs": { reads, ask: v2("GET", "evaluation_runs") },
  "DELETE /v2/{entity}/{project}/evaluation_runs": {
    ask: v2("DELETE", (made) => `evaluation_runs?evaluation_run_ids=${made.run}`),
  },
  "GET /v2/{entity}/{project}/evaluation_runs/{evaluation_run_id}": {
    reads,
    ask: v2("GET", (made) => `evaluation_runs/${made.run}`),
  },
  "POST /v2/{entity}/{project}/evaluation_runs/{evaluation_run_id}/finish": {
    ask: v2("POST", (made) => `evaluation_runs/${made.run}/finish`, {}),
  },
  "POST /v2/{entity}/{project}/predictions": {
    ask: v2("POST", "predictions", (made) => ({ model: REF, inputs: {}, output: 1, evaluation_run_id: made.run })),
  },
  "GET /v2/{entity}/{project}/predictions": { reads, ask: v2("GET", "predictions") },
  "DELETE /v2/{entity}/{project}/predictions": {
    ask: v2("DELETE", (made) => `predictions?prediction_ids=${made.prediction}`),
  },
  "GET /v2/{entity}/{project}/predictions/{prediction_id}": {
    reads,
    ask: v2("GET", (made) => `predictions/${made.prediction}`),
  },
  "POST /v2/{entity}/{project}/predictions/{prediction_id}/finish": {
    ask: v2("POST", (made) => `predictions/${made.prediction}/finish`),
  },
  "POST /v2/{entity}/{project}/scores": {
    ask: v2("POST", "scores", (made) => ({ prediction_id: made.prediction, scorer: REF, value: 1 })),
  },
  "GET /v2/{entity}/{project}/scores": { reads, ask: v2("GET", "scores") },
  "DELETE /v2/{entity}/{project}/scores": { ask: v2("DELETE", (made) => `scores?score_ids=${made.score}`) },
  "GET /v2/{entity}/{project}/scores/{score_id}": { reads, ask: v2("GET", (made) => `scores/${made.score}`) },
  "POST /v2/{entity}/{project}/eval_results/query": {
    reads,
    ask: v2("POST", "eval_results/query", (made) => ({ evaluation_call_ids: [made.run] })),
  },
};

/** Creates a project that contains data of every kind. */
async function populatedProject() {
  const { name } = await makeTeam(server);
  const project = new V2Project(server, `${name}/lab`);
  const made = {};
  for (const [plural, body] of Object.entries(BODIES)) {
    made[plural] = (await project.make(plural, body)).object_id;
  }
  made.run = await project.run();
  made.prediction = await project.row(made.run, { q: "secret" }, 1);
  const score = { prediction_id: made.prediction, scorer: project.ref("acc"), value: 1, evaluation_run_id: made.run };
  made.score = (await project.make("scores", score)).score_id;
  return { team: name, project, made };
}

/** Reads all data of a project. */
async function snapshot(project) {
  const looks = ["/calls/stream_query", "/objs/query", "/feedback/query"];
  const answers = await Promise.all(looks.map((path) => project.post(path, { project_id: project.id })));
  return answers.map(({ text }) => text);
}

checkAccess({ server: () => server, tags: ["evaluations"], table: TABLE, populatedProject, snapshot });

describe("another project", () => {
  test("has none of the runs, and cannot add scores to them", async () => {
    const { made } = await populatedProject();
    const owner = await makeUser(server, "owner");
    const { name } = await makeTeam(server, { admin: owner.username });
    const ask = (method, path, body) => server.api(method, `/v2/${name}/mine/${path}`, { body, key: owner.key });
    assert.equal((await ask("GET", `evaluation_runs/${made.run}`)).status, 404);
    assert.equal((await ask("GET", `predictions/${made.prediction}`)).status, 404);
    assert.equal((await ask("GET", `scores/${made.score}`)).status, 404);
    const score = { prediction_id: made.prediction, scorer: REF, value: 1 };
    assert.equal((await ask("POST", "scores", score)).status, 404);
    const prediction = { model: REF, inputs: {}, output: 1, evaluation_run_id: made.run };
    assert.equal((await ask("POST", "predictions", prediction)).status, 404);
    const results = await ask("POST", "eval_results/query", { evaluation_call_ids: [made.run], include_summary: true });
    assert.deepEqual(results.json, { rows: [], total_rows: 0, summary: { row_count: 0, evaluations: [] }, warnings: [] });
  });
});
