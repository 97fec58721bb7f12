// The spans of a trace: overview, time axis and tree with bars.

import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";

import { formatDuration } from "../../format/durations.ts";
import { formatPercent } from "../../format/numbers.ts";
import { Button } from "../button.tsx";
import type { Tone } from "../status.tsx";
import { SpanOverview } from "./span_overview.tsx";
import { TimeScale, axisTicks, leafSpans } from "./time_scale.ts";
import { TreeList } from "./tree_list.tsx";
import type { TreeModel } from "./tree_model.ts";

export interface WaterfallProps {
  model: TreeModel;
  version?: number;
  /** Milliseconds of any origin; NaN as an end means that the span runs. */
  start: ArrayLike<number>;
  end: ArrayLike<number>;
  now: number;
  name: (node: number) => ComponentChildren;
  tone: (node: number) => Tone;
  selected: number | null;
  onSelect: (node: number) => void;
  /** Controls of the owner above the rows, such as a search. */
  children?: ComponentChildren;
}

/** Idle time below this share is not worth a button. */
const MUCH_IDLE = 0.3;
const WHOLE = { from: 0, to: 1 };

export function Waterfall({ model, version = 0, start, end, now, name, tone, selected, onSelect, children }: WaterfallProps) {
  const [view, setView] = useState(WHOLE);
  const [compress, setCompress] = useState(false);
  const scale = useMemo(
    () => TimeScale.of(leafSpans({ start, end }, model.children), { compress, now }),
    [start, end, model, compress, now],
  );
  const bars = useMemo(() => ({ scale, start, end, now, tone, view }), [scale, start, end, now, tone, view]);
  const duration = useMemo(
    () => (node: number) => (Number.isNaN(end[node]!) ? "…" : formatDuration(end[node]! - start[node]!)),
    [start, end],
  );
  return (
    <div class="ui-waterfall-box">
      <SpanOverview model={model} scale={scale} start={start} end={end} now={now} tone={tone} view={view} onView={setView} />
      <div class="ui-waterfall-bar">
        {children}
        <span class="ui-grow" />
        {scale.idleShare > MUCH_IDLE && (
          <Button kind="quiet" small pressed={compress} onClick={() => setCompress(!compress)}>
            {`${formatPercent(scale.idleShare)} idle · ${compress ? "compressed" : "compress?"}`}
          </Button>
        )}
        {view !== WHOLE && <Button kind="quiet" small onClick={() => setView(WHOLE)}>Show all</Button>}
      </div>
      <Axis scale={scale} view={view} />
      <TreeList label="Spans" model={model} version={version} name={name} end={duration} selected={selected} onSelect={onSelect} bars={bars} />
    </div>
  );
}

function Axis({ scale, view }: { scale: TimeScale; view: { from: number; to: number } }) {
  const [from, to] = [scale.time(view.from), scale.time(view.to)];
  const width = view.to - view.from || 1;
  const ticks = axisTicks(from - scale.from, to - scale.from, 4);
  return (
    <div class="ui-axis" aria-hidden="true">
      <div class="ui-axis-track">
        {ticks.map((tick) => (
          <span key={tick} class="ui-axis-tick" style={{ left: `${((scale.position(scale.from + tick) - view.from) / width) * 100}%` }}>
            {formatDuration(tick)}
          </span>
        ))}
      </div>
    </div>
  );
}
