// Scores of evaluations as metrics: one per scorer and leaf of its values.

import type { EvalResultsEvaluationSummary, EvalResultsScorerStats, EvalResultsTrial } from "../../api/evaluations";
import { formatPercent, formatSignificant } from "../../format/numbers";

export interface Metric {
  /** `scorer.path`, as the API names it. */
  key: string;
  scorer: string;
  path: string | null;
  /** True: shares of passed examples; otherwise means. */
  binary: boolean;
}

export function metricKey(scorer: string, path: string | null): string {
  return path === null || path === "" ? scorer : `${scorer}.${path}`;
}

const SHORTEST_SECONDS = 0.001;

/** Returns the latency of the model; null if it is unknown: predictions that were recorded after the answer took no time. */
export function latencyMs(trial: Pick<EvalResultsTrial, "model_latency_seconds"> | undefined): number | null {
  const seconds = trial?.model_latency_seconds ?? 0;
  return seconds < SHORTEST_SECONDS ? null : seconds * 1000;
}

/** Returns the mean or the share of passed examples. */
export function meanOf(stats: EvalResultsScorerStats): number | null {
  return stats.pass_rate ?? stats.numeric_mean;
}

/** The numeric metrics of some runs; those that say whether an example passed come first. */
export function metricsOf(summaries: readonly EvalResultsEvaluationSummary[]): Metric[] {
  const found = new Map<string, Metric>();
  for (const { scorer_stats } of summaries) {
    for (const { scorer_key, path, value_type } of scorer_stats) {
      const key = metricKey(scorer_key, path);
      if (value_type === "text" || value_type === null || found.has(key)) continue;
      found.set(key, { key, scorer: scorer_key, path, binary: value_type === "binary" });
    }
  }
  return [...found.values()].sort((a, b) => Number(b.binary) - Number(a.binary) || a.key.localeCompare(b.key));
}

export function statsOf(summary: EvalResultsEvaluationSummary | undefined, metric: Metric): EvalResultsScorerStats | undefined {
  return summary?.scorer_stats.find(({ scorer_key, path }) => scorer_key === metric.scorer && path === metric.path);
}

function leaf(value: unknown, path: string | null): unknown {
  if (path === null || path === "") return value;
  let current: unknown = value;
  for (const name of path.split(".")) {
    if (typeof current !== "object" || current === null) return undefined;
    current = (current as Record<string, unknown>)[name];
  }
  return current;
}

/** Returns the mean of a metric over trials; booleans count as 1 or 0. Null: no trial has a value. */
export function valueOf(trials: readonly EvalResultsTrial[], metric: Metric): number | null {
  let [sum, count] = [0, 0];
  for (const { scores } of trials) {
    const value = leaf(scores[metric.scorer], metric.path);
    if (typeof value !== "number" && typeof value !== "boolean") continue;
    sum += Number(value);
    count += 1;
  }
  return count === 0 ? null : sum / count;
}

/** `85 %` for shares, `0.847` for means. */
export function formatScore(value: number | null | undefined, binary: boolean): string {
  return binary ? formatPercent(value) : formatSignificant(value ?? null, 3);
}
