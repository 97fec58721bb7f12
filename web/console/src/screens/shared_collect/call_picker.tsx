// Choosing calls by a filter: for rows of datasets and items of queues.

import { useState } from "preact/hooks";

import { useQuery } from "../../api/cache";
import { type CallRow, listCalls } from "../../api/calls";
import type { CallsQuery } from "../../api/calls";
import { timeZone } from "../../app/preferences";
import { plural } from "../../format/numbers";
import { formatShortTime } from "../../format/time";
import { callQuery } from "../../query/compile";
import type { Filter } from "../../query/tree";
import { Empty, ErrorNote, Skeleton } from "../../ui/feedback";
import { FilterInput } from "../../ui/filter_input";
import { Checkbox } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";
import { isRecord, valueText } from "../shared_values/value_text";

const SHOWN = 100;
const PREVIEW_BYTES = 300;

/** The name of a call without the reference of its op. */
export function callName(call: Pick<CallRow, "display_name" | "op_name">): string {
  return call.display_name || /\/op\/([^/:]+)/.exec(call.op_name ?? "")?.[1] || call.op_name || "call";
}

function previewOf(value: unknown): string {
  return isRecord(value) && typeof value.preview === "string" && typeof value.bytes === "number" ? value.preview : valueText(value, PREVIEW_BYTES);
}

interface Props {
  project: string;
  selected: ReadonlySet<string>;
  onSelect: (ids: Set<string>) => void;
}

export function CallPicker({ project, selected, onSelect }: Props) {
  const [text, setText] = useState("");
  const [filter, setFilter] = useState<Filter | null>(null);
  const [rootsOnly, setRootsOnly] = useState(true);
  const [now] = useState(Date.now);
  const calls = useQuery({
    key: ["calls", project, "picker", text, rootsOnly],
    read: (signal) =>
      listCalls(
        {
          project_id: project,
          query: (callQuery(filter, { from: null, to: null }, { zone: timeZone.value, now }) ?? null) as CallsQuery["query"],
          filter: rootsOnly ? { trace_roots_only: true } : {},
          sort_by: [{ field: "started_at", direction: "desc" }],
          columns: ["id", "op_name", "display_name", "started_at", "inputs", "summary", "exception"],
          preview_bytes: PREVIEW_BYTES,
          limit: SHOWN,
        },
        signal,
      ),
  });
  const items = calls.data?.items ?? [];
  const all = items.length > 0 && items.every(({ id }) => selected.has(id));
  const toggle = (id: string, on: boolean) => {
    const next = new Set(selected);
    if (on) next.add(id);
    else next.delete(id);
    onSelect(next);
  };
  const stateOf = (call: CallRow) => (isRecord(call.summary?.svc) ? String(call.summary.svc.status ?? "success") : call.exception ? "error" : "success");
  return (
    <div class="stack">
      <div class="pick-filter">
        <FilterInput value={text} onApply={(next, tree) => { setText(next); setFilter(tree); }} />
        <Checkbox checked={!rootsOnly} onChange={(on) => setRootsOnly(!on)}>Inner steps too</Checkbox>
      </div>
      {calls.error ? <ErrorNote title="The calls could not be read" message={calls.error.message} requestId={calls.error.requestId} onRetry={calls.refetch} />
        : calls.loading ? <Skeleton lines={5} label="Loading the calls" />
        : items.length === 0 ? <Empty title={text === "" ? "The project has no calls yet" : "No call matches"} icon="filter" />
        : (
          <div class="pick">
            <div class="pick-head">
              <Checkbox checked={all} mixed={!all && items.some(({ id }) => selected.has(id))} onChange={(on) => onSelect(new Set(on ? [...selected, ...items.map(({ id }) => id)] : []))}>
                {items.length === SHOWN ? `The newest ${SHOWN} that match` : plural(items.length, "call")}
              </Checkbox>
              <span class="ui-grow" />
              <span class="soft" role="status">{selected.size} chosen</span>
            </div>
            <div class="pick-rows" role="group" aria-label="Calls" tabIndex={0}>
              {items.map((call) => (
                <label key={call.id} class="pick-row">
                  <input type="checkbox" checked={selected.has(call.id)} onChange={(event) => toggle(call.id, event.currentTarget.checked)} />
                  <span class="faint nowrap">{formatShortTime(call.started_at, now, timeZone.value)}</span>
                  <Status state={stateOf(call)} signOnly />
                  <strong class="truncate"><SafeText text={callName(call)} line /></strong>
                  <span class="truncate soft"><SafeText text={previewOf(call.inputs)} line /></span>
                </label>
              ))}
            </div>
          </div>
        )}
    </div>
  );
}
