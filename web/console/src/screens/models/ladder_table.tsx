// Checkpoints from the newest down to the base model, with what training and evaluations say about each.

import { href, paths } from "../../app/location";
import { formatBytes } from "../../format/bytes";
import { formatSignificant } from "../../format/numbers";
import { Button } from "../../ui/button";
import { Checkbox } from "../../ui/inputs";
import { Menu } from "../../ui/menu";
import { SafeText } from "../../ui/safe_text";
import { Badge } from "../../ui/status";
import { Table, type TableColumn } from "../../ui/table";
import { Ago } from "../shared_parts/ago";
import { PRODUCTION } from "../shared_training/production";
import { scoreText } from "../shared_training/scores";
import { type Rung, scoreColumns } from "./ladder";

export interface LadderProps {
  rungs: Rung[];
  project: string;
  name: string;
  now: number;
  write: boolean;
  selected: ReadonlySet<number>;
  onSelect: (selected: ReadonlySet<number>) => void;
  onAction: (kind: "ask" | "evaluate" | "production" | "delete", step: number) => void;
}

const METRICS: [key: string, title: string][] = [["loss", "Loss"], ["reward", "Reward"]];

export function Ladder({ rungs, project, name, now, write, selected, onSelect, onAction }: LadderProps) {
  const toggle = (step: number, on: boolean) => {
    const next = new Set(selected);
    if (on) next.add(step);
    else next.delete(step);
    onSelect(next);
  };
  const columns: TableColumn<Rung>[] = [
    {
      key: "step", title: "Checkpoint", wide: true,
      cell: ({ step, version, aliases }) => (
        <span class="rung">
          <span class="rung-mark" aria-hidden="true" />
          {version ? <a href={href(paths.artifacts(project, name, version))}>step {step}</a> : <span>step {step}</span>}
          {step === 0 && <span class="faint">base model</span>}
          {aliases.map((alias) => <Badge key={alias} tone={alias === PRODUCTION ? "ok" : "accent"}><SafeText text={alias} line /></Badge>)}
        </span>
      ),
    },
    ...scoreColumns(rungs).map((column): TableColumn<Rung> => ({
      key: column.key, title: `${column.evaluation} ${column.metric}`, number: true,
      cell: ({ scores }) => {
        const score = scores.find(({ evaluation, metric }) => evaluation === column.evaluation && metric === column.metric);
        if (!score) return <span class="faint">–</span>;
        const share = column.share ? score.value : column.best > 0 ? score.value / column.best : 0;
        return (
          <a class="rung-score" href={href(paths.evals(project, score.run))}>
            <span class="meter" aria-hidden="true"><span class="meter-fill" style={{ width: `${Math.max(0, Math.min(1, share)) * 100}%` }} /></span>
            {scoreText(score)}
          </a>
        );
      },
    })),
    ...METRICS.filter(([key]) => rungs.some(({ metrics }) => key in metrics)).map(([key, title]): TableColumn<Rung> => ({
      key, title, number: true, cell: ({ metrics }) => formatSignificant(metrics[key], 4),
    })),
    { key: "size", title: "Size", number: true, cell: ({ size }) => formatBytes(size) },
    { key: "created", title: "Created", cell: ({ createdAt }) => <Ago time={createdAt} now={now} /> },
  ];
  if (write) {
    columns.unshift({
      key: "select", title: "Select", hideTitle: true,
      cell: ({ step }) => step === 0 ? null : <Checkbox checked={selected.has(step)} label={`Select step ${step}`} onChange={(on) => toggle(step, on)} />,
    });
    columns.push({
      key: "actions", title: "Actions", hideTitle: true,
      cell: ({ step, aliases }) => (
        <span class="row-actions">
          <Button small icon="chat" label={`Ask step ${step}`} onClick={() => onAction("ask", step)}>Ask</Button>
          <Button small icon="chart" label={`Evaluate step ${step}`} onClick={() => onAction("evaluate", step)}>Evaluate</Button>
          <Menu
            label={`Further actions for step ${step}`} icon="dots" align="end" small
            items={[
              { text: "→ production…", icon: "rocket", disabled: aliases.includes(PRODUCTION), onSelect: () => onAction("production", step) },
              { text: "Open the artifact", icon: "archive", href: href(paths.artifacts(project, name, `step${step}`)) },
              ...(step === 0 ? [] : [{ kind: "line" as const }, { text: "Delete…", icon: "trash" as const, danger: true, onSelect: () => onAction("delete", step) }]),
            ]}
          />
        </span>
      ),
    });
  }
  return <div class="card ladder"><Table label="Checkpoints" rows={rungs} rowKey={({ step }) => String(step)} columns={columns} /></div>;
}
