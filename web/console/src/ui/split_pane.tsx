// Two panes with a movable border between them. The position is remembered in the browser.

import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";

import { classes } from "./class_names.ts";

export interface SplitPaneProps {
  /** The key under which the position is remembered. */
  name: string;
  label: string;
  first: ComponentChildren;
  /** Null hides the second pane and the border. */
  second: ComponentChildren | null;
  /** The share of the first pane in percent. */
  initial?: number;
  min?: number;
  max?: number;
  direction?: "row" | "column";
}

function remembered(name: string, initial: number): number {
  const stored = Number(localStorage.getItem(`spindle.split.${name}`) ?? NaN);
  return Number.isFinite(stored) ? stored : initial;
}

export function SplitPane({ name, label, first, second, initial = 50, min = 15, max = 85, direction = "row" }: SplitPaneProps) {
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  const [share, setShare] = useState(() => remembered(name, initial));
  const shown = Math.min(max, Math.max(min, share));
  const set = (value: number) => {
    const next = Math.round(Math.min(max, Math.max(min, value)) * 10) / 10;
    setShare(next);
    localStorage.setItem(`spindle.split.${name}`, String(next));
  };
  const drag = (event: PointerEvent) => {
    const handle = event.currentTarget as HTMLElement;
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const area = box.current?.getBoundingClientRect();
    if (!area) return;
    set(direction === "row" ? ((event.clientX - area.left) / area.width) * 100 : ((event.clientY - area.top) / area.height) * 100);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.shiftKey ? 10 : 2;
    const [less, more] = direction === "row" ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    const next: Record<string, number> = { [less!]: shown - step, [more!]: shown + step, Home: min, End: max, Enter: initial };
    const value = next[event.key];
    if (value === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    set(value);
  };
  const open = second !== null;
  return (
    <div ref={box} class={classes("ui-split", `ui-split-${direction}`)} style={{ "--split": `${shown}%` }}>
      <div id={id} class={classes("ui-split-pane", open && "ui-split-first")}>{first}</div>
      {open && (
        <div
          class="ui-split-handle" role="separator" tabIndex={0} aria-label={label} aria-controls={id} aria-valuenow={Math.round(shown)}
          aria-valuemin={min} aria-valuemax={max} aria-orientation={direction === "row" ? "vertical" : "horizontal"}
          onPointerDown={(event) => {
            event.preventDefault();
            event.currentTarget.setPointerCapture(event.pointerId);
            event.currentTarget.focus();
          }}
          onPointerMove={drag} onDblClick={() => set(initial)} onKeyDown={onKeyDown}
        />
      )}
      {open && <div class="ui-split-pane ui-split-second">{second}</div>}
    </div>
  );
}
