// Runs: lists, metrics, inputs and outputs.

import { change, get } from "./client";
import type { PageQuery } from "./paging";
import type {
  Run, RunArtifactPage, RunChange, RunHistoryPage, RunPage, RunSamples, RunSystemMetricsPage,
} from "./schema";
import { path, segments } from "./urls";

export type {
  Run, RunArtifact, RunArtifactPage, RunChange, RunHistoryPage, RunMetric, RunMetricPoint, RunMetricSamples,
  RunPage, RunSamples, RunSystemMetricsPage,
} from "./schema";

/** List runs. */
export function listRuns(
  project: string,
  query: PageQuery & { state?: string; group?: string; job_type?: string; tag?: string; user?: string } = {},
  signal?: AbortSignal,
): Promise<RunPage> {
  return get<RunPage>(path`api/v1/projects/${segments(project)}/runs`, query, signal);
}

/** Show a run. */
export function getRun(project: string, run: string, signal?: AbortSignal): Promise<Run> {
  return get<Run>(path`api/v1/projects/${segments(project)}/runs/${run}`, {}, signal);
}

/** Change the metadata of a run. */
export function changeRun(project: string, run: string, body: RunChange): Promise<Run> {
  return change<Run>("PATCH", path`api/v1/projects/${segments(project)}/runs/${run}`, body);
}

/** Remove a run and its history. */
export function deleteRun(project: string, run: string): Promise<void> {
  return change<void>("DELETE", path`api/v1/projects/${segments(project)}/runs/${run}`);
}

/** Ask a run to stop. */
export function stopRun(project: string, run: string): Promise<Run> {
  return change<Run>("POST", path`api/v1/projects/${segments(project)}/runs/${run}/stop`);
}

/** Kill a run. */
export function killRun(project: string, run: string): Promise<Run> {
  return change<Run>("POST", path`api/v1/projects/${segments(project)}/runs/${run}/kill`);
}

/** Read logged metrics. */
export function runHistory(
  project: string,
  run: string,
  query: PageQuery & { keys?: string[]; min_step?: number; max_step?: number } = {},
  signal?: AbortSignal,
): Promise<RunHistoryPage> {
  return get<RunHistoryPage>(path`api/v1/projects/${segments(project)}/runs/${run}/history`, query, signal);
}

/** Read metrics for a plot. */
export function runSamples(
  project: string,
  run: string,
  query: { keys?: string[]; min_step?: number; max_step?: number; samples?: number } = {},
  signal?: AbortSignal,
): Promise<RunSamples> {
  return get<RunSamples>(path`api/v1/projects/${segments(project)}/runs/${run}/history/samples`, query, signal);
}

/** Read system metrics. */
export function systemMetrics(
  project: string,
  run: string,
  query: PageQuery & { keys?: string[]; min_step?: number; max_step?: number } = {},
  signal?: AbortSignal,
): Promise<RunSystemMetricsPage> {
  return get<RunSystemMetricsPage>(path`api/v1/projects/${segments(project)}/runs/${run}/system-metrics`, query, signal);
}

/** Read system metrics for a plot. */
export function systemSamples(
  project: string,
  run: string,
  query: { keys?: string[]; min_step?: number; max_step?: number; samples?: number } = {},
  signal?: AbortSignal,
): Promise<RunSamples> {
  return get<RunSamples>(path`api/v1/projects/${segments(project)}/runs/${run}/system-metrics/samples`, query, signal);
}

/** List the input artifacts of a run. */
export function runInputs(
  project: string,
  run: string,
  query: PageQuery = {},
  signal?: AbortSignal,
): Promise<RunArtifactPage> {
  return get<RunArtifactPage>(path`api/v1/projects/${segments(project)}/runs/${run}/inputs`, query, signal);
}

/** List the output artifacts of a run. */
export function runOutputs(
  project: string,
  run: string,
  query: PageQuery = {},
  signal?: AbortSignal,
): Promise<RunArtifactPage> {
  return get<RunArtifactPage>(path`api/v1/projects/${segments(project)}/runs/${run}/outputs`, query, signal);
}
