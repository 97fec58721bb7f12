// Access control of the models and jobs of a project: outsiders cannot see them, viewers cannot change them. The
// table contains every operation of the API document under the tag.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { ArtifactProject } from "./support/artifacts.mjs";
import { freshName, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";
import { TrainingClient, addBaseModel, group } from "./support/training.mjs";

let server;
let base;
before(async () => {
  server = await startServer();
  base = await addBaseModel(server);
});
after(() => server.dispose());

const reads = true;
const UNKNOWN = "00000000-0000-0000-0000-000000000000";
const create = ({ team }) => ({ entity: team, project: "lab", name: freshName("solver"), base_model: base });

/** For each operation: its request for an existing resource; `unknown` is the same for a missing one. */
const TABLE = {
  "POST /v1/preview/models": { path: () => "/v1/preview/models", body: create },
  "DELETE /v1/preview/models/{model_id}": { path: ({ model }) => `/v1/preview/models/${model}` },
  "GET /v1/preview/models/{model_id}/checkpoints": {
    reads,
    path: ({ model }) => `/v1/preview/models/${model}/checkpoints`,
  },
  "DELETE /v1/preview/models/{model_id}/checkpoints": {
    path: ({ model }) => `/v1/preview/models/${model}/checkpoints`,
    body: () => ({ steps: [0] }),
  },
  "POST /v1/preview/models/{model_id}/log": {
    path: ({ model }) => `/v1/preview/models/${model}/log`,
    body: () => ({ split: "val", trajectory_groups: [] }),
  },
  "POST /v1/preview/training-jobs": {
    path: () => "/v1/preview/training-jobs",
    body: ({ model }) => ({ model_id: model, trajectory_groups: [group([0, 1])] }),
  },
  "POST /v1/preview/sft-training-jobs": {
    path: () => "/v1/preview/sft-training-jobs",
    body: ({ model, team }) => ({
      model_id: model,
      training_data_url: `svc-artifact:///${team}/lab/rows:v0`,
    }),
  },
  "GET /v1/preview/training-jobs/{training_job_id}": {
    reads,
    path: ({ job }) => `/v1/preview/training-jobs/${job}`,
  },
  "GET /v1/preview/training-jobs/{training_job_id}/events": {
    reads,
    path: ({ job }) => `/v1/preview/training-jobs/${job}/events`,
  },
  "GET /api/v1/training-jobs": {
    reads,
    path: ({ team }) => `/api/v1/training-jobs?project=${team}/lab`,
  },
  "GET /api/v1/training-jobs/{id}": { reads, path: ({ job }) => `/api/v1/training-jobs/${job}` },
  "POST /api/v1/training-jobs/{id}/cancel": { path: ({ job }) => `/api/v1/training-jobs/${job}/cancel` },
  "POST /api/v1/training-jobs": {
    path: () => "/api/v1/training-jobs",
    body: ({ model, team }) => ({ model_id: model, data_url: `svc-artifact:///${team}/lab/rows:v0` }),
    success: 201,
  },
  "POST /api/v1/training-jobs/{id}/retry": {
    path: ({ job }) => `/api/v1/training-jobs/${job}/retry`,
    body: () => ({}),
    success: 409, // the job has not ended
  },
  "GET /api/v1/trained-models": { reads, path: ({ team }) => `/api/v1/trained-models?team=${team}` },
  "GET /api/v1/trained-models/{id}": { reads, path: ({ model }) => `/api/v1/trained-models/${model}` },
  "POST /api/v1/trajectories": {
    path: () => "/api/v1/trajectories",
    body: ({ team }) => ({ project: `${team}/lab`, name: "rows" }),
    success: 422, // the project has no traces
  },
};
const OPEN = ["GET /v1/health", "GET /v1/system-check"];
/** Belongs to no project: training_lists.test.mjs checks what each caller sees. */
const COMMON = ["GET /api/v1/trainers"];

/** Creates a project with a model, a job and some data. */
async function populatedProject() {
  const { name: team } = await makeTeam(server);
  const client = new TrainingClient(server);
  const model = await client.register(create({ team }));
  const job = await client.train(model, [group([0, 1])]);
  await new ArtifactProject(server, team).put("rows", { "train.jsonl": "{}" });
  return { team, model: model.id, job: job.id };
}

function ask(operation, made, key) {
  const { path, body } = TABLE[operation];
  return server.api(operation.split(" ")[0], path(made), { key, body: body?.(made) });
}

function visibleParts({ status, headers, text }) {
  const { date, "x-request-id": id, ...rest } = headers;
  return { status, headers: rest, text };
}

test("the table covers every operation under the tag", async () => {
  const { paths } = (await server.api("GET", "/openapi.json", { key: null })).json;
  const found = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation.tags.includes("training"))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual(found.sort(), [...Object.keys(TABLE), ...OPEN, ...COMMON].sort());
});

for (const [operation, row] of Object.entries(TABLE)) {
  describe(operation, () => {
    test("returns the same 404 to outsiders for existing and missing resources, without effect", async () => {
      const made = await populatedProject();
      const outsider = await makeUser(server, "outsider");
      const hidden = await ask(operation, made, outsider.key);
      assert.equal(hidden.status, 404, hidden.text);
      const nothing = { team: freshName("no-team"), model: UNKNOWN, job: UNKNOWN };
      assert.deepEqual(visibleParts(await ask(operation, nothing, outsider.key)), visibleParts(hidden));
      const afterwards = await ask(operation, made, server.adminKey);
      assert.equal(afterwards.status, row.success ?? 200, afterwards.text);
    });

    test("lets viewers read only", async () => {
      const made = await populatedProject();
      const viewer = await makeMember(server, made.team, "VIEWER");
      const answer = await ask(operation, made, viewer.key);
      assert.equal(answer.status, row.reads ? 200 : 403, answer.text);
      const member = await makeMember(server, made.team, "MEMBER");
      const done = await ask(operation, made, member.key);
      assert.equal(done.status, row.success ?? 200, done.text);
    });

    test("needs a key", async () => {
      assert.equal((await ask(operation, await populatedProject(), null)).status, 401);
    });
  });
}
