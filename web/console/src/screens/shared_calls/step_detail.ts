// The payloads of one step of a trace, whichever store has it.

import { type AgentSpanRow, listSpans } from "../../api/agents";
import { type QueryState, useQuery } from "../../api/cache";
import type { Call } from "../../api/calls";
import { ApiError } from "../../api/errors";
import { all, eq, get } from "../../query/expression";
import { readFullCall } from "./full_call";

export interface StepDetail {
  id: string;
  /** Null: the step is a span of an agent without a call. */
  call: Call | null;
  exception: string | null;
  running: boolean;
  /** JSON texts. */
  inputs: string;
  output: string;
  attributes: string;
  raw: string;
}

const DETAILS = ["request_model", "response_model", "provider_name", "agent_name", "agent_version", "input_tokens", "output_tokens", "conversation_id", "finish_reasons"];

function text(value: unknown): string {
  return JSON.stringify(value ?? null);
}

/** Makes the detail of a span that has no call. */
export function spanDetail(span: AgentSpanRow): StepDetail {
  const isTool = Boolean(span.tool_name);
  const attributes = Object.fromEntries(DETAILS.filter((name) => span[name]).map((name) => [name, span[name]]));
  return {
    id: span.span_id,
    call: null,
    exception: span.status_code === "ERROR" ? span.status_message || span.error_type || "The span failed." : null,
    running: span.ended_at === null,
    inputs: isTool ? span.tool_call_arguments || "null" : text(span.input_messages),
    output: isTool ? span.tool_call_result || "null" : text(span.output_messages),
    attributes: text(attributes),
    raw: text(span),
  };
}

/** Tool data are texts that usually hold JSON; anything else becomes a JSON string. */
export function jsonText(source: string): string {
  try {
    JSON.parse(source);
    return source;
  } catch {
    return JSON.stringify(source);
  }
}

async function readSpan(project: string, trace: string, id: string, signal: AbortSignal): Promise<StepDetail> {
  const { spans } = await listSpans({
    project_id: project, include_details: true, limit: 1,
    query: { $expr: all([eq(get("trace_id"), trace), eq(get("span_id"), id)]) } as never,
  }, signal);
  const span = spans[0];
  if (!span) throw new ApiError(404, "There is no such span.");
  const detail = spanDetail(span as AgentSpanRow);
  return { ...detail, inputs: jsonText(detail.inputs), output: jsonText(detail.output) };
}

async function readStep(project: string, trace: string, id: string, source: string, signal: AbortSignal): Promise<StepDetail> {
  if (source === "span") return readSpan(project, trace, id, signal);
  const { call, member, text: raw } = await readFullCall(project, id, signal);
  return {
    id, call, exception: call.exception, running: call.ended_at === null,
    inputs: member("inputs"), output: member("output"), attributes: member("attributes"), raw,
  };
}

export function useStep(project: string, trace: string, id: string | null, source: string): QueryState<StepDetail> {
  return useQuery({
    key: ["step", project, trace, id],
    enabled: id !== null,
    staleTime: 30_000,
    every: (data) => (data?.running ? 3000 : false),
    read: (signal) => readStep(project, trace, id ?? "", source, signal),
  });
}
