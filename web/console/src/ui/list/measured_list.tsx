// A list of rows of different heights, such as messages and log lines. Heights are measured when rows appear.

import { Virtualizer, elementScroll, observeElementOffset, observeElementRect } from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useReducer, useRef } from "preact/hooks";

import { classes } from "../class_names.ts";

export interface MeasuredListProps {
  label: string;
  count: number;
  row: (index: number) => ComponentChildren;
  /** A guess for rows that were not measured yet. */
  estimate?: number;
  role?: "list" | "log";
  /** Scrolls to a row when the number changes. */
  target?: number | null;
  class?: string;
}

export function MeasuredList({ label, count, row, estimate = 120, role = "list", target = null, class: className }: MeasuredListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [, render] = useReducer((value: number) => value + 1, 0);
  const virtualizer = useRef<Virtualizer<HTMLDivElement, HTMLDivElement> | null>(null);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimate,
    overscan: 4,
    scrollToFn: elementScroll<HTMLDivElement>,
    observeElementRect: observeElementRect<HTMLDivElement>,
    observeElementOffset: observeElementOffset<HTMLDivElement>,
    onChange: () => render(0),
  };
  virtualizer.current ??= new Virtualizer(options);
  const list = virtualizer.current;
  list.setOptions({ ...list.options, ...options });
  useLayoutEffect(() => list._didMount(), [list]);
  useLayoutEffect(() => list._willUpdate());
  useLayoutEffect(() => {
    if (target !== null) list.scrollToIndex(target, { align: "start" });
  }, [list, target]);
  const items = list.getVirtualItems();
  return (
    <div ref={scroller} class={classes("ui-scroller", className)} role="region" aria-label={label} tabIndex={0}>
      <div class="ui-sizer" role={role} style={{ height: `${list.getTotalSize()}px` }}>
        <div class="ui-window" role="presentation" style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
          {items.map((item) => (
            <div
              key={item.key} ref={list.measureElement} data-index={item.index} role={role === "list" ? "listitem" : undefined}
              aria-setsize={role === "list" ? count : undefined} aria-posinset={role === "list" ? item.index + 1 : undefined}
            >
              {row(item.index)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
