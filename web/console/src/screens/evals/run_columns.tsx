// The columns of the list of runs; one per metric.

import type { VersionNumbers } from "../shared_objects/versions";
import { refLabel } from "../shared_objects/versions";
import { type Metric, formatScore, meanOf, statsOf } from "../shared_evaluation/metrics";
import { formatDuration } from "../../format/durations";
import { formatCost } from "../../format/money";
import { formatCount, formatShort } from "../../format/numbers";
import { type Zone, formatExactTime, formatShortTime, toMilliseconds } from "../../format/time";
import type { GridColumn } from "../../ui/list/columns";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";
import type { RunRow } from "./use_runs";

/** More metrics are offered by the menu of columns. */
const SHOWN_METRICS = 4;

export function durationOf({ run }: RunRow): number | null {
  if (!run.started_at || !run.finished_at) return null;
  return toMilliseconds(run.finished_at) - toMilliseconds(run.started_at);
}

export function RunState({ row }: { row: RunRow }) {
  const { progress, run } = row;
  if (!progress) return <Status state={run.status ?? "running"} />;
  const text = `${formatCount(progress.done)} of ${formatCount(progress.total)}`;
  return (
    <span class="run-state">
      <Status state="running" signOnly />
      <progress class="run-bar" max={Math.max(1, progress.total)} value={progress.done} aria-label={`Examples done: ${text}`} />
      <span class="run-state-text">{text}</span>
    </span>
  );
}

/** A score with a bar of its share; means outside of 0 to 1 have none. */
function Score({ value, binary }: { value: number | null; binary: boolean }) {
  if (value === null) return <span class="faint">–</span>;
  const share = value >= 0 && value <= 1 ? value : null;
  return (
    <span class="score">
      {share !== null && <span class="score-track" aria-hidden="true"><span class="score-fill" style={{ width: `${share * 100}%` }} /></span>}
      <span class="score-value">{formatScore(value, binary)}</span>
    </span>
  );
}

export function runColumns(metrics: readonly Metric[], numbers: VersionNumbers | undefined, zone: Zone, now: number): GridColumn<RunRow>[] {
  return [
    {
      key: "model", title: "Model", width: 180, fixed: true,
      cell: ({ run }) => <strong class="run-model"><SafeText text={refLabel(run.model, numbers)} line /></strong>,
    },
    { key: "evaluation", title: "Evaluation", width: 160, cell: ({ run }) => <SafeText text={refLabel(run.evaluation, numbers)} line /> },
    { key: "status", title: "Status", width: 172, cell: (row) => <RunState row={row} /> },
    ...metrics.map((metric, index): GridColumn<RunRow> => ({
      key: `m:${metric.key}`, title: metric.key, width: 138, number: true, optional: index >= SHOWN_METRICS,
      cell: ({ summary }) => {
        const stats = statsOf(summary, metric);
        return <Score value={stats ? meanOf(stats) : null} binary={metric.binary} />;
      },
    })),
    { key: "examples", title: "Results", width: 80, number: true, cell: ({ summary }) => formatCount(summary?.trial_count) },
    { key: "duration", title: "Duration", width: 96, number: true, cell: (row) => formatDuration(durationOf(row)) },
    { key: "tokens", title: "Tokens", width: 80, number: true, cell: ({ summary }) => formatShort(summary?.predict_total_tokens) },
    { key: "cost", title: "Cost", width: 80, number: true, cell: ({ summary }) => formatCost(summary?.predict_total_cost) },
    {
      key: "started", title: "Started", width: 130,
      cell: ({ run }) => <span class="soft" title={formatExactTime(run.started_at, zone)}>{formatShortTime(run.started_at, now, zone)}</span>,
    },
  ];
}
