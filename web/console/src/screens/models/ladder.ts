// The rows of the ladder: one per checkpoint, the newest on top.

import type { ArtifactVersion } from "../../api/artifacts";
import type { Checkpoint } from "../../api/training";
import { ownAliases, versionOfStep } from "../shared_training/checkpoints";
import type { Score } from "../shared_training/scores";

export interface Rung {
  step: number;
  /** `v3` */
  version: string | null;
  aliases: string[];
  createdAt: string | null;
  size: number | null;
  /** Numbers of the training, such as the loss. */
  metrics: Record<string, number>;
  scores: Score[];
}

export function rungsOf(checkpoints: readonly Checkpoint[], versions: readonly ArtifactVersion[] | undefined, scores: ReadonlyMap<number, Score[]> | undefined): Rung[] {
  return [...checkpoints].sort((a, b) => b.step - a.step).map(({ step, metrics }) => {
    const version = versionOfStep(versions, step);
    return {
      step,
      version: version?.version_index == null ? null : `v${version.version_index}`,
      aliases: ownAliases(version),
      createdAt: version?.created_at ?? null,
      size: version?.size ?? null,
      metrics: Object.fromEntries(Object.entries(metrics).filter((entry): entry is [string, number] => typeof entry[1] === "number")),
      scores: scores?.get(step) ?? [],
    };
  });
}

export interface ScoreColumn {
  key: string;
  evaluation: string;
  metric: string;
  /** The best value of all steps, for the bars. */
  best: number;
  share: boolean;
}

const COLUMNS = 4;

/** Returns the scores that most checkpoints have. */
export function scoreColumns(rungs: readonly Rung[]): ScoreColumn[] {
  const found = new Map<string, ScoreColumn & { count: number }>();
  for (const { evaluation, metric, value, share } of rungs.flatMap(({ scores }) => scores)) {
    const key = `${evaluation} ${metric}`;
    const known = found.get(key);
    if (known) {
      known.count += 1;
      known.best = Math.max(known.best, value);
    } else found.set(key, { key, evaluation, metric, best: value, share, count: 1 });
  }
  return [...found.values()].sort((a, b) => b.count - a.count).slice(0, COLUMNS).map(({ count: _, ...column }) => column);
}
