// Counts over time as bars, errors inside them and a line above: the strip of the explorer. Dragging zooms.

import { useRef, useState } from "preact/hooks";

import { formatDuration } from "../../format/durations.ts";
import { formatCount, plural } from "../../format/numbers.ts";
import { type Zone, formatClockTime, formatDay } from "../../format/time.ts";
import { useCanvas } from "./canvas.ts";

export interface StripBucket {
  /** The start in milliseconds. */
  start: number;
  count: number;
  errors: number;
  /** A value for the line, such as the p95 latency in milliseconds. */
  line?: number | null;
}

export interface StripProps {
  label: string;
  buckets: StripBucket[];
  /** The length of a bucket in milliseconds. */
  width: number;
  /** Called with the chosen span; `to` is exclusive. */
  onZoom?: (from: number, to: number) => void;
  zone?: Zone;
  height?: number;
  lineName?: string;
  formatLine?: (value: number) => string;
}

export function Strip({ label, buckets, width, onZoom, zone = "utc", height = 64, lineName = "p95", formatLine = formatDuration }: StripProps) {
  const [range, setRange] = useState<[number, number] | null>(null);
  const [cursor, setCursor] = useState<number | null>(null);
  const start = useRef<number | null>(null);
  const { box, canvas } = useCanvas(height, (context, size, colors) => {
    const most = Math.max(1, ...buckets.map(({ count }) => count));
    const highest = Math.max(1e-9, ...buckets.map(({ line }) => line ?? 0));
    const step = size.width / Math.max(1, buckets.length);
    const gap = step > 4 ? 1 : 0;
    const high = (share: number) => share * (size.height - 6);
    context.globalAlpha = 0.55;
    context.fillStyle = colors("accent");
    buckets.forEach(({ count }, index) => {
      if (count > 0) context.fillRect(index * step, size.height - Math.max(1, high(count / most)), Math.max(0.5, step - gap), Math.max(1, high(count / most)));
    });
    context.globalAlpha = 1;
    context.fillStyle = colors("error");
    buckets.forEach(({ errors }, index) => {
      if (errors > 0) context.fillRect(index * step, size.height - Math.max(2, high(errors / most)), Math.max(1, step - gap), Math.max(2, high(errors / most)));
    });
    context.strokeStyle = colors("warning");
    context.lineWidth = 1.5;
    context.beginPath();
    let drawing = false;
    buckets.forEach(({ line }, index) => {
      const y = size.height - 2 - high((line ?? 0) / highest);
      if (line == null) drawing = false;
      else if (drawing) context.lineTo((index + 0.5) * step, y);
      else {
        context.moveTo((index + 0.5) * step, y);
        drawing = true;
      }
    });
    context.stroke();
  }, [buckets], buckets.length > 0);

  const bucketAt = (event: PointerEvent) => {
    const area = box.current?.getBoundingClientRect();
    if (!area || area.width === 0) return 0;
    return Math.max(0, Math.min(buckets.length - 1, Math.floor(((event.clientX - area.left) / area.width) * buckets.length)));
  };
  const zoom = ([a, b]: [number, number]) => {
    const [first, last] = [buckets[Math.min(a, b)], buckets[Math.max(a, b)]];
    if (first && last) onZoom?.(first.start, last.start + width);
    setRange(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const from = cursor ?? buckets.length - 1;
    if (step !== 0) {
      const next = Math.max(0, Math.min(buckets.length - 1, from + step));
      setCursor(next);
      setRange(event.shiftKey ? [range?.[0] ?? from, next] : null);
    } else if (event.key === "Enter" && cursor !== null) zoom(range ?? [cursor, cursor]);
    else if (event.key === "Escape" && range) setRange(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  const errors = buckets.reduce((sum, bucket) => sum + bucket.errors, 0);
  const shown = cursor === null ? undefined : buckets[cursor];
  const share = (index: number) => `${(index / Math.max(1, buckets.length)) * 100}%`;
  const marked = range ?? (cursor === null ? null : [cursor, cursor]);
  const summary = `${label}: ${plural(total, "call")}, ${plural(errors, "error")}.${onZoom ? " Arrow keys move, Shift selects, Enter zooms." : ""}`;
  return (
    <div class="ui-strip">
      <div
        ref={box} class="ui-strip-box" role="group" aria-label={summary} tabIndex={0} style={{ height: `${height}px` }}
        onPointerDown={(event) => {
          if (!onZoom || event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          start.current = bucketAt(event);
        }}
        onPointerMove={(event) => {
          const at = bucketAt(event);
          setCursor(at);
          if (start.current !== null && at !== start.current) setRange([start.current, at]);
        }}
        onPointerUp={() => {
          if (start.current !== null && range) zoom(range);
          start.current = null;
        }}
        onPointerLeave={() => setCursor(null)} onBlur={() => setCursor(null)} onKeyDown={onKeyDown}
      >
        <canvas ref={canvas} aria-hidden="true" />
        {marked && buckets.length > 0 && (
          <div class="ui-strip-mark" aria-hidden="true" style={{ left: share(Math.min(...marked)), width: share(Math.abs(marked[1]! - marked[0]!) + 1) }} />
        )}
      </div>
      <div class="ui-strip-text" role="status">
        {shown ? (
          <>
            <span>{formatDay(shown.start, zone)} {formatClockTime(shown.start, zone)}</span>
            <span>{plural(shown.count, "call")}</span>
            <span class="ui-tone-error">✕ {formatCount(shown.errors)}</span>
            {shown.line != null && <span class="ui-tone-warning">{lineName} {formatLine(shown.line)}</span>}
          </>
        ) : (
          <>
            <span class="ui-tone-accent">■ {plural(total, "call")}</span>
            <span class="ui-tone-error">■ {plural(errors, "error")}</span>
            {buckets.some(({ line }) => line != null) && <span class="ui-tone-warning">━ {lineName}</span>}
            {onZoom && <span class="faint">drag = zoom</span>}
          </>
        )}
      </div>
    </div>
  );
}
