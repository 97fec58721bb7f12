// All spans of a trace as hair lines on a canvas, with a window that can be moved and resized.

import { useEffect, useRef } from "preact/hooks";

import { formatDuration } from "../../format/durations.ts";
import { useAfterPaint } from "../after_paint.ts";
import { useCanvas } from "../plots/canvas.ts";
import type { Tone } from "../status.tsx";
import { LineMask } from "./span_lines.ts";
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
  // The rows come first.
  const painted = useAfterPaint(true);
  const { box, canvas, width } = useCanvas(height, (context, size, colors) => {
    const rows = Math.min(model.count, Math.floor(size.height));
    const rowHeight = Math.min(4, size.height / Math.max(1, rows));
    const masks = new Map<Tone, LineMask>();
    for (let at = 0; at < model.count; at++) {
      const node = model.order[at]!;
      const nodeTone = tone(node);
      let mask = masks.get(nodeTone);
      if (!mask) masks.set(nodeTone, mask = new LineMask(Math.ceil(size.width), rows));
      const until = Number.isNaN(end[node]!) ? now : end[node]!;
      mask.add(Math.floor((at / model.count) * rows), scale.position(start[node]!) * size.width, scale.position(until) * size.width);
    }
    // Spans share lines of pixels: errors are drawn last, above the others.
    const isError = (name: Tone) => Number(name === "error");
    for (const [name, mask] of [...masks].sort(([a], [b]) => isError(a) - isError(b))) {
      context.fillStyle = colors(name);
      for (const { row, from, to } of mask.lines()) {
        const top = (row / rows) * (size.height - rowHeight);
        context.fillRect(from, top, to - from, rowHeight > 2 ? rowHeight - 1 : rowHeight);
      }
    }
  }, [model, scale, start, end, now, tone], painted);

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
