// Conversations: the list, and one of them as a chat.

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";

import { usePages } from "../../api/cache";
import { useLive } from "../../api/live";
import { type Thread, listThreads } from "../../api/traces";
import { href, paths } from "../../app/location";
import { Hidden } from "../../app/not_found";
import { setPreferences, timeZone } from "../../app/preferences";
import { type ScreenProps, useHeading, useProject } from "../../app/screen";
import { useShortcut } from "../../app/shortcuts";
import { toastError } from "../../app/toasts";
import { codecs, useUrlState } from "../../app/url_state";
import { formatDuration } from "../../format/durations";
import { formatCount, plural } from "../../format/numbers";
import { formatExactTime, formatShortTime } from "../../format/time";
import { ALL_TIME, boundsOf, parseTimeRange, printTimeRange, type TimeRange } from "../../format/time_range";
import { Button } from "../../ui/button";
import { Empty, ErrorNote, Skeleton } from "../../ui/feedback";
import { TextInput } from "../../ui/inputs";
import type { GridColumn } from "../../ui/list/columns";
import { DataGrid, type GridHandle } from "../../ui/list/data_grid";
import type { GridSort } from "../../ui/list/grid_header";
import { SafeText } from "../../ui/safe_text";
import { SplitPane } from "../../ui/split_pane";
import { TimeRangePicker } from "../../ui/time_range";
import { ThreadView } from "./thread_view";

const PAGE = 200;
const TEXT = codecs.text();
const RANGE = {
  read: (text: string | null): TimeRange => (text === null ? null : parseTimeRange(text)) ?? ALL_TIME,
  write: (range: TimeRange) => (range.kind === "all" ? null : printTimeRange(range)),
};
const FIELDS: Record<string, string> = { updated: "last_updated", turns: "turn_count", p50: "p50_turn_duration_ms", p99: "p99_turn_duration_ms", thread: "thread_id" };
const SORT = {
  read(text: string | null): GridSort {
    const [key = "", order] = (text ?? "").split(":");
    return Object.hasOwn(FIELDS, key) ? { key, descending: order !== "asc" } : { key: "updated", descending: true };
  },
  write: ({ key, descending }: GridSort) => (key === "updated" && descending ? null : `${key}:${descending ? "desc" : "asc"}`),
};

const SNIPPET = `import weave

with weave.thread("conversation-17"):
    answer(question)   # each call here is a turn`;

const CURL = (project: string) => `curl $URL/v2/${project}/calls/complete -u api:$KEY -d '{"batch": [{ …,
  "thread_id": "conversation-17", "turn_id": "<id of the call>" }]}'`;

function columnsOf(zone: "utc" | "local", now: number): GridColumn<Thread>[] {
  return [
    { key: "thread", title: "Conversation", width: 184, grow: true, sortable: true, fixed: true, cell: (row) => <SafeText text={row.thread_id} line /> },
    { key: "updated", title: "Last turn", width: 116, sortable: true, cell: (row) => <span title={formatExactTime(row.last_updated, zone)}>{formatShortTime(row.last_updated, now, zone)}</span> },
    { key: "turns", title: "Turns", width: 64, number: true, sortable: true, cell: (row) => formatCount(row.turn_count) },
    { key: "p50", title: "Turn p50", width: 88, number: true, sortable: true, cell: (row) => formatDuration(row.p50_turn_duration_ms) },
    { key: "p99", title: "Turn p99", width: 88, number: true, sortable: true, cell: (row) => formatDuration(row.p99_turn_duration_ms) },
  ];
}

export default function Threads({ params }: ScreenProps) {
  const { id: project } = useProject();
  const thread = params.id ?? "";
  const [range, setRange] = useUrlState("range", RANGE);
  const [sort, setSort] = useUrlState("sort", SORT);
  const [find, setFind] = useUrlState("find", TEXT);
  const [now, setNow] = useState(Date.now);
  const [fresh, setFresh] = useState(false);
  const grid = useRef<GridHandle>(null);
  const input = useRef<HTMLInputElement>(null);
  useHeading(thread || "Threads", thread ? [{ label: thread }] : []);
  const bounds = boundsOf(range, now);
  const pages = usePages<Thread>({
    key: ["threads", project, printTimeRange(range), sort, now],
    staleTime: 60_000,
    read: async (cursor, signal) => {
      const offset = Number(cursor || 0);
      const items = await listThreads({
        project_id: project, limit: PAGE, offset,
        filter: {
          ...(bounds.from === null ? {} : { after_datetime: new Date(bounds.from).toISOString() }),
          ...(bounds.to === null ? {} : { before_datetime: new Date(bounds.to).toISOString() }),
        },
        sort_by: [{ field: FIELDS[sort.key] ?? "last_updated", direction: sort.descending ? "desc" : "asc" }],
      }, signal);
      return { items, next_cursor: items.length === PAGE ? String(offset + PAGE) : null };
    },
  });
  useLive("calls", project, () => setFresh(true));
  useEffect(() => setFresh(false), [now]);
  const shown = useMemo(() => {
    const wanted = find.trim().toLowerCase();
    return wanted === "" ? pages.items : pages.items.filter(({ thread_id }) => thread_id.toLowerCase().includes(wanted));
  }, [pages.items, find]);
  const zone = timeZone.value;
  const columns = useMemo(() => columnsOf(zone, now), [zone, now]);
  const search = location.search;
  const rowHref = useCallback((row: Thread) => `${href(paths.threads(project, row.thread_id))}${search}`, [project, search]);
  const active = shown.findIndex(({ thread_id }) => thread_id === thread);
  const group = "Threads";
  useShortcut({ keys: "/", label: "Find a conversation", group }, () => input.current?.focus());
  useShortcut({ keys: "j", label: "Next row", group }, () => { grid.current?.focus(); grid.current?.move(1); });
  useShortcut({ keys: "k", label: "Previous row", group }, () => { grid.current?.focus(); grid.current?.move(-1); });
  if (pages.error?.missing && pages.items.length === 0) return <Hidden what="project" />;
  const filtered = find.trim() !== "" || range.kind !== "all";
  const list = (
    <div class="threads-list">
      <div class="threads-bar">
        <span class="threads-find">
          <TextInput value={find} onInput={(text) => setFind(text, { replace: true })} icon="search" label="Find a conversation" placeholder="Find by id" inputRef={input} />
        </span>
        <span class="faint" role="status">{pages.loading ? "" : `${plural(shown.length, "conversation")}${pages.hasMore ? " loaded" : ""}`}</span>
        <span class="ui-grow" />
        {pages.hasMore && <Button small kind="quiet" busy={pages.loadingMore} onClick={pages.more}>Load more</Button>}
        <TimeRangePicker
          value={range} onChange={setRange} zone={zone} now={now}
          onZone={(next) => void setPreferences({ timeZone: next }).catch((error: unknown) => toastError("The zone was not stored", error))}
        />
        <Button kind={fresh ? "normal" : "quiet"} icon="refresh" label={fresh ? "New turns. Read again" : "Read again"} onClick={() => setNow(Date.now())} />
      </div>
      {pages.error && <ErrorNote title="The conversations could not be read" message={pages.error.message} requestId={pages.error.requestId} onRetry={pages.refetch} retrying={pages.refetching} />}
      {pages.loading && <Skeleton lines={12} label="Loading conversations" />}
      {!pages.loading && !pages.error && shown.length === 0 && (filtered
        ? <Empty title="No conversation matches" icon="chat" actions={<Button onClick={() => { setFind(""); setRange(ALL_TIME); }}>Show all</Button>}><p>Widen the time, or clear the text.</p></Empty>
        : (
          <Empty title="No conversations yet" icon="chat" snippets={[{ title: "Python", text: SNIPPET }, { title: "curl", text: CURL(project) }]}>
            <p>Calls with the same thread id are one conversation. Agents that send gen_ai.conversation.id appear here by themselves.</p>
          </Empty>
        ))}
      {shown.length > 0 && (
        <div class="threads-grid">
          <DataGrid
            label="Conversations" columns={columns} count={shown.length} rowAt={(index) => shown[index]} rowKey={(row) => row.thread_id} rowHref={rowHref}
            sort={sort} onSort={setSort} handle={grid} {...(active >= 0 ? { active } : {})}
            onRange={(_, last) => { if (last > pages.items.length - 40) pages.more(); }}
          />
        </div>
      )}
    </div>
  );
  return (
    <div class="threads">
      <h1 class="visually-hidden">Threads</h1>
      <SplitPane
        name="threads" label="Width of the list" initial={44} min={25} first={list}
        second={thread === "" ? null : <ThreadView key={thread} thread={thread} onClose={`${href(paths.threads(project))}${search}`} />}
      />
    </div>
  );
}
