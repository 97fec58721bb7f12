// Usage by one dimension, with ways to look closer.

import type { UsageRow } from "../../api/usage";
import { href, paths } from "../../app/location";
import { hasScreen } from "../../app/routes";
import { formatDuration } from "../../format/durations";
import { formatCost } from "../../format/money";
import { formatPercent, formatShort } from "../../format/numbers";
import { type TimeRange, printTimeRange } from "../../format/time_range";
import { SafeText } from "../../ui/safe_text";
import { Menu, type MenuItem } from "../../ui/menu";
import { Table, type TableColumn } from "../../ui/table";
import { useUrlState, codecs } from "../../app/url_state";
import { DIMENSIONS, type Dimension, type Measure, modelFilter, ranked } from "./summary";

/** The dimension that a reader looks at next. */
const NEXT: Record<Dimension, Dimension> = { model: "project", project: "model", user: "model", key: "model" };

type Row = { row: UsageRow; share: number };

export interface UsageTableProps {
  rows: readonly UsageRow[];
  by: Dimension;
  measure: Measure;
  range: TimeRange;
}

function useCurrentQuery(): Record<string, string> {
  const [model] = useUrlState("model", codecs.text());
  const [project] = useUrlState("project", codecs.text());
  const [user] = useUrlState("user", codecs.text());
  const [key] = useUrlState("key", codecs.text());
  const [time] = useUrlState("time", codecs.text());
  const [measure] = useUrlState("measure", codecs.text());
  return { model, project, user, key, time, measure };
}

export function UsageTable({ rows, by, measure, range }: UsageTableProps) {
  const current = useCurrentQuery();
  const closer = (value: string, next: Dimension) => href(paths.usage(), { ...current, [by]: value, by: next });
  /** The traces of a row, when it is known to which project they belong. */
  const traces = (row: UsageRow): string | undefined => {
    const project = by === "project" ? row.project : current.project;
    const model = by === "model" ? row.model : current.model;
    if (!hasScreen("traces") || !project || !project.includes("/")) return undefined;
    return href(paths.traces(project), { q: model ? modelFilter(model) : "", range: printTimeRange(range) });
  };
  const menu = (row: UsageRow): MenuItem[] => {
    const value = row[by] ?? "";
    const address = traces(row);
    const others = (Object.keys(DIMENSIONS) as Dimension[]).filter((name) => name !== by);
    return [
      ...others.map((name) => ({ text: `By ${DIMENSIONS[name].toLowerCase()}`, icon: "chart" as const, href: closer(value, name) })),
      ...(address ? [{ kind: "line" as const }, { text: "Show the traces", icon: "list" as const, href: address }] : []),
    ];
  };
  const columns: TableColumn<Row>[] = [
    { key: "name", title: DIMENSIONS[by], wide: true, cell: ({ row }) => <span class="usage-name"><SafeText text={row[by] ?? "none"} line /></span> },
    {
      key: "share", title: "Share",
      cell: ({ share }) => (
        <span class="usage-share"><span class="meter" aria-hidden="true"><span class="meter-fill" style={{ width: `${share * 100}%` }} /></span>{formatPercent(share)}</span>
      ),
    },
    {
      key: "cost", title: "Cost", number: true,
      cell: ({ row }) => (row.unpriced_requests === row.requests ? <span class="faint" title="The model has no price">no price</span> : formatCost(row.cost_usd)),
    },
    { key: "requests", title: "Requests", number: true, cell: ({ row }) => formatShort(row.requests) },
    { key: "errors", title: "Errors", number: true, cell: ({ row }) => <span class={row.errors > 0 ? "ui-tone-error" : "faint"}>{formatShort(row.errors)}</span> },
    { key: "prompt", title: "Tokens in", number: true, cell: ({ row }) => formatShort(row.prompt_tokens) },
    { key: "completion", title: "Tokens out", number: true, cell: ({ row }) => formatShort(row.completion_tokens) },
    { key: "p50", title: "p50", number: true, cell: ({ row }) => formatDuration(row.latency_ms?.p50) },
    { key: "p95", title: "p95", number: true, cell: ({ row }) => formatDuration(row.latency_ms?.p95) },
    { key: "more", title: "Look closer", hideTitle: true, cell: ({ row }) => <Menu small kind="quiet" icon="dots" align="end" label={`Look closer at ${row[by] ?? "none"}`} items={menu(row)} /> },
  ];
  return (
    <div class="card">
      <Table
        label={`Usage by ${DIMENSIONS[by].toLowerCase()}`} rows={ranked(rows, measure)} rowKey={({ row }, index) => row[by] ?? String(index)} columns={columns}
        rowHref={({ row }) => (row[by] ? closer(row[by] ?? "", NEXT[by]) : undefined)}
      />
    </div>
  );
}
