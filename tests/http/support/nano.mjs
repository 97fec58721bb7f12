// Generates prompts and training examples for the skills of spindle-nano, and scores answers with its verifier.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const GENERATE = fileURLToPath(new URL("../../../nano/generate.py", import.meta.url));

/** Runs nano/generate.py and returns the JSON objects that it prints. */
function generate(args, input = "") {
  const { status, stdout, stderr } = spawnSync("python3", [GENERATE, ...args], { input, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
}

const options = (fields) => Object.entries(fields).flatMap(([name, value]) => [`--${name}`, String(value)]);

/** Returns instances of a skill; options are {skill, level, count, seed, split}. Held-out instances unless `split` is "training". */
export const questions = (fields) => generate(["questions", ...options(fields)]);

/** Returns conversations for training. They do not contain the held-out instances of `questions`. */
export const examples = (fields) => generate(["examples", ...options(fields)]);

/** Returns the verifier's scores from 0 to 1 for [{instance, reply}], where a reply is a message. */
export function scores(answers) {
  const lines = answers.map((answer) => JSON.stringify(answer)).join("\n");
  return generate(["score"], lines).map(({ score }) => score);
}
