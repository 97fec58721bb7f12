// Long lists that are read by position: the visible parts are loaded, the others are placeholders.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";

import { type ApiError, asApiError, isAbort } from "../../api/errors";

export interface WindowOptions<Row> {
  /** Another key starts a new list. */
  key: string;
  /** The number of rows of a read. */
  size?: number;
  read: (offset: number, limit: number, signal: AbortSignal) => Promise<Row[]>;
}

export interface WindowState<Row> {
  rowAt: (index: number) => Row | undefined;
  /** Pass it to the grid: loads the rows [first, last). */
  onRange: (first: number, last: number) => void;
  error: ApiError | null;
  retry: () => void;
  /** Changes when rows have come. */
  version: number;
}

export function useWindows<Row>({ key, size = 100, read }: WindowOptions<Row>): WindowState<Row> {
  const pages = useRef(new Map<number, Row[] | "loading">());
  const latest = useRef(read);
  latest.current = read;
  const abort = useRef(new AbortController());
  const [version, setVersion] = useState(0);
  const [error, setError] = useState<ApiError | null>(null);
  const range = useRef<[number, number]>([0, 1]);

  const load = useCallback((first: number, last: number) => {
    for (let page = Math.floor(first / size); page * size < last; page++) {
      if (pages.current.has(page)) continue;
      const mine = pages.current;
      mine.set(page, "loading");
      latest.current(page * size, size, abort.current.signal).then(
        (rows) => {
          mine.set(page, rows);
          if (mine === pages.current) setVersion((count) => count + 1);
        },
        (thrown: unknown) => {
          mine.delete(page);
          if (!isAbort(thrown) && mine === pages.current) setError(asApiError(thrown));
        },
      );
    }
  }, [size]);

  useEffect(() => {
    pages.current = new Map();
    abort.current = new AbortController();
    setError(null);
    setVersion((count) => count + 1);
    load(...range.current);
    return () => abort.current.abort();
  }, [key, load]);

  const onRange = useCallback((first: number, last: number) => {
    range.current = [first, last];
    if (last > first) load(first, last);
  }, [load]);
  const rowAt = useCallback((index: number) => {
    const page = pages.current.get(Math.floor(index / size));
    return Array.isArray(page) ? page[index % size] : undefined;
  }, [size, version]);
  const retry = useCallback(() => {
    setError(null);
    load(...range.current);
  }, [load]);
  return { rowAt, onRange, error, retry, version };
}
