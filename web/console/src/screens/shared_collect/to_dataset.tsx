// Puts rows into a dataset, an existing or a new one.

import { useState } from "preact/hooks";

import { invalidate, useMutation } from "../../api/cache";
import { navigate, paths } from "../../app/location";
import { toast } from "../../app/toasts";
import { formatCount, plural } from "../../format/numbers";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { ErrorNote } from "../../ui/feedback";
import { Field } from "../../ui/field";
import { Select, TextInput } from "../../ui/inputs";
import { useLatestObjects } from "../shared_objects/versions";
import { ValueView } from "../shared_values/value_view";
import { type Row, appendRows, createWithRows } from "./dataset_write";

const NEW = "(new)";

export function ToDatasetDialog({ project, rows, onClose }: { project: string; rows: Row[]; onClose: () => void }) {
  const datasets = useLatestObjects(project, ["Dataset"]);
  const [target, setTarget] = useState("");
  const [name, setName] = useState("");
  const chosen = target || datasets.data?.[0]?.object_id || (datasets.data ? NEW : "");
  const add = useMutation({
    change: async () => {
      if (chosen === NEW) return createWithRows(project, name.trim(), "", rows);
      return { id: chosen, ...(await appendRows(project, chosen, rows)) };
    },
    done: ({ id, version }) => {
      void invalidate(["objects", project]);
      onClose();
      toast({ kind: "ok", text: `${plural(rows.length, "row is", "rows are")} in ${id}:v${version}.`, action: { label: "Open", run: () => navigate(paths.datasets(project, id)) } });
    },
  });
  const ready = chosen !== "" && (chosen !== NEW || name.trim() !== "");
  return (
    <Dialog
      open onClose={onClose} title={`Add ${plural(rows.length, "row")} to a dataset`} keepOpen={name !== ""}
      onSubmit={() => {
        if (ready) void add.run().catch(() => undefined);
      }}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={!ready} busy={add.pending}>Add</Button>
        </>
      }
    >
      <Field label="Dataset" hint="A new version is published; earlier ones stay as they are.">
        <Select value={chosen} onChange={setTarget}
          options={[...(datasets.data ?? []).map(({ object_id, version_index }) => ({ value: object_id, text: `${object_id}:v${version_index}` })), { value: NEW, text: "New dataset…" }]} />
      </Field>
      {chosen === NEW && <Field label="Name" required><TextInput value={name} onInput={setName} placeholder="hard cases" /></Field>}
      {rows[0] && (
        <div class="stack">
          <span class="ui-label">{rows.length === 1 ? "Row" : `First of ${formatCount(rows.length)} rows`}</span>
          <ValueView value={rows[0]} label="Row" />
        </div>
      )}
      {add.error && <ErrorNote title="The rows were not added" message={add.error.message} requestId={add.error.requestId} />}
    </Dialog>
  );
}
