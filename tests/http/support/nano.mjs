// spindle-nano's skills: questions, examples to learn from, and who says how right an answer is.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const GENERATE = fileURLToPath(new URL("../../../nano/generate.py", import.meta.url));

/** Runs nano/generate.py; the objects that it prints. */
function generate(args, input = "") {
  const { status, stdout, stderr } = spawnSync("python3", [GENERATE, ...args], { input, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
}

const options = (fields) => Object.entries(fields).flatMap(([name, value]) => [`--${name}`, String(value)]);

/** Instances of a skill: {skill, level, count, seed, split}; held out unless `split` says "training". */
export const questions = (fields) => generate(["questions", ...options(fields)]);

/** Conversations to learn from; none of them holds what `questions` asks. */
export const examples = (fields) => generate(["examples", ...options(fields)]);

/** The verifier's scores of answers, from 0 to 1: `answers` is [{instance, reply}], a reply a message. */
export function scores(answers) {
  const lines = answers.map((answer) => JSON.stringify(answer)).join("\n");
  return generate(["score"], lines).map(({ score }) => score);
}
