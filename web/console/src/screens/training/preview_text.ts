// What the preview of training data says in words.

import type { TrajectoryPreview } from "../../api/training";
import { formatCount, plural } from "../../format/numbers";
import type { Draft } from "./draft";

const FEW = 20;

const EXCLUDED: Record<keyof TrajectoryPreview["excluded"], string> = {
  failed: "failed", no_answer: "no answer of a model", repeated_trace: "another call of the same trace", no_reward: "without a reward", below_min_reward: "below the smallest reward",
};

export function excludedTexts({ excluded }: Pick<TrajectoryPreview, "excluded">): string[] {
  return (Object.keys(EXCLUDED) as (keyof typeof EXCLUDED)[]).filter((name) => excluded[name] > 0).map((name) => `${formatCount(excluded[name])} ${EXCLUDED[name]}`);
}

/** Returns what speaks against training on these data. */
export function warningsOf(preview: TrajectoryPreview, draft: Pick<Draft, "kind" | "config" | "reward">): string[] {
  const { num_lines, num_trainable_groups, num_trajectories, num_with_logprobs, excluded } = preview;
  if (num_lines === 0) {
    if (excluded.no_reward > 0 && excluded.below_min_reward === 0) return ["Nothing would be exported: no answer has this reward. Go back and check the feedback and its path."];
    if (excluded.below_min_reward > 0) return ["Nothing would be exported: no reward is as high as the smallest reward."];
    return ["Nothing would be exported: no call that matches is an answer of a model."];
  }
  const texts: string[] = [];
  if (draft.kind === "sft" && num_lines < FEW) texts.push(`Only ${plural(num_lines, "example")}: the model will hardly change, or learn them by heart.`);
  if (draft.kind === "rl" && num_trainable_groups === 0) texts.push("All rewards within each group are equal: there is nothing to learn. Group by something else, or use another reward.");
  if (draft.kind === "rl" && num_with_logprobs < num_trajectories && draft.config.allow_training_without_logprobs !== true) {
    texts.push(`${plural(num_trajectories - num_with_logprobs, "answer")} of ${formatCount(num_trajectories)} without log probabilities are only context, unless you allow training without them in the next step.`);
  }
  return texts;
}
