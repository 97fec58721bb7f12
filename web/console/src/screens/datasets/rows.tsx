// The rows of a version, with changes that are collected and published together.

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";

import { invalidate, useMutation } from "../../api/cache";
import { type ObjectVersion, type TableRow, queryTable, updateTable } from "../../api/objects";
import { useShortcut } from "../../app/shortcuts";
import { toast } from "../../app/toasts";
import { formatCount, plural } from "../../format/numbers";
import { Button } from "../../ui/button";
import { Empty, ErrorNote } from "../../ui/feedback";
import type { GridColumn } from "../../ui/list/columns";
import { DataGrid, type GridHandle } from "../../ui/list/data_grid";
import { SafeText } from "../../ui/safe_text";
import { SplitPane } from "../../ui/split_pane";
import { Badge } from "../../ui/status";
import { unlessControl } from "../shared_layout/keys";
import { appendToTable, publishTable } from "../shared_collect/dataset_write";
import { isRecord, valueText } from "../shared_values/value_text";
import { useWindows } from "../shared_values/windows";
import { type Edits, NO_EDITS, type Row, countEdits, tableUpdates, withAdded, withRemoved, withRestored, withRow } from "./edits";
import { FromTracesDialog } from "./from_traces";
import { ImportDialog } from "./import_dialog";
import { RowPanel } from "./row_panel";

const MOST_COLUMNS = 12;

interface ShownRow {
  index: number;
  value: Row;
  state: "same" | "changed" | "removed" | "added";
}

interface Props {
  project: string;
  id: string;
  version: ObjectVersion;
  value: Record<string, unknown>;
  table: string;
  count: number;
  write: boolean;
  latest: boolean;
  onPublished: () => void;
}

const STATES = { changed: ["info", "changed"], removed: ["error", "deleted"], added: ["ok", "new"] } as const;

export function DatasetRows({ project, id, version, value, table, count, write, latest, onPublished }: Props) {
  const [edits, setEdits] = useState<Edits>(NO_EDITS);
  const [open, setOpen] = useState<number | null>(null);
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set());
  const [dialog, setDialog] = useState<"import" | "traces" | null>(null);
  const grid = useRef<GridHandle>(null);
  const rows = useWindows<TableRow>({
    key: table,
    size: 200,
    read: async (offset, limit, signal) => (await queryTable({ project_id: project, digest: table, limit, offset }, signal)).rows,
  });
  const total = count + edits.added.length;
  const storedAt = (index: number): Row | undefined => {
    const stored = rows.rowAt(index)?.val;
    return stored === undefined ? undefined : isRecord(stored) ? stored : { value: stored };
  };
  const rowAt = useCallback((index: number): ShownRow | undefined => {
    if (index >= count) {
      const added = edits.added[index - count];
      return added && { index, value: added, state: "added" };
    }
    const changed = edits.changed.get(index);
    const stored = changed ?? storedAt(index);
    return stored && { index, value: stored, state: edits.removed.has(index) ? "removed" : changed ? "changed" : "same" };
  }, [rows.rowAt, edits, count]);
  const names = useMemo(() => {
    const found = new Set<string>();
    for (let index = 0; index < Math.min(total, 100); index++) for (const name of Object.keys(rowAt(index)?.value ?? {})) found.add(name);
    return [...found].slice(0, MOST_COLUMNS);
  }, [rowAt, total]);
  const columns = useMemo((): GridColumn<ShownRow>[] => [
    {
      key: "#", title: "#", width: 96, fixed: true, number: false,
      cell: ({ index, state }) => <span class="row-number">{formatCount(index + 1)}{state !== "same" && <> <Badge tone={STATES[state][0]}>{STATES[state][1]}</Badge></>}</span>,
    },
    ...names.map((name): GridColumn<ShownRow> => ({
      key: name, title: name, width: name.length > 24 ? 240 : 220, grow: true,
      cell: ({ value: row, state }) => <span class={state === "removed" ? "row-removed" : undefined}><SafeText text={valueText(row[name], 200)} line /></span>,
    })),
  ], [names]);
  const changes = countEdits(edits);
  const publish = useMutation({
    change: async () => {
      const updates = tableUpdates(edits);
      const base = updates.length === 0 ? table : (await updateTable({ project_id: project, base_digest: table, updates })).digest;
      return publishTable(project, id, value, await appendToTable(project, base, edits.added));
    },
    done: ({ version: number }) => {
      setEdits(NO_EDITS);
      void invalidate(["objects", project]);
      onPublished();
      toast({ kind: "ok", text: `${id}:v${number} is published.` });
    },
  });
  // Leaving the page would lose the changes.
  useEffect(() => {
    if (changes === 0) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [changes > 0]);
  const edit = write && latest;
  const chosen = [...selection].map(Number);
  const add = (fresh: Row[]) => {
    setEdits(withAdded(edits, fresh));
    setDialog(null);
    toast({ kind: "info", text: `${plural(fresh.length, "row is", "rows are")} at the end. Publish to keep them.` });
  };
  const addEmpty = () => {
    const empty = Object.fromEntries(names.map((name) => [name, ""]));
    setEdits(withAdded(edits, [names.length > 0 ? empty : { question: "", target: "" }]));
    setOpen(total);
  };
  useShortcut({ keys: "j", label: "Next row", group: "Dataset" }, () => grid.current?.move(1));
  useShortcut({ keys: "k", label: "Previous row", group: "Dataset" }, () => grid.current?.move(-1));
  useShortcut({ keys: "Enter", label: "Open the row", group: "Dataset" }, unlessControl(() => grid.current?.open()));
  useShortcut({ keys: "Escape", label: "Close the row", group: "Dataset" }, () => setOpen(null), open !== null);
  const shown = open === null ? undefined : rowAt(open);
  return (
    <div class="fill">
      <div class="fill-bar">
        {edit ? (
          <>
            <Button icon="add" onClick={addEmpty}>Row</Button>
            <Button icon="upload" onClick={() => setDialog("import")}>Import</Button>
            <Button icon="list" onClick={() => setDialog("traces")}>From traces</Button>
            {chosen.length > 0 && <Button icon="trash" onClick={() => { setEdits(withRemoved(edits, chosen, count)); setSelection(new Set()); setOpen(null); }}>Delete {plural(chosen.length, "row")}</Button>}
          </>
        ) : write && <span class="soft">This is v{version.version_index}. Choose the latest version to change rows.</span>}
        <span class="ui-grow" />
        {changes > 0 && (
          <>
            <span class="ui-tone-warning" role="status">{plural(changes, "change")} not published</span>
            <Button onClick={() => { setEdits(NO_EDITS); setOpen(null); }}>Discard</Button>
            <Button kind="primary" busy={publish.pending} onClick={() => void publish.run().catch(() => undefined)}>Publish a new version</Button>
          </>
        )}
      </div>
      {publish.error && <div class="fill-note"><ErrorNote title="The version was not published. Your changes are still here" message={publish.error.message} requestId={publish.error.requestId} /></div>}
      {rows.error && <div class="fill-note"><ErrorNote title="The rows could not be read" message={rows.error.message} requestId={rows.error.requestId} onRetry={rows.retry} /></div>}
      <div class="fill-body">
        {total === 0 ? (
          <Empty title="This dataset has no rows" icon="table" actions={edit && <><Button kind="primary" icon="upload" onClick={() => setDialog("import")}>Import JSONL or CSV</Button><Button icon="list" onClick={() => setDialog("traces")}>From traces</Button></>}>
            <p>Add rows by hand, import a file, or take them from traces.</p>
          </Empty>
        ) : (
          <SplitPane
            name="dataset" label="Width of the rows" initial={60}
            first={
              <DataGrid
                label="Rows" columns={columns} count={total} rowAt={rowAt} rowKey={({ index }) => String(index)} onRange={rows.onRange} handle={grid}
                onOpen={({ index }) => setOpen(index)} onPeek={({ index }) => setOpen(index)} {...(edit ? { selection, onSelect: setSelection } : {})}
              />
            }
            second={shown ? (
              <RowPanel
                key={`${shown.index} ${shown.state}`} project={project} index={shown.index} row={shown.value} state={shown.state} editable={edit}
                onChange={(row) => setEdits(withRow(edits, shown.index, count, row, storedAt(shown.index)))}
                onRemove={() => { setEdits(withRemoved(edits, [shown.index], count)); if (shown.index >= count) setOpen(null); }}
                onRestore={() => setEdits(withRestored(edits, shown.index))} onClose={() => setOpen(null)}
              />
            ) : null}
          />
        )}
      </div>
      {dialog === "import" && <ImportDialog title="Import rows" action="Add" busy={false} done={0} error={null} onClose={() => setDialog(null)} onRows={add} />}
      {dialog === "traces" && <FromTracesDialog project={project} onClose={() => setDialog(null)} onRows={add} />}
    </div>
  );
}
