// Evaluations: definitions, runs, results, comparison, runs on the server.

import { change, get, read } from "./client";
import { readPage } from "./lines";
import type { Page } from "./paging";
import type {
  DeletedCount, EvalResults, EvalResultsQuery, EvaluateModel, EvaluateModelReply, EvaluationCancel,
  EvaluationCancelReply, EvaluationCreate, EvaluationCreated, EvaluationRescore, EvaluationRescoreReply,
  EvaluationRun, EvaluationStatus, EvaluationStatusRequest, EvaluationView,
} from "./schema";
import { path, segments } from "./urls";

export type {
  DeletedCount, EvalResults, EvalResultsCompare, EvalResultsComparison, EvalResultsEvaluationSummary,
  EvalResultsFilter, EvalResultsInterval, EvalResultsMetricComparison, EvalResultsQuery, EvalResultsRow,
  EvalResultsRowEvaluation, EvalResultsRunComparison, EvalResultsScorerStats, EvalResultsSort, EvalResultsSummary,
  EvalResultsTrial, EvalResultsWorseRow, EvaluateModel, EvaluateModelReply, EvaluationCancel,
  EvaluationCancelReply, EvaluationComplete, EvaluationCreate, EvaluationCreated, EvaluationFailed,
  EvaluationNotFound, EvaluationRescore, EvaluationRescoreReply, EvaluationRun, EvaluationRunning,
  EvaluationStatus, EvaluationStatusRequest, EvaluationView, Query,
} from "./schema";

/** Order and page of the list of runs. */
export type RunListQuery = {
  limit?: number;
  /** The oldest come first unless asked otherwise. */
  order?: "newest" | "oldest";
  cursor?: string;
};

/** List versions. */
export function listEvaluations(
  project: string,
  query: RunListQuery = {},
  signal?: AbortSignal,
): Promise<Page<EvaluationView>> {
  return readPage<EvaluationView>(path`v2/${segments(project)}/evaluations`, { method: "GET", query: { ...query, include_cursor: true }, signal });
}

/** Publish a version; existing content only becomes the latest. */
export function createEvaluation(project: string, body: EvaluationCreate): Promise<EvaluationCreated> {
  return change<EvaluationCreated>("POST", path`v2/${segments(project)}/evaluations`, body);
}

/** Read a version. */
export function readEvaluation(
  project: string,
  objectId: string,
  digest: string,
  signal?: AbortSignal,
): Promise<EvaluationView> {
  return get<EvaluationView>(path`v2/${segments(project)}/evaluations/${objectId}/versions/${digest}`, {}, signal);
}

/** List runs. */
export function listEvaluationRuns(
  project: string,
  query: RunListQuery & { evaluations?: string[]; models?: string[]; evaluation_run_ids?: string[]; } = {},
  signal?: AbortSignal,
): Promise<Page<EvaluationRun>> {
  return readPage<EvaluationRun>(path`v2/${segments(project)}/evaluation_runs`, { method: "GET", query: { ...query, include_cursor: true }, signal });
}

/** Show one run. */
export function getEvaluationRun(
  project: string,
  evaluationRunId: string,
  signal?: AbortSignal,
): Promise<EvaluationRun> {
  return get<EvaluationRun>(path`v2/${segments(project)}/evaluation_runs/${evaluationRunId}`, {}, signal);
}

/** Delete runs with their predictions and scores. */
export function deleteEvaluationRuns(
  project: string,
  query: { evaluation_run_ids: string[] },
): Promise<DeletedCount> {
  return change<DeletedCount>("DELETE", path`v2/${segments(project)}/evaluation_runs`, undefined, query);
}

/** Evaluate a model on the server. */
export function evaluateModel(body: EvaluateModel): Promise<EvaluateModelReply> {
  return change<EvaluateModelReply>("POST", "evaluations/evaluate_model", body);
}

/** Score the predictions of a run again. */
export function rescoreEvaluation(body: EvaluationRescore): Promise<EvaluationRescoreReply> {
  return change<EvaluationRescoreReply>("POST", "evaluations/rescore", body);
}

/** Cancel a run that the server executes. */
export function cancelEvaluation(body: EvaluationCancel): Promise<EvaluationCancelReply> {
  return change<EvaluationCancelReply>("POST", "evaluations/cancel", body);
}

/** Get the status of a run. */
export function evaluationStatus(body: EvaluationStatusRequest, signal?: AbortSignal): Promise<EvaluationStatus> {
  return read<EvaluationStatus>("evaluations/status", body, signal);
}

/** Reads the results of evaluations by row, with a summary and a comparison if asked for. */
export function evaluationResults(project: string, body: EvalResultsQuery, signal?: AbortSignal): Promise<EvalResults> {
  return read<EvalResults>(path`v2/${segments(project)}/eval_results/query`, body, signal);
}
