// Choosing scorers: existing built-in ones, or new ones by kind.

import { Button } from "../../ui/button";
import { Combobox } from "../../ui/combobox";
import { Checkbox, Select, TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { objectRef } from "../shared_objects/refs";
import { useLatestObjects } from "../shared_objects/versions";
import { isRecord } from "../shared_values/value_text";
import type { ScorerDraft, ScorerKind } from "./create_parts";

export interface ScorerChoice {
  /** References of existing scorers. */
  existing: string[];
  drafts: ScorerDraft[];
}

export const NO_SCORER: ScorerChoice = { existing: [], drafts: [] };

const KINDS: { value: ScorerKind; text: string }[] = [
  { value: "exact_match", text: "Equals the target" },
  { value: "contains", text: "Contains the target" },
  { value: "string_distance", text: "Similar to the target (edit distance)" },
  { value: "word_f1", text: "Shares words with the target (F1)" },
  { value: "numeric_tolerance", text: "Number within 1 % of the target" },
  { value: "regex", text: "Matches a pattern" },
  { value: "llm_judge", text: "A model judges by a rubric" },
];

export function scorerProblem({ existing, drafts }: ScorerChoice): string | null {
  if (existing.length + drafts.length === 0) return "Choose at least one scorer.";
  for (const { kind, text, model } of drafts) {
    if (kind === "regex" && text.trim() === "") return "The pattern is missing.";
    if (kind === "llm_judge" && (text.trim() === "" || model.trim() === "")) return "A judge needs a model and a rubric.";
  }
  return null;
}

/** The built-in scorers of the project, which the server can run. */
export function useBuiltInScorers(project: string) {
  const scorers = useLatestObjects(project, ["Scorer"], { values: true });
  return { ...scorers, data: scorers.data?.filter(({ leaf_object_class }) => leaf_object_class === "BuiltInScorer") };
}

export function ScorerChecks({ project, value, onChange }: { project: string; value: string[]; onChange: (refs: string[]) => void }) {
  const { data = [] } = useBuiltInScorers(project);
  return (
    <div class="scorer-list">
      {data.map(({ object_id, digest, version_index, val }) => {
        const ref = objectRef(project, object_id, digest);
        return (
          <Checkbox key={ref} checked={value.includes(ref)} onChange={(on) => onChange(on ? [...value, ref] : value.filter((other) => other !== ref))}>
            <span><SafeText text={`${object_id}:v${version_index}`} line /> <span class="faint">{isRecord(val) ? String(val.kind) : ""}</span></span>
          </Checkbox>
        );
      })}
    </div>
  );
}

interface Props {
  project: string;
  /** Members of the dataset's rows. */
  fields: string[];
  models: string[];
  value: ScorerChoice;
  onChange: (value: ScorerChoice) => void;
  error: string | null;
}

export function ScorerFields({ project, fields, models, value, onChange, error }: Props) {
  const set = (index: number, change: Partial<ScorerDraft>) =>
    onChange({ ...value, drafts: value.drafts.map((draft, at) => (at === index ? { ...draft, ...change } : draft)) });
  const target = fields.find((field) => ["target", "expected", "answer"].includes(field)) ?? fields.at(-1) ?? "target";
  return (
    <fieldset class="stack">
      <legend class="ui-label">Scorers</legend>
      <ScorerChecks project={project} value={value.existing} onChange={(existing) => onChange({ ...value, existing })} />
      {value.drafts.map((draft, index) => (
        <div key={index} class="scorer-draft">
          <Select label="Kind of scorer" value={draft.kind} options={KINDS} onChange={(kind) => set(index, { kind })} />
          {draft.kind === "regex" ? <TextInput label="Pattern" mono placeholder="pattern" value={draft.text} onInput={(text) => set(index, { text })} />
            : draft.kind === "llm_judge" ? (
              <>
                <Combobox label="Model of the judge" placeholder="model" free value={draft.model} options={models.map((id) => ({ value: id }))} onChange={(model) => set(index, { model })} />
                <TextInput label="Rubric" placeholder="Is the answer polite and complete?" value={draft.text} onInput={(text) => set(index, { text })} />
              </>
            )
            : <Combobox label="Member of the row with the target" free value={draft.target} options={fields.map((field) => ({ value: field }))} onChange={(next) => set(index, { target: next })} />}
          <Button kind="quiet" icon="close" label="Remove this scorer" onClick={() => onChange({ ...value, drafts: value.drafts.filter((_, at) => at !== index) })} />
        </div>
      ))}
      <div>
        <Button small icon="add" onClick={() => onChange({ ...value, drafts: [...value.drafts, { kind: "contains", target, text: "", model: "" }] })}>Add a scorer</Button>
      </div>
      {error && <p class="ui-field-error" role="alert">{error}</p>}
    </fieldset>
  );
}

