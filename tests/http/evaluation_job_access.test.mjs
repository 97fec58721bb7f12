// Access control of evaluations that the server runs: outsiders cannot see them, viewers cannot start them.

import { after } from "node:test";

import { EvaluationProject } from "./support/evaluations.mjs";
import { makeTeam } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";
import { checkAccess } from "./support/access_checks.mjs";

const server = await startServer();
after(() => server.dispose());

const post = (path, body) => (id, made) => ["POST", path, { project_id: id, ...body(made) }];

const TABLE = {
  "POST /evaluations/evaluate_model": {
    ask: post("/evaluations/evaluate_model", (made) => ({ evaluation_ref: made.evaluation, model_ref: made.model })),
  },
  "POST /evaluations/status": {
    reads: true,
    ask: post("/evaluations/status", (made) => ({ call_id: made.run })),
  },
  "POST /evaluations/rescore": {
    ask: post("/evaluations/rescore", (made) => ({ source_evaluation_run_id: made.run, scorer_refs: [made.exact] })),
  },
  "POST /evaluations/cancel": { ask: post("/evaluations/cancel", (made) => ({ call_id: made.run })) },
  "POST /calls/score": {
    ask: post("/calls/score", (made) => ({ call_ids: [made.run], scorer_refs: [made.exact] })),
  },
};

/** Creates a project with a finished evaluation run. */
async function populatedProject() {
  const { name } = await makeTeam(server);
  const evaluations = new EvaluationProject(server, `${name}/lab`);
  const exact = await evaluations.scorer("exact", { kind: "exact_match" });
  const evaluation = await evaluations.evaluation([{ question: "?", target: "!" }], [exact]);
  const model = await evaluations.model();
  const run = await evaluations.evaluate(evaluation, model);
  await evaluations.finished(run);
  return { team: name, project: evaluations.calls, made: { evaluation, model, run, exact } };
}

/** Reads all data of a project. */
async function snapshot(project) {
  const looks = ["/calls/stream_query", "/feedback/query", "/objs/query"];
  const answers = await Promise.all(looks.map((path) => project.post(path, { project_id: project.id })));
  return answers.map(({ text }) => text);
}

checkAccess({ server: () => server, tags: ["evaluation jobs"], table: TABLE, populatedProject, snapshot });
