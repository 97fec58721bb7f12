// Traces and threads: outline, chat, usage.

import { read } from "./client";
import { readLines } from "./lines";
import type {
  Thread, ThreadsQuery, TraceChat, TraceChatRequest, TraceOutline, TraceOutlineColumns, TraceOutlineRequest, TraceUsageRequest, UsageReply,
} from "./schema";

export type {
  AggregatedUsage, CallsFilter, ChatAgentHandoff, ChatAgentStart, ChatAssistantMessage, ChatContextCompacted,
  ChatMessage, ChatToolCall, ChatUserMessage, Query, SortBy, Thread, ThreadsFilter, ThreadsQuery, TraceChat,
  TraceChatRequest, TraceOutline, TraceOutlineColumns, TraceOutlineRequest, TraceUsageRequest, UsageReply,
} from "./schema";

export type SpanKind = TraceOutlineColumns["kind"][number];

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
export function traceOutline(body: TraceOutlineRequest, signal?: AbortSignal): Promise<TraceOutline> {
  return read<TraceOutline>("trace/outline", body, signal);
}
