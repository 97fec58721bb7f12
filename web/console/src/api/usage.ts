// Usage of models: requests, tokens and cost by day, model, project, user or key.

import { get } from "./client";
import type { InferenceUsage } from "./schema";

export type { FirstToken, InferenceUsage, Latency, UsageRow } from "./schema";

/** Report the usage of models. */
export function readUsage(
  query: { from?: string; to?: string; group_by?: string; model?: string; project?: string; user?: string; key?: string; limit?: number } = {},
  signal?: AbortSignal,
): Promise<InferenceUsage> {
  return get<InferenceUsage>("api/v1/usage", query, signal);
}
