// Rollouts: completions of models in training include token ids and log probabilities by default, also with the
// official client.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import OpenAI from "openai";

import { ArtifactProject } from "./support/artifacts.mjs";
import { Project } from "./support/calls.mjs";
import { eventually } from "./support/deliveries.mjs";
import { freshName } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";
import { ScriptedTrainer, TrainingClient, addBaseModel, exportedBy, group } from "./support/training.mjs";

let server;
let client;
let base;
let openai;
before(async () => {
  server = await startServer();
  client = new TrainingClient(server);
  base = await addBaseModel(server);
  openai = new OpenAI({ apiKey: server.adminKey, baseURL: `${server.url}/v1`, maxRetries: 0 });
});
after(() => server.dispose());

/** Creates a model and a job that has published a checkpoint. */
async function trained() {
  const project = new Project(server);
  const model = await client.register({ entity: project.entity, project: project.project, name: "solver", base_model: base });
  await client.train(model, [group([0, 1])]);
  await (await new ScriptedTrainer(server).lease()).run();
  return { project, name: `svc-artifact:///${project.id}/solver` };
}

const messages = [{ role: "user", content: "Say something." }];
const ask = (model, more = {}) => ({ model, messages, temperature: 0, max_tokens: 6, ...more });

function expectTokens(answer) {
  const [choice] = answer.choices;
  assert.ok(answer.prompt_token_ids.length > 0);
  assert.equal(choice.token_ids.length, answer.usage.completion_tokens);
  assert.equal(choice.logprobs.content.length, choice.token_ids.length);
  for (const { logprob, top_logprobs } of choice.logprobs.content) {
    assert.ok(logprob <= 0);
    assert.deepEqual(top_logprobs, []);
  }
  assert.equal(answer.usage.prompt_tokens, answer.prompt_token_ids.length);
}

describe("a model in training", () => {
  test("returns tokens and log probabilities from its first step on", async () => {
    const { name } = await trained();
    for (const model of [`${name}:step0`, `${name}:step1`, name]) {
      expectTokens(await openai.chat.completions.create(ask(model)));
    }
  });

  test("respects the options of the request", async () => {
    const { name } = await trained();
    const bare = await openai.chat.completions.create(ask(name, { logprobs: false, return_token_ids: false }));
    assert.equal(bare.choices[0].logprobs, null);
    assert.equal(bare.choices[0].token_ids ?? null, null);
    assert.equal(bare.prompt_token_ids ?? null, null);
    const some = await openai.chat.completions.create(ask(name, { logprobs: false }));
    assert.equal(some.choices[0].logprobs, null);
    assert.ok(some.choices[0].token_ids.length > 0);
    const more = await openai.chat.completions.create(ask(name, { logprobs: true, top_logprobs: 2 }));
    assert.equal(more.choices[0].logprobs.content[0].top_logprobs.length, 2);
    expectTokens(await openai.chat.completions.create(ask(name, { logprobs: null })));
  });

  test("returns tokens in streams", async () => {
    const { name } = await trained();
    const whole = await openai.chat.completions.create(ask(name));
    let text = "";
    const ids = [];
    const logprobs = [];
    let prompt;
    for await (const chunk of await openai.chat.completions.create(ask(name, { stream: true }))) {
      prompt ??= chunk.prompt_token_ids;
      assert.equal(chunk.usage ?? null, null, "usage was not requested");
      const [choice] = chunk.choices;
      if (!choice) continue;
      text += choice.delta.content ?? "";
      ids.push(...(choice.token_ids ?? []));
      logprobs.push(...(choice.logprobs?.content ?? []));
    }
    assert.equal(text, whole.choices[0].message.content ?? "");
    assert.deepEqual(ids, whole.choices[0].token_ids);
    assert.deepEqual(prompt, whole.prompt_token_ids);
    assert.equal(logprobs.length, ids.length);
  });

  test("is traced with tokens, streamed or not, ready for training", async () => {
    const { name, project } = await trained();
    const set = await server.api("PUT", `/api/v1/projects/${project.id}/completion-tracing`, { body: { enabled: true } });
    assert.equal(set.status, 200, set.text);
    const options = { headers: { "Compat-Project": project.id } };
    const whole = await openai.chat.completions.create(ask(name), options);
    for await (const chunk of await openai.chat.completions.create(ask(name, { stream: true }), options)) {
      assert.ok(chunk.id);
    }
    await eventually(
      async () => (await project.ok("/calls/query_stats", { project_id: project.id })).count,
      (count) => count === 2,
      "not all calls were recorded",
    );
    const { lines } = await exportedBy(project, { format: "rl" });
    const [one, two] = lines.flatMap(({ trajectories }) => trajectories);
    for (const { messages_and_choices } of [one, two]) {
      const choice = messages_and_choices.at(-1);
      assert.deepEqual(choice.token_ids, whole.choices[0].token_ids);
      assert.deepEqual(choice.prompt_token_ids, whole.prompt_token_ids);
      assert.deepEqual(choice.logprobs.content.map(({ token }) => token), whole.choices[0].logprobs.content.map(({ token }) => token));
    }
  });
});

test("other models and adapters return tokens only on request", async () => {
  const answer = await openai.chat.completions.create(ask(base));
  assert.equal(answer.choices[0].logprobs, null);
  assert.equal(answer.prompt_token_ids ?? null, null);
  const { project, name } = await trained();
  const artifacts = new ArtifactProject(server, project.entity, { project: project.project });
  const files = {};
  for (const path of ["adapter_config.json", "adapter_model.safetensors"]) {
    files[path] = (await artifacts.read("solver", "step1", path)).bytes;
  }
  const uploaded = freshName("own");
  await artifacts.put(uploaded, files, { type: "lora", metadata: { base_model: base } });
  const own = await openai.chat.completions.create(ask(name.replace("solver", uploaded)));
  assert.equal(own.choices[0].logprobs, null);
});
