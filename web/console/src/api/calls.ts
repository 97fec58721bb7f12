// Calls: lists, counts, strips, facets, search, changes, bulk jobs.

import { change, get, read } from "./client";
import { readPage, streamLines } from "./lines";
import type { Page, PageQuery } from "./paging";
import type {
  Call, CallRead, CallReadReply, CallUpdate, CallsDelete, CallsDeleted, CallsFilter, CallsQuery, CallsQueryStats,
  CallsScore, CallsScoreReply, CallsStats, CallsStatsReply, CallsStatsRequest, CallsUsageRequest, Empty, Query,
  UsageReply,
} from "./schema";
import { path, segments } from "./urls";

export type {
  AggregatedUsage, Call, CallMetric, CallRead, CallReadReply, CallUpdate, CallsDelete, CallsDeleted, CallsFilter,
  CallsQuery, CallsQueryStats, CallsScore, CallsScoreReply, CallsStats, CallsStatsReply, CallsStatsRequest,
  CallsUsageRequest, Empty, Query, SortBy, UsageMetric, UsageReply,
} from "./schema";

/** A value that `preview_bytes` replaced: the beginning of its JSON text and its whole size. */
export interface Preview {
  preview: string;
  bytes: number;
}

/** Members of a list query that the server added for the console. */
export interface CallListOptions {
  /** `next_cursor` of the page before; valid for the same filter and order. */
  cursor?: string | null;
  /** 16 to 65536: larger inputs, outputs, attributes, exceptions and summaries become a Preview. */
  preview_bytes?: number | null;
}

/** A row of a list: only `id` and the columns asked for, with previews of large values. */
export type CallRow = Pick<Call, "id"> & Partial<Omit<Call, "id">>;

export interface CallPage {
  items: CallRow[];
  next_cursor: string | null;
}

/**
 * A bucket of time: `timestamp`, `count`, and one number per requested figure, such as `sum_call_count`. With
 * `group_by` also the group, which is empty for missing and other values.
 */
export type StatsBucket = {
  timestamp: string;
  count: number;
  model?: string;
  group?: string;
  group_kind?: "value" | "missing" | "other";
} & Record<string, unknown>;

export interface CallGroup {
  value: string;
  kind: "value" | "missing" | "other";
  count: number;
}

export interface CallStrip extends Omit<CallsStatsReply, "call_buckets" | "usage_buckets"> {
  call_buckets: StatsBucket[];
  usage_buckets: StatsBucket[];
  /** With `group_by`: most calls first, then missing and other values. */
  groups?: CallGroup[];
}

export interface Facet {
  /** `op_name`, `status`, `model`, `user`, `trace_roots_only`, another column, or a path such as `attributes.tenant`. */
  field: string;
  limit?: number;
  /** Only values that begin with this. */
  prefix?: string;
}

export interface FacetsRequest {
  project_id: string;
  filter?: CallsFilter | null;
  query?: Query | null;
  facets: Facet[];
}

export interface FacetValues {
  field: string;
  /** Most calls first. */
  values: { value: string; count: number }[];
  /** Calls with a value that is not listed. */
  other: number;
  /** Calls without a value. */
  missing: number;
  /** True: only the newest `rows` calls were counted. */
  sampled: boolean;
  rows: number;
}

export interface Facets {
  facets: FacetValues[];
  /** True if any facet is sampled. */
  sampled: boolean;
  /** The smallest number of any facet. */
  rows: number;
}

export interface AttributePath {
  /** A field of the query language; `\\.` is a dot in a name. */
  path: string;
  type: "string" | "number" | "boolean" | "null" | "array";
  count: number;
}

export interface AttributePaths {
  /** Most calls first. */
  attributes: AttributePath[];
  truncated: boolean;
  sampled: boolean;
  rows: number;
}

export interface CallSearchRequest {
  project_id: string;
  text: string;
  limit?: number;
  since?: string | null;
  until?: string | null;
}

/** One field of a call that contains the text. `start` and `end` count code points in `snippet`. */
export interface CallMatch {
  field: "name" | "inputs" | "output";
  snippet: string;
  start: number;
  end: number;
}

export interface FoundCall {
  id: string;
  trace_id: string;
  name: string;
  started_at: string;
  matches: CallMatch[];
}

export type BulkAction = "delete" | "score" | "add_to_queue" | "add_to_dataset";

export interface BulkJobRequest {
  action: BulkAction;
  query?: Query | null;
  filter?: CallsFilter | null;
  call_ids?: string[];
  parameters?: Record<string, unknown>;
  /** The server refuses when another number of calls matches. */
  expected_count?: number;
}

export interface BulkJob {
  id: string;
  action: BulkAction;
  state: "pending" | "running" | "succeeded" | "failed" | "cancelled" | (string & {});
  cancel_requested: boolean;
  /** Null until the calls are counted. */
  total: number | null;
  /** Calls that were processed, including failed ones. */
  done: number;
  failed: number;
  error: string | null;
  parameters: Record<string, unknown>;
  created_by: string;
  created_at: string;
  updated_at: string;
  finished_at: string | null;
}

/** Count calls. */
export function countCalls(body: CallsQueryStats, signal?: AbortSignal): Promise<CallsStats> {
  return read<CallsStats>("calls/query_stats", body, signal);
}

/** Read one call. */
export function readCall(body: CallRead, signal?: AbortSignal): Promise<CallReadReply> {
  return read<CallReadReply>("call/read", body, signal);
}

/** Change the display name of a call. */
export function renameCall(body: CallUpdate): Promise<Empty> {
  return change<Empty>("POST", "call/update", body);
}

/** Delete calls and all of their descendants. */
export function deleteCalls(body: CallsDelete): Promise<CallsDeleted> {
  return change<CallsDeleted>("POST", "calls/delete", body);
}

/** Score calls on the server. */
export function scoreCalls(body: CallsScore): Promise<CallsScoreReply> {
  return change<CallsScoreReply>("POST", "calls/score", body);
}

/** Aggregate the usage of calls and their descendants. */
export function callUsage(body: CallsUsageRequest, signal?: AbortSignal): Promise<UsageReply> {
  return read<UsageReply>("calls/usage", body, signal);
}

/** Reads one page of calls. `limit` is required, up to 10,000. */
export function listCalls(body: CallsQuery & CallListOptions & { limit: number }, signal?: AbortSignal): Promise<CallPage> {
  return readPage<CallRow>("calls/stream_query", { body: { ...body, include_cursor: true }, signal });
}

/** Reads calls line by line, for exports. */
export function streamCalls(body: CallsQuery & CallListOptions, signal?: AbortSignal): AsyncGenerator<CallRow> {
  return streamLines<CallRow>("calls/stream_query", { body, signal });
}

/** Aggregates calls over time, under the same filters as the list. `group_by` names one dimension. */
export function callStrip(
  body: CallsStatsRequest & { query?: Query | null; group_by?: string | null },
  signal?: AbortSignal,
): Promise<CallStrip> {
  return read<CallStrip>("calls/stats", body, signal);
}

/** Counts the values of fields. */
export function callFacets(body: FacetsRequest, signal?: AbortSignal): Promise<Facets> {
  return read<Facets>("calls/facets", body, signal);
}

/** Lists the attribute paths that calls have. */
export function callAttributes(
  body: { project_id: string; filter?: CallsFilter | null; query?: Query | null; prefix?: string; limit?: number },
  signal?: AbortSignal,
): Promise<AttributePaths> {
  return read<AttributePaths>("calls/attributes", body, signal);
}

/** Searches inputs, outputs and names of calls, newest first. */
export function searchCalls(body: CallSearchRequest, signal?: AbortSignal): Promise<{ calls: FoundCall[] }> {
  return read<{ calls: FoundCall[] }>("calls/search", body, signal);
}

/** Starts an action on all calls that match. */
export function createBulkJob(project: string, body: BulkJobRequest): Promise<BulkJob> {
  return change<BulkJob>("POST", path`api/v1/projects/${segments(project)}/bulk-jobs`, body);
}

export function listBulkJobs(project: string, query: PageQuery = {}, signal?: AbortSignal): Promise<Page<BulkJob>> {
  return get<Page<BulkJob>>(path`api/v1/projects/${segments(project)}/bulk-jobs`, { ...query }, signal);
}

export function getBulkJob(project: string, id: string, signal?: AbortSignal): Promise<BulkJob> {
  return get<BulkJob>(path`api/v1/projects/${segments(project)}/bulk-jobs/${id}`, {}, signal);
}

export function cancelBulkJob(project: string, id: string): Promise<BulkJob> {
  return change<BulkJob>("POST", path`api/v1/projects/${segments(project)}/bulk-jobs/${id}/cancel`);
}
