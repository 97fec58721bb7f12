// A grid of any length: rows are links, the keyboard moves a cursor, x selects, Shift extends.

import type { RefObject } from "preact";
import { useCallback, useEffect, useId, useImperativeHandle, useMemo, useRef } from "preact/hooks";

import { classes } from "../class_names.ts";
import { type ColumnLayout, type GridColumn, gridTemplate, gridWidth, visibleColumns } from "./columns.ts";
import { useGridCursor } from "./grid_cursor.ts";
import { GridHeader, type GridSort } from "./grid_header.tsx";
import { memo } from "../memo.ts";
import { ScrollShield } from "./scroll_shield.tsx";
import { useVirtualRows } from "./virtual_rows.ts";

export interface GridHandle {
  focus: () => void;
  /** Moves the cursor: `j` and `k` of the application. */
  move: (step: number) => void;
  open: () => void;
  peek: () => void;
  toggle: () => void;
}

export interface DataGridProps<Row> {
  label: string;
  columns: GridColumn<Row>[];
  /** The number of rows, loaded or not. */
  count: number;
  /** Returns undefined for a row that is not loaded yet. */
  rowAt: (index: number) => Row | undefined;
  rowKey: (row: Row) => string;
  /** Rows are drawn again when this is another function. */
  rowHref?: (row: Row) => string;
  rowHeight?: number;
  layout?: ColumnLayout;
  onLayout?: (layout: ColumnLayout) => void;
  sort?: GridSort | null;
  onSort?: (sort: GridSort) => void;
  /** Keys of the selected rows. Without `onSelect` the grid has no checkboxes. */
  selection?: ReadonlySet<string>;
  onSelect?: (selection: Set<string>) => void;
  /** The row with the cursor. Without it the grid keeps its own, and a key press renders nothing. */
  active?: number;
  /** The grid's own cursor at first. */
  startAt?: number;
  onActive?: (index: number) => void;
  /** Called for Enter and clicks; without it the row's link is followed. */
  onOpen?: (row: Row, index: number) => void;
  /** Called for Space. */
  onPeek?: (row: Row, index: number) => void;
  /** Called with the visible rows [first, last), to load them. */
  onRange?: (first: number, last: number) => void;
  handle?: RefObject<GridHandle | null>;
}

/** Returns the list of before if it has the same items, so that rows are not drawn again for a column that is not shown. */
function useSameItems<Item>(items: Item[]): Item[] {
  const before = useRef(items);
  const same = before.current.length === items.length && items.every((item, index) => item === before.current[index]);
  if (!same) before.current = items;
  return before.current;
}

const NO_SELECTION: ReadonlySet<string> = new Set();
const NO_LAYOUT: ColumnLayout = {};

export function DataGrid<Row>(props: DataGridProps<Row>) {
  const { label, columns, count, rowAt, rowKey, rowHref, rowHeight = 28, layout = NO_LAYOUT, selection = NO_SELECTION, onSelect, onRange } = props;
  const id = useId();
  const rows = useVirtualRows({ count, rowHeight, headerHeight: rowHeight });
  const { scroller, first, last, show } = rows;
  const rowId = (index: number) => `${id}-row-${index}`;
  const cursor = useGridCursor({ scroller, rowId, count, rows, owned: props.active, startAt: props.startAt, onMove: props.onActive });
  const anchor = useRef(0);
  const shown = useSameItems(useMemo(() => visibleColumns(columns, layout), [columns, layout]));
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => onRange?.(first, last), [first, last, onRange]);

  const keysBetween = (from: number, to: number): string[] => {
    const keys: string[] = [];
    for (let index = Math.min(from, to); index <= Math.max(from, to); index++) {
      const row = latest.current.rowAt(index);
      if (row !== undefined) keys.push(latest.current.rowKey(row));
    }
    return keys;
  };
  const select = useCallback((index: number, extend: boolean) => {
    const { selection: before = NO_SELECTION, onSelect: change } = latest.current;
    const next = new Set(before);
    const [key] = keysBetween(index, index);
    if (!change || key === undefined) return;
    if (extend) for (const item of keysBetween(anchor.current, index)) next.add(item);
    else if (!next.delete(key)) next.add(key);
    anchor.current = index;
    change(next);
  }, []);

  const move = (target: number, extend = false) => {
    const index = Math.max(0, Math.min(count - 1, target));
    if (extend && onSelect) {
      const next = new Set(selection);
      for (const key of keysBetween(cursor.at(), index)) next.add(key);
      onSelect(next);
      anchor.current = index;
    }
    cursor.moveTo(index);
    show(index);
  };
  const follow = (index: number, event?: KeyboardEvent) => {
    const row = rowAt(index);
    if (row === undefined) return;
    if (props.onOpen && !event?.ctrlKey && !event?.metaKey) props.onOpen(row, index);
    else {
      const link = document.getElementById(rowId(index))?.querySelector<HTMLAnchorElement>("a.ui-cover");
      link?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey: event?.ctrlKey ?? false, metaKey: event?.metaKey ?? false }));
    }
  };
  const peek = (index: number) => {
    const row = rowAt(index);
    if (row !== undefined) props.onPeek?.(row, index);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || (event.target as HTMLElement).closest(".ui-grid-head")) return;
    const plain = !event.ctrlKey && !event.metaKey;
    const active = cursor.at();
    const page = rows.pageSize();
    const steps: Record<string, number> = {
      ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page, Home: 0, End: count - 1,
      ...(plain ? { j: active + 1, k: active - 1 } : {}),
    };
    const target = steps[event.key];
    if (target !== undefined) move(target, event.shiftKey);
    else if (event.key === "Enter") follow(active, event);
    else if (event.key === " " && props.onPeek) peek(active);
    else if (event.key.toLowerCase() === "x" && plain && onSelect) select(active, event.shiftKey);
    else if (event.key === "Escape" && onSelect && selection.size > 0) onSelect(new Set());
    else return;
    event.preventDefault();
    // The application's keys would move the cursor a second time.
    event.stopPropagation();
  };
  const ownHandle = useRef<GridHandle>(null);
  useImperativeHandle(props.handle ?? ownHandle, () => ({
    focus: () => scroller.current?.focus(),
    move: (step: number) => move(cursor.at() + step),
    open: () => follow(cursor.at()),
    peek: () => peek(cursor.at()),
    toggle: () => select(cursor.at(), false),
  }));

  const activate = useCallback((index: number) => {
    cursor.moveTo(index);
    anchor.current = index;
  }, [cursor.moveTo]);
  const loaded = last > first ? keysBetween(first, last - 1) : [];
  const keysInWindow = useRef(loaded);
  keysInWindow.current = loaded;
  const selectAll = useCallback((all: boolean) => {
    const { selection: before = NO_SELECTION, onSelect: change } = latest.current;
    change?.(all ? new Set([...before, ...keysInWindow.current]) : new Set());
  }, []);
  const chosen = loaded.filter((key) => selection.has(key)).length;
  const template = gridTemplate(shown, layout, Boolean(onSelect));
  return (
    <div
      ref={scroller} class="ui-scroller ui-grid" role="grid" aria-label={label} aria-rowcount={count + 1} aria-colcount={shown.length + (onSelect ? 1 : 0)}
      aria-multiselectable={onSelect ? true : undefined} tabIndex={0} onScroll={rows.onScroll} onKeyDown={onKeyDown}
      style={{ "--grid-columns": template, "--grid-width": `${gridWidth(shown, layout, Boolean(onSelect))}px`, "--row-height": `${rowHeight}px` }}
    >
      <GridHeader
        columns={shown} all={columns} layout={layout} onLayout={props.onLayout} sort={props.sort} onSort={props.onSort} selectable={Boolean(onSelect)}
        selected={chosen === 0 ? "none" : chosen === loaded.length ? "all" : "some"}
        onSelectAll={selectAll}
      />
      <div class="ui-sizer" role="rowgroup" style={{ height: `${rows.height}px` }}>
        {Array.from({ length: last - first }, (_, offset) => {
          const index = first + offset;
          const row = rowAt(index);
          const key = row === undefined ? undefined : rowKey(row);
          return (
            <GridRow
              key={index} id={rowId(index)} index={index} top={rows.topOf(index)} row={row} columns={shown as GridColumn<unknown>[]}
              hrefOf={rowHref as ((row: unknown) => string) | undefined} selectable={Boolean(onSelect)}
              selected={key !== undefined && selection.has(key)} onActivate={activate} onSelect={select}
              onOpen={props.onOpen as ((row: unknown, index: number) => void) | undefined}
            />
          );
        })}
        <div ref={cursor.element} class="ui-grid-cursor" aria-hidden="true" hidden />
        <ScrollShield />
      </div>
    </div>
  );
}

interface GridRowProps {
  id: string;
  index: number;
  top: number;
  row: unknown;
  columns: GridColumn<unknown>[];
  /** Addresses are made for the rows that are drawn, not at each rendering of the grid. */
  hrefOf: ((row: unknown) => string) | undefined;
  selectable: boolean;
  selected: boolean;
  onActivate: (index: number) => void;
  onSelect: (index: number, extend: boolean) => void;
  onOpen: ((row: unknown, index: number) => void) | undefined;
}

const GridRow = memo(({ id, index, top, row, columns, hrefOf, selectable, selected, onActivate, onSelect, onOpen }: GridRowProps) => (
  <div
    id={id} class={classes("ui-placed-row ui-grid-row", selected && "ui-selected")} style={{ top: `${top}px` }} role="row" aria-rowindex={index + 2}
    aria-selected={selectable ? selected : undefined} aria-busy={row === undefined || undefined}
    onClick={(event) => {
      onActivate(index);
      const special = event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0;
      if ((event.target as HTMLElement).closest(".ui-grid-check")) return;
      if (event.shiftKey && selectable) {
        event.preventDefault();
        onSelect(index, true);
      } else if (onOpen && row !== undefined && !special && !(event.target as HTMLElement).closest("button, input, a:not(.ui-cover)")) {
        event.preventDefault();
        onOpen(row, index);
      }
    }}
  >
    {selectable && (
      <div class="ui-grid-cell ui-grid-check" role="gridcell" onClick={(event) => {
        event.preventDefault();
        onSelect(index, event.shiftKey);
      }}>
        <span class={classes("ui-box", selected && "ui-box-on")} aria-hidden="true" />
      </div>
    )}
    {columns.map((column, at) => {
      const linked = at === 0 && hrefOf !== undefined && row !== undefined;
      const content = row === undefined ? <span class="ui-placeholder" aria-hidden="true" /> : column.cell(row, index);
      return (
        <div key={column.key} class={classes("ui-grid-cell", column.number && "number", linked && "ui-grid-linked")} role="gridcell">
          {linked ? <a class="ui-cover truncate" href={hrefOf(row)} tabIndex={-1}>{content}</a> : content}
        </div>
      );
    })}
  </div>
));
