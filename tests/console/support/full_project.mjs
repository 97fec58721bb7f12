// A project with an example of everything that the console shows.

import assert from "node:assert/strict";

import { ArtifactProject } from "../../http/support/artifacts.mjs";
import { makeAutomation, makeSecret, makeWebhook, settled } from "../../http/support/deliveries.mjs";
import { startReceiver } from "../../http/support/receiver.mjs";
import { makeRegistry } from "../../http/support/registries.mjs";
import { RunProject } from "../../http/support/runs.mjs";
import { ScriptedTrainer, TrainingClient, addBaseModel, group } from "../../http/support/training.mjs";
import { ImprovementProject } from "./improvement_project.mjs";
import { startModelServer } from "./model_server.mjs";
import { TracedProject } from "./traced_project.mjs";

const TEAM = "acme";
const PROJECT = "lab";
const PRICE_PER_TOKEN = 0.0001;

/** Fills a project. Returns {project, team, the ids of what was made, close()}. */
export async function makeFullProject(started) {
  const { server } = started;
  const name = `${TEAM}/${PROJECT}`;
  const api = async (method, path, body) => {
    const answer = await server.api(method, path, { body });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
    return answer.json;
  };
  await api("POST", "/api/v1/teams", { name: TEAM });
  await api("POST", "/api/v1/projects", { team: TEAM, name: PROJECT });
  await api("POST", "/api/v1/users", { username: "ada", email: "ada@example.com" });

  const { link } = await api("POST", `/api/v1/teams/${TEAM}/invitations`, { role: "MEMBER" });

  const traced = new TracedProject(started, name);
  const traces = await traced.addTraces(12);
  await traced.addAgentTurns("planner", "v1", "chat-1", 2);

  const improved = new ImprovementProject(started, name);
  await improved.addEvaluation(4);
  const runs = [await improved.addRun(0, (index) => index % 2 === 0), await improved.addRun(1, (index) => index > 0)];
  await improved.prompt("greeting", "Be brief.");
  const queue = await improved.addQueue("To check", await improved.addCalls(3));

  const upstream = await startModelServer(["big-model"]);
  await api("POST", "/api/v1/upstreams", { name: "vllm-1", url: upstream.url });
  await api("POST", "/api/v1/models", { name: "helper", targets: [{ upstream: "vllm-1", model: "big-model" }] });
  await api("PUT", `/api/v1/projects/${name}/completion-tracing`, { enabled: true });
  await api("POST", "/cost/create", {
    project_id: name,
    costs: { helper: { prompt_token_cost: PRICE_PER_TOKEN, completion_token_cost: PRICE_PER_TOKEN } },
  });
  const asked = await server.api("POST", "/v1/chat/completions", {
    headers: { "Compat-Project": name }, body: { model: "helper", messages: [{ role: "user", content: "Hello?" }] },
  });
  assert.equal(asked.status, 200, asked.text);

  const receiver = await startReceiver();
  await makeSecret(server, TEAM, "CI_TOKEN", "tok_example_123");
  const webhook = await makeWebhook(server, TEAM, { name: "ci", url_endpoint: `${receiver.url}ci` });
  const automation = await makeAutomation(server, TEAM, { type: "ADD_ARTIFACT_ALIAS", alias_regex: "^production$" }, webhook, { name: "to-production" });

  const { model, job } = await train(server);
  const artifacts = new ArtifactProject(server, TEAM, { project: PROJECT });
  const version = await artifacts.put("answers", { "answers.jsonl": '{"answer":1}\n', "notes/read_me.md": "# Notes\n" });
  const registry = await makeRegistry(server, { name: "released" });
  await registry.link("answers", `${name}/answers:v0`);
  await artifacts.ok("PUT", "/collections/solver/versions/step1/aliases/production");
  const [delivery] = await settled(server, { team: TEAM }, 1);

  const logged = new RunProject(server, TEAM, { project: PROJECT });
  const { run_id: run } = await logged.start({ name: "baseline", config: { lr: 0.1 }, tags: ["baseline"] });
  await logged.log(run, Array.from({ length: 20 }, (_, step) => ({ metrics: { loss: 1 / (step + 1), accuracy: step / 20 } })));
  await logged.ok("PUT", `/${run}/inputs/${version.id}`);
  await logged.finish(run);

  return {
    team: TEAM, project: name, invitation: new URL(link).hash, traces, runs, queue, job, model, run, webhook, automation, delivery, registry: registry.name,
    close: async () => {
      await receiver.close();
      await upstream.close();
    },
  };
}

/** Trains the model `solver` for one step with a scripted trainer, and leaves a second job waiting. */
async function train(server) {
  const client = new TrainingClient(server);
  const base_model = await addBaseModel(server, "tiny");
  const model = await client.register({ entity: TEAM, project: PROJECT, name: "solver", base_model });
  const job = await client.train(model, [group([0, 1])]);
  await (await new ScriptedTrainer(server).lease()).run(8);
  await client.train(model, [group([0, 1])]);
  return { model, job };
}
