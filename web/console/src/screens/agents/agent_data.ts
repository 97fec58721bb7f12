// Figures of agents and their versions, and their course over time.

import type { Agent, AgentVersion, SpanStats } from "../../api/agents";

export type AgentFigures = Pick<Agent,
  "invocation_count" | "span_count" | "error_count" | "total_input_tokens" | "total_output_tokens" | "total_duration_ms" | "total_cost_usd" | "last_seen">;

/** The share of spans with an error. */
export function errorShare({ error_count, span_count }: Pick<AgentFigures, "error_count" | "span_count">): number {
  return span_count === 0 ? 0 : error_count / span_count;
}

export function perInvocation(value: number | null, { invocation_count }: Pick<AgentFigures, "invocation_count">): number | null {
  return value === null || invocation_count === 0 ? null : value / invocation_count;
}

export function tokensOf({ total_input_tokens, total_output_tokens }: Pick<AgentFigures, "total_input_tokens" | "total_output_tokens">): number {
  return total_input_tokens + total_output_tokens;
}

/** The name of a version; spans without one are a version of their own. */
export function versionName({ agent_version }: Pick<AgentVersion, "agent_version">): string {
  return agent_version || "no version";
}

export interface AgentCourse {
  /** Starts of buckets in milliseconds. */
  x: number[];
  versions: string[];
  /** By version, then by bucket. */
  spans: (number | null)[][];
  errors: (number | null)[][];
  p95: (number | null)[][];
  tokens: (number | null)[][];
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

/** Puts the rows of the statistics into one line per version. Buckets without spans count 0 and have no latency. */
export function courseOf(stats: Pick<SpanStats, "rows" | "granularity">, from: number, to: number): AgentCourse {
  const width = (stats.granularity ?? 3600) * 1000;
  const first = Math.floor(from / width);
  const length = Math.max(1, Math.ceil(to / width) - first);
  const versions = [...new Set(stats.rows.map((row) => String(row.agent_version ?? "")))].sort();
  const empty = (value: number | null) => versions.map(() => new Array<number | null>(length).fill(value));
  const course: AgentCourse = {
    x: Array.from({ length }, (_, index) => (first + index) * width),
    versions: versions.map((agent_version) => versionName({ agent_version })),
    spans: empty(0), errors: empty(0), p95: empty(null), tokens: empty(0),
  };
  for (const row of stats.rows) {
    const version = versions.indexOf(String(row.agent_version ?? ""));
    const at = Math.floor(Date.parse(String(row.timestamp)) / width) - first;
    if (version < 0 || at < 0 || at >= length) continue;
    course.spans[version]![at] = numberOf(row.count_ms) ?? 0;
    course.errors[version]![at] = numberOf(row.count_true_errors) ?? 0;
    course.p95[version]![at] = numberOf(row.p95_ms);
    course.tokens[version]![at] = numberOf(row.sum_tokens) ?? 0;
  }
  return course;
}
