// All spans of a trace as hair lines on a canvas, with a window that can be moved and resized.

import { useEffect, useRef } from "preact/hooks";

import { formatDuration } from "../../format/durations.ts";
import { useCanvas } from "../plots/canvas.ts";
import type { Tone } from "../status.tsx";
import type { TimeScale } from "./time_scale.ts";
import type { TreeModel } from "./tree_model.ts";

export interface SpanOverviewProps {
  model: TreeModel;
  scale: TimeScale;
  start: ArrayLike<number>;
  end: ArrayLike<number>;
  now: number;
  tone: (node: number) => Tone;
  view: { from: number; to: number };
  onView: (view: { from: number; to: number }) => void;
  height?: number;
}

const MIN_VIEW = 0.0005;

export function SpanOverview({ model, scale, start, end, now, tone, view, onView, height = 56 }: SpanOverviewProps) {
  const drag = useRef<{ kind: "move" | "new"; at: number; view: { from: number; to: number } } | null>(null);
  const { box, canvas, width } = useCanvas(height, (context, size, colors) => {
    const rowHeight = Math.max(1, Math.min(4, size.height / Math.max(1, model.count)));
    // Spans are grouped by colour: changing the fill for each of 10,000 lines is what costs.
    const groups = new Map<string, number[]>();
    for (let row = 0; row < model.count; row++) {
      const color = colors(tone(model.order[row]!));
      const group = groups.get(color);
      if (group) group.push(row);
      else groups.set(color, [row]);
    }
    for (const [color, list] of groups) {
      context.fillStyle = color;
      for (const row of list) {
        const node = model.order[row]!;
        const from = scale.position(start[node]!) * size.width;
        const to = scale.position(Number.isNaN(end[node]!) ? now : end[node]!) * size.width;
        const top = (row / model.count) * (size.height - rowHeight);
        context.fillRect(from, top, Math.max(1, to - from), Math.max(0.75, rowHeight - (rowHeight > 2 ? 1 : 0)));
      }
    }
  }, [model, scale, start, end, now, tone]);

  const shade = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = shade.current;
    if (!element) return;
    element.style.left = `${view.from * 100}%`;
    element.style.width = `${(view.to - view.from) * 100}%`;
  }, [view.from, view.to]);

  const positionOf = (event: PointerEvent) => {
    const area = box.current?.getBoundingClientRect();
    return area ? Math.max(0, Math.min(1, (event.clientX - area.left) / area.width)) : 0;
  };
  const change = (from: number, to: number) => {
    const length = Math.max(MIN_VIEW, Math.min(1, to - from));
    const begin = Math.max(0, Math.min(1 - length, from));
    onView({ from: begin, to: begin + length });
  };
  const onPointerDown = (event: PointerEvent) => {
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    const at = positionOf(event);
    const whole = view.to - view.from > 0.999;
    drag.current = { kind: !whole && at > view.from && at < view.to ? "move" : "new", at, view };
  };
  const onPointerMove = (event: PointerEvent) => {
    const active = drag.current;
    if (!active) return;
    const at = positionOf(event);
    if (active.kind === "move") change(active.view.from + at - active.at, active.view.to + at - active.at);
    else if (Math.abs(at - active.at) * width > 4) change(Math.min(at, active.at), Math.max(at, active.at));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const length = view.to - view.from;
    const middle = (view.from + view.to) / 2;
    if (event.key === "ArrowLeft") change(view.from - length / 10, view.to - length / 10);
    else if (event.key === "ArrowRight") change(view.from + length / 10, view.to + length / 10);
    else if (event.key === "+" || event.key === "=" || event.key === "ArrowUp") change(middle - length / 4, middle + length / 4);
    else if (event.key === "-" || event.key === "ArrowDown") change(middle - length, middle + length);
    else if (event.key === "0" || event.key === "Escape") onView({ from: 0, to: 1 });
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const text = `${formatDuration(scale.time(view.from) - scale.from)} to ${formatDuration(scale.time(view.to) - scale.from)}`;
  return (
    <div
      ref={box} class="ui-overview" role="slider" tabIndex={0} aria-label="Visible time window" aria-valuemin={0} aria-valuemax={100}
      aria-valuenow={Math.round(view.from * 100)} aria-valuetext={text} style={{ height: `${height}px` }}
      title="Drag to zoom, double-click to show all" onPointerDown={onPointerDown} onPointerMove={onPointerMove}
      onPointerUp={() => { drag.current = null; }} onPointerCancel={() => { drag.current = null; }}
      onDblClick={() => onView({ from: 0, to: 1 })} onKeyDown={onKeyDown}
    >
      <canvas ref={canvas} aria-hidden="true" />
      <div ref={shade} class="ui-overview-window" aria-hidden="true" hidden={view.from <= 0 && view.to >= 1} />
    </div>
  );
}
