// Metrics of all runs with differences, intervals, wins and losses.

import type { EvalResults, EvalResultsMetricComparison, EvalResultsRow } from "../../api/evaluations";
import { formatDuration } from "../../format/durations";
import { formatCost } from "../../format/money";
import { formatChange, formatCount, formatPercent } from "../../format/numbers";
import { classes } from "../../ui/class_names";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";
import { type Metric, formatScore, meanOf, metricKey, statsOf } from "../shared_evaluation/metrics";
import { type ComparedRow, compareRows, histogram, latencyOf, letterOf, verdictOf } from "./compare";

interface Props {
  results: EvalResults;
  runs: readonly string[];
  base: string;
  other: string;
  metrics: readonly Metric[];
  chosen: Metric | undefined;
  rows: readonly EvalResultsRow[];
  onChoose: (metric: Metric) => void;
}

const VERDICTS = { better: ["ok", "better"], worse: ["error", "worse"], unclear: ["neutral", "unclear"] } as const;

function Bars({ rows }: { rows: readonly ComparedRow[] }) {
  const counts = histogram(rows.flatMap(({ difference }) => (difference === null ? [] : [difference])));
  const most = Math.max(1, ...counts);
  const middle = (counts.length - 1) / 2;
  return (
    <svg class="bars" viewBox={`0 0 ${counts.length * 7} 18`} role="img" aria-label={`Examples by difference, from worse to better: ${counts.join(", ")}`}>
      {counts.map((count, index) => {
        const height = count === 0 ? 1 : Math.max(2, (count / most) * 18);
        return <rect key={index} class={index < middle ? "bars-worse" : index > middle ? "bars-better" : "bars-same"} x={index * 7} y={18 - height} width="6" height={height} rx="1" />;
      })}
    </svg>
  );
}

function Difference({ found, binary, confidence }: { found: EvalResultsMetricComparison; binary: boolean; confidence: number }) {
  const change = (value: number | null) => (binary && value !== null ? `${formatChange(value * 100, 1)} pp` : formatChange(value));
  const verdict = VERDICTS[verdictOf(found.interval)];
  return (
    <>
      <td class="number strong">{change(found.mean_difference)}</td>
      <td class="number soft nowrap">{found.interval ? `[ ${change(found.interval.low)} … ${change(found.interval.high)} ]` : "–"}</td>
      <td title={`${formatPercent(confidence)} interval of the mean difference; without zero it shows a difference`}><Status state={verdict[1]} tone={verdict[0]} word={verdict[1]} /></td>
      <td class="nowrap"><span class="ui-tone-ok">{formatCount(found.wins)} ▲</span> <span class="ui-tone-error">{formatCount(found.losses)} ▼</span></td>
    </>
  );
}

export function MetricTable({ results, runs, base, other, metrics, chosen, rows, onChoose }: Props) {
  const { summary, comparison } = results;
  const summaryOf = (run: string) => summary?.evaluations.find(({ evaluation_call_id }) => evaluation_call_id === run);
  const compared = comparison?.evaluations.find(({ evaluation_call_id }) => evaluation_call_id === other);
  const [from, to] = [letterOf(runs.indexOf(base)), letterOf(runs.indexOf(other))];
  return (
    <div class="metrics" role="group" aria-label="Metrics" tabIndex={0}>
      <table class="metrics-table">
        <caption class="visually-hidden">Metrics of the runs, and the differences of {to} from {from}</caption>
        <thead>
          <tr>
            <th scope="col">Metric</th>
            {runs.map((run, index) => <th key={run} scope="col" class="number">{letterOf(index)}{run === base && " base"}</th>)}
            <th scope="col" class="number">{to} − {from}</th>
            <th scope="col" class="number">{formatPercent(comparison?.confidence ?? 0.95)} interval</th>
            <th scope="col">Verdict</th>
            <th scope="col">Examples</th>
            <th scope="col"><span class="visually-hidden">Distribution</span></th>
          </tr>
        </thead>
        <tbody>
          {metrics.map((metric) => {
            const found = compared?.metrics.find(({ scorer_key, path }) => metricKey(scorer_key, path) === metric.key);
            const on = metric.key === chosen?.key;
            return (
              <tr key={metric.key} class={classes(on && "metrics-on")}>
                <th scope="row"><button type="button" class="metrics-name" aria-pressed={on} onClick={() => onChoose(metric)}><SafeText text={metric.key} line /></button></th>
                {runs.map((run) => {
                  const stats = statsOf(summaryOf(run), metric);
                  return <td key={run} class="number">{formatScore(stats ? meanOf(stats) : null, metric.binary)}</td>;
                })}
                {found ? <Difference found={found} binary={metric.binary} confidence={comparison?.confidence ?? 0.95} /> : <td colSpan={4} class="faint">no example has a value in both</td>}
                <td><Bars rows={compareRows(rows, base, other, metric)} /></td>
              </tr>
            );
          })}
          <tr class="metrics-more">
            <th scope="row">latency p50 · cost</th>
            {runs.map((run) => (
              <td key={run} class="number nowrap">{formatDuration(latencyOf(rows, run))} · {formatCost(summaryOf(run)?.predict_total_cost)}</td>
            ))}
            <td colSpan={5} />
          </tr>
        </tbody>
      </table>
    </div>
  );
}
