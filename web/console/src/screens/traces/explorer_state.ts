// The state of the explorer: filter, range, order, columns. All of it is in the address.

import { useMemo, useState } from "preact/hooks";

import type { CallsFilter, SortBy } from "../../api/calls";
import { timeZone } from "../../app/preferences";
import { codecs, setUrlState, useUrlState } from "../../app/url_state";
import { type TimeRange, boundsOf } from "../../format/time_range";
import { callQuery, readFilter } from "../../query/compile";
import type { CallQuery } from "../../query/expression";
import type { Filter, FilterError } from "../../query/tree";
import type { ColumnLayout } from "../../ui/list/columns";
import type { GridSort } from "../../ui/list/grid_header";
import { SORT_FIELDS, VIEW_NAMES, layoutCodec, rangeCodec, sortCodec } from "./explorer_codecs";

export type Scope = "roots" | "all";

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
