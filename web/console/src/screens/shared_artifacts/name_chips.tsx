// Aliases or tags as chips that can be added and removed.

import { useState } from "preact/hooks";

import { useMutation } from "../../api/cache";
import { toastError } from "../../app/toasts";
import { Button } from "../../ui/button";
import { TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Badge, type Tone } from "../../ui/status";

export interface NameChipsProps {
  /** `alias` or `tag`. */
  noun: string;
  names: readonly string[];
  tone?: Tone;
  write: boolean;
  /** Names that cannot be removed, such as `latest`. */
  fixed?: readonly string[];
  add: (name: string) => Promise<void>;
  remove: (name: string) => Promise<void>;
  /** Beginnings of keys that change. */
  invalidates: readonly (readonly unknown[])[];
}

export function NameChips({ noun, names, tone = "neutral", write, fixed = [], add, remove, invalidates }: NameChipsProps) {
  const [typing, setTyping] = useState<string | null>(null);
  const change = useMutation({
    change: ({ name, on }: { name: string; on: boolean }) => (on ? add(name) : remove(name)),
    invalidates,
    done: (_, { on }) => {
      if (on) setTyping(null);
    },
  });
  const run = (name: string, on: boolean) => void change.run({ name, on }).catch((error: unknown) => toastError(`The ${noun} was not ${on ? "added" : "removed"}`, error));
  return (
    <span class="name-chips">
      {names.map((name) => (
        <span key={name} class="name-chip">
          <Badge tone={tone}><SafeText text={name} line /></Badge>
          {write && !fixed.includes(name) && <Button small kind="quiet" icon="close" label={`Remove the ${noun} ${name}`} onClick={() => run(name, false)} />}
        </span>
      ))}
      {names.length === 0 && typing === null && <span class="faint">none</span>}
      {write && typing === null && <Button small kind="quiet" icon="add" onClick={() => setTyping("")}>Add</Button>}
      {write && typing !== null && (
        <form
          class="name-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (typing.trim() !== "") run(typing.trim(), true);
          }}
        >
          <TextInput label={`New ${noun}`} value={typing} maxLength={128} placeholder={noun} onInput={setTyping} />
          <Button small type="submit" busy={change.pending} disabled={typing.trim() === ""}>Add</Button>
          <Button small kind="quiet" icon="close" label="Do not add" onClick={() => setTyping(null)} />
        </form>
      )}
    </span>
  );
}
