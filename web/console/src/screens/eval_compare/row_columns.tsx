// The columns of the compared examples: example, one output per run, difference.

import { formatChange } from "../../format/numbers";
import { Icon } from "../../ui/icons";
import { lazyView } from "../../ui/lazy";
import type { GridColumn } from "../../ui/list/columns";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";
import { type Metric, formatScore, valueOf } from "../shared_evaluation/metrics";
import { rowTitle, valueText } from "../shared_values/value_text";
import { type ComparedRow, letterOf, trialsOf } from "./compare";
import type { InlineDiffProps } from "./inline_diff";

const LazyInlineDiff = lazyView<InlineDiffProps>(() => import("./inline_diff").then(({ InlineDiff }) => InlineDiff), ({ after }) => <SafeText text={after} />);

const CELL_TEXT = 240;

export function ScoreSign({ value, binary }: { value: number | null; binary: boolean }) {
  if (value === null) return <span class="faint">–</span>;
  if (binary && (value === 0 || value === 1)) return <Status state={value === 1 ? "ok" : "failed"} word={value === 1 ? "passed" : "failed"} signOnly />;
  return <span class="soft">{formatScore(value, binary)}</span>;
}

export interface RowColumnOptions {
  runs: readonly string[];
  base: string;
  metric: Metric | undefined;
  diff: boolean;
  traceHref: (run: string, callId: string) => string;
}

export function rowColumns({ runs, base, metric, diff, traceHref }: RowColumnOptions): GridColumn<ComparedRow>[] {
  return [
    {
      key: "example", title: "Example", width: 250, fixed: true,
      cell: ({ row }) => {
        const { title, expected } = rowTitle(row.raw_data_row);
        return (
          <span class="cell-example">
            <span class="cell-text"><SafeText text={title} line /></span>
            {expected !== null && <span class="cell-expected">expected <SafeText text={expected} line /></span>}
          </span>
        );
      },
    },
    ...runs.map((run, index): GridColumn<ComparedRow> => ({
      key: run, title: `${letterOf(index)}${run === base ? " (base)" : ""}`, width: runs.length > 2 ? 220 : 320, grow: true,
      cell: ({ row }) => {
        const trials = trialsOf(row, run);
        const [trial] = trials;
        if (!trial) return <span class="faint">missing</span>;
        const text = valueText(trial.model_output, CELL_TEXT);
        const baseText = valueText(trialsOf(row, base)[0]?.model_output, CELL_TEXT);
        return (
          <span class="cell-output">
            <span class="cell-text">{diff && run !== base ? <LazyInlineDiff before={baseText} after={text} /> : <SafeText text={text} line />}</span>
            {metric && <ScoreSign value={valueOf(trials, metric)} binary={metric.binary} />}
            <a class="cell-link" href={traceHref(run, trial.predict_and_score_call_id)} aria-label={`Trace of ${letterOf(index)}`} tabIndex={-1}><Icon name="external" size={14} /></a>
          </span>
        );
      },
    })),
    {
      key: "difference", title: metric ? `Δ ${metric.key}` : "Δ", width: 110, number: true,
      cell: ({ difference, outcome }) => (
        <span class={outcome === "better" ? "ui-tone-ok strong" : outcome === "worse" ? "ui-tone-error strong" : "faint"}>{difference === null ? "missing" : formatChange(difference)}</span>
      ),
    },
  ];
}
