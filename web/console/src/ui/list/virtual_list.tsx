// A list of rows of one height, of any length.

import type { ComponentChildren } from "preact";

import { classes } from "../class_names.ts";
import { useVirtualRows } from "./virtual_rows.ts";

export interface VirtualListProps {
  label: string;
  count: number;
  rowHeight?: number;
  /** Renders a row; give long-lived row components stable props (memo.ts). */
  row: (index: number) => ComponentChildren;
  role?: "list" | "log";
  class?: string;
}

export function VirtualList({ label, count, rowHeight = 28, row, role = "list", class: className }: VirtualListProps) {
  const { scroller, height, first, last, topOf, onScroll } = useVirtualRows({ count, rowHeight });
  return (
    <div ref={scroller} class={classes("ui-scroller", className)} onScroll={onScroll} tabIndex={0} role="region" aria-label={label}>
      <div class="ui-sizer" role={role} style={{ height: `${height}px` }}>
        {Array.from({ length: last - first }, (_, offset) => {
          const index = first + offset;
          return (
            <div
              key={index} class="ui-placed-row" style={{ top: `${topOf(index)}px`, height: `${rowHeight}px` }} role={role === "list" ? "listitem" : undefined}
              aria-setsize={role === "list" ? count : undefined} aria-posinset={role === "list" ? index + 1 : undefined}
            >
              {row(index)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
