// Hooks on @tanstack/query-core: shared reads, old data while new comes, abort on unmount.

import {
  InfiniteQueryObserver,
  type InfiniteData,
  MutationObserver,
  QueryClient,
  type QueryKey,
  QueryObserver,
  hashKey,
  keepPreviousData,
} from "@tanstack/query-core";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { type ApiError, asApiError } from "./errors";
import type { Page } from "./paging";

/** Retries are the client's (client.ts), which knows Retry-After. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: 5_000, gcTime: 300_000, refetchOnWindowFocus: false, networkMode: "always" },
    mutations: { retry: false, networkMode: "always" },
  },
});

export interface QueryOptions<T> {
  /** Names what is read: equal keys share one read. By convention [area, project, …arguments]. */
  key: QueryKey;
  read: (signal: AbortSignal) => Promise<T>;
  /** Milliseconds during which data counts as fresh. */
  staleTime?: number;
  /** False: nothing is read. */
  enabled?: boolean;
  /** Milliseconds between reads while the screen is shown. A function sees the newest data; false stops. */
  every?: number | false | ((data: T | undefined) => number | false);
  /** False: data of another key is not shown while the new one loads. */
  keep?: boolean;
}

export interface QueryState<T> {
  data: T | undefined;
  error: ApiError | null;
  /** True until there is something to show. */
  loading: boolean;
  /** True while newer data is read. */
  refetching: boolean;
  /** True while `data` belongs to the previous key. */
  outdated: boolean;
  refetch: () => void;
}

/** A result says that it is being read from the first rendering on, which saves the second one. */
const READ_AT_ONCE = { _optimisticResults: "optimistic" } as const;

function intervalOf<T>(every: QueryOptions<T>["every"], data: T | undefined): number | false {
  return typeof every === "function" ? every(data) : (every ?? false);
}

/** What components see of a result. */
const SHOWN = ["data", "error", "isPending", "isFetching", "isPlaceholderData", "hasNextPage", "isFetchingNextPage"] as const;

type Result = Partial<Record<(typeof SHOWN)[number], unknown>>;

interface Observer<Settings, Seen> {
  getOptimisticResult(settings: Settings): Seen;
  setOptions(settings: Settings): void;
  subscribe(listener: (result: Seen) => void): () => void;
}

/** Returns the newest result, and renders again when something changes that components see: the time of a read, for example, is not. */
function useResult<Settings, Seen extends Result>(observer: Observer<Settings, Seen>, settings: Settings): Seen {
  const [, update] = useState(0);
  const result = observer.getOptimisticResult(settings);
  const shown = useRef(result);
  shown.current = result;
  useLayoutEffect(() => observer.subscribe((next) => {
    if (SHOWN.some((member) => next[member] !== shown.current[member])) update((count) => count + 1);
  }), [observer]);
  useLayoutEffect(() => observer.setOptions(settings), [observer, settings]);
  return result;
}

/** Reads something and keeps it up to date. */
export function useQuery<T>(options: QueryOptions<T>): QueryState<T> {
  const { key, staleTime, enabled = true, every = false, keep = true } = options;
  const latest = useRef(options);
  latest.current = options;
  const queryHash = hashKey(key);
  const dynamic = typeof every === "function";
  // The same object while nothing of it changes: a component is rendered far more often than it asks for something else.
  const settings = useMemo(() => queries.defaultQueryOptions<T, Error, T, T, QueryKey>({
    ...READ_AT_ONCE,
    queryKey: key,
    queryHash,
    queryFn: ({ signal }) => latest.current.read(signal),
    enabled,
    refetchInterval: dynamic ? (query) => intervalOf(latest.current.every, query.state.data) : every,
    ...(staleTime === undefined ? {} : { staleTime }),
    ...(keep ? { placeholderData: keepPreviousData as never } : {}),
  }), [queryHash, enabled, dynamic || every, staleTime, keep]);
  const [observer] = useState(() => new QueryObserver<T, Error, T, T, QueryKey>(queries, settings));
  const result = useResult(observer, settings);
  return {
    data: result.data,
    error: result.error ? asApiError(result.error) : null,
    loading: enabled && result.isPending,
    refetching: result.isFetching && !result.isPending,
    outdated: result.isPlaceholderData,
    refetch: () => void observer.refetch(),
  };
}

export interface PagesState<T> {
  items: T[];
  error: ApiError | null;
  loading: boolean;
  refetching: boolean;
  hasMore: boolean;
  loadingMore: boolean;
  more: () => void;
  refetch: () => void;
}

/** Reads a list page by page: `read` gets the cursor of the page ("" for the first). */
export function usePages<T>(options: {
  key: QueryKey;
  read: (cursor: string, signal: AbortSignal) => Promise<Page<T>>;
  enabled?: boolean;
  staleTime?: number;
}): PagesState<T> {
  const { key, enabled = true, staleTime } = options;
  const latest = useRef(options);
  latest.current = options;
  const queryKey = ["pages", ...key];
  const queryHash = hashKey(queryKey);
  const settings = useMemo(() => queries.defaultQueryOptions({
    ...READ_AT_ONCE,
    queryKey,
    queryHash,
    queryFn: ({ pageParam, signal }: { pageParam: string; signal: AbortSignal }) => latest.current.read(pageParam, signal),
    initialPageParam: "",
    getNextPageParam: (page: Page<T>) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    enabled,
    ...(staleTime === undefined ? {} : { staleTime }),
  } as never) as never, [queryHash, enabled, staleTime]);
  const [observer] = useState(
    () => new InfiniteQueryObserver<Page<T>, Error, InfiniteData<Page<T>>, QueryKey, string>(queries, settings),
  );
  const result = useResult(observer, settings);
  const { data } = result;
  const items = useMemo(() => (data ? data.pages.flatMap((page) => page.items) : []), [data]);
  return {
    items,
    error: result.error ? asApiError(result.error) : null,
    loading: enabled && result.isPending,
    refetching: result.isFetching && !result.isPending,
    hasMore: result.hasNextPage,
    loadingMore: result.isFetchingNextPage,
    more: () => {
      if (observer.getCurrentResult().hasNextPage && !observer.getCurrentResult().isFetching) void observer.fetchNextPage();
    },
    refetch: () => void observer.refetch(),
  };
}

export interface MutationState<V, T> {
  /** Runs the change. Resolves with its result; rejects with ApiError. */
  run: (variables: V) => Promise<T>;
  pending: boolean;
  error: ApiError | null;
  data: T | undefined;
  reset: () => void;
}

/** Changes something, then marks the reads of `invalidates` (beginnings of keys) as out of date. */
export function useMutation<V = void, T = unknown>(options: {
  change: (variables: V) => Promise<T>;
  invalidates?: readonly QueryKey[];
  done?: (result: T, variables: V) => void;
}): MutationState<V, T> {
  const latest = useRef(options);
  latest.current = options;
  const [, update] = useState(0);
  const [observer] = useState(
    () =>
      new MutationObserver<T, Error, V>(queries, {
        mutationFn: (variables) => latest.current.change(variables),
        onSuccess: async (result, variables) => {
          await Promise.all((latest.current.invalidates ?? []).map(invalidate));
          latest.current.done?.(result, variables);
        },
      }),
  );
  useLayoutEffect(() => observer.subscribe(() => update((count) => count + 1)), [observer]);
  const result = observer.getCurrentResult();
  return {
    run: (variables) =>
      observer.mutate(variables).catch((error: unknown) => {
        throw asApiError(error);
      }),
    pending: result.isPending,
    error: result.error ? asApiError(result.error) : null,
    data: result.data,
    reset: () => observer.reset(),
  };
}

/** Marks reads whose key begins with `key` as out of date; the ones on screen are read again. */
export async function invalidate(key: QueryKey): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: key }),
    queries.invalidateQueries({ queryKey: ["pages", ...key] }),
  ]);
}
