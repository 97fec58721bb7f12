// Counts, errors and the p95 latency over the range, under the same filter as the list.

import { useMemo } from "preact/hooks";

import { useQuery } from "../../api/cache";
import { callStrip, listCalls } from "../../api/calls";
import { timeZone } from "../../app/preferences";
import { toMilliseconds } from "../../format/time";
import { ErrorNote } from "../../ui/feedback";
import { Strip } from "../../ui/plots/strip";
import type { Explorer } from "./explorer_state";
import { bucketWidth, stripBuckets, stripPieces } from "./strip_data";

/** Returns the start of the oldest call; for the range "all time". */
async function oldestStart(project: string, signal: AbortSignal): Promise<number | null> {
  const { items } = await listCalls(
    { project_id: project, sort_by: [{ field: "started_at", direction: "asc" }], limit: 1, columns: ["started_at"] }, signal,
  );
  const started = items[0]?.started_at;
  return started ? toMilliseconds(started) : null;
}

export function ExplorerStrip({ explorer }: { explorer: Explorer }) {
  const { project, bounds, now, query, callsFilter, error } = explorer;
  const read = useQuery({
    key: ["strip", project, query, callsFilter, now],
    enabled: error === null,
    staleTime: Infinity,
    read: async (signal) => {
      const to = bounds.to ?? now;
      const from = bounds.from ?? (await oldestStart(project, signal)) ?? to - 3_600_000;
      const width = bucketWidth(from, to);
      const strips = await Promise.all(stripPieces(from, to, width).map(([start, end]) => callStrip({
        project_id: project,
        start: new Date(start).toISOString(),
        end: new Date(end).toISOString(),
        granularity: width / 1000,
        filter: callsFilter,
        query: query ?? null,
        call_metrics: [
          { metric: "call_count", aggregations: ["sum"] },
          { metric: "error_count", aggregations: ["sum"] },
          { metric: "latency_ms", percentiles: [95] },
        ],
      }, signal)));
      return { strip: { call_buckets: strips.flatMap(({ call_buckets }) => call_buckets) }, from, to, width };
    },
  });
  const { data } = read;
  const buckets = useMemo(() => (data ? stripBuckets(data.strip, data.from, data.to, data.width) : []), [data]);
  if (read.error && !data) {
    return (
      <div class="traces-strip">
        <ErrorNote title="The counts could not be read" message={read.error.message} requestId={read.error.requestId} onRetry={read.refetch} retrying={read.refetching} />
      </div>
    );
  }
  return (
    <div class="traces-strip" aria-busy={read.loading || read.outdated}>
      <Strip
        label="Calls over time" buckets={buckets} width={data?.width ?? 1} zone={timeZone.value} height={48}
        onZoom={(from, to) => explorer.setRange({ kind: "span", from, to })}
      />
    </div>
  );
}
