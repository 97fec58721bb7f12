// The metrics of all gradient steps, with one cursor.

import { useMemo, useState } from "preact/hooks";

import type { TrainingJobEvent } from "../../api/training";
import { codecs, useUrlState } from "../../app/url_state";
import { formatCount } from "../../format/numbers";
import { Button } from "../../ui/button";
import { LazyPlot } from "../../ui/lazy";
import { seriesOf } from "./events";

const SHOWN = 4;
const AXIS = (step: number) => formatCount(Math.round(step));

export function JobPlots({ events, open }: { events: readonly TrainingJobEvent[]; open: boolean }) {
  const { x, series } = useMemo(() => seriesOf(events), [events]);
  const [all, setAll] = useUrlState("metrics", codecs.oneOf("main", "all"));
  const [zoom, setZoom] = useState<[number, number] | null>(null);
  const plots = useMemo(() => series.map((entry) => ({ name: entry.name, list: [{ name: entry.name, values: entry.values }] })), [series]);
  if (x.length === 0) return <p class="card card-pad soft">{open ? "The plots begin with the first step." : "The job ended before its first step."}</p>;
  const shown = all === "all" ? plots : plots.slice(0, SHOWN);
  return (
    <>
      <div class="plots">
        {shown.map(({ name, list }) => (
          <div key={name} class="card plot-card">
            <LazyPlot title={name.replaceAll("_", " ")} x={x} series={list} height={140} group="job" nameX="step" formatX={AXIS} zoom={zoom} onZoom={setZoom} />
          </div>
        ))}
      </div>
      {plots.length > SHOWN && (
        <div class="more"><Button kind="quiet" icon={all === "all" ? "chevronUp" : "chevronDown"} onClick={() => setAll(all === "all" ? "main" : "all", { replace: true })}>
          {all === "all" ? "Show the main metrics" : `Show all ${plots.length} metrics`}
        </Button></div>
      )}
    </>
  );
}
