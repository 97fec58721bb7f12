// The runs of a project with their scores, and the progress of those that run.

import { useMemo } from "preact/hooks";

import { usePages, useQuery } from "../../api/cache";
import { type EvalResultsEvaluationSummary, type EvaluationRun, evaluationStatus, listEvaluationRuns } from "../../api/evaluations";
import { useLive } from "../../api/live";
import { readSummaries } from "../shared_evaluation/summaries";

const PAGE = 50;
const RUNNING_MS = 2500;
/** More runs at a time show no progress. */
const MOST_STATUSES = 12;

export interface RunRow {
  run: EvaluationRun;
  summary: EvalResultsEvaluationSummary | undefined;
  progress: RunProgress | undefined;
}

export interface RunProgress {
  done: number;
  total: number;
}

/** Reads the progress of running runs. A run that ended in the meantime has none. */
async function readProgress(project: string, ids: readonly string[], signal: AbortSignal): Promise<Map<string, RunProgress | "over">> {
  const states = await Promise.all(
    ids.slice(0, MOST_STATUSES).map(async (id) => {
      const { status } = await evaluationStatus({ project_id: project, call_id: id }, signal);
      const progress = status.code === "running" ? { done: status.completed_rows, total: status.total_rows } : ("over" as const);
      return [id, progress] as const;
    }),
  );
  return new Map(states);
}

export function useRuns(project: string, evaluations: string[] | undefined, enabled = true) {
  const pages = usePages<EvaluationRun>({
    key: ["evaluation runs", project, evaluations?.join(" ") ?? ""],
    read: (cursor, signal) => listEvaluationRuns(project, { order: "newest", limit: PAGE, cursor, ...(evaluations ? { evaluations } : {}) }, signal),
    enabled,
  });
  useLive("evaluations", project, pages.refetch);
  const ids = pages.items.map(({ evaluation_run_id }) => evaluation_run_id);
  const running = pages.items.filter(({ status }) => status === "running").map(({ evaluation_run_id }) => evaluation_run_id);
  const progress = useQuery({
    key: ["evaluation progress", project, running.join(" ")],
    read: async (signal) => {
      const states = await readProgress(project, running, signal);
      if ([...states.values()].includes("over")) pages.refetch();
      return states;
    },
    every: RUNNING_MS,
    enabled: running.length > 0,
  });
  const summaries = useQuery({
    key: ["evaluation summaries", project, ids.join(" "), running.join(" ")],
    read: (signal) => readSummaries(project, ids, signal),
    enabled: ids.length > 0,
    staleTime: 30_000,
    every: running.length > 0 ? RUNNING_MS * 4 : false,
  });
  const rows = useMemo(
    () =>
      pages.items.map((run): RunRow => {
        const state = progress.data?.get(run.evaluation_run_id);
        return { run, summary: summaries.data?.get(run.evaluation_run_id), progress: state === "over" ? undefined : state };
      }),
    [pages.items, summaries.data, progress.data],
  );
  return { pages, rows, summaries };
}
