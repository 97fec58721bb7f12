// The pages of the explorer's list, and how many calls match.

import { useCallback, useEffect, useMemo, useRef } from "preact/hooks";

import { type PagesState, type QueryState, usePages, useQuery } from "../../api/cache";
import { type CallRow, type CallsStats, countCalls, listCalls } from "../../api/calls";
import { rememberList } from "../shared_calls/neighbours";
import { serverColumns } from "./columns";
import type { Explorer } from "./explorer_state";

const PAGE = 100;
const PREVIEW_BYTES = 512;
/** Rows from the end of what is loaded at which the next page is read. */
const AHEAD = 40;
/** Rows that stand for those that are not loaded yet. */
const MORE_ROWS = 20;
export const MOST_COUNTED = 10_000;

export interface CallList {
  pages: PagesState<CallRow>;
  total: QueryState<CallsStats>;
  count: number;
  rowAt: (index: number) => CallRow | undefined;
  onRange: (first: number, last: number) => void;
}

/** Returns the address parts of a row: its trace, and the call when it is not the root. */
export function placeOf(call: CallRow): { trace: string; span: string | null } {
  return { trace: call.trace_id ?? call.id, span: call.parent_id ? call.id : null };
}

/** `counted`: whether the number of calls may be read. */
export function useCallList(explorer: Explorer, keys: readonly string[], counted: boolean): CallList {
  const { project, query, callsFilter, sortBy, now, error } = explorer;
  const columns = serverColumns(keys);
  const pages = usePages<CallRow>({
    key: ["calls", project, query, callsFilter, sortBy, columns, now],
    enabled: error === null,
    // Rows do not move while someone reads; new ones come by choice.
    staleTime: Infinity,
    read: (cursor, signal) => listCalls({
      project_id: project,
      filter: callsFilter,
      query: query ?? null,
      sort_by: sortBy,
      limit: PAGE,
      columns,
      preview_bytes: PREVIEW_BYTES,
      include_costs: true,
      include_usernames: keys.includes("user"),
      include_feedback: keys.includes("feedback"),
      ...(cursor === "" ? {} : { cursor }),
    }, signal),
  });
  const total = useQuery({
    key: ["calls count", project, query, callsFilter, now],
    enabled: counted && error === null,
    staleTime: Infinity,
    read: (signal) => countCalls({ project_id: project, filter: callsFilter, query: query ?? null, limit: MOST_COUNTED }, signal),
  });
  const { items, hasMore } = pages;
  const latest = useRef(pages);
  latest.current = pages;
  const rowAt = useCallback((index: number) => items[index], [items]);
  const onRange = useCallback((_first: number, last: number) => {
    const { items: loaded, hasMore: more, loadingMore } = latest.current;
    if (more && !loadingMore && last + AHEAD > loaded.length) latest.current.more();
  }, [items.length]);
  const rows = useMemo(() => items.map(placeOf), [items]);
  useEffect(() => rememberList(project, location.search, rows), [project, rows, location.search]);
  return { pages, total, count: items.length + (hasMore ? MORE_ROWS : 0), rowAt, onRange };
}
