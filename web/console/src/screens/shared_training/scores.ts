// Scores of checkpoints: the evaluation runs whose model names the checkpoint.

import { usedBy } from "../../api/artifacts";
import { type QueryState, useQuery } from "../../api/cache";
import { type EvalResultsEvaluationSummary, evaluationResults } from "../../api/evaluations";
import { useLive } from "../../api/live";
import { formatPercent, formatSignificant } from "../../format/numbers";

export interface Score {
  /** Id of the evaluation run. */
  run: string;
  /** Name of the evaluation. */
  evaluation: string;
  /** Name of the scorer, with the path of its value. */
  metric: string;
  value: number;
  /** The value is a share between 0 and 1. */
  share: boolean;
}

/** Steps whose scores are read at once. */
export const SCORED_STEPS = 24;
const RUNS = 50;

/** Returns the name of `svc:///team/project/object/quiz:digest`. */
export function evaluationName(ref: string | null): string {
  return /\/object\/([^/:]+):/.exec(ref ?? "")?.[1] ?? "evaluation";
}

/** Returns the scores of a run: shares of passed examples first, then means. */
export function scoresOf(summary: EvalResultsEvaluationSummary): Score[] {
  const scores = summary.scorer_stats.flatMap(({ scorer_key, path, pass_rate, numeric_mean }) => {
    const value = pass_rate ?? numeric_mean;
    return value === null ? [] : [{
      run: summary.evaluation_call_id, evaluation: evaluationName(summary.evaluation_ref), metric: path ? `${scorer_key}.${path}` : scorer_key, value, share: pass_rate !== null,
    }];
  });
  return [...scores.filter(({ share }) => share), ...scores.filter(({ share }) => !share)];
}

export function scoreText({ value, share }: Pick<Score, "value" | "share">): string {
  return share ? formatPercent(value) : formatSignificant(value, 3);
}

/** Reads the scores of steps of a model. The newest run of each evaluation counts. */
export function useScores(project: string, collection: string, steps: readonly number[]): QueryState<Map<number, Score[]>> {
  const shown = steps.slice(-SCORED_STEPS);
  const scores = useQuery({
    key: ["checkpoint scores", project, collection, shown.join()],
    read: async (signal) => {
      const runs = await Promise.all(shown.map(async (step) => {
        const { evaluations } = await usedBy({ project }, collection, `step${step}`, signal);
        return [step, evaluations.map(({ run }) => run)] as const;
      }));
      const ids = [...new Set(runs.flatMap(([, list]) => list))].slice(0, RUNS);
      if (ids.length === 0) return new Map<number, Score[]>();
      const { summary } = await evaluationResults(project, { evaluation_call_ids: ids, include_rows: false, include_summary: true, summary_require_intersection: false }, signal);
      const byRun = new Map((summary?.evaluations ?? []).map((entry) => [entry.evaluation_call_id, entry]));
      return new Map(runs.map(([step, list]) => [step, newest(list.flatMap((run) => (byRun.has(run) ? scoresOf(byRun.get(run)!) : [])))]));
    },
    enabled: shown.length > 0,
    staleTime: 30_000,
  });
  useLive("evaluations", project, scores.refetch);
  return scores;
}

/** Keeps the first score of each evaluation and metric; lists of uses begin with the newest. */
export function newest(scores: readonly Score[]): Score[] {
  const seen = new Set<string>();
  return scores.filter(({ evaluation, metric }) => {
    const key = `${evaluation}\n${metric}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

export interface ScoreChange {
  evaluation: string;
  metric: string;
  before: Score | null;
  after: Score | null;
}

/** Pairs the scores of two steps. */
export function scoreChanges(before: readonly Score[], after: readonly Score[]): ScoreChange[] {
  const find = (scores: readonly Score[], { evaluation, metric }: Score) => scores.find((score) => score.evaluation === evaluation && score.metric === metric) ?? null;
  const changes = before.map((score) => ({ evaluation: score.evaluation, metric: score.metric, before: score, after: find(after, score) }));
  const added = after.filter((score) => !find(before, score)).map((score) => ({ evaluation: score.evaluation, metric: score.metric, before: null, after: score }));
  return [...changes, ...added];
}
