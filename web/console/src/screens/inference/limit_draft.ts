// What the form of a limit holds, and how near a limit is.

import type { Limit, NewLimit } from "../../api/inference";

export type Period = Limit["period"];

export interface LimitDraft {
  kind: "project" | "key";
  project: string;
  key: string;
  concurrency: number | null;
  requests: number | null;
  tokens: number | null;
  budget: number | null;
  period: Period;
}

export const EMPTY_LIMIT: LimitDraft = {
  kind: "project", project: "", key: "", concurrency: null, requests: null, tokens: null, budget: null, period: "month",
};

export function limitDraft(limit: Limit): LimitDraft {
  return {
    kind: limit.project ? "project" : "key",
    project: limit.project ?? "",
    key: limit.key ?? "",
    concurrency: limit.concurrency,
    requests: limit.requests_per_minute,
    tokens: limit.tokens_per_minute,
    budget: limit.budget_usd,
    period: limit.period,
  };
}

/** The numbers of the limit: what a change of it sends. Null removes a part. */
export function limitParts(draft: LimitDraft): Omit<NewLimit, "project" | "key"> {
  return {
    concurrency: draft.concurrency,
    requests_per_minute: draft.requests,
    tokens_per_minute: draft.tokens,
    budget_usd: draft.budget,
    period: draft.period,
  };
}

export function newLimit(draft: LimitDraft): NewLimit {
  return { ...(draft.kind === "project" ? { project: draft.project } : { key: draft.key.trim() }), ...limitParts(draft) };
}

export function isCompleteLimit(draft: LimitDraft): boolean {
  const subject = draft.kind === "project" ? draft.project : draft.key.trim();
  const numbers = [draft.concurrency, draft.requests, draft.tokens, draft.budget];
  return subject !== "" && numbers.some((number) => number !== null) && numbers.every((number) => number === null || number >= 0);
}

export interface BudgetState {
  /** 0 to 1; more when more was spent. */
  share: number;
  tone: "ok" | "warning" | "error";
  left: number;
}

/** How much of a budget is used; null without a budget. */
export function budgetState({ budget_usd, spent_usd }: Pick<Limit, "budget_usd" | "spent_usd">): BudgetState | null {
  if (budget_usd === null) return null;
  const spent = spent_usd ?? 0;
  const share = budget_usd === 0 ? 1 : spent / budget_usd;
  return { share, tone: share >= 1 ? "error" : share >= 0.8 ? "warning" : "ok", left: Math.max(0, budget_usd - spent) };
}

export const PERIODS: { value: Period; text: string }[] = [
  { value: "day", text: "each day (UTC)" },
  { value: "month", text: "each month (UTC)" },
  { value: "total", text: "in total, never renewed" },
];
