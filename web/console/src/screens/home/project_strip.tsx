// The calls of a project in the last 24 hours: bars and figures of one row.

import { useQuery } from "../../api/cache";
import { type StatsBucket, callStrip } from "../../api/calls";

const HOUR_MS = 3_600_000;

export interface ProjectActivity {
  /** One entry per hour, the oldest first. */
  hours: { calls: number; errors: number }[];
  calls: number;
  errors: number;
  p95: number | null;
}

function number(bucket: StatsBucket, name: string): number {
  const value = bucket[name];
  return typeof value === "number" ? value : 0;
}

/** Puts buckets into 24 hours. Hours without calls have no bucket. */
export function activityOf(buckets: readonly StatsBucket[], start: number): ProjectActivity {
  const hours = Array.from({ length: 24 }, () => ({ calls: 0, errors: 0 }));
  let p95: number | null = null;
  for (const bucket of buckets) {
    const hour = hours[Math.floor((Date.parse(bucket.timestamp) - start) / HOUR_MS)];
    if (!hour) continue;
    hour.calls += number(bucket, "sum_call_count");
    hour.errors += number(bucket, "sum_error_count");
    if (typeof bucket.p95_latency_ms === "number") p95 = Math.max(p95 ?? 0, bucket.p95_latency_ms);
  }
  const sum = (name: "calls" | "errors") => hours.reduce((total, hour) => total + hour[name], 0);
  return { hours, calls: sum("calls"), errors: sum("errors"), p95 };
}

export function useActivity(project: string) {
  return useQuery<ProjectActivity>({
    key: ["activity", project],
    read: async (signal) => {
      const end = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
      const start = end - 24 * HOUR_MS;
      const { call_buckets } = await callStrip(
        {
          project_id: project,
          start: new Date(start).toISOString(),
          end: new Date(end).toISOString(),
          granularity: 3600,
          filter: { trace_roots_only: true },
          call_metrics: [
            { metric: "call_count", aggregations: ["sum"] },
            { metric: "error_count", aggregations: ["sum"] },
            { metric: "latency_ms", percentiles: [95] },
          ],
        },
        signal,
      );
      return activityOf(call_buckets, start);
    },
    staleTime: 30_000,
    every: 60_000,
  });
}

/** Bars of the hours; errors are the lower part of a bar. */
export function ActivityBars({ activity }: { activity: ProjectActivity }) {
  const most = Math.max(1, ...activity.hours.map(({ calls }) => calls));
  const label = `${activity.calls} traces in 24 hours, ${activity.errors} with errors`;
  return (
    <svg class="activity" viewBox="0 0 144 24" preserveAspectRatio="none" role="img" aria-label={label}>
      {activity.hours.map(({ calls, errors }, hour) => {
        const height = calls === 0 ? 1 : Math.max(2, (calls / most) * 24);
        const failed = calls === 0 ? 0 : Math.max(errors > 0 ? 2 : 0, (errors / calls) * height);
        return (
          <g key={hour}>
            <rect class={calls === 0 ? "activity-none" : "activity-calls"} x={hour * 6} y={24 - height} width="5" height={height} rx="1" />
            {failed > 0 && <rect class="activity-errors" x={hour * 6} y={24 - failed} width="5" height={failed} rx="1" />}
          </g>
        );
      })}
    </svg>
  );
}
