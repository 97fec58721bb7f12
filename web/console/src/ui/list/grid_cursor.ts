// The cursor of a grid: the row that the keyboard moves. One element is placed over that row directly: rendering the grid, or
// changing the classes of two rows and painting them again, takes several times as long.

import type { RefObject } from "preact";
import { useCallback, useLayoutEffect, useRef } from "preact/hooks";

export interface GridCursorOptions {
  scroller: RefObject<HTMLElement | null>;
  rowId: (index: number) => string;
  count: number;
  /** The rows that are drawn, and where: as useVirtualRows() returns them. */
  rows: { first: number; last: number; topOf: (index: number) => number };
  /** The row of the owner, if it keeps the cursor itself. */
  owned: number | undefined;
  startAt: number | undefined;
  onMove: ((index: number) => void) | undefined;
}

export interface GridCursor {
  /** The element that marks the row; it lies above the rows and in the same container. */
  element: RefObject<HTMLDivElement | null>;
  at: () => number;
  moveTo: (index: number) => void;
}

export function useGridCursor({ scroller, rowId, count, rows, owned, startAt = 0, onMove }: GridCursorOptions): GridCursor {
  const own = useRef(startAt);
  const element = useRef<HTMLDivElement>(null);
  const latest = useRef({ rowId, count, rows, owned, onMove });
  latest.current = { rowId, count, rows, owned, onMove };

  const at = useCallback(() => Math.min(latest.current.owned ?? own.current, Math.max(0, latest.current.count - 1)), []);
  const mark = useCallback(() => {
    if (!element.current || !scroller.current) return;
    const index = at();
    const { first, last, topOf } = latest.current.rows;
    const drawn = index >= first && index < last;
    element.current.hidden = !drawn;
    if (!drawn) {
      scroller.current.removeAttribute("aria-activedescendant");
      return;
    }
    element.current.style.transform = `translateY(${topOf(index)}px)`;
    scroller.current.setAttribute("aria-activedescendant", latest.current.rowId(index));
  }, [at, scroller]);
  const moveTo = useCallback((index: number) => {
    own.current = index;
    latest.current.onMove?.(index);
    mark();
  }, [mark]);

  // After every rendering: other rows may be drawn, or rows elsewhere.
  useLayoutEffect(mark);
  return { element, at, moveTo };
}
