// The calls that an action concerns: chosen ones, or all that match a filter.

import { type BulkAction, type NewBulkJob, type CallsFilter, countCalls } from "../../api/calls";
import { plural } from "../../format/numbers";
import type { CallQuery } from "../../query/expression";

export type CallTarget =
  | { kind: "ids"; ids: readonly string[] }
  | { kind: "matching"; query: CallQuery | undefined; filter: CallsFilter };

/** The largest numbers of calls that the server takes. */
export const MOST_CALLS: Record<BulkAction, number> = { delete: 10_000_000, score: 100_000, add_to_queue: 100_000, add_to_dataset: 10_000 };

/** Counts the calls of a target exactly. */
export async function countTarget(project: string, target: CallTarget, signal?: AbortSignal): Promise<number> {
  if (target.kind === "ids") return target.ids.length;
  return (await countCalls({ project_id: project, filter: target.filter, query: target.query ?? null }, signal)).count;
}

/** The request of a bulk job. The server refuses it when the number of calls is another than the one shown. */
export function jobRequest(target: CallTarget, action: BulkAction, count: number, parameters: Record<string, unknown>): NewBulkJob {
  if (target.kind === "ids") return { action, call_ids: [...target.ids], parameters };
  const { query, filter } = target;
  return { action, filter, ...(query ? { query: query as NewBulkJob["query"] & object } : {}), parameters, expected_count: count };
}

export function targetText(count: number): string {
  return plural(count, "call");
}
