// One agent: versions beside each other, their course, and the latest invocations.

import { useMemo, useState } from "preact/hooks";

import { type AgentSpanRow, type AgentVersion, listAgentVersions, listSpans, spanStats } from "../../api/agents";
import { useQuery } from "../../api/cache";
import { href, paths } from "../../app/location";
import { Hidden } from "../../app/not_found";
import { Loaded, Page, Section } from "../../app/page";
import { timeZone } from "../../app/preferences";
import { useHeading, useProject } from "../../app/screen";
import { useUrlState } from "../../app/url_state";
import { formatCost } from "../../format/money";
import { formatDuration } from "../../format/durations";
import { formatCount, formatPercent, formatShort } from "../../format/numbers";
import { formatShortTime, formatTime, toMilliseconds } from "../../format/time";
import { type TimeRange, boundsOf, parseTimeRange, printTimeRange } from "../../format/time_range";
import { all, eq, get } from "../../query/expression";
import { LazyPlot } from "../../ui/lazy";
import { Empty } from "../../ui/feedback";
import { SafeText } from "../../ui/safe_text";
import { Status, type Tone } from "../../ui/status";
import { Table } from "../../ui/table";
import { TimeRangePicker } from "../../ui/time_range";
import { type AgentCourse, courseOf, errorShare, perInvocation, tokensOf, versionName } from "./agent_data";

const DAY = 86_400_000;
/** The statistics cover at most 31 days. */
const LONGEST = 31 * DAY;
const WEEK: TimeRange = { kind: "last", milliseconds: 7 * DAY };
const RANGE = {
  read: (text: string | null): TimeRange => (text === null ? null : parseTimeRange(text)) ?? WEEK,
  write: (range: TimeRange) => (printTimeRange(range) === printTimeRange(WEEK) ? null : printTimeRange(range)),
};
const TONES: Tone[] = ["accent", "tool", "agent", "ok", "info", "error"];
const GRANULARITIES = [300, 900, 1800, 3600, 10_800, 21_600, 43_200, 86_400];
const BUCKETS = 80;

function ofAgent(name: string) {
  return eq(get("agent_name"), name);
}

function useCourse(project: string, name: string, from: number, to: number) {
  return useQuery<AgentCourse>({
    key: ["agent course", project, name, from, to],
    staleTime: 60_000,
    read: async (signal) => {
      const granularity = GRANULARITIES.find((seconds) => (to - from) / 1000 / seconds <= BUCKETS) ?? 86_400;
      const stats = await spanStats({
        project_id: project, start: new Date(from).toISOString(), end: new Date(to).toISOString(), granularity,
        query: { $expr: ofAgent(name) } as never, group_by: [{ source: "field", key: "agent_version" }], group_limit: TONES.length,
        metrics: [
          { alias: "ms", value_type: "number", value: { source: "derived", key: "duration_ms" }, aggregations: ["count"], percentiles: [95] },
          { alias: "errors", value_type: "boolean", value: { source: "derived", key: "is_error" }, aggregations: ["count_true"] },
          { alias: "tokens", value_type: "number", value: { source: "derived", key: "total_tokens" }, aggregations: ["sum"] },
        ],
      }, signal);
      return courseOf(stats, from, to);
    },
  });
}

const VERSION_COLUMNS = (now: number) => [
  { key: "version", title: "Version", wide: true, cell: (row: AgentVersion) => <strong class="agent-name"><SafeText text={versionName(row)} line /></strong> },
  { key: "count", title: "Invocations", number: true, cell: (row: AgentVersion) => formatCount(row.invocation_count) },
  { key: "errors", title: "Errors", number: true, cell: (row: AgentVersion) => <ErrorShare row={row} /> },
  { key: "duration", title: "Span time each", number: true, cell: (row: AgentVersion) => formatDuration(perInvocation(row.total_duration_ms, row)) },
  { key: "tokens", title: "Tokens each", number: true, cell: (row: AgentVersion) => formatCount(Math.round(perInvocation(tokensOf(row), row) ?? 0)) },
  { key: "cost", title: "Cost each", number: true, cell: (row: AgentVersion) => formatCost(perInvocation(row.total_cost_usd, row)) },
  { key: "seen", title: "Last seen", number: true, cell: (row: AgentVersion) => formatShortTime(row.last_seen, now, timeZone.value) },
];

export function ErrorShare({ row }: { row: { error_count: number; span_count: number } }) {
  if (row.error_count === 0) return <span class="faint">0</span>;
  return <span class="ui-tone-error">{formatCount(row.error_count)} · {formatPercent(errorShare(row))}</span>;
}

function Plots({ course, onZoom }: { course: AgentCourse; onZoom: (from: number, to: number) => void }) {
  const formatX = (at: number) => formatTime(at, timeZone.value).slice(5, 16);
  const series = (values: (number | null)[][]) => values.map((list, index) => ({ name: course.versions[index]!, values: list, tone: TONES[index % TONES.length]! }));
  const common = { x: course.x, group: "agent", height: 150, formatX, times: timeZone.value, onZoom: (zoom: [number, number] | null) => zoom && onZoom(...zoom) };
  return (
    <div class="agent-plots">
      <LazyPlot title="Spans" series={series(course.spans)} formatY={formatShort} {...common} />
      <LazyPlot title="Errors" series={series(course.errors)} formatY={formatShort} {...common} />
      <LazyPlot title="Span latency p95" series={series(course.p95)} formatY={formatDuration} {...common} />
      <LazyPlot title="Tokens" series={series(course.tokens)} formatY={formatShort} {...common} />
    </div>
  );
}

export function AgentView({ name }: { name: string }) {
  const { id: project } = useProject();
  const [range, setRange] = useUrlState("range", RANGE);
  const [now] = useState(Date.now);
  useHeading(name, [{ label: name }]);
  const bounds = boundsOf(range, now);
  const to = bounds.to ?? now;
  const from = Math.max(bounds.from ?? 0, to - LONGEST);
  const versions = useQuery({
    key: ["agent versions", project, name],
    read: (signal) => listAgentVersions({ project_id: project, agent_name: name, limit: 100, include_costs: true }, signal),
  });
  const course = useCourse(project, name, from, to);
  const latest = useQuery({
    key: ["agent spans", project, name],
    read: async (signal) => {
      const query = { $expr: all([ofAgent(name), eq(get("operation_name"), "invoke_agent")]) };
      const { spans } = await listSpans({ project_id: project, query: query as never, limit: 15, sort_by: [{ field: "started_at", direction: "desc" }] }, signal);
      return spans as unknown as AgentSpanRow[];
    },
  });
  const columns = useMemo(() => VERSION_COLUMNS(now), [now]);
  if (versions.error?.missing || versions.data?.versions.length === 0) return <Hidden what="agent" />;
  return (
    <Page
      title={<SafeText text={name} line />} width="full"
      actions={<TimeRangePicker value={range} onChange={setRange} zone={timeZone.value} now={now} />}
    >
      <Section title="Versions" lead="All time, the newest first.">
        <Loaded state={versions} what="list of versions" lines={3}>
          {(data) => <div class="card"><Table label="Versions" columns={columns} rows={data.versions} rowKey={versionName} /></div>}
        </Loaded>
      </Section>
      <Section title="Over time" {...(bounds.from === null || to - bounds.from > LONGEST ? { lead: "The last 31 days of the range." } : {})}>
        <Loaded state={course} what="course" lines={8}>
          {(data) => (data.versions.length === 0
            ? <Empty title="No spans in this time" icon="chart"><p>Widen the time range.</p></Empty>
            : <Plots course={data} onZoom={(start, end) => setRange({ kind: "span", from: Math.floor(start), to: Math.ceil(end) })} />)}
        </Loaded>
      </Section>
      <Section title="Latest invocations">
        <Loaded state={latest} what="list of invocations" lines={4}>
          {(rows) => (
            <div class="card">
              <Table
                label="Latest invocations" rows={rows} rowKey={(row) => row.span_id} rowHref={(row) => href(paths.trace(project, row.trace_id))}
                empty="None"
                columns={[
                  { key: "time", title: "Time", cell: (row: AgentSpanRow) => formatShortTime(row.started_at, now, timeZone.value) },
                  { key: "version", title: "Version", cell: (row: AgentSpanRow) => <SafeText text={row.agent_version || "–"} line /> },
                  { key: "status", title: "Status", cell: (row: AgentSpanRow) => <Status state={row.status_code === "ERROR" ? "error" : row.ended_at === null ? "running" : "ok"} /> },
                  { key: "conversation", title: "Conversation", wide: true, cell: (row: AgentSpanRow) => <SafeText text={row.conversation_id || "–"} line /> },
                  { key: "duration", title: "Duration", number: true, cell: (row: AgentSpanRow) => (row.ended_at ? formatDuration(toMilliseconds(row.ended_at) - toMilliseconds(row.started_at)) : "…") },
                ]}
              />
            </div>
          )}
        </Loaded>
      </Section>
    </Page>
  );
}
