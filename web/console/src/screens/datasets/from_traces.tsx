// Makes rows from calls: their inputs become members, their output the target.

import { useState } from "preact/hooks";

import { useMutation } from "../../api/cache";
import { listCalls } from "../../api/calls";
import { plural } from "../../format/numbers";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { ErrorNote } from "../../ui/feedback";
import { Checkbox, RadioGroup } from "../../ui/inputs";
import { CallPicker } from "../shared_collect/call_picker";
import type { Row } from "./edits";

export interface RowMapping {
  /** `target`: the output is the expected answer; `output`: it is kept beside the inputs; `none`: it is left out. */
  output: "target" | "output" | "none";
  /** Keeps the id of the call, so that a row leads back to its trace. */
  origin: boolean;
}

export function rowOfCall(call: { id: string; inputs?: unknown; output?: unknown }, { output, origin }: RowMapping): Row {
  const inputs = typeof call.inputs === "object" && call.inputs !== null && !Array.isArray(call.inputs) ? (call.inputs as Row) : { input: call.inputs };
  return { ...inputs, ...(output === "none" ? {} : { [output]: call.output ?? null }), ...(origin ? { call_id: call.id } : {}) };
}

export function FromTracesDialog({ project, onClose, onRows }: { project: string; onClose: () => void; onRows: (rows: Row[]) => void }) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [mapping, setMapping] = useState<RowMapping>({ output: "target", origin: true });
  const add = useMutation({
    change: async () => {
      const { items } = await listCalls({ project_id: project, filter: { call_ids: [...selected] }, columns: ["id", "inputs", "output"], limit: selected.size });
      return items.map((call) => rowOfCall(call, mapping));
    },
    done: onRows,
  });
  return (
    <Dialog
      open onClose={onClose} title="Rows from traces" size="large" keepOpen={selected.size > 0}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" disabled={selected.size === 0} busy={add.pending} onClick={() => void add.run().catch(() => undefined)}>{`Add ${plural(selected.size, "row")}`}</Button>
        </>
      }
    >
      <CallPicker project={project} selected={selected} onSelect={setSelected} />
      <RadioGroup
        label="The output of a call" value={mapping.output} onChange={(output) => setMapping({ ...mapping, output })}
        options={[
          { value: "target", text: "is the expected answer", hint: "Stored as target, which scorers compare with." },
          { value: "output", text: "is kept as output" },
          { value: "none", text: "is left out" },
        ]}
      />
      <Checkbox checked={mapping.origin} onChange={(origin) => setMapping({ ...mapping, origin })}>Keep the id of the call as call_id</Checkbox>
      {add.error && <ErrorNote title="The calls could not be read" message={add.error.message} requestId={add.error.requestId} />}
    </Dialog>
  );
}
