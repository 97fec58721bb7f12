// What lists and heads show of a call: name, state, duration, tokens, cost, short texts of its payloads.

import type { CallRow } from "../../api/calls";
import { toMilliseconds } from "../../format/time";
import { truncate } from "../../format/truncate";

type Json = Record<string, unknown>;

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** Returns the members that the server derives: status, latency, name, costs, feedback. */
export function derived(call: Pick<CallRow, "summary">): Json {
  const svc = call.summary?.svc;
  return isObject(svc) ? svc : {};
}

/** Returns the short name of an op: `svc:///team/project/op/search:v3` is `search`. */
export function opName(op: string): string {
  const found = /\/op\/([^/:]+)(?::[^/]*)?$/.exec(op);
  if (!found?.[1]) return op;
  try {
    return decodeURIComponent(found[1]);
  } catch {
    return found[1];
  }
}

export function callName(call: CallRow): string {
  const name = derived(call).trace_name;
  return call.display_name || (typeof name === "string" && name !== "" ? name : opName(call.op_name ?? ""));
}

/** The state as the server names it: `success`, `error`, `descendant_error`, `running`. */
export function callStatus(call: CallRow): string {
  const status = derived(call).status;
  if (typeof status === "string") return status;
  if (call.exception) return "error";
  return call.ended_at === null ? "running" : "success";
}

/** The duration in milliseconds; null while the call runs. */
export function callLatency(call: CallRow): number | null {
  const stored = numberOf(derived(call).latency_ms);
  if (stored !== null) return stored;
  if (!call.started_at || !call.ended_at) return null;
  return Math.max(0, toMilliseconds(call.ended_at) - toMilliseconds(call.started_at));
}

export interface ModelUsage {
  model: string;
  input: number;
  output: number;
  total: number;
  requests: number;
  cost: number | null;
}

const INPUT_NAMES = ["prompt_tokens", "input_tokens"];
const OUTPUT_NAMES = ["completion_tokens", "output_tokens"];
const COST_NAMES = [
  "prompt_tokens_total_cost", "completion_tokens_total_cost", "cache_read_input_tokens_total_cost",
  "cache_creation_input_tokens_total_cost",
];

function sumOf(source: Json, names: readonly string[]): number | null {
  const found = names.map((name) => numberOf(source[name])).filter((value) => value !== null);
  return found.length === 0 ? null : found.reduce((sum, value) => sum + value, 0);
}

/** The usage of one model, from the numbers of a summary or of the usage endpoints. */
export function modelUsage(model: string, numbers: Json, costs: Json = numbers): ModelUsage {
  const input = sumOf(numbers, INPUT_NAMES) ?? 0;
  const output = sumOf(numbers, OUTPUT_NAMES) ?? 0;
  return {
    model, input, output,
    total: numberOf(numbers.total_tokens) || input + output,
    requests: numberOf(numbers.requests) ?? 1,
    cost: sumOf(costs, COST_NAMES),
  };
}

/** The usage that a call reports, by model. */
export function callUsages(call: CallRow): ModelUsage[] {
  const usage = call.summary?.usage;
  const costs = derived(call).costs;
  if (!isObject(usage)) return [];
  return Object.entries(usage).map(([model, numbers]) => {
    const prices = isObject(costs) && isObject(costs[model]) ? costs[model] : {};
    return modelUsage(model, isObject(numbers) ? numbers : {}, prices);
  });
}

export function callTokens(call: CallRow): number | null {
  const usages = callUsages(call);
  return usages.length === 0 ? null : usages.reduce((sum, { total }) => sum + total, 0);
}

export function callCost(call: CallRow): number | null {
  const costs = callUsages(call).flatMap(({ cost }) => (cost === null ? [] : [cost]));
  return costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0);
}

/** Returns the text and the size of a value that `preview_bytes` has cut, or null. */
export function previewOf(value: unknown): { text: string; bytes: number } | null {
  if (!isObject(value) || typeof value.preview !== "string" || typeof value.bytes !== "number") return null;
  return Object.keys(value).length === 2 ? { text: value.preview, bytes: value.bytes } : null;
}

const ROW_TEXT = 400;
const PREFERRED = ["question", "query", "prompt", "input", "text", "message", "answer", "content", "output", "result"];

/** The last message of a conversation, which tells it from the others. */
function lastMessage(value: Json): string | null {
  const messages = value.messages;
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : null;
  if (isObject(last) && typeof last.content === "string") return last.content;
  const choices = value.choices;
  const first: unknown = Array.isArray(choices) ? choices[0] : null;
  if (isObject(first) && isObject(first.message) && typeof first.message.content === "string") return first.message.content;
  return null;
}

/** One line for a row: the most useful text of a payload, otherwise the start of its JSON. */
export function rowText(value: unknown): string {
  const cut = previewOf(value);
  if (cut) return `${truncate(cut.text, ROW_TEXT)}…`;
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return truncate(value, ROW_TEXT);
  if (isObject(value)) {
    const message = lastMessage(value);
    if (message !== null) return truncate(message, ROW_TEXT);
    const preferred = PREFERRED.find((name) => typeof value[name] === "string");
    if (preferred) return truncate(value[preferred] as string, ROW_TEXT);
    if (Object.keys(value).length === 0) return "";
  }
  return truncate(JSON.stringify(value), ROW_TEXT);
}

/** Reads a dotted path, `\.` being a dot inside a key. */
export function valueAt(source: unknown, path: string): unknown {
  const keys = path.match(/(?:\\.|[^.\\])+/g) ?? [];
  return keys.reduce<unknown>((value, key) => {
    const name = key.replace(/\\(.)/g, "$1");
    if (Array.isArray(value)) return value[Number(name)];
    return isObject(value) ? value[name] : undefined;
  }, source);
}

/** The name of a model; of a checkpoint `svc-artifact:///team/project/name:version` without its place. */
export function modelLabel(model: string): string {
  return model.replace(/^svc-artifact:\/\/\/[^/]+\/[^/]+\//, "");
}
