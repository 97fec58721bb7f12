// The cursor of a grid: the row that the keyboard moves. It is marked in the document directly, because rendering the
// grid to move a mark from one row to the next takes several times as long as the mark itself.

import type { RefObject } from "preact";
import { useCallback, useLayoutEffect, useRef } from "preact/hooks";

export interface GridCursorOptions {
  scroller: RefObject<HTMLElement | null>;
  rowId: (index: number) => string;
  count: number;
  /** The row of the owner, if it keeps the cursor itself. */
  owned: number | undefined;
  startAt: number | undefined;
  onMove: ((index: number) => void) | undefined;
}

export interface GridCursor {
  at: () => number;
  moveTo: (index: number) => void;
}

export function useGridCursor({ scroller, rowId, count, owned, startAt = 0, onMove }: GridCursorOptions): GridCursor {
  const own = useRef(startAt);
  const marked = useRef<HTMLElement | null>(null);
  const latest = useRef({ rowId, count, owned, onMove });
  latest.current = { rowId, count, owned, onMove };

  const at = useCallback(() => Math.min(latest.current.owned ?? own.current, Math.max(0, latest.current.count - 1)), []);
  const mark = useCallback(() => {
    const row = document.getElementById(latest.current.rowId(at()));
    if (marked.current !== row) marked.current?.classList.remove("ui-active");
    marked.current = row;
    row?.classList.add("ui-active");
    if (row) scroller.current?.setAttribute("aria-activedescendant", row.id);
    else scroller.current?.removeAttribute("aria-activedescendant");
  }, [at, scroller]);
  const moveTo = useCallback((index: number) => {
    own.current = index;
    latest.current.onMove?.(index);
    mark();
  }, [mark]);

  // After every rendering: the row may be a new element, or may have lost the mark with another change of its classes.
  useLayoutEffect(mark);
  return { at, moveTo };
}
