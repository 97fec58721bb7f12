// Calls: lists, counts, strips, facets, search, changes, bulk jobs.

import { change, get, read } from "./client";
import { readPage, streamLines } from "./lines";
import type { PageQuery } from "./paging";
import type {
  BulkJob, BulkJobPage, Call, CallRead, CallReadReply, CallUpdate, CallsAttributesReply, CallsAttributesRequest, CallsDelete, CallsDeleted,
  CallsFacetsReply, CallsFacetsRequest, CallsFound, CallsQuery, CallsQueryStats, CallsScore, CallsScoreReply, CallsSearch, CallsStats,
  CallsStatsReply, CallsStatsRequest, CallsUsageRequest, Empty, NewBulkJob, UsageReply,
} from "./schema";
import { path, segments } from "./urls";

export type {
  AggregatedUsage, BulkJob, BulkJobPage, Call, CallAttributePath, CallFacet, CallFacetRequest, CallFacetValue, CallGroup, CallMatch, CallMetric,
  CallRead, CallReadReply, CallUpdate, CallsAttributesReply, CallsAttributesRequest, CallsDelete, CallsDeleted, CallsFacetsReply,
  CallsFacetsRequest, CallsFilter, CallsFound, CallsQuery, CallsQueryStats, CallsScore, CallsScoreReply, CallsSearch, CallsStats, CallsStatsReply,
  CallsStatsRequest, CallsUsageRequest, Empty, FoundCall, NewBulkJob, Query, SortBy, UsageMetric, UsageReply,
} from "./schema";

/** A value that `preview_bytes` replaced: the beginning of its JSON text and its whole size. */
export interface Preview {
  preview: string;
  bytes: number;
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

export interface CallStrip extends Omit<CallsStatsReply, "call_buckets" | "usage_buckets"> {
  call_buckets: StatsBucket[];
  usage_buckets: StatsBucket[];
}

export type BulkAction = NewBulkJob["action"];

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
export function listCalls(body: CallsQuery & { limit: number }, signal?: AbortSignal): Promise<CallPage> {
  return readPage<CallRow>("calls/stream_query", { body: { ...body, include_cursor: true }, signal });
}

/** Reads calls line by line, for exports. */
export function streamCalls(body: CallsQuery, signal?: AbortSignal): AsyncGenerator<CallRow> {
  return streamLines<CallRow>("calls/stream_query", { body, signal });
}

/** Aggregates calls over time, under the same filters as the list. `group_by` names one dimension. */
export function callStrip(body: CallsStatsRequest, signal?: AbortSignal): Promise<CallStrip> {
  return read<CallStrip>("calls/stats", body, signal);
}

/** Counts the values of fields. */
export function callFacets(body: CallsFacetsRequest, signal?: AbortSignal): Promise<CallsFacetsReply> {
  return read<CallsFacetsReply>("calls/facets", body, signal);
}

/** Lists the attribute paths that calls have. */
export function callAttributes(body: CallsAttributesRequest, signal?: AbortSignal): Promise<CallsAttributesReply> {
  return read<CallsAttributesReply>("calls/attributes", body, signal);
}

/** Searches inputs, outputs and names of calls, newest first. */
export function searchCalls(body: CallsSearch, signal?: AbortSignal): Promise<CallsFound> {
  return read<CallsFound>("calls/search", body, signal);
}

/** Starts an action on all calls that match. */
export function createBulkJob(project: string, body: NewBulkJob): Promise<BulkJob> {
  return change<BulkJob>("POST", path`api/v1/projects/${segments(project)}/bulk-jobs`, body);
}

export function listBulkJobs(project: string, query: PageQuery = {}, signal?: AbortSignal): Promise<BulkJobPage> {
  return get<BulkJobPage>(path`api/v1/projects/${segments(project)}/bulk-jobs`, { ...query }, signal);
}

export function getBulkJob(project: string, id: string, signal?: AbortSignal): Promise<BulkJob> {
  return get<BulkJob>(path`api/v1/projects/${segments(project)}/bulk-jobs/${id}`, {}, signal);
}

export function cancelBulkJob(project: string, id: string): Promise<BulkJob> {
  return change<BulkJob>("POST", path`api/v1/projects/${segments(project)}/bulk-jobs/${id}/cancel`);
}
