// What to do about a job that failed, by the beginning of its message (docs/training.md, Errors).

import type { JobKind } from "./config";

interface Advice {
  text: string;
  /** Fields to change in the next attempt. */
  fields: readonly string[];
}

const RULES: readonly (readonly [RegExp, (kind: JobKind) => Advice])[] = [
  [/loss is not a number/i, () => ({ text: "Use a lower learning rate.", fields: ["learning_rate"] })],
  [/out of memory|trainers were lost/i, (kind) => kind === "sft"
    ? { text: "Use a smaller batch size or shorter examples, or a trainer with more memory.", fields: ["batch_size"] }
    : { text: "Use a smaller packed sequence length or shorter trajectories, or a trainer with more memory.", fields: ["packed_sequence_length"] }],
  [/learning_rate has \d+ entries/i, () => ({ text: "Give one learning rate per batch, or a single number.", fields: ["learning_rate"] })],
  [/^(line|group) \d+/i, () => ({ text: "Correct the data at the place that the message names, then train on the new version.", fields: [] })],
  [/base model .* cannot be used/i, () => ({ text: "Replace the file of the base model, or train another model.", fields: [] })],
  [/trainer .* failed, not the job/i, () => ({ text: "Check the disk, folder or device of the trainer's host, then start the job again.", fields: [] })],
  [/log ?prob/i, () => ({ text: "Sample the answers from a checkpoint of this server, or allow training without log probabilities.", fields: ["allow_training_without_logprobs"] })],
];

export function adviceFor(kind: JobKind, message: string | null): Advice | null {
  if (!message) return null;
  for (const [pattern, advice] of RULES) if (pattern.test(message)) return advice(kind);
  return null;
}
