// Ranks models by their newest finished run of an evaluation.

import { type Metric, meanOf, statsOf } from "../shared_evaluation/metrics";
import { parseRef } from "../shared_objects/refs";
import type { RunRow } from "./use_runs";

export interface Place {
  /** 1 for the best; equal values share a place. Null: no value. */
  place: number | null;
  row: RunRow;
  /** Finished runs of the same version of the model. */
  runs: number;
  value: number | null;
}

/** The names of the evaluations of some runs, most runs first. */
export function evaluationNames(rows: readonly RunRow[]): string[] {
  const counts = new Map<string, number>();
  for (const { run } of rows) {
    const name = parseRef(run.evaluation)?.name;
    if (name) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b)).map(([name]) => name);
}

/** Ranks the versions of models by a metric. `rows` come newest first. */
export function leaderboard(rows: readonly RunRow[], evaluation: string, metric: Metric | undefined): Place[] {
  const byModel = new Map<string, Place>();
  for (const row of rows) {
    if (parseRef(row.run.evaluation)?.name !== evaluation || row.run.status !== "completed") continue;
    const known = byModel.get(row.run.model);
    if (known) {
      known.runs += 1;
      continue;
    }
    const stats = metric ? statsOf(row.summary, metric) : undefined;
    byModel.set(row.run.model, { place: null, row, runs: 1, value: stats ? meanOf(stats) : null });
  }
  const places = [...byModel.values()].sort((a, b) => (b.value ?? -Infinity) - (a.value ?? -Infinity));
  places.forEach((entry, index) => {
    const before = places[index - 1];
    if (entry.value !== null) entry.place = before && before.value === entry.value ? before.place : index + 1;
  });
  return places;
}
