// A row of numbers with their names.

import type { ComponentChildren } from "preact";

import { classes } from "../../ui/class_names";

export interface FigureItem {
  name: string;
  value: ComponentChildren;
  tone?: "ok" | "error" | "warning";
  /** A second line, such as the share or the period. */
  note?: ComponentChildren;
}

export function Figures({ label, items }: { label: string; items: readonly FigureItem[] }) {
  return (
    <dl class="figures card" aria-label={label}>
      {items.map(({ name, value, tone, note }) => (
        <div key={name} class="figures-item">
          <dt>{name}</dt>
          <dd class={classes("figures-value", tone && `ui-tone-${tone}`)}>{value}</dd>
          {note && <dd class="figures-note">{note}</dd>}
        </div>
      ))}
    </dl>
  );
}
