// Reads what a comparison shows: intervals and summaries at once, rows part by part.

import { useEffect } from "preact/hooks";

import { usePages, useQuery } from "../../api/cache";
import { type EvalResultsRow, evaluationResults } from "../../api/evaluations";

const PART = 250;
/** More rows are not read; the counts of the server still cover them. */
export const MOST_ROWS = 5000;

export function useComparison(project: string, runs: readonly string[], base: string) {
  const enabled = runs.length >= 2;
  const comparison = useQuery({
    key: ["evaluation comparison", project, runs.join(" "), base],
    read: (signal) =>
      evaluationResults(
        project,
        {
          evaluation_call_ids: [...runs], include_rows: false, include_summary: true, include_costs: true, summary_require_intersection: false,
          limit: 1, compare: { baseline_evaluation_call_id: base },
        },
        signal,
      ),
    enabled,
    staleTime: 30_000,
  });
  const rows = usePages<EvalResultsRow>({
    key: ["evaluation comparison rows", project, runs.join(" ")],
    read: async (cursor, signal) => {
      const offset = Number(cursor || 0);
      const { rows: items, total_rows } = await evaluationResults(
        project,
        { evaluation_call_ids: [...runs], include_raw_data_rows: true, resolve_row_refs: true, include_costs: true, limit: PART, offset },
        signal,
      );
      const next = offset + items.length;
      return { items, next_cursor: items.length > 0 && next < total_rows && next < MOST_ROWS ? String(next) : null };
    },
    enabled,
    staleTime: 30_000,
  });
  const { hasMore, loadingMore, more, error } = rows;
  useEffect(() => {
    if (hasMore && !loadingMore && !error) more();
  }, [hasMore, loadingMore, rows.items.length]);
  return { comparison, rows };
}
