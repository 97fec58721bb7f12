// A labelled control with its hint and error. Inputs of ui/inputs.tsx find their ids and descriptions by context.

import { type ComponentChildren, createContext } from "preact";
import { useContext, useId } from "preact/hooks";

import { Icon } from "./icons.tsx";

interface FieldIds {
  id: string;
  describedBy: string | undefined;
  invalid: boolean;
  required: boolean;
}

const FieldContext = createContext<FieldIds | null>(null);

export interface FieldProps {
  label: string;
  children: ComponentChildren;
  hint?: ComponentChildren;
  /** What is wrong with the value, in words that tell how to mend it. */
  error?: string | null;
  required?: boolean;
  /** Keeps the label for screen readers only. */
  hideLabel?: boolean;
}

export function Field({ label, children, hint, error, required = false, hideLabel = false }: FieldProps) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined;
  return (
    <div class="ui-field">
      <label for={id} class={hideLabel ? "visually-hidden" : "ui-label"}>
        {label}
        {required && <span class="ui-required" aria-hidden="true"> *</span>}
      </label>
      <FieldContext.Provider value={{ id, describedBy, invalid: Boolean(error), required }}>{children}</FieldContext.Provider>
      {hint && <div id={`${id}-hint`} class="ui-hint">{hint}</div>}
      {error && (
        <div id={`${id}-error`} class="ui-field-error" role="alert">
          <Icon name="alert" size={14} /> {error}
        </div>
      )}
    </div>
  );
}

/** Returns the attributes that connect an input with its field. `label` names an input outside of a field. */
export function useFieldAttributes(label: string | undefined) {
  const field = useContext(FieldContext);
  const own = useId();
  return {
    id: field?.id ?? own,
    "aria-label": field ? undefined : label,
    "aria-describedby": field?.describedBy,
    "aria-invalid": field?.invalid || undefined,
    "aria-required": field?.required || undefined,
  };
}
