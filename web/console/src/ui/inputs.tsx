// Inputs of forms. Inside a Field they take its label; elsewhere `label` names them.

import type { ComponentChildren, RefObject } from "preact";
import { useId, useState } from "preact/hooks";

import { Button } from "./button.tsx";
import { classes } from "./class_names.ts";
import { useFieldAttributes } from "./field.tsx";
import { Icon, type IconName } from "./icons.tsx";

interface CommonProps {
  label?: string;
  disabled?: boolean;
  placeholder?: string;
  name?: string;
}

export interface TextInputProps extends CommonProps {
  value: string;
  onInput: (value: string) => void;
  onEnter?: () => void;
  type?: "text" | "search" | "email" | "url" | "password";
  autocomplete?: string;
  icon?: IconName;
  mono?: boolean;
  maxLength?: number;
  inputRef?: RefObject<HTMLInputElement | null>;
}

export function TextInput({
  value, onInput, onEnter, type = "text", autocomplete = "off", icon, mono, maxLength, inputRef, label, disabled, placeholder, name,
}: TextInputProps) {
  const attributes = useFieldAttributes(label);
  const kind: object = { type };
  const input = (
    <input
      {...attributes} {...kind} ref={inputRef} class={classes("ui-input", mono && "mono", icon && "ui-input-with-icon")} value={value}
      autocomplete={autocomplete} spellcheck={false} disabled={disabled} placeholder={placeholder} name={name} maxLength={maxLength}
      onInput={(event) => onInput(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter" && onEnter && !event.isComposing) {
          event.preventDefault();
          onEnter();
        }
      }}
    />
  );
  return icon ? <span class="ui-input-box"><Icon name={icon} />{input}</span> : input;
}

export interface NumberInputProps extends CommonProps {
  /** The number, or null while the input is empty or no number. */
  value: number | null;
  onInput: (value: number | null) => void;
  min?: number;
  max?: number;
  step?: number | "any";
  /** The unit behind the input, such as `ms`. */
  unit?: string;
}

export function NumberInput({ value, onInput, min, max, step = "any", unit, label, disabled, placeholder, name }: NumberInputProps) {
  const attributes = useFieldAttributes(label);
  // While a reader types `1e` or `0.`, the number and the text differ; the text stays.
  const [draft, setDraft] = useState<string | null>(null);
  const shown = draft !== null && (draft.trim() === "" ? null : Number(draft)) === value ? draft : value === null ? "" : String(value);
  return (
    <span class="ui-number-box">
      <input
        {...attributes} class="ui-input ui-input-number" type="number" inputMode="decimal" value={shown} min={min} max={max} step={step}
        disabled={disabled} placeholder={placeholder} name={name}
        onInput={(event) => {
          const text = event.currentTarget.value;
          const number = text.trim() === "" ? null : Number(text);
          setDraft(text);
          onInput(number === null || Number.isNaN(number) ? null : number);
        }}
        onBlur={() => setDraft(null)}
      />
      {unit && <span class="ui-unit">{unit}</span>}
    </span>
  );
}

export interface SelectProps<Value extends string> extends CommonProps {
  value: Value;
  options: { value: Value; text: string; disabled?: boolean }[];
  onChange: (value: Value) => void;
}

export function Select<Value extends string>({ value, options, onChange, label, disabled, name }: SelectProps<Value>) {
  const attributes = useFieldAttributes(label);
  return (
    <span class="ui-select-box">
      <select {...attributes} class="ui-input ui-select" value={value} disabled={disabled} name={name} onChange={(event) => onChange(event.currentTarget.value as Value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled} selected={option.value === value}>{option.text}</option>
        ))}
      </select>
      <Icon name="chevronDown" />
    </span>
  );
}

export interface CheckboxProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** The visible label. */
  children?: ComponentChildren;
  /** The name of a checkbox without a visible label. */
  label?: string;
  /** Some but not all of a group are chosen. */
  mixed?: boolean;
  disabled?: boolean;
  hint?: ComponentChildren;
}

export function Checkbox({ checked, onChange, children, label, mixed = false, disabled, hint }: CheckboxProps) {
  const id = useId();
  return (
    <label class={classes("ui-check", !children && "ui-check-alone")}>
      <input
        type="checkbox" checked={checked} disabled={disabled} aria-label={children ? undefined : label} aria-describedby={hint ? id : undefined}
        ref={(input) => {
          if (input) input.indeterminate = mixed;
        }}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {children && <span class="ui-check-text">{children}{hint && <span id={id} class="ui-hint">{hint}</span>}</span>}
    </label>
  );
}

/** A setting that takes effect at once. */
export function Switch({ checked, onChange, children, label, disabled }: Omit<CheckboxProps, "mixed" | "hint">) {
  return (
    <label class="ui-check ui-switch">
      <input
        type="checkbox" role="switch" checked={checked} disabled={disabled} aria-label={children ? undefined : label}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span class="ui-switch-track" aria-hidden="true" />
      {children && <span class="ui-check-text">{children}</span>}
    </label>
  );
}

export interface RadioGroupProps<Value extends string> {
  label: string;
  value: Value;
  options: { value: Value; text: ComponentChildren; hint?: ComponentChildren; disabled?: boolean }[];
  onChange: (value: Value) => void;
}

export function RadioGroup<Value extends string>({ label, value, options, onChange }: RadioGroupProps<Value>) {
  const name = useId();
  return (
    <fieldset class="ui-radios">
      <legend class="ui-label">{label}</legend>
      {options.map((option) => (
        <label key={option.value} class="ui-check">
          <input type="radio" name={name} value={option.value} checked={option.value === value} disabled={option.disabled} onChange={() => onChange(option.value)} />
          <span class="ui-check-text">{option.text}{option.hint && <span class="ui-hint">{option.hint}</span>}</span>
        </label>
      ))}
    </fieldset>
  );
}

export interface TextAreaProps extends CommonProps {
  value: string;
  onInput: (value: string) => void;
  rows?: number;
  mono?: boolean;
  /** Called for Ctrl-Enter and ⌘-Enter. */
  onSubmit?: () => void;
  areaRef?: RefObject<HTMLTextAreaElement | null>;
}

export function TextArea({ value, onInput, rows = 4, mono, onSubmit, areaRef, label, disabled, placeholder, name }: TextAreaProps) {
  const attributes = useFieldAttributes(label);
  return (
    <textarea
      {...attributes} ref={areaRef} class={classes("ui-input ui-textarea", mono && "mono")} rows={rows} value={value} disabled={disabled}
      placeholder={placeholder} name={name} onInput={(event) => onInput(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && onSubmit) {
          event.preventDefault();
          onSubmit();
        }
      }}
    />
  );
}

/** A secret value: hidden until the reader asks, and never offered to password managers. */
export function SecretInput({ value, onInput, label, disabled, placeholder, name }: CommonProps & { value: string; onInput: (value: string) => void }) {
  const attributes = useFieldAttributes(label);
  const [shown, setShown] = useState(false);
  return (
    <span class="ui-secret">
      <input
        {...attributes} {...({ type: shown ? "text" : "password" } as object)} class="ui-input mono" autocomplete="new-password" spellcheck={false} value={value}
        disabled={disabled} placeholder={placeholder} name={name} data-1p-ignore data-lpignore="true"
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <Button kind="quiet" icon={shown ? "eyeOff" : "eye"} label={shown ? "Hide the value" : "Show the value"} pressed={shown} onClick={() => setShown(!shown)} />
    </span>
  );
}
