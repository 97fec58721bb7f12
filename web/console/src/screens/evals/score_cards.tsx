// The scores of a run as figures.

import type { EvalResultsEvaluationSummary } from "../../api/evaluations";
import { formatCost } from "../../format/money";
import { formatCount, formatShort } from "../../format/numbers";
import { SafeText } from "../../ui/safe_text";
import { type Metric, formatScore, meanOf, statsOf } from "../shared_evaluation/metrics";

export function ScoreCards({ summary, metrics }: { summary: EvalResultsEvaluationSummary; metrics: readonly Metric[] }) {
  return (
    <dl class="score-cards">
      {metrics.map((metric) => {
        const stats = statsOf(summary, metric);
        return (
          <div key={metric.key} class="score-card">
            <dt><SafeText text={metric.key} line /></dt>
            <dd>{formatScore(stats ? meanOf(stats) : null, metric.binary)}</dd>
            <dd class="score-note">
              {!stats ? "" : metric.binary ? `${formatCount(stats.pass_true_count)} of ${formatCount(stats.pass_known_count)}` : `mean of ${formatCount(stats.numeric_count)}`}
            </dd>
          </div>
        );
      })}
      {summary.predict_total_tokens !== null && (
        <div class="score-card"><dt>Tokens</dt><dd>{formatShort(summary.predict_total_tokens)}</dd><dd class="score-note">of the model</dd></div>
      )}
      {summary.predict_total_cost !== null && (
        <div class="score-card"><dt>Cost</dt><dd>{formatCost(summary.predict_total_cost)}</dd><dd class="score-note">of the model</dd></div>
      )}
    </dl>
  );
}
