// The leaderboard: models ranked by one metric of one evaluation.

import { href, paths } from "../../app/location";
import { codecs, useUrlState } from "../../app/url_state";
import { formatCount } from "../../format/numbers";
import { formatRelative } from "../../format/time";
import { Empty } from "../../ui/feedback";
import { Select } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Table } from "../../ui/table";
import { type Metric, formatScore, meanOf, statsOf } from "../shared_evaluation/metrics";
import { type VersionNumbers, refLabel } from "../shared_objects/versions";
import { evaluationNames, leaderboard } from "./leaderboard";
import type { RunRow } from "./use_runs";

export interface LeaderboardProps {
  project: string;
  rows: RunRow[];
  metrics: Metric[];
  numbers: VersionNumbers | undefined;
  evaluation: string;
  now: number;
}

export function Leaderboard({ project, rows, metrics, numbers, evaluation, now }: LeaderboardProps) {
  const [by, setBy] = useUrlState("by", codecs.text());
  const names = evaluationNames(rows);
  const chosen = evaluation || names[0] || "";
  const inEvaluation = rows.filter(({ run }) => refLabel(run.evaluation, undefined).startsWith(`${chosen}:`));
  const own = metrics.filter((metric) => inEvaluation.some(({ summary }) => statsOf(summary, metric) !== undefined));
  const metric = own.find(({ key }) => key === by) ?? own[0];
  const places = leaderboard(rows, chosen, metric);
  const best = Math.max(0, ...places.map(({ value }) => value ?? 0));
  if (places.length === 0) {
    return (
      <Empty title="No finished runs to rank" icon="chart">
        The leaderboard ranks the versions of models by their newest finished run of <SafeText text={chosen || "an evaluation"} line />.
      </Empty>
    );
  }
  return (
    <div class="board">
      <div class="board-head">
        <h2><SafeText text={chosen} line /></h2>
        <label class="board-by">
          <span class="soft">ranked by</span>
          <Select label="Ranked by" value={metric?.key ?? ""} options={own.map(({ key }) => ({ value: key, text: key }))} onChange={(key) => setBy(key)} />
        </label>
      </div>
      <Table
        label={`Leaderboard of ${chosen}`}
        rows={places}
        rowKey={({ row }) => row.run.evaluation_run_id}
        rowHref={({ row }) => href(paths.evals(project, row.run.evaluation_run_id))}
        columns={[
          { key: "place", title: "#", number: true, cell: ({ place }) => place ?? "–" },
          { key: "model", title: "Model", wide: true, cell: ({ row }) => <strong><SafeText text={refLabel(row.run.model, numbers)} line /></strong> },
          {
            key: "value", title: metric?.key ?? "Score",
            cell: ({ value }) => (
              <span class="board-bar">
                <span class="score-track" aria-hidden="true"><span class="score-fill" style={{ width: `${best > 0 && value !== null ? (value / best) * 100 : 0}%` }} /></span>
                <strong>{formatScore(value, metric?.binary ?? false)}</strong>
              </span>
            ),
          },
          ...own.filter((other) => other.key !== metric?.key).slice(0, 3).map((other) => ({
            key: other.key, title: other.key, number: true,
            cell: ({ row }: (typeof places)[number]) => {
              const stats = statsOf(row.summary, other);
              return formatScore(stats ? meanOf(stats) : null, other.binary);
            },
          })),
          { key: "runs", title: "Runs", number: true, cell: ({ runs }) => formatCount(runs) },
          { key: "when", title: "Newest", cell: ({ row }) => <span class="soft nowrap">{formatRelative(row.run.started_at, now)}</span> },
        ]}
      />
    </div>
  );
}
