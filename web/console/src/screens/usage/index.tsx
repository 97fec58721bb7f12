// What models cost: cost and tokens by day, model, project, user and key.

import { useMemo } from "preact/hooks";

import { useQuery } from "../../api/cache";
import { type InferenceUsage, type UsageRow, readUsage } from "../../api/usage";
import { href, paths } from "../../app/location";
import { Loaded, Page, Section } from "../../app/page";
import { timeZone } from "../../app/preferences";
import { Segments } from "../../app/segments";
import { codecs, setUrlState, useUrlState } from "../../app/url_state";
import { formatDuration } from "../../format/durations";
import { formatCost } from "../../format/money";
import { formatCount, formatPercent, formatShort } from "../../format/numbers";
import { formatDay } from "../../format/time";
import { type TimeRange, boundsOf, parseTimeRange, printTimeRange } from "../../format/time_range";
import { Button } from "../../ui/button";
import { Empty } from "../../ui/feedback";
import { Icon } from "../../ui/icons";
import { LazyPlot } from "../../ui/lazy";
import { SafeText } from "../../ui/safe_text";
import { TimeRangePicker } from "../../ui/time_range";
import { Figures } from "../shared_parts/figures";
import { UsageTable } from "./usage_table";
import { DIMENSIONS, type Dimension, MEASURES, type Measure, daysBetween, measureOf, seriesByDay } from "./summary";

const MONTH: TimeRange = { kind: "last", milliseconds: 30 * 86_400_000 };
const RANGE = {
  read: (text: string | null): TimeRange => (text === null ? MONTH : (parseTimeRange(text) ?? MONTH)),
  write: (range: TimeRange) => (printTimeRange(range) === printTimeRange(MONTH) ? null : printTimeRange(range)),
};
const DIMENSION_NAMES = Object.keys(DIMENSIONS) as Dimension[];
/** Usage is kept for 400 days; more days than this do not fit a plot. */
const LONGEST_MS = 400 * 86_400_000;

interface Filters {
  model: string;
  project: string;
  user: string;
  key: string;
}

function useFilters(): Filters {
  const [model] = useUrlState("model", codecs.text());
  const [project] = useUrlState("project", codecs.text());
  const [user] = useUrlState("user", codecs.text());
  const [key] = useUrlState("key", codecs.text());
  return { model, project, user, key };
}

function FilterChips({ filters }: { filters: Filters }) {
  const set = DIMENSION_NAMES.filter((name) => filters[name] !== "");
  if (set.length === 0) return null;
  return (
    <div class="usage-chips" role="group" aria-label="Filters">
      {set.map((name) => (
        <span key={name} class="usage-chip">
          <span class="faint">{DIMENSIONS[name]}</span> <SafeText text={filters[name]} line />
          <Button small kind="quiet" icon="close" label={`Remove the filter ${DIMENSIONS[name]}`} onClick={() => setUrlState({ [name]: null })} />
        </span>
      ))}
    </div>
  );
}

function Totals({ row }: { row: UsageRow | undefined }) {
  return (
    <Figures
      label="Totals"
      items={[
        { name: "Cost", value: formatCost(row?.cost_usd ?? 0), ...(row && row.unpriced_requests > 0 ? { note: `${formatShort(row.unpriced_requests)} unpriced` } : {}) },
        { name: "Requests", value: formatShort(row?.requests ?? 0), note: `${formatShort(row?.cancelled ?? 0)} cancelled` },
        {
          name: "Errors", value: formatShort(row?.errors ?? 0), note: row && row.requests > 0 ? formatPercent(row.errors / row.requests) : "–",
          ...(row && row.errors > 0 ? { tone: "error" as const } : {}),
        },
        { name: "Tokens in", value: formatShort(row?.prompt_tokens ?? 0), note: `${formatShort(row?.cached_tokens ?? 0)} cached` },
        { name: "Tokens out", value: formatShort(row?.completion_tokens ?? 0), note: `${formatShort(row?.reasoning_tokens ?? 0)} reasoning` },
        { name: "Latency p95", value: formatDuration(row?.latency_ms?.p95), note: `p50 ${formatDuration(row?.latency_ms?.p50)}` },
        { name: "First token p95", value: formatDuration(row?.first_token_ms?.p95), note: `p50 ${formatDuration(row?.first_token_ms?.p50)}` },
      ]}
    />
  );
}

function NoUsage({ filtered }: { filtered: boolean }) {
  if (filtered) return <Empty title="No requests match" actions={<Button href={href(paths.usage())}>Show all usage</Button>} />;
  const base = new URL("..", document.baseURI).href;
  return (
    <Empty
      title="No model was asked yet" icon="chart" actions={<Button href={href(paths.inference())}>Models</Button>}
      snippets={[{
        title: "Ask a model",
        text: [
          `curl ${base}v1/chat/completions \\`,
          `  -H "Authorization: Bearer $KEY" -H 'Compat-Project: acme/support' -H 'Content-Type: application/json' \\`,
          `  -d '{"model":"small","messages":[{"role":"user","content":"Say hello."}]}'`,
        ].join("\n"),
      }]}
    >
      <p>Every request to a model counts here, for its project. Turn on completion tracing in the settings of a project to see each request as a trace.</p>
    </Empty>
  );
}

interface Report {
  total: InferenceUsage;
  days: InferenceUsage;
  groups: InferenceUsage;
  from: number;
  to: number;
}

export default function Usage() {
  const [range, setRange] = useUrlState("time", RANGE);
  const [by, setBy] = useUrlState("by", codecs.oneOf<Dimension>("model", "project", "user", "key"));
  const [measure, setMeasure] = useUrlState("measure", codecs.oneOf<Measure>("cost", "tokens", "requests", "errors"));
  const filters = useFilters();
  const query = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ""));
  const filtered = Object.keys(query).length > 0;
  const report = useQuery<Report>({
    key: ["usage", printTimeRange(range), by, JSON.stringify(query)],
    read: async (signal) => {
      const now = Date.now();
      const bounds = boundsOf(range, now);
      const to = bounds.to ?? now;
      const from = Math.max(bounds.from ?? to - LONGEST_MS, to - LONGEST_MS);
      const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), ...query };
      const [total, days, groups] = await Promise.all([
        readUsage(span, signal),
        readUsage({ ...span, group_by: `day,${by}`, limit: 10_000 }, signal),
        readUsage({ ...span, group_by: by, limit: 1000 }, signal),
      ]);
      return { total, days, groups, from, to };
    },
    every: 15_000,
  });
  return (
    <Page
      title="Usage"
      lead="Requests to models, at the prices of today. You see your own, those of your projects, and as an admin those of the team."
      actions={<TimeRangePicker value={range} onChange={(value) => setRange(value)} zone={timeZone.value} />}
    >
      <FilterChips filters={filters} />
      <Loaded state={report} what="usage">
        {(data) => (data.groups.items.length === 0
          ? <NoUsage filtered={filtered || printTimeRange(range) !== printTimeRange(MONTH)} />
          : <UsageReport report={data} by={by} measure={measure} range={range} setBy={setBy} setMeasure={setMeasure} />)}
      </Loaded>
    </Page>
  );
}

interface UsageReportProps {
  report: Report;
  by: Dimension;
  measure: Measure;
  range: TimeRange;
  setBy: (by: Dimension) => void;
  setMeasure: (measure: Measure) => void;
}

function UsageReport({ report, by, measure, range, setBy, setMeasure }: UsageReportProps) {
  const { total, days, groups, from, to } = report;
  const x = useMemo(() => daysBetween(from, to), [from, to]);
  const series = useMemo(() => seriesByDay(days.items, x, by, measure), [days, x, by, measure]);
  const format = (value: number) => (measure === "cost" ? formatCost(value) : formatShort(value));
  const sum = groups.items.reduce((all, row) => all + measureOf(row, measure), 0);
  return (
    <>
      <Totals row={total.items[0]} />
      <div class="usage-controls">
        <Segments label="Measure" value={measure} onChange={setMeasure} options={(Object.entries(MEASURES) as [Measure, string][])} />
        <Segments label="By" value={by} onChange={setBy} options={DIMENSION_NAMES.map((name) => [name, DIMENSIONS[name]] as const)} />
      </div>
      <Section title={`${MEASURES[measure]} by day`}>
        <div class="card card-pad">
          <LazyPlot title={`${MEASURES[measure]} by ${DIMENSIONS[by].toLowerCase()}`} x={x} series={series} height={200}
            formatX={(day) => formatDay(day, "utc").slice(x.length > 360 ? 0 : 5)} formatY={format} times="utc" />
        </div>
      </Section>
      <Section title={`By ${DIMENSIONS[by].toLowerCase()}`} lead={`${formatCount(groups.items.length)} in this time, ${format(sum)} in all`}>
        {(groups.has_more || days.has_more) && (
          <div class="note" role="note"><Icon name="alert" /><div>There are more groups than shown. Choose a shorter time or filter.</div></div>
        )}
        <UsageTable rows={groups.items} by={by} measure={measure} range={range} />
      </Section>
    </>
  );
}
