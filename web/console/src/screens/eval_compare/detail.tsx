// The example with the cursor: its row, and the outputs of the runs beside each other or as a difference.

import type { Metric } from "../shared_evaluation/metrics";
import { formatScore, latencyMs, valueOf } from "../shared_evaluation/metrics";
import { LazyDiff } from "../../ui/lazy";
import { SafeText } from "../../ui/safe_text";
import { Button } from "../../ui/button";
import { formatDuration } from "../../format/durations";
import { leaves, rowTitle, valueLines, valueText } from "../shared_values/value_text";
import { ValueView } from "../shared_values/value_view";
import { type ComparedRow, letterOf, trialsOf } from "./compare";

interface Props {
  compared: ComparedRow;
  runs: readonly string[];
  names: readonly string[];
  base: string;
  other: string;
  metrics: readonly Metric[];
  diff: boolean;
  traceHref: (run: string, callId: string) => string;
}

export function CompareDetail({ compared, runs, names, base, other, metrics, diff, traceHref }: Props) {
  const { row } = compared;
  const { title, expected } = rowTitle(row.raw_data_row);
  const outputOf = (run: string) => trialsOf(row, run)[0]?.model_output;
  const nameOf = (run: string) => `${letterOf(runs.indexOf(run))} ${names[runs.indexOf(run)] ?? ""}`;
  return (
    <section class="detail" aria-label="Example">
      <div class="detail-row">
        <h2><SafeText text={title} /></h2>
        {expected !== null && <p class="soft">Expected: <SafeText text={expected} /></p>}
      </div>
      {diff ? (
        <LazyDiff before={valueLines(outputOf(base))} after={valueLines(outputOf(other))} beforeLabel={nameOf(base)} afterLabel={nameOf(other)} />
      ) : (
        <div class="detail-runs" style={{ "--runs": String(runs.length) }}>
          {runs.map((run) => {
            const trials = trialsOf(row, run);
            const [trial] = trials;
            return (
              <article key={run} class="detail-run" aria-label={nameOf(run)}>
                <header>
                  <strong><SafeText text={nameOf(run)} line /></strong>
                  <span class="ui-grow" />
                  {latencyMs(trial) !== null && <span class="faint">{formatDuration(latencyMs(trial))}</span>}
                  {trial && <Button small kind="quiet" icon="external" label={`Trace of ${letterOf(runs.indexOf(run))}`} href={traceHref(run, trial.predict_and_score_call_id)} />}
                </header>
                {trial ? <ValueView value={trial.model_output} label={`Output of ${nameOf(run)}`} /> : <span class="faint">This run has no result for the example.</span>}
                {trial && (
                  <dl class="detail-scores">
                    {metrics.map((metric) => <div key={metric.key}><dt><SafeText text={metric.key} line /></dt><dd>{formatScore(valueOf(trials, metric), metric.binary)}</dd></div>)}
                    {leaves(trial.scores).filter(([, value]) => typeof value === "string").map(([name, value]) => (
                      <div key={name}><dt><SafeText text={name} line /></dt><dd class="detail-reason"><SafeText text={valueText(value)} /></dd></div>
                    ))}
                  </dl>
                )}
              </article>
            );
          })}
        </div>
      )}
    </section>
  );
}
