// One example of a run in full.

import type { EvalResultsRow } from "../../api/evaluations";
import { href, paths } from "../../app/location";
import { formatDuration } from "../../format/durations";
import { formatCost } from "../../format/money";
import { plural } from "../../format/numbers";
import { Button } from "../../ui/button";
import { SafeText } from "../../ui/safe_text";
import { latencyMs } from "../shared_evaluation/metrics";
import { leaves, valueLines } from "../shared_values/value_text";
import { ValueView } from "../shared_values/value_view";

interface Props {
  project: string;
  row: EvalResultsRow;
  traceHref: string;
  onClose: () => void;
}

export function ExamplePanel({ project, row, traceHref, onClose }: Props) {
  const trials = row.evaluations[0]?.trials ?? [];
  return (
    <section class="example" aria-label="Example">
      <header class="example-head">
        <h2>Example</h2>
        <span class="ui-grow" />
        <Button small icon="external" href={traceHref}>Trace</Button>
        {trials[0]?.predict_call_id && <Button small icon="flask" href={href(paths.playground(project), { from: trials[0].predict_call_id })}>Playground</Button>}
        <Button small kind="quiet" icon="close" label="Close the example" onClick={onClose} />
      </header>
      <div class="example-body">
        <h3>Row</h3>
        <ValueView value={row.raw_data_row} label="Row" />
        {trials.map((trial, index) => (
          <div key={trial.predict_and_score_call_id} class="stack">
            <h3>
              {trials.length > 1 ? `Output of trial ${index + 1}` : "Output"}{" "}
              <span class="faint">
                {[
                  latencyMs(trial) === null ? "" : formatDuration(latencyMs(trial)),
                  trial.total_tokens === null ? "" : plural(trial.total_tokens, "token"),
                  trial.total_cost === null ? "" : formatCost(trial.total_cost),
                ].filter((text) => text !== "").join(" · ")}
              </span>
            </h3>
            <ValueView value={trial.model_output} label="Output" />
            <dl class="example-scores">
              {leaves(trial.scores).map(([name, value]) => (
                <div key={name}>
                  <dt><SafeText text={name} line /></dt>
                  <dd><pre class="value-text"><SafeText text={valueLines(value)} /></pre></dd>
                </div>
              ))}
            </dl>
          </div>
        ))}
      </div>
    </section>
  );
}
