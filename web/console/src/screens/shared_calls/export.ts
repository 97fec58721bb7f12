// Downloads calls as JSON Lines or CSV.

import { type CallRow, type CallsQuery, streamCalls } from "../../api/calls";
import { callCost, callLatency, callName, callStatus, callTokens } from "./call_facts";
import type { CallTarget } from "./call_target";

export type ExportFormat = "jsonl" | "csv";

const CSV_NAMES = ["id", "trace_id", "name", "status", "started_at", "ended_at", "latency_ms", "tokens", "cost_usd", "inputs", "output", "exception", "attributes"];

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

/** Offers bytes of this page as a file. */
export function saveFile(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Reads the calls and offers them as a file. Returns their number. */
export async function exportCalls(
  project: string, target: CallTarget, format: ExportFormat, progress: (done: number) => void, signal: AbortSignal,
): Promise<number> {
  const body: CallsQuery = {
    project_id: project,
    include_costs: true,
    sort_by: [{ field: "started_at", direction: "desc" }],
    ...(target.kind === "ids"
      ? { filter: { call_ids: [...target.ids] } }
      : { filter: target.filter, query: (target.query ?? null) as CallsQuery["query"] & object }),
  };
  const parts: string[] = format === "csv" ? [`\uFEFF${CSV_NAMES.join(",")}\r\n`] : [];
  let done = 0;
  for await (const call of streamCalls(body, signal)) {
    parts.push(format === "csv" ? csvRow(call) : `${JSON.stringify(call)}\n`);
    done += 1;
    if (done % 500 === 0) progress(done);
  }
  const name = `${project.replace("/", "-")}-calls-${new Date().toISOString().slice(0, 19).replaceAll(":", "")}.${format}`;
  saveFile(new Blob(parts, { type: format === "csv" ? "text/csv" : "application/x-ndjson" }), name);
  return done;
}
