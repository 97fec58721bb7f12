// One row in full: to read, or to edit as JSON.

import { useState } from "preact/hooks";

import { href, paths } from "../../app/location";
import { Button } from "../../ui/button";
import { CodeEditor } from "../../ui/code_editor";
import { SafeText } from "../../ui/safe_text";
import { ValueView } from "../shared_values/value_view";
import { isRecord } from "../shared_values/value_text";
import type { Row } from "./edits";

interface Props {
  project: string;
  index: number;
  row: Row;
  state: "same" | "changed" | "removed" | "added";
  editable: boolean;
  onChange: (row: Row) => void;
  onRemove: () => void;
  onRestore: () => void;
  onClose: () => void;
}

function parse(text: string): Row | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

export function RowPanel({ project, index, row, state, editable, onChange, onRemove, onRestore, onClose }: Props) {
  const [editing, setEditing] = useState(state === "added");
  const [text, setText] = useState(() => JSON.stringify(row, null, 2));
  const parsed = parse(text);
  const callId = typeof row.call_id === "string" ? row.call_id : null;
  const apply = () => {
    if (!parsed) return;
    onChange(parsed);
    setEditing(false);
  };
  return (
    <section class="row-panel" aria-label={`Row ${index + 1}`}>
      <header class="row-panel-head">
        <h2>Row {index + 1}</h2>
        <span class="ui-grow" />
        {callId && <Button small icon="external" href={href(paths.trace(project, callId))}>Trace</Button>}
        {editable && state !== "removed" && !editing && <Button small icon="edit" onClick={() => setEditing(true)}>Edit</Button>}
        {editable && state !== "removed" && <Button small icon="trash" label="Delete the row" onClick={onRemove} />}
        {editable && (state === "removed" || state === "changed") && <Button small icon="refresh" onClick={onRestore}>Restore</Button>}
        <Button small kind="quiet" icon="close" label="Close the row" onClick={onClose} />
      </header>
      <div class="row-panel-body">
        {editing ? (
          <>
            <CodeEditor label={`Row ${index + 1} as JSON`} value={text} onInput={setText} rows={18} optional={false} onSubmit={apply} />
            {!parsed && <p class="ui-hint">A row is a JSON object.</p>}
            <div class="row-panel-actions">
              <Button kind="primary" disabled={!parsed} onClick={apply}>Apply</Button>
              <Button onClick={() => { setText(JSON.stringify(row, null, 2)); setEditing(false); }}>Cancel</Button>
            </div>
          </>
        ) : (
          <dl class="row-values">
            {Object.entries(row).map(([name, value]) => (
              <div key={name}>
                <dt><SafeText text={name} line /></dt>
                <dd><ValueView value={value} label={name} plain /></dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </section>
  );
}
