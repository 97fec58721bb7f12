// Calls as rows of a spreadsheet.

import type { CallRow } from "../../api/calls";
import { callCost, callLatency, callName, callStatus, callTokens } from "./call_facts";

export const CSV_NAMES = ["id", "trace_id", "name", "status", "started_at", "ended_at", "latency_ms", "tokens", "cost_usd", "inputs", "output", "exception", "attributes"];

/** Writes one cell. Spreadsheets run texts that begin like a formula, so these get an apostrophe. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvRow(call: CallRow): string {
  const values = [
    call.id, call.trace_id, callName(call), callStatus(call), call.started_at, call.ended_at, callLatency(call), callTokens(call),
    callCost(call), call.inputs, call.output, call.exception, call.attributes,
  ];
  return `${values.map(csvCell).join(",")}\r\n`;
}
