// Reads rows from a file or pasted text, shows what was understood, and hands them on.

import { useMemo, useState } from "preact/hooks";

import { formatBytes } from "../../format/bytes";
import { formatCount, plural } from "../../format/numbers";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { ErrorNote } from "../../ui/feedback";
import { Field } from "../../ui/field";
import { Checkbox, Select, TextArea, TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Table } from "../../ui/table";
import { valueText } from "../shared_values/value_text";
import { type Format, type Row, guessFormat, parseRows } from "./parse_rows";

const MOST_BYTES = 64_000_000;
const PREVIEW_ROWS = 5;
const PREVIEW_COLUMNS = 5;

interface Props {
  title: string;
  action: string;
  /** Asks for a name and a description: the rows become a new dataset. */
  named?: boolean;
  busy: boolean;
  done: number;
  error: { message: string; requestId: string | null } | null;
  onClose: () => void;
  onRows: (rows: Row[], name: string, description: string) => void;
}

export function ImportDialog({ title, action, named = false, busy, done, error, onClose, onRows }: Props) {
  const [text, setText] = useState("");
  const [file, setFile] = useState<{ name: string; text: string } | null>(null);
  const [fileProblem, setFileProblem] = useState<string | null>(null);
  const [chosen, setChosen] = useState<Format | "">("");
  const [typed, setTyped] = useState(true);
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const source = file?.text ?? text;
  const format = chosen || guessFormat(source, file?.name);
  const parsed = useMemo(() => (source.trim() === "" ? null : parseRows(source, format, typed)), [source, format, typed]);
  const columns = useMemo(() => [...new Set(parsed?.rows.slice(0, 50).flatMap(Object.keys) ?? [])].slice(0, PREVIEW_COLUMNS), [parsed]);
  const rows = parsed?.rows ?? [];
  const ready = (!named || name.trim() !== "") && (rows.length > 0 || (named && source.trim() === ""));
  const take = async (picked: File | undefined) => {
    if (!picked) return;
    setFileProblem(picked.size > MOST_BYTES ? `The file has ${formatBytes(picked.size)}; at most ${formatBytes(MOST_BYTES)} can be imported here. Use POST /table/create for larger ones.` : null);
    if (picked.size > MOST_BYTES) return;
    setFile({ name: picked.name, text: await picked.text() });
    if (name === "") setName(picked.name.replace(/\.[^.]*$/, ""));
  };
  return (
    <Dialog
      open onClose={onClose} title={title} size="large" keepOpen={source !== "" || name !== ""}
      onSubmit={() => {
        if (ready && !busy) onRows(rows, name.trim(), description.trim());
      }}
      actions={
        <>
          {busy && <span class="soft" role="status">{formatCount(done)} of {formatCount(rows.length)} rows</span>}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={!ready} busy={busy}>{rows.length > 0 ? `${action} ${plural(rows.length, "row")}` : action}</Button>
        </>
      }
    >
      {named && (
        <div class="import-pair">
          <Field label="Name" required><TextInput value={name} onInput={setName} placeholder="support questions" /></Field>
          <Field label="Description"><TextInput value={description} onInput={setDescription} /></Field>
        </div>
      )}
      <div
        class="import-drop"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          void take(event.dataTransfer?.files[0]);
        }}
      >
        <label class="import-file">
          <span>Choose a file</span>
          <input type="file" accept=".jsonl,.ndjson,.json,.csv,.tsv,application/json,text/csv" onChange={(event) => void take(event.currentTarget.files?.[0])} />
        </label>
        <span class="faint">or drop a JSONL, JSON or CSV file here</span>
        {file && (
          <span class="import-chosen">
            <SafeText text={file.name} line /> <Button small kind="quiet" icon="close" label="Remove the file" onClick={() => setFile(null)} />
          </span>
        )}
      </div>
      {fileProblem && <p class="ui-field-error" role="alert">{fileProblem}</p>}
      {!file && (
        <Field label="Or paste rows" hint="One JSON object per line, a JSON list, or CSV with names in the first line.">
          <TextArea value={text} onInput={setText} rows={6} mono placeholder={'{"question": "France?", "target": "Paris"}\n{"question": "Italy?", "target": "Rome"}'} />
        </Field>
      )}
      {parsed && (
        <>
          <div class="import-found">
            <span class="import-format">
              <Select label="Format" value={format} onChange={setChosen} options={[{ value: "jsonl", text: "JSON Lines" }, { value: "json", text: "JSON list" }, { value: "csv", text: "CSV" }]} />
            </span>
            {format === "csv" && <Checkbox checked={typed} onChange={setTyped}>Read numbers and true, false</Checkbox>}
            <span class="ui-grow" />
            <strong role="status">{plural(rows.length, "row")}</strong>
            {parsed.failed > 0 && <span class="ui-tone-error">{plural(parsed.failed, "line")} left out</span>}
          </div>
          {parsed.problems.length > 0 && (
            <ul class="import-problems">
              {parsed.problems.map(({ line, message }) => <li key={line}>Line {line}: <SafeText text={message} line /></li>)}
              {parsed.failed > parsed.problems.length && <li>and {parsed.failed - parsed.problems.length} more</li>}
            </ul>
          )}
          {rows.length > 0 && (
            <Table
              label="First rows" rows={rows.slice(0, PREVIEW_ROWS)} rowKey={(_, index) => String(index)}
              columns={columns.map((column) => ({ key: column, title: column, cell: (row: Row) => <span class="import-cell"><SafeText text={valueText(row[column], 80)} line /></span> }))}
            />
          )}
        </>
      )}
      {error && <ErrorNote title="The rows were not imported" message={error.message} requestId={error.requestId} />}
    </Dialog>
  );
}
