// Downloads calls as JSON Lines or CSV.

import { type CallsQuery, streamCalls } from "../../api/calls";
import type { CallTarget } from "./call_target";
import { CSV_NAMES, csvRow } from "./csv";

export type ExportFormat = "jsonl" | "csv";

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
