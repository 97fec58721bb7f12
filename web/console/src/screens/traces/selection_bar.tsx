// The line below the list: how many match, what is selected, and what can be done with it.

import { useEffect, useRef, useState } from "preact/hooks";

import type { CallRow } from "../../api/calls";
import { isAbort } from "../../api/errors";
import { href, paths } from "../../app/location";
import { useRights } from "../../app/me";
import { useProject } from "../../app/screen";
import { hasScreen } from "../../app/routes";
import { toast, toastError } from "../../app/toasts";
import { formatCount, plural } from "../../format/numbers";
import { Button } from "../../ui/button";
import { Menu } from "../../ui/menu";
import type { CallTarget } from "../shared_calls/call_target";
import { type ActionName, CallAction } from "../shared_calls/call_action";
import type { ExportFormat } from "../shared_calls/export";
import type { Explorer } from "./explorer_state";
import type { CallList } from "./list_data";

export interface SelectionBarProps {
  explorer: Explorer;
  list: CallList;
  selection: ReadonlySet<string>;
  onSelect: (selection: Set<string>) => void;
}

/** Returns the traces of the selected rows that are loaded. */
export function selectedTraces(items: readonly CallRow[], selection: ReadonlySet<string>): string[] {
  const traces = items.filter(({ id }) => selection.has(id)).map((call) => call.trace_id ?? call.id);
  return [...new Set(traces)];
}

export function matchText(list: CallList, scope: string): string {
  const total = list.total.data;
  if (!total) return "Counting…";
  const what = scope === "roots" ? "trace" : "call";
  const number = total.has_more ? `${formatCount(total.count)}+ ${what}s` : plural(total.count, what);
  return `${number} ${total.count === 1 ? "matches" : "match"}`;
}

export function SelectionBar({ explorer, list, selection, onSelect }: SelectionBarProps) {
  const { id: project, team } = useProject();
  const { write } = useRights(team);
  const [open, setOpen] = useState<ActionName | null>(null);
  const [all, setAll] = useState(false);
  const [exporting, setExporting] = useState<number | null>(null);
  // "All that match" was said of another filter.
  useEffect(() => setAll(false), [explorer.query, explorer.scope]);
  const abort = useRef<AbortController | null>(null);
  const target: CallTarget = all || selection.size === 0
    ? { kind: "matching", query: explorer.query, filter: explorer.callsFilter }
    : { kind: "ids", ids: [...selection] };
  const traces = selectedTraces(list.pages.items, selection);
  const save = async (format: ExportFormat) => {
    abort.current = new AbortController();
    setExporting(0);
    try {
      const { exportCalls } = await import("../shared_calls/export");
      const done = await exportCalls(project, target, format, setExporting, abort.current.signal);
      toast({ kind: "ok", text: `${plural(done, "call")} exported.` });
    } catch (error) {
      if (!isAbort(error)) toastError("The calls were not exported", error);
    } finally {
      setExporting(null);
    }
  };
  const chosen = all || selection.size > 0;
  return (
    <div class="traces-foot" role="toolbar" aria-label="Selection">
      <span class="traces-total" role="status">
        {matchText(list, explorer.scope)}
        {chosen && <strong>{all ? "all selected" : `${formatCount(selection.size)} selected`}</strong>}
      </span>
      {selection.size > 0 && !all && <Button small kind="quiet" onClick={() => setAll(true)}>Select all that match</Button>}
      {chosen && <Button small kind="quiet" onClick={() => { setAll(false); onSelect(new Set()); }}>Clear</Button>}
      <span class="ui-grow" />
      {chosen && (
        <>
          {!all && traces.length >= 2 && traces.length <= 4 && hasScreen("compare") && (
            <Button small icon="compare" href={href(paths.compare(project), { ids: traces.join(",") })}>Compare</Button>
          )}
          {write && <Button small icon="table" onClick={() => setOpen("dataset")}>To dataset</Button>}
          {write && <Button small icon="list" onClick={() => setOpen("queue")}>To queue</Button>}
          {write && <Button small icon="star" onClick={() => setOpen("score")}>Score</Button>}
        </>
      )}
      {exporting === null ? (
        <Menu
          small align="end" label={chosen ? "Export the selection" : "Export all that match"} icon="download"
          items={[{ text: "JSON Lines", onSelect: () => void save("jsonl") }, { text: "CSV", onSelect: () => void save("csv") }]}
        >
          Export
        </Menu>
      ) : (
        <Button small busy onClick={() => abort.current?.abort()}>{`${formatCount(exporting)} · stop`}</Button>
      )}
      {chosen && write && <Button small icon="trash" onClick={() => setOpen("delete")}>Delete</Button>}
      {open && <CallAction name={open} project={project} target={target} onClose={() => setOpen(null)} />}
    </div>
  );
}
