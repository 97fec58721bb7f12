// The columns of the examples of a run.

import type { EvalResultsRow } from "../../api/evaluations";
import { formatDuration } from "../../format/durations";
import { plural } from "../../format/numbers";
import type { GridColumn } from "../../ui/list/columns";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";
import { type Metric, formatScore, latencyMs, valueOf } from "../shared_evaluation/metrics";
import { rowTitle, valueText } from "../shared_values/value_text";

const trialsOf = (row: EvalResultsRow) => row.evaluations[0]?.trials ?? [];

/** Passed and failed as signs; means of several trials and other numbers as figures. */
export function ScoreCell({ value, binary }: { value: number | null; binary: boolean }) {
  if (value === null) return <span class="faint">–</span>;
  if (binary && value === 1) return <Status state="ok" word="passed" />;
  if (binary && value === 0) return <Status state="failed" />;
  return <>{formatScore(value, binary)}</>;
}

export function exampleColumns(metrics: readonly Metric[]): GridColumn<EvalResultsRow>[] {
  return [
    { key: "example", title: "Example", width: 300, fixed: true, cell: (row) => <SafeText text={rowTitle(row.raw_data_row).title} line /> },
    ...metrics.map((metric): GridColumn<EvalResultsRow> => ({
      key: `m:${metric.key}`, title: metric.key, width: 120, sortable: true, number: !metric.binary,
      cell: (row) => <ScoreCell value={valueOf(trialsOf(row), metric)} binary={metric.binary} />,
    })),
    {
      key: "output", title: "Output", width: 300,
      cell: (row) => {
        const trials = trialsOf(row);
        return (
          <>
            {trials.length > 1 && <span class="faint">{plural(trials.length, "trial")} · </span>}
            <SafeText text={valueText(trials[0]?.model_output)} line />
          </>
        );
      },
    },
    {
      key: "latency", title: "Latency", width: 90, number: true,
      cell: (row) => formatDuration(latencyMs(trialsOf(row)[0])),
    },
  ];
}
