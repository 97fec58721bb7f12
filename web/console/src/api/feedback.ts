// Feedback on calls, spans, conversations and objects.

import { change, read } from "./client";
import type {
  Empty, FeedbackAggregate, FeedbackAggregates, FeedbackCreate, FeedbackCreateBatch, FeedbackCreated,
  FeedbackCreatedBatch, FeedbackPayloadPaths, FeedbackPayloadSchema, FeedbackPurge, FeedbackQuery, FeedbackReplace,
  FeedbackStatistics, FeedbackStats,
} from "./schema";

export type {
  Empty, FeedbackAggregate, FeedbackAggregateBucket, FeedbackAggregates, FeedbackCreate, FeedbackCreateBatch,
  FeedbackCreated, FeedbackCreatedBatch, FeedbackMetric, FeedbackPayloadPath, FeedbackPayloadPaths,
  FeedbackPayloadSchema, FeedbackPurge, FeedbackQuery, FeedbackReplace, FeedbackStatistics, FeedbackStats, Query,
  SortBy,
} from "./schema";

/** Stored feedback; only the fields asked for. */
export interface FeedbackRow {
  id: string;
  created_at: string;
  svc_ref: string;
  svc_user_id: string | null;
  creator: string | null;
  feedback_type: string;
  payload: Record<string, unknown>;
  annotation_ref: string | null;
  runnable_ref: string | null;
  call_ref: string | null;
  trigger_ref: string | null;
  queue_id: string | null;
  scorer_tags: string[];
  scorer_tag_reasons: Record<string, string>;
  scorer_ratings: Record<string, number>;
  scorer_rating_reasons: Record<string, string>;
}

export interface FeedbackRows {
  result: FeedbackRow[];
  total_count: number;
}

/** Create feedback on a call or an object. */
export function createFeedback(body: FeedbackCreate): Promise<FeedbackCreated> {
  return change<FeedbackCreated>("POST", "feedback/create", body);
}

/** Create feedback in a batch. */
export function createFeedbackBatch(body: FeedbackCreateBatch): Promise<FeedbackCreatedBatch> {
  return change<FeedbackCreatedBatch>("POST", "feedback/batch/create", body);
}

/** Replace feedback. */
export function replaceFeedback(body: FeedbackReplace): Promise<FeedbackCreated> {
  return change<FeedbackCreated>("POST", "feedback/replace", body);
}

/** Delete feedback by id. */
export function purgeFeedback(body: FeedbackPurge): Promise<Empty> {
  return change<Empty>("POST", "feedback/purge", body);
}

/** Count tags and ratings over time. */
export function aggregateFeedback(body: FeedbackAggregate, signal?: AbortSignal): Promise<FeedbackAggregates> {
  return read<FeedbackAggregates>("feedback/aggregate", body, signal);
}

/** Aggregate payload values over time. */
export function feedbackStats(body: FeedbackStats, signal?: AbortSignal): Promise<FeedbackStatistics> {
  return read<FeedbackStatistics>("feedback/stats", body, signal);
}

/** List the paths and value types of payloads. */
export function feedbackPaths(body: FeedbackPayloadSchema, signal?: AbortSignal): Promise<FeedbackPayloadPaths> {
  return read<FeedbackPayloadPaths>("feedback/payload_schema", body, signal);
}

/** Lists feedback of a project. */
export function listFeedback(body: FeedbackQuery, signal?: AbortSignal): Promise<FeedbackRows> {
  return read<FeedbackRows>("feedback/query", body, signal);
}

/** Returns the reference of a call, for `svc_ref`. */
export function callRef(project: string, callId: string): string {
  return `svc:///${project}/call/${callId}`;
}
