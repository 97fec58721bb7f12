// Chooses a secret of the team, or makes a new one.

import { Field } from "../../ui/field";
import { SecretInput, Select, TextInput } from "../../ui/inputs";
import { NEW, SECRET_NAME, type SecretDraft } from "./draft";

export interface SecretChoiceProps {
  label: string;
  hint: string;
  draft: SecretDraft;
  onChange: (draft: SecretDraft) => void;
  /** Names of the secrets of the team. */
  names: readonly string[];
  suggested: string;
  error: string | null;
}

export function SecretChoice({ label, hint, draft, onChange, names, suggested, error }: SecretChoiceProps) {
  const adding = draft.choice === NEW;
  const taken = adding && names.includes(draft.name) ? "A secret of this name exists. Choose it above." : null;
  const wrong = adding && draft.name !== "" && !SECRET_NAME.test(draft.name) ? "Letters, digits and underscores, at most 64." : null;
  return (
    <div class="stack">
      <Field label={label} hint={hint} error={error}>
        <Select
          value={draft.choice}
          onChange={(choice) => onChange({ ...draft, choice, name: choice === NEW && draft.name === "" ? suggested : draft.name })}
          options={[
            { value: "", text: "None" },
            ...names.map((name) => ({ value: name, text: name })),
            { value: NEW, text: "New secret…" },
          ]}
        />
      </Field>
      {adding && (
        <div class="pair">
          <Field label="Name of the secret" required error={taken ?? wrong}>
            <TextInput value={draft.name} mono maxLength={64} onInput={(name) => onChange({ ...draft, name })} />
          </Field>
          <Field label="Value" required hint="Stored encrypted, never shown again.">
            <SecretInput value={draft.value} onInput={(value) => onChange({ ...draft, value })} />
          </Field>
        </div>
      )}
    </div>
  );
}
