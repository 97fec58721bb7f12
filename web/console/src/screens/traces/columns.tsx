// The columns of the explorer's grid.

import type { CallAttributePath, CallRow } from "../../api/calls";
import { formatCost } from "../../format/money";
import { formatDuration } from "../../format/durations";
import { NOTHING, formatCount } from "../../format/numbers";
import { type Zone, formatExactTime, formatShortTime } from "../../format/time";
import type { GridColumn } from "../../ui/list/columns";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";
import { callCost, callLatency, callName, callStatus, callTokens, callUsages, derived, rowText, valueAt } from "../shared_calls/call_facts";

const NONE = <span class="faint">{NOTHING}</span>;

function text(value: unknown): preact.ComponentChildren {
  const shown = rowText(value);
  return shown === "" ? NONE : <SafeText text={shown} line />;
}

function feedbackSigns(call: CallRow): string {
  const list = derived(call).feedback;
  if (!Array.isArray(list)) return "";
  const signs = list.map((item: unknown) => {
    const { feedback_type: type, payload } = (item ?? {}) as { feedback_type?: unknown; payload?: Record<string, unknown> };
    if (type === "svc.reaction.1") return String(payload?.emoji ?? "");
    return type === "svc.note.1" ? "✎" : "●";
  });
  return signs.slice(0, 8).join(" ");
}

/** Attributes that every call of an SDK has tell nothing. */
const DULL = /^attributes\.(weave|svc|otel_span|client_version|source)(\.|$)/;

/** Keeps the attributes that are worth a facet or a column. */
export function usefulAttributes(paths: readonly CallAttributePath[]): CallAttributePath[] {
  return paths.filter(({ path, type }) => type !== "array" && type !== "null" && !DULL.test(path));
}

/** Returns the name of an attribute path as the filter writes it. */
export function attributeName(path: string): string {
  return path.replace(/^attributes\./, "");
}

/** The columns for the server, by the keys of the shown columns. */
export function serverColumns(keys: readonly string[]): string[] {
  const columns = new Set(["op_name", "display_name", "trace_id", "parent_id", "started_at", "ended_at", "exception", "summary", "inputs"]);
  for (const key of keys) {
    if (key === "output") columns.add("output");
    else if (key === "thread") columns.add("thread_id");
    else if (key === "user") columns.add("svc_user_id");
    else if (key.startsWith("attributes.")) columns.add(key);
  }
  return [...columns];
}

/** Adds the columns for attributes, which the reader may show, before the values. */
export function withAttributes(columns: GridColumn<CallRow>[], attributes: readonly CallAttributePath[]): GridColumn<CallRow>[] {
  const added = attributes.map(({ path }): GridColumn<CallRow> => ({
    key: path, title: attributeName(path), width: 120, optional: true, cell: (call) => text(valueAt(call, path)),
  }));
  const values = columns.findIndex(({ key }) => key === "output");
  return [...columns.slice(0, values), ...added, ...columns.slice(values)];
}

/** The columns that every list of calls has. */
export function callColumns(zone: Zone, now: number): GridColumn<CallRow>[] {
  const time = (call: CallRow) => (
    <span title={formatExactTime(call.started_at, zone)}>{formatShortTime(call.started_at, now, zone)}</span>
  );
  const columns: GridColumn<CallRow>[] = [
    { key: "time", title: "Time", width: 108, sortable: true, fixed: true, cell: time },
    { key: "name", title: "Name", width: 188, sortable: true, cell: (call) => <strong class="calls-name"><SafeText text={callName(call)} line /></strong> },
    { key: "status", title: "Status", width: 100, cell: (call) => <Status state={callStatus(call)} /> },
    { key: "latency", title: "Latency", width: 96, number: true, sortable: true, cell: (call) => {
      const latency = callLatency(call);
      return latency === null ? NONE : formatDuration(latency);
    } },
    { key: "tokens", title: "Tokens", width: 72, number: true, cell: (call) => {
      const tokens = callTokens(call);
      return tokens === null ? NONE : formatCount(tokens);
    } },
    { key: "cost", title: "Cost", width: 100, number: true, cell: (call) => {
      const cost = callCost(call);
      return cost === null ? NONE : formatCost(cost);
    } },
    { key: "user", title: "User", width: 96, optional: true, cell: (call) => text(call.svc_username ?? call.svc_user_id) },
    { key: "model", title: "Model", width: 132, optional: true, cell: (call) => text(callUsages(call).map(({ model }) => model).join(", ")) },
    { key: "thread", title: "Thread", width: 120, optional: true, cell: (call) => text(call.thread_id) },
    { key: "feedback", title: "Feedback", width: 96, optional: true, cell: (call) => text(feedbackSigns(call)) },
    { key: "output", title: "Output", width: 280, optional: true, cell: (call) => (call.exception ? <span class="ui-tone-error">{text(call.exception)}</span> : text(call.output)) },
    { key: "input", title: "Input", width: 180, cell: (call) => text(call.inputs) },
  ];
  return columns;
}
