// Traces and threads: outline, chat, usage.

import { read } from "./client";
import { readLines } from "./lines";
import type { Thread, ThreadsQuery, TraceChat, TraceChatRequest, TraceUsageRequest, UsageReply } from "./schema";

export type {
  AggregatedUsage, CallsFilter, ChatAgentHandoff, ChatAgentStart, ChatAssistantMessage, ChatContextCompacted,
  ChatMessage, ChatToolCall, ChatUserMessage, Query, SortBy, Thread, ThreadsFilter, ThreadsQuery, TraceChat,
  TraceChatRequest, TraceUsageRequest, UsageReply,
} from "./schema";

export type SpanKind = "call" | "agent" | "tool" | "model" | (string & {});
export type SpanStatus = "ok" | "error" | "running";

/** All spans of a trace as columns; index i of each column belongs to span i. */
export interface TraceOutline {
  trace_id: string;
  count: number;
  /** True: the trace has more spans than were asked for. */
  truncated: boolean;
  /** The start of the trace; times are microseconds after it. */
  t0: string;
  /** `columns.name` holds indexes into this list. */
  names: string[];
  columns: {
    id: string[];
    /** Index of the parent, or -1. */
    parent: number[];
    name: number[];
    kind: SpanKind[];
    /** `both`: the step is stored as a call and as a span. */
    source: ("call" | "span" | "both")[];
    started_at: number[];
    ended_at: (number | null)[];
    status: SpanStatus[];
    tokens: (number | null)[];
    cost: (number | null)[];
  };
}

/** Read a trace as a conversation. */
export function traceChat(body: TraceChatRequest, signal?: AbortSignal): Promise<TraceChat> {
  return read<TraceChat>("agents/traces/chat", body, signal);
}

/** Aggregate the usage of calls along their traces. */
export function traceUsage(body: TraceUsageRequest, signal?: AbortSignal): Promise<UsageReply> {
  return read<UsageReply>("trace/usage", body, signal);
}

/** Query threads, streamed as JSON Lines. */
export function listThreads(body: ThreadsQuery, signal?: AbortSignal): Promise<Thread[]> {
  return readLines<Thread>("threads/stream_query", { body, signal });
}

/** Reads the structure of a trace. */
export function traceOutline(
  body: { project_id: string; trace_id: string; limit?: number },
  signal?: AbortSignal,
): Promise<TraceOutline> {
  return read<TraceOutline>("trace/outline", body, signal);
}
