// Hooks on @tanstack/query-core: shared reads, old data while new comes, abort on unmount.

import {
  InfiniteQueryObserver,
  type InfiniteData,
  MutationObserver,
  QueryClient,
  type QueryKey,
  QueryObserver,
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

function useRerender(): () => void {
  const [, update] = useState(0);
  return useMemo(() => () => update((count) => count + 1), []);
}

/** Reads something and keeps it up to date. */
export function useQuery<T>(options: QueryOptions<T>): QueryState<T> {
  const { key, read, staleTime, enabled = true, every = false, keep = true } = options;
  const latestRead = useRef(read);
  latestRead.current = read;
  const rerender = useRerender();
  const settings = {
    queryKey: key,
    queryFn: ({ signal }: { signal: AbortSignal }) => latestRead.current(signal),
    enabled,
    refetchInterval: typeof every === "function" ? (query: { state: { data: T | undefined } }) => every(query.state.data) : every,
    ...(staleTime === undefined ? {} : { staleTime }),
    ...(keep ? { placeholderData: keepPreviousData } : {}),
  };
  const [observer] = useState(() => new QueryObserver<T, Error, T, T, QueryKey>(queries, settings as never));
  const result = observer.getOptimisticResult(queries.defaultQueryOptions(settings as never));
  useLayoutEffect(() => observer.subscribe(rerender), [observer]);
  useLayoutEffect(() => observer.setOptions(settings as never));
  return {
    data: result.data as T | undefined,
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
  const { key, read, enabled = true, staleTime } = options;
  const latestRead = useRef(read);
  latestRead.current = read;
  const rerender = useRerender();
  const settings = {
    queryKey: ["pages", ...key],
    queryFn: ({ pageParam, signal }: { pageParam: string; signal: AbortSignal }) => latestRead.current(pageParam, signal),
    initialPageParam: "",
    getNextPageParam: (page: Page<T>) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    enabled,
    ...(staleTime === undefined ? {} : { staleTime }),
  };
  const [observer] = useState(
    () => new InfiniteQueryObserver<Page<T>, Error, InfiniteData<Page<T>>, QueryKey, string>(queries, settings as never),
  );
  const result = observer.getOptimisticResult(queries.defaultQueryOptions(settings as never) as never);
  useLayoutEffect(() => observer.subscribe(rerender), [observer]);
  useLayoutEffect(() => observer.setOptions(settings as never));
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
  const rerender = useRerender();
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
  useLayoutEffect(() => observer.subscribe(rerender), [observer]);
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
