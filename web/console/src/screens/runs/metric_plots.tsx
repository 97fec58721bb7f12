// Plots of the metrics of one or more runs, sampled by the server.

import { useMemo, useState } from "preact/hooks";

import { useQuery } from "../../api/cache";
import { type Run, runSamples, systemMetrics, systemSamples } from "../../api/runs";
import { Loaded } from "../../app/page";
import { codecs, useUrlState } from "../../app/url_state";
import { formatCount } from "../../format/numbers";
import { Button } from "../../ui/button";
import { TextInput } from "../../ui/inputs";
import { LazyPlot } from "../../ui/lazy";
import { byInterest, inGroups, isLive, metricKeys, plotsOf, runLabels } from "./metrics";

const SAMPLES = 500;
const SHOWN = 12;
const LIVE_MS = 5000;
const AXIS = (step: number) => formatCount(Math.round(step));

async function readSamples(project: string, run: Run, keys: readonly string[], system: boolean, signal: AbortSignal) {
  const read = system ? systemSamples : runSamples;
  const groups = await Promise.all(inGroups(keys).map((group) => read(project, run.run_id, { keys: group, samples: SAMPLES }, signal)));
  return groups.flatMap(({ items }) => items);
}

/** The names of system metrics come from the newest rows: they have no summary. */
async function systemKeys(project: string, run: Run, signal: AbortSignal): Promise<string[]> {
  const { items } = await systemMetrics(project, run.run_id, { limit: 5 }, signal);
  // Rows are flat; names that begin with _ are the time and the step of the row.
  return metricKeys(items.map((row) => ({ summary: row }))).filter((name) => !name.startsWith("_"));
}

export function MetricPlots({ project, runs, system = false }: { project: string; runs: Run[]; system?: boolean }) {
  const ids = runs.map(({ run_id }) => run_id).join();
  const known = metricKeys(runs);
  const [find, setFind] = useUrlState("find", codecs.text());
  const [all, setAll] = useState(false);
  const [zoom, setZoom] = useState<[number, number] | null>(null);
  const live = runs.some(isLive);
  const samples = useQuery({
    key: ["run samples", project, ids, system ? "system" : known.join("\n")],
    read: async (signal) => {
      const labels = runLabels(runs);
      return Promise.all(runs.map(async (run, index) => {
        const keys = system ? await systemKeys(project, run, signal) : known;
        return { name: labels[index]!, samples: keys.length === 0 ? [] : await readSamples(project, run, keys, system, signal) };
      }));
    },
    every: live ? LIVE_MS : false,
    keep: !system,
  });
  const plots = useMemo(() => plotsOf(samples.data ?? []), [samples.data]);
  const order = byInterest(plots.map(({ key }) => key), runs);
  const matching = order.filter((key) => key.toLowerCase().includes(find.trim().toLowerCase())).map((key) => plots.find((plot) => plot.key === key)!);
  const shown = all ? matching : matching.slice(0, SHOWN);
  return (
    <Loaded state={samples} what="metrics">
      {() => plots.length === 0 ? <p class="soft more-none">{system ? "This run logged no system metrics." : live ? "No metrics yet. They appear here when they are logged." : "No metrics were logged."}</p> : (
        <>
          {plots.length > 4 && (
            <div class="filters"><TextInput type="search" icon="search" label="Find a metric" placeholder="Find a metric" value={find} onInput={(text) => setFind(text, { replace: true })} /></div>
          )}
          {matching.length === 0 && <p class="soft more-none">No metric has this in its name.</p>}
          <div class="plots">
            {shown.map(({ key, x, series }) => (
              <div key={key} class="card plot-card">
                <LazyPlot title={key} x={x} series={series} height={160} group="runs" nameX="step" formatX={AXIS} zoom={zoom} onZoom={setZoom} />
              </div>
            ))}
          </div>
          {matching.length > SHOWN && (
            <div class="more"><Button kind="quiet" icon={all ? "chevronUp" : "chevronDown"} onClick={() => setAll(!all)}>{all ? "Show fewer" : `Show all ${matching.length} metrics`}</Button></div>
          )}
        </>
      )}
    </Loaded>
  );
}
