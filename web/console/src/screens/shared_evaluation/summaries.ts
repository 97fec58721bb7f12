// Summaries of several runs, however large they are.

import { ApiError } from "../../api/errors";
import { type EvalResultsEvaluationSummary, evaluationResults } from "../../api/evaluations";

const BATCH = 50;

/** Reads the summaries of runs. Runs that are too large for one answer are read in smaller groups. */
export async function readSummaries(
  project: string,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, EvalResultsEvaluationSummary>> {
  const found = new Map<string, EvalResultsEvaluationSummary>();
  const readGroup = async (group: readonly string[]): Promise<void> => {
    if (group.length === 0) return;
    try {
      const { summary } = await evaluationResults(
        project,
        {
          evaluation_call_ids: [...group], include_rows: false, include_summary: true, include_costs: true,
          summary_require_intersection: false,
        },
        signal,
      );
      for (const entry of summary?.evaluations ?? []) found.set(entry.evaluation_call_id, entry);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 413) throw error;
      if (group.length === 1) return;
      const half = Math.ceil(group.length / 2);
      await readGroup(group.slice(0, half));
      await readGroup(group.slice(half));
    }
  };
  for (let at = 0; at < ids.length; at += BATCH) await readGroup(ids.slice(at, at + BATCH));
  return found;
}
