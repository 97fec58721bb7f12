// The visible rows of a list with rows of one height. Arithmetic instead of a library: a million rows need no memory,
// and the list may be higher than the browser's largest element.

import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { ScrollMap } from "./scroll_map.ts";

export interface VirtualRows {
  scroller: RefObject<HTMLDivElement | null>;
  /** The height of the element that contains the rows. */
  height: number;
  /** The visible rows, with a few more: [first, last). */
  first: number;
  last: number;
  /**
   * The vertical position of a row in that element. It does not change while the list scrolls (unless the list is higher
   * than an element can be), so that the browser lays out and paints new rows alone.
   */
  topOf: (row: number) => number;
  onScroll: () => void;
  /** Scrolls as little as is needed to show a row. */
  show: (row: number, where?: "nearest" | "center" | "start") => void;
  /** The number of whole rows on the screen. */
  pageSize: () => number;
}

export interface VirtualRowsOptions {
  count: number;
  rowHeight: number;
  /** The height of what sticks at the top and covers rows. */
  headerHeight?: number;
  overscan?: number;
}

interface Window {
  first: number;
  last: number;
  shift: number;
}

const SETTLE_MILLISECONDS = 160;

export function useVirtualRows({ count, rowHeight, headerHeight = 0, overscan = 8 }: VirtualRowsOptions): VirtualRows {
  const scroller = useRef<HTMLDivElement>(null);
  const map = useRef<ScrollMap>(null as unknown as ScrollMap);
  map.current ??= new ScrollMap();
  const timer = useRef(0);
  const [viewport, setViewport] = useState(0);
  const total = count * rowHeight;

  const measure = useCallback((): Window => {
    map.current.resize(total, Math.max(0, viewport - headerHeight));
    const { position, shift } = map.current;
    // Steps of several rows: fewer frames with new rows while scrolling, at the cost of a few more rows. Much of what a frame
    // with new rows takes does not depend on their number. A list that was not scrolled has fewer.
    const step = Math.max(1, position === 0 ? overscan >> 1 : overscan);
    const start = Math.floor(position / rowHeight / step) * step;
    const shown = Math.ceil(viewport / rowHeight) + step;
    // A list that was not scrolled needs no rows in advance: it is on the screen earlier.
    const ahead = start === 0 ? 0 : overscan;
    return { first: Math.max(0, start - overscan), last: Math.min(count, start + shown + ahead), shift };
  }, [count, total, rowHeight, viewport, headerHeight, overscan]);

  const [, render] = useState(0);
  const current = useRef<Window>({ first: 0, last: 0, shift: 0 });
  current.current = measure();

  const refresh = useCallback(() => {
    const next = measure();
    const { first, last, shift } = current.current;
    if (next.first !== first || next.last !== last || next.shift !== shift) render((value) => value + 1);
  }, [measure]);

  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    map.current.scrolled(element.scrollTop);
    refresh();
    if (!map.current.compressed) return;
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      const settled = map.current.settled();
      if (settled === null) return;
      refresh();
      element.scrollTop = settled;
    }, SETTLE_MILLISECONDS);
  }, [refresh]);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    // The observer also reports the first height. Reading it here would make the browser lay out the page once more.
    const observer = new ResizeObserver(() => setViewport(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => () => window.clearTimeout(timer.current), []);

  const show = useCallback((row: number, where: "nearest" | "center" | "start" = "nearest") => {
    const element = scroller.current;
    if (!element) return;
    const height = element.clientHeight - headerHeight;
    const top = row * rowHeight;
    const { position } = map.current;
    let target = position;
    if (where === "start") target = top;
    else if (where === "center") target = top - (height - rowHeight) / 2;
    else if (top < position) target = top;
    else if (top + rowHeight > position + height) target = top + rowHeight - height;
    if (target === position) return;
    element.scrollTop = map.current.moveTo(target);
    refresh();
  }, [rowHeight, headerHeight, refresh]);

  const pageSize = useCallback(() => {
    const height = (scroller.current?.clientHeight ?? 0) - headerHeight;
    return Math.max(1, Math.floor(height / rowHeight) - 1);
  }, [rowHeight, headerHeight]);

  const { first, last, shift } = current.current;
  const topOf = (row: number) => row * rowHeight + shift;
  return { scroller, height: map.current.height, first, last, topOf, onScroll, show, pageSize };
}
