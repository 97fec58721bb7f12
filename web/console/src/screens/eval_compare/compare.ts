// The comparison of two runs example by example.

import type { EvalResultsInterval, EvalResultsRow, EvalResultsTrial } from "../../api/evaluations";
import { type Metric, latencyMs, valueOf } from "../shared_evaluation/metrics";

export type Outcome = "worse" | "better" | "same" | "missing";

export interface ComparedRow {
  row: EvalResultsRow;
  outcome: Outcome;
  /** The value minus that of the base; null if one of both is missing. */
  difference: number | null;
}

export function trialsOf(row: EvalResultsRow, run: string): EvalResultsTrial[] {
  return row.evaluations.find(({ evaluation_call_id }) => evaluation_call_id === run)?.trials ?? [];
}

/** A higher value is better. Differences in the last digits of means are none. */
export function outcomeOf(difference: number | null): Outcome {
  if (difference === null) return "missing";
  if (Math.abs(difference) < 1e-9) return "same";
  return difference > 0 ? "better" : "worse";
}

export function compareRows(rows: readonly EvalResultsRow[], base: string, other: string, metric: Metric | undefined): ComparedRow[] {
  return rows.map((row) => {
    const before = metric ? valueOf(trialsOf(row, base), metric) : null;
    const after = metric ? valueOf(trialsOf(row, other), metric) : null;
    const difference = before === null || after === null ? null : after - before;
    return { row, difference, outcome: outcomeOf(difference) };
  });
}

/** The rows with an outcome, the largest differences first; "all" keeps the order. */
export function chooseRows(rows: readonly ComparedRow[], only: Outcome | "all"): ComparedRow[] {
  if (only === "all") return [...rows];
  return rows
    .filter(({ outcome }) => outcome === only)
    .sort((a, b) => Math.abs(b.difference ?? 0) - Math.abs(a.difference ?? 0));
}

/** Counts differences in bins of equal width around zero. The middle bin holds those that are zero. */
export function histogram(differences: readonly number[], bins = 9): number[] {
  const counts = new Array<number>(bins).fill(0);
  const widest = Math.max(0, ...differences.map(Math.abs));
  const half = (bins - 1) / 2;
  for (const difference of differences) {
    const step = widest === 0 || Math.abs(difference) < 1e-9 ? 0 : Math.sign(difference) * Math.max(1, Math.round((Math.abs(difference) / widest) * half));
    counts[half + step] = (counts[half + step] ?? 0) + 1;
  }
  return counts;
}

export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The median latency of a run in milliseconds. */
export function latencyOf(rows: readonly EvalResultsRow[], run: string): number | null {
  return median(rows.flatMap((row) => trialsOf(row, run).flatMap((trial) => latencyMs(trial) ?? [])));
}

export type Verdict = "better" | "worse" | "unclear";

/** An interval without zero shows a difference. */
export function verdictOf(interval: EvalResultsInterval | null): Verdict {
  if (!interval) return "unclear";
  return interval.low > 0 ? "better" : interval.high < 0 ? "worse" : "unclear";
}

/** A, B, C … for the runs in their order. */
export function letterOf(index: number): string {
  return String.fromCharCode(65 + index);
}
