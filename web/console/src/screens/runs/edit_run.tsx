// Changes what people write about a run: name, tags, group, notes.

import { useState } from "preact/hooks";

import { useMutation } from "../../api/cache";
import { type Run, changeRun } from "../../api/runs";
import { toast } from "../../app/toasts";
import { Field } from "../../ui/field";
import { TextArea, TextInput } from "../../ui/inputs";
import { FormDialog } from "../shared_parts/form_dialog";

export function EditRunDialog({ project, run, onClose }: { project: string; run: Run; onClose: () => void }) {
  const [name, setName] = useState(run.name);
  const [tags, setTags] = useState(run.tags.join(", "));
  const [group, setGroup] = useState(run.group ?? "");
  const [notes, setNotes] = useState(run.notes ?? "");
  const save = useMutation({
    change: () => changeRun(project, run.run_id, {
      name: name.trim(), tags: [...new Set(tags.split(",").map((tag) => tag.trim()).filter(Boolean))], group: group.trim() || null, notes: notes.trim() || null,
    }),
    invalidates: [["run", project], ["runs", project]],
    done: () => {
      toast({ kind: "ok", text: "The run is changed." });
      onClose();
    },
  });
  const error = (field: string) => save.error?.field(field) ?? null;
  return (
    <FormDialog title={`Change ${run.name}`} action="Save" onClose={onClose} state={save} valid={name.trim() !== ""} shown={["name", "tags", "group", "notes"]} onSubmit={() => void save.run().catch(() => undefined)}>
      <Field label="Name" required error={error("name")}><TextInput value={name} maxLength={256} onInput={setName} /></Field>
      <Field label="Tags" hint="Separated by commas." error={error("tags")}><TextInput value={tags} onInput={setTags} /></Field>
      <Field label="Group" hint="Runs that belong together." error={error("group")}><TextInput value={group} maxLength={256} onInput={setGroup} /></Field>
      <Field label="Notes" error={error("notes")}><TextArea value={notes} rows={4} onInput={setNotes} /></Field>
    </FormDialog>
  );
}
