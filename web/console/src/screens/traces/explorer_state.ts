// The state of the explorer: filter, range, order, columns. All of it is in the address.

import { useMemo, useState } from "preact/hooks";

import type { CallsFilter, SortBy } from "../../api/calls";
import { timeZone } from "../../app/preferences";
import { codecs, setUrlState, useUrlState, type Codec } from "../../app/url_state";
import { LAST_DAY, type TimeRange, boundsOf, parseTimeRange, printTimeRange } from "../../format/time_range";
import { callQuery, readFilter } from "../../query/compile";
import type { CallQuery } from "../../query/expression";
import type { Filter, FilterError } from "../../query/tree";
import type { ColumnLayout } from "../../ui/list/columns";
import type { GridSort } from "../../ui/list/grid_header";

export type Scope = "roots" | "all";

/** Fields of the server by the key of the column. */
export const SORT_FIELDS: Readonly<Record<string, string>> = {
  time: "started_at",
  name: "summary.svc.trace_name",
  latency: "summary.svc.latency_ms",
};

export const NEWEST_FIRST: GridSort = { key: "time", descending: true };

export const rangeCodec: Codec<TimeRange> = {
  read: (text) => (text === null ? null : parseTimeRange(text)) ?? LAST_DAY,
  write: (range) => (printTimeRange(range) === printTimeRange(LAST_DAY) ? null : printTimeRange(range)),
};

export const sortCodec: Codec<GridSort> = {
  read(text) {
    const [key = "", order] = (text ?? "").split(":");
    return key in SORT_FIELDS ? { key, descending: order !== "asc" } : NEWEST_FIRST;
  },
  write: ({ key, descending }) =>
    key === NEWEST_FIRST.key && descending ? null : `${key}:${descending ? "desc" : "asc"}`,
};

/** Layouts are few short words: `shown` columns, `hidden` ones, order and widths, each only where it was changed. */
export const layoutCodec: Codec<ColumnLayout> = {
  read(text) {
    if (!text) return {};
    try {
      const { o, h, s, w } = JSON.parse(text) as Record<string, unknown>;
      const texts = (value: unknown) => (Array.isArray(value) ? value.filter((item) => typeof item === "string").slice(0, 64) : []);
      const widths = Object.entries(typeof w === "object" && w !== null ? w : {}).filter(([, width]) => typeof width === "number");
      return {
        ...(o ? { order: texts(o) } : {}),
        ...(h ? { hidden: texts(h) } : {}),
        ...(s ? { shown: texts(s) } : {}),
        ...(widths.length > 0 ? { widths: Object.fromEntries(widths.slice(0, 64)) as Record<string, number> } : {}),
      };
    } catch {
      return {};
    }
  },
  write({ order = [], hidden = [], shown = [], widths = {} }) {
    const members = {
      ...(order.length > 0 ? { o: order } : {}),
      ...(hidden.length > 0 ? { h: hidden } : {}),
      ...(shown.length > 0 ? { s: shown } : {}),
      ...(Object.keys(widths).length > 0 ? { w: widths } : {}),
    };
    return Object.keys(members).length === 0 ? null : JSON.stringify(members);
  },
};

/** The names in the address that a saved view holds. */
export const VIEW_NAMES = ["q", "range", "scope", "sort", "cols"] as const;

/** Returns the part of a query string that a saved view holds, in a fixed order. */
export function viewSearch(search: string): string {
  const from = new URLSearchParams(search);
  const to = new URLSearchParams();
  for (const name of VIEW_NAMES) {
    const value = from.get(name);
    if (value) to.set(name, value);
  }
  return to.toString();
}

/** Replaces what a view holds by the view's own state. */
export function openView(search: string, id: string): void {
  const from = new URLSearchParams(search);
  setUrlState({ ...Object.fromEntries(VIEW_NAMES.map((name) => [name, from.get(name)])), view: id, peek: null, sel: null });
}

/** The moment that "last 24 h" counts from, by project. It stays while one looks at a trace and comes back. */
const moments = new Map<string, number>();
const MOMENT_MS = 600_000;

function momentOf(project: string): number {
  const known = moments.get(project);
  if (known !== undefined && Date.now() - known < MOMENT_MS) return known;
  const now = Date.now();
  moments.set(project, now);
  return now;
}

export interface Explorer {
  project: string;
  text: string;
  filter: Filter | null;
  error: FilterError | null;
  range: TimeRange;
  bounds: { from: number | null; to: number | null };
  now: number;
  scope: Scope;
  sort: GridSort;
  layout: ColumnLayout;
  query: CallQuery | undefined;
  callsFilter: CallsFilter;
  sortBy: SortBy[];
  setText: (text: string) => void;
  setRange: (range: TimeRange) => void;
  setScope: (scope: Scope) => void;
  setSort: (sort: GridSort) => void;
  setLayout: (layout: ColumnLayout) => void;
  /** Reads everything again, with new calls at the top. */
  refresh: () => void;
}

const SCOPE = codecs.oneOf<Scope>("roots", "all");

export function useExplorer(project: string): Explorer {
  const [text, setText] = useUrlState("q", codecs.text());
  const [range, setRange] = useUrlState("range", rangeCodec);
  const [scope, setScope] = useUrlState("scope", SCOPE);
  const [sort, setSort] = useUrlState("sort", sortCodec);
  const [layout, setLayout] = useUrlState("cols", layoutCodec);
  const [now, setNow] = useState(() => momentOf(project));
  const zone = timeZone.value;
  const compiled = useMemo(() => {
    const options = { zone, now };
    const { filter, error } = readFilter(text, options);
    const bounds = boundsOf(range, now);
    return { filter, error, bounds, query: callQuery(filter, bounds, options) };
  }, [text, range, now, zone]);
  return {
    project, text, range, scope, sort, layout, now, ...compiled,
    callsFilter: scope === "roots" ? { trace_roots_only: true } : {},
    sortBy: [{ field: SORT_FIELDS[sort.key] ?? "started_at", direction: sort.descending ? "desc" : "asc" }],
    setText: (next) => setText(next),
    setRange: (next) => setRange(next),
    setScope: (next) => setScope(next),
    setSort: (next) => setSort(next),
    setLayout: (next) => setLayout(next, { replace: true }),
    refresh: () => {
      const next = Date.now();
      moments.set(project, next);
      setNow(next);
    },
  };
}
