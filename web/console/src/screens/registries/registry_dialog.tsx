// Creates or changes a registry.

import { useState } from "preact/hooks";

import { type Registry, changeRegistry, createRegistry } from "../../api/artifacts";
import { useMutation } from "../../api/cache";
import { toast } from "../../app/toasts";
import { Field } from "../../ui/field";
import { Select, TextArea, TextInput } from "../../ui/inputs";
import { FormDialog } from "../shared_parts/form_dialog";

type Visibility = Registry["visibility"];

function words(text: string): string[] {
  return [...new Set(text.split(",").map((word) => word.trim()).filter(Boolean))];
}

export interface RegistryDialogProps {
  registry?: Registry;
  /** May change who sees it. */
  administer: boolean;
  onClose: () => void;
  onSaved: (registry: Registry) => void;
}

export function RegistryDialog({ registry, administer, onClose, onSaved }: RegistryDialogProps) {
  const [name, setName] = useState(registry?.name ?? "");
  const [visibility, setVisibility] = useState<Visibility>(registry?.visibility ?? "organization");
  const [description, setDescription] = useState(registry?.description ?? "");
  const [types, setTypes] = useState("");
  const save = useMutation({
    change: () => registry
      ? changeRegistry(registry.name, {
          description, ...(name.trim() !== registry.name ? { name: name.trim() } : {}), ...(visibility !== registry.visibility ? { visibility } : {}),
          ...(words(types).length > 0 ? { add_artifact_types: words(types) } : {}),
        })
      : createRegistry({ name: name.trim(), visibility, description, artifact_types: words(types) }),
    invalidates: [["registries"], ["registry"]],
    done: (saved) => {
      toast({ kind: "ok", text: registry ? "The registry is changed." : `The registry ${saved.name} is created.` });
      onSaved(saved);
    },
  });
  const error = (field: string) => save.error?.field(field) ?? null;
  return (
    <FormDialog
      title={registry ? `Change ${registry.name}` : "New registry"} action={registry ? "Save" : "Create the registry"} onClose={onClose} state={save} typed={name !== ""}
      valid={name.trim() !== ""} shown={["name", "description", "visibility", "artifact_types", "add_artifact_types"]} onSubmit={() => void save.run().catch(() => undefined)}
    >
      <Field label="Name" required error={error("name")} hint={registry ? "Paths change with it." : undefined}><TextInput value={name} maxLength={115} placeholder="models" onInput={setName} /></Field>
      <Field label="Description" error={error("description")}><TextArea value={description} rows={3} onInput={setDescription} /></Field>
      {administer && (
        <Field label="Visible to" error={error("visibility")}>
          <Select value={visibility} onChange={setVisibility} options={[{ value: "organization", text: "The whole organization" }, { value: "restricted", text: "Its members only" }]} />
        </Field>
      )}
      <Field
        label={registry ? "Accept these types too" : "Accepted types"} error={error("artifact_types") ?? error("add_artifact_types")}
        hint={registry ? "Separated by commas. Types cannot be removed." : "Separated by commas. Empty: all types."}
      >
        <TextInput value={types} placeholder="lora, model" onInput={setTypes} />
      </Field>
    </FormDialog>
  );
}
