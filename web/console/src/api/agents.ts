// Agents: lists, versions, conversations, spans, search.

import { read } from "./client";
import type {
  AgentSearch, AgentSearchResults, AgentVersions, AgentVersionsQuery, Agents, AgentsQuery, ConversationChat,
  ConversationChatRequest, ConversationSpansRequest, ConversationsSpans, CustomAttributes, CustomAttributesQuery,
  SpanStats, SpanStatsRequest, Spans, SpansQuery,
} from "./schema";

export type {
  Agent, AgentFilters, AgentSearch, AgentSearchConversation, AgentSearchMatch, AgentSearchResults, AgentSort,
  AgentVersion, AgentVersions, AgentVersionsQuery, Agents, AgentsQuery, ChatAgentHandoff, ChatAgentStart,
  ChatAssistantMessage, ChatContextCompacted, ChatMessage, ChatToolCall, ChatUserMessage, ConversationChat,
  ConversationChatRequest, ConversationFeedback, ConversationRating, ConversationSpan, ConversationSpans,
  ConversationSpansRequest, ConversationsSpans, CustomAttribute, CustomAttributes, CustomAttributesQuery, Query,
  SpanDistribution, SpanGroupBy, SpanGroupFilter, SpanMeasure, SpanNumericBuckets, SpanRatingFilter,
  SpanSignalFilters, SpanStats, SpanStatsColumn, SpanStatsMetric, SpanStatsRequest, SpanTimeBuckets, SpanValueRef,
  Spans, SpansQuery, TraceChat,
} from "./schema";

/** A span in a list. With `include_details` also messages and the data of tools. */
export interface AgentSpanRow {
  trace_id: string;
  span_id: string;
  parent_span_id: string | null;
  span_name: string;
  started_at: string;
  ended_at: string | null;
  status_code: string | null;
  status_message: string | null;
  error_type: string | null;
  operation_name: string | null;
  provider_name: string | null;
  agent_name: string | null;
  agent_id: string | null;
  agent_version: string | null;
  request_model: string | null;
  response_model: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  reasoning_tokens: number | null;
  conversation_id: string | null;
  conversation_name: string | null;
  tool_name: string | null;
  tool_call_id: string | null;
  tool_call_arguments?: string | null;
  tool_call_result?: string | null;
  input_messages?: unknown;
  output_messages?: unknown;
  system_instructions?: unknown;
  [column: string]: unknown;
}

/** List agents with their counts, tokens and costs. */
export function listAgents(body: AgentsQuery, signal?: AbortSignal): Promise<Agents> {
  return read<Agents>("agents/query", body, signal);
}

/** List the versions of an agent with their counts, tokens and costs. */
export function listAgentVersions(body: AgentVersionsQuery, signal?: AbortSignal): Promise<AgentVersions> {
  return read<AgentVersions>("agents/agent-versions/query", body, signal);
}

/** Read the turns of a conversation. */
export function conversationChat(body: ConversationChatRequest, signal?: AbortSignal): Promise<ConversationChat> {
  return read<ConversationChat>("agents/conversations/chat", body, signal);
}

/** List the spans of conversations and their feedback. */
export function conversationSpans(body: ConversationSpansRequest, signal?: AbortSignal): Promise<ConversationsSpans> {
  return read<ConversationsSpans>("agents/conversations/spans", body, signal);
}

/** Search the messages of agents. */
export function searchAgents(body: AgentSearch, signal?: AbortSignal): Promise<AgentSearchResults> {
  return read<AgentSearchResults>("agents/search", body, signal);
}

/** List spans of agents, or groups of them. */
export function listSpans(body: SpansQuery, signal?: AbortSignal): Promise<Spans> {
  return read<Spans>("agents/spans/query", body, signal);
}

/** Compute statistics of spans by buckets of time or of a number. */
export function spanStats(body: SpanStatsRequest, signal?: AbortSignal): Promise<SpanStats> {
  return read<SpanStats>("agents/spans/stats", body, signal);
}

/** List the custom attributes that spans have. */
export function spanAttributes(body: CustomAttributesQuery, signal?: AbortSignal): Promise<CustomAttributes> {
  return read<CustomAttributes>("agents/spans/custom-attrs/schema", body, signal);
}
