// Order, width and visibility of the columns of a grid. A layout is small enough for a URL or a preference.

import type { ComponentChildren } from "preact";

export interface GridColumn<Row> {
  key: string;
  title: string;
  width: number;
  minWidth?: number;
  cell: (row: Row, index: number) => ComponentChildren;
  /** Aligns numbers at their end. */
  number?: boolean;
  sortable?: boolean;
  /** Cannot be hidden. */
  fixed?: boolean;
  /** Hidden until the reader shows it. */
  optional?: boolean;
  /** Shares the room that is left, until the reader sets its width. Without such a column the last one takes it. */
  grow?: boolean;
}

export interface ColumnLayout {
  /** Keys in their order; columns that are not named follow in the order of the grid. */
  order?: string[];
  hidden?: string[];
  /** Optional columns that are shown. */
  shown?: string[];
  widths?: Record<string, number>;
}

export const MIN_WIDTH = 48;
const MAX_WIDTH = 1200;

/** Returns all columns in their order. */
export function orderedColumns<Row>(columns: GridColumn<Row>[], layout: ColumnLayout): GridColumn<Row>[] {
  const order = layout.order ?? [];
  const place = new Map(order.map((key, index) => [key, index]));
  return columns
    .map((column, index) => ({ column, place: place.get(column.key) ?? order.length + index }))
    .sort((a, b) => a.place - b.place)
    .map(({ column }) => column);
}

export function isShown<Row>(column: GridColumn<Row>, layout: ColumnLayout): boolean {
  if (column.fixed) return true;
  return column.optional ? (layout.shown ?? []).includes(column.key) : !(layout.hidden ?? []).includes(column.key);
}

export function visibleColumns<Row>(columns: GridColumn<Row>[], layout: ColumnLayout): GridColumn<Row>[] {
  return orderedColumns(columns, layout).filter((column) => isShown(column, layout));
}

export function widthOf<Row>(column: GridColumn<Row>, layout: ColumnLayout): number {
  const width = layout.widths?.[column.key] ?? column.width;
  return Math.max(column.minWidth ?? MIN_WIDTH, Math.min(MAX_WIDTH, Math.round(width)));
}

export function withWidth(layout: ColumnLayout, key: string, width: number): ColumnLayout {
  return { ...layout, widths: { ...layout.widths, [key]: Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, Math.round(width))) } };
}

/** Moves a column before or behind its neighbours. */
export function withMove<Row>(columns: GridColumn<Row>[], layout: ColumnLayout, key: string, step: number): ColumnLayout {
  const keys = orderedColumns(columns, layout).map((column) => column.key);
  const from = keys.indexOf(key);
  const to = from + step;
  if (from < 0 || to < 0 || to >= keys.length) return layout;
  keys.splice(from, 1);
  keys.splice(to, 0, key);
  return { ...layout, order: keys };
}

export function withVisibility<Row>(layout: ColumnLayout, column: GridColumn<Row>, visible: boolean): ColumnLayout {
  const list = column.optional ? layout.shown ?? [] : layout.hidden ?? [];
  const rest = list.filter((key) => key !== column.key);
  const next = visible === Boolean(column.optional) ? [...rest, column.key] : rest;
  return column.optional ? { ...layout, shown: next } : { ...layout, hidden: next };
}

const CHECKBOX_WIDTH = 36;

/** The least width of a row. */
export function gridWidth<Row>(columns: GridColumn<Row>[], layout: ColumnLayout, selectable: boolean): number {
  return columns.reduce((sum, column) => sum + widthOf(column, layout), selectable ? CHECKBOX_WIDTH : 0);
}

export function gridTemplate<Row>(columns: GridColumn<Row>[], layout: ColumnLayout, selectable: boolean): string {
  const growing = new Set(columns.filter(({ key, grow }) => grow && layout.widths?.[key] === undefined));
  const last = columns.at(-1);
  if (growing.size === 0 && last) growing.add(last);
  const widths = columns.map((column) => {
    const width = widthOf(column, layout);
    return growing.has(column) ? `minmax(${width}px, 1fr)` : `${width}px`;
  });
  return [...(selectable ? [`${CHECKBOX_WIDTH}px`] : []), ...widths].join(" ");
}
