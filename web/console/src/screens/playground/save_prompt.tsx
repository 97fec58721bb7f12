// Saves the conversation as a prompt, a new one or a new version.

import { useState } from "preact/hooks";

import { useMutation } from "../../api/cache";
import { createObject } from "../../api/objects";
import { navigate, paths } from "../../app/location";
import { toast } from "../../app/toasts";
import { Button } from "../../ui/button";
import { Combobox } from "../../ui/combobox";
import { Dialog } from "../../ui/dialog";
import { ErrorNote } from "../../ui/feedback";
import { Field } from "../../ui/field";
import { TextInput } from "../../ui/inputs";
import { objectIdOf } from "../shared_objects/refs";
import { useLatestObjects } from "../shared_objects/versions";
import { type DraftMessage, promptValue } from "./conversation";

export function SavePromptDialog({ project, messages, name: initial, onClose }: { project: string; messages: DraftMessage[]; name: string; onClose: () => void }) {
  const prompts = useLatestObjects(project, ["Prompt"]);
  const [name, setName] = useState(initial);
  const [description, setDescription] = useState("");
  const id = objectIdOf(name);
  const exists = prompts.data?.find(({ object_id }) => object_id === id);
  const save = useMutation({
    change: () => createObject({ obj: { project_id: project, object_id: id, val: promptValue(name.trim(), description.trim(), messages) } }),
    invalidates: [["objects", project]],
    done: ({ object_id }) => {
      onClose();
      toast({ kind: "ok", text: `The prompt ${object_id} is saved.`, action: { label: "Open", run: () => navigate(paths.objects(project, "prompts", object_id)) } });
    },
  });
  return (
    <Dialog
      open onClose={onClose} title="Save as a prompt" size="small" keepOpen={name !== initial}
      onSubmit={() => {
        if (id !== "") void save.run().catch(() => undefined);
      }}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={id === ""} busy={save.pending}>Save</Button>
        </>
      }
    >
      <Field label="Name" required hint={exists ? `A new version of ${id} (now v${exists.version_index}).` : "A new prompt."}>
        <Combobox value={name} onChange={setName} onSearch={setName} options={(prompts.data ?? []).map(({ object_id }) => ({ value: object_id }))} free placeholder="support-system" />
      </Field>
      <Field label="Description"><TextInput value={description} onInput={setDescription} /></Field>
      {save.error && <ErrorNote title="The prompt was not saved" message={save.error.message} requestId={save.error.requestId} />}
    </Dialog>
  );
}
