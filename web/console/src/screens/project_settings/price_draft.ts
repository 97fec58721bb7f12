// Prices: stored per token, written and read per million tokens.

import type { Cost, CostEntry, Query } from "../../api/inference";

const MILLION = 1_000_000;

export interface PriceDraft {
  model: string;
  prompt: number | null;
  completion: number | null;
  cacheRead: number | null;
  cacheWrite: number | null;
  /** `2026-11-18`, or "" for now. */
  from: string;
}

export const EMPTY_PRICE: PriceDraft = { model: "", prompt: null, completion: null, cacheRead: null, cacheWrite: null, from: "" };

/** The price of a token, without the digits that dividing by a million adds. */
export function perToken(perMillion: number): number {
  return Number((perMillion / MILLION).toPrecision(12));
}

export function perMillion(perTokenPrice: number | null): number | null {
  return perTokenPrice === null ? null : Number((perTokenPrice * MILLION).toPrecision(12));
}

export function isCompletePrice(draft: PriceDraft): boolean {
  const numbers = [draft.prompt, draft.completion, draft.cacheRead, draft.cacheWrite];
  const day = draft.from === "" || (/^\d{4}-\d{2}-\d{2}$/.test(draft.from) && !Number.isNaN(Date.parse(draft.from)));
  return draft.model.trim() !== "" && draft.prompt !== null && draft.completion !== null && numbers.every((number) => number === null || number >= 0) && day;
}

export function priceEntry(draft: PriceDraft): CostEntry {
  return {
    prompt_token_cost: perToken(draft.prompt ?? 0),
    completion_token_cost: perToken(draft.completion ?? 0),
    ...(draft.cacheRead === null ? {} : { cache_read_input_token_cost: perToken(draft.cacheRead) }),
    ...(draft.cacheWrite === null ? {} : { cache_creation_input_token_cost: perToken(draft.cacheWrite) }),
    ...(draft.from === "" ? {} : { effective_date: draft.from }),
  };
}

/** The query that names one price. */
export function priceQuery(id: string): Query {
  return { $expr: { $eq: [{ $getField: "id" }, { $literal: id }] } };
}

/** The price that is in force now: the newest of each model whose date has come. */
export function isInForce(price: Cost, all: readonly Cost[], now: number): boolean {
  const begins = ({ effective_date }: Cost) => (effective_date ? Date.parse(effective_date) : 0);
  const candidates = all.filter((other) => other.llm_id === price.llm_id && other.provider_id === price.provider_id && begins(other) <= now);
  return candidates.length > 0 && begins(price) <= now && candidates.every((other) => begins(other) <= begins(price));
}
