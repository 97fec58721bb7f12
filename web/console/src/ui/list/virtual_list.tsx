// A list of rows of one height, of any length.

import type { ComponentChildren } from "preact";

import { classes } from "../class_names.ts";
import { useVirtualRows } from "./virtual_rows.ts";

export interface VirtualListProps {
  label: string;
  count: number;
  rowHeight?: number;
  /** Renders a row; give long-lived row components stable props (list/memo.ts). */
  row: (index: number) => ComponentChildren;
  role?: "list" | "log";
  class?: string;
}

export function VirtualList({ label, count, rowHeight = 28, row, role = "list", class: className }: VirtualListProps) {
  const { scroller, height, first, last, top, onScroll } = useVirtualRows({ count, rowHeight });
  return (
    <div ref={scroller} class={classes("ui-scroller", className)} onScroll={onScroll} tabIndex={0} role="region" aria-label={label}>
      <div class="ui-sizer" style={{ height: `${height}px` }}>
        <div class="ui-window" role={role} style={{ transform: `translateY(${top}px)` }}>
          {Array.from({ length: last - first }, (_, offset) => (
            <div
              key={first + offset} class="ui-virtual-row" style={{ height: `${rowHeight}px` }} role={role === "list" ? "listitem" : undefined}
              aria-setsize={role === "list" ? count : undefined} aria-posinset={role === "list" ? first + offset + 1 : undefined}
            >
              {row(first + offset)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
