// The outline of a trace as a tree with times, tones and totals.

import type { SpanKind, TraceOutline } from "../../api/traces";
import { toMilliseconds } from "../../format/time";
import { TreeModel } from "../../ui/list/tree_model";
import type { Tone } from "../../ui/status";

export interface Outline {
  count: number;
  truncated: boolean;
  /** The start of the trace in milliseconds. */
  t0: number;
  model: TreeModel;
  /** Milliseconds after `t0`; NaN: still running. */
  start: Float64Array;
  end: Float64Array;
  /** The end of running steps. */
  now: number;
  ids: string[];
  name: (node: number) => string;
  kind: (node: number) => SpanKind;
  status: (node: number) => string;
  tone: (node: number) => Tone;
  tokens: (node: number) => number | null;
  cost: (node: number) => number | null;
  source: (node: number) => "call" | "span" | "both";
  /** The step whose id this is, or -1. */
  find: (id: string) => number;
  /** The first root. */
  root: number;
  running: number;
  errors: number;
  /** Sums over the model requests; the callers of a request repeat its numbers. */
  totalTokens: number | null;
  totalCost: number | null;
  /** The time from the first start to the last end, in milliseconds. */
  duration: number;
}

/** Traces of more steps open with their first levels only. */
const OPEN_COUNT = 400;

const KIND_TONES: Record<string, Tone> = { agent: "agent", tool: "tool", model: "model" };

function sum(values: readonly (number | null)[], kinds: readonly string[], only: boolean): number | null {
  let total: number | null = null;
  values.forEach((value, index) => {
    if (value !== null && (!only || kinds[index] === "model")) total = (total ?? 0) + value;
  });
  return total;
}

export function makeOutline(answer: TraceOutline, now: number): Outline {
  const { columns, names, count } = answer;
  const t0 = answer.t0 === null ? now : toMilliseconds(answer.t0);
  const start = Float64Array.from(columns.started_at, (value) => value / 1000);
  const end = Float64Array.from(columns.ended_at, (value) => (value === null ? NaN : value / 1000));
  const model = new TreeModel(columns.parent, start);
  if (count > OPEN_COUNT) model.setAllOpen(false, 1);
  let places: Map<string, number> | undefined;
  const models = columns.kind.includes("model");
  let [running, errors, last] = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    if (columns.status[i] === "running") running += 1;
    if (columns.status[i] === "error") errors += 1;
    last = Math.max(last, start[i]!, Number.isNaN(end[i]!) ? 0 : end[i]!);
  }
  const present = Math.max(last, now - t0);
  return {
    count, truncated: answer.truncated, t0, model, start, end, ids: columns.id, running, errors,
    now: running > 0 ? present : last,
    name: (node) => names[columns.name[node] ?? -1] ?? "",
    kind: (node) => columns.kind[node] ?? "call",
    status: (node) => columns.status[node] ?? "ok",
    tone: (node) => (columns.status[node] === "error" ? "error" : KIND_TONES[columns.kind[node] ?? ""] ?? "info"),
    tokens: (node) => columns.tokens[node] ?? null,
    cost: (node) => columns.cost[node] ?? null,
    source: (node) => columns.source[node] ?? "call",
    find: (id) => (places ??= new Map(columns.id.map((known, index) => [known, index]))).get(id) ?? -1,
    root: model.order[0] ?? -1,
    totalTokens: sum(columns.tokens, columns.kind, models),
    totalCost: sum(columns.cost, columns.kind, models),
    duration: running > 0 ? present : last,
  };
}

/** Returns a test of the steps that a search and "errors only" leave, or null for all. */
export function stepFilter(outline: Outline, text: string, errorsOnly: boolean): ((node: number) => boolean) | null {
  const wanted = text.trim().toLowerCase();
  if (wanted === "" && !errorsOnly) return null;
  return (node) => {
    if (errorsOnly && outline.status(node) !== "error") return false;
    return wanted === "" || outline.name(node).toLowerCase().includes(wanted) || outline.ids[node] === wanted;
  };
}
