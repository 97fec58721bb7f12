// Who may let the server evaluate in a project: strangers learn nothing, viewers change nothing.

import { after } from "node:test";

import { Lab } from "./support/evaluations.mjs";
import { makeTeam } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";
import { checkStrangers } from "./support/strangers.mjs";

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

/** A project with a run that has ended. */
async function furnished() {
  const { name } = await makeTeam(server);
  const lab = new Lab(server, `${name}/lab`);
  const exact = await lab.scorer("exact", { kind: "exact_match" });
  const evaluation = await lab.evaluation([{ question: "?", target: "!" }], [exact]);
  const model = await lab.model();
  const run = await lab.evaluate(evaluation, model);
  await lab.finished(run);
  return { team: name, project: lab.calls, made: { evaluation, model, run, exact } };
}

/** All that can be seen of a project. */
async function seen(project) {
  const looks = ["/calls/stream_query", "/feedback/query", "/objs/query"];
  const answers = await Promise.all(looks.map((path) => project.post(path, { project_id: project.id })));
  return answers.map(({ text }) => text);
}

checkStrangers({ server: () => server, tags: ["evaluation jobs"], table: TABLE, furnished, seen });
