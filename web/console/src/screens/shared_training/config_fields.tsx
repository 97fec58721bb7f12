// The fields of a job's configuration that people change; others are written as JSON.

import { Field } from "../../ui/field";
import { Checkbox, NumberInput, Select } from "../../ui/inputs";
import { type Config, type JobKind, configText, defaultsOf } from "./config";

interface NumberField {
  name: string;
  label: string;
  hint?: string;
  min?: number;
  max?: number;
}

const NUMBERS: Record<JobKind, readonly NumberField[]> = {
  sft: [
    { name: "learning_rate", label: "Learning rate", hint: "Higher learns faster and less stably.", min: 0 },
    { name: "batch_size", label: "Batch size", hint: "Examples per step.", min: 1 },
  ],
  rl: [
    { name: "learning_rate", label: "Learning rate", min: 0 },
    { name: "kl_penalty_coef", label: "KL penalty", hint: "Keeps the model near the base model.", min: 0 },
    { name: "epsilon", label: "Lower clip width", min: 0 },
    { name: "epsilon_high", label: "Upper clip width", min: 0 },
    { name: "packed_sequence_length", label: "Packed sequence length", hint: "Tokens per gradient step.", min: 1 },
    { name: "advantage_balance", label: "Advantage balance", hint: "-1 to 1. Above 0, bad answers count less.", min: -1, max: 1 },
  ],
};

export interface ConfigFieldsProps {
  kind: JobKind;
  /** Members that are set; others have their default. */
  value: Config;
  onChange: (value: Config) => void;
  /** Errors by member. */
  error: (name: string) => string | null;
}

export function ConfigFields({ kind, value, onChange, error }: ConfigFieldsProps) {
  const defaults = defaultsOf(kind, value);
  const set = (name: string, next: unknown) => onChange({ ...value, [name]: next });
  return (
    <>
      <div class="pair">
        {NUMBERS[kind].map(({ name, label, hint, min, max }) => {
          const current = value[name];
          const list = Array.isArray(current);
          const initial = `Default: ${configText(defaults[name])}`;
          return (
            <Field key={name} label={label} error={error(name)} hint={list ? `A list of ${current.length} values; a number replaces it.` : [hint, initial].filter(Boolean).join(" ")}>
              <NumberInput
                value={typeof current === "number" ? current : null} placeholder={list ? configText(current) : configText(defaults[name])}
                onInput={(next) => set(name, next)} {...(min === undefined ? {} : { min })} {...(max === undefined ? {} : { max })}
              />
            </Field>
          );
        })}
        {kind === "sft" ? (
          <Field label="Trained turns" error={error("assistant_turns")}>
            <Select
              value={value.assistant_turns === "last" ? "last" : "all"} onChange={(next) => set("assistant_turns", next)}
              options={[{ value: "all", text: "All answers of a conversation" }, { value: "last", text: "The last answer only" }]}
            />
          </Field>
        ) : (
          <Field label="Loss" error={error("loss_fn")}>
            <Select
              value={value.loss_fn === "ppo" ? "ppo" : "cispo"} onChange={(next) => set("loss_fn", next)}
              options={[{ value: "cispo", text: "CISPO" }, { value: "ppo", text: "PPO" }]}
            />
          </Field>
        )}
      </div>
      {kind === "rl" && (
        <Checkbox
          checked={value.allow_training_without_logprobs === true} onChange={(next) => set("allow_training_without_logprobs", next)}
          hint="Treats every answer as if this model had sampled it. Needed for answers that were not sampled here."
        >
          Train on answers without log probabilities
        </Checkbox>
      )}
    </>
  );
}
