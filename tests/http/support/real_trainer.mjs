// Starts spindle-trainer and creates training data for it.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { ArtifactProject } from "./artifacts.mjs";
import { freshName } from "./people.mjs";
import { BINARY, Program, makeFolder } from "./program.mjs";

export const TRAINER = join(dirname(BINARY), "spindle-trainer");
export const NANO = fileURLToPath(new URL("../../../models/spindle-nano.gguf", import.meta.url));

/** Environment of a server with spindle-nano. One thread per engine, because tests run in parallel. */
export const NANO_ENV = { SPINDLE_INFERENCE_DEFAULT_MODEL: NANO, SPINDLE_INFERENCE_THREADS: "1" };
/** The same, with a trainer that the server starts and that saves its state after every step. */
export const OWN_TRAINER_ENV = {
  ...NANO_ENV,
  SPINDLE_TRAINING_LOCAL: "true",
  SPINDLE_TRAINING_THREADS: "1",
  SPINDLE_TRAINING_SAVE_INTERVAL: "0ms",
};

/** Starts a trainer as on another host. It saves its state after every step. */
export function startTrainer(server, { name = freshName("trainer"), folder = join(makeFolder(), "trainer"), args = [], shell } = {}) {
  const line = [
    ...["--server", server.url, "--name", name, "--folder", folder],
    ...["--threads", "1", "--save-every", "0", ...args],
  ];
  const env = { SPINDLE_TRAINER_KEY: server.adminKey };
  if (shell === undefined) return runTrainer(line, { env });
  return new Program(["-c", `${shell} exec "$@"`, "sh", TRAINER, ...line], { binary: "/bin/sh", env });
}

/** Runs `spindle-trainer ARGS`. */
export function runTrainer(args, options = {}) {
  return new Program(args, { binary: TRAINER, ...options });
}

const WORDS = ["ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen"];

/** Returns training rows: word lists and the reversed lists. */
export function examples(count) {
  return Array.from({ length: count }, (_, i) => {
    const words = Array.from({ length: 5 }, (_, k) => WORDS[(i * (k + 3) + k) % WORDS.length]);
    return {
      messages: [
        { role: "user", content: `Reverse the list: ${words.join(" ")}` },
        { role: "assistant", content: words.reverse().join(" ") },
      ],
    };
  });
}

/** Stores rows in an artifact and resolves with its URL. */
export async function putExamples(server, team, rows) {
  const name = freshName("examples");
  const lines = rows.map((row) => JSON.stringify(row)).join("\n");
  await new ArtifactProject(server, team).put(name, { "train.jsonl": lines });
  return `svc-artifact:///${team}/lab/${name}:v0`;
}

/** Returns a choice with exact tokens, as the rollout client stores it. */
export function sampledChoice(prompt, tokens, logprob = -1) {
  const content = tokens.map((id) => ({ token: `token_id:${id}`, bytes: null, logprob, top_logprobs: [] }));
  return {
    finish_reason: "stop",
    index: 0,
    message: { role: "assistant", content: "…" },
    logprobs: { content, refusal: null },
    prompt_token_ids: prompt,
    token_ids: tokens,
  };
}

/** Returns trajectory groups with rewards and synthetic tokens. */
export function tokenGroups(count, { size = 4, length = 12 } = {}) {
  return Array.from({ length: count }, (_, g) => {
    const prompt = Array.from({ length: 10 }, (_, i) => 300 + ((g * 17 + i * 5) % 1000));
    return {
      trajectories: Array.from({ length: size }, (_, t) => {
        const tokens = Array.from({ length }, (_, i) => 300 + ((g * 31 + t * 13 + i * 7) % 1000));
        return {
          messages_and_choices: [{ role: "user", content: "…" }, sampledChoice(prompt, tokens)],
          reward: (g + t) % size === 0 ? 1 : t / 10,
        };
      }),
    };
  });
}
