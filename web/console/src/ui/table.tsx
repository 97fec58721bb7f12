// A small table, its pages, and the path to a page.

import type { ComponentChildren } from "preact";

import { classes } from "./class_names.ts";
import { Button } from "./button.tsx";
import { formatCount } from "../format/numbers.ts";
import { SafeText } from "./safe_text.tsx";

export interface TableColumn<Row> {
  key: string;
  title: string;
  cell: (row: Row, index: number) => ComponentChildren;
  /** Aligns numbers at their end. */
  number?: boolean;
  /** Gives the column the rest of the width and cuts long texts. */
  wide?: boolean;
  /** Keeps the title for screen readers only. */
  hideTitle?: boolean;
  /** Leaves the column out on narrow screens. */
  spare?: boolean;
  /** Holds a control such as a checkbox: the link of the row is in a later column. */
  control?: boolean;
}

export interface TableProps<Row> {
  label: string;
  columns: TableColumn<Row>[];
  rows: Row[];
  rowKey: (row: Row, index: number) => string;
  /** The address of a row; the first cell that is no control becomes a link that covers the row. */
  rowHref?: (row: Row) => string | undefined;
  /** Shown instead of rows. */
  empty?: ComponentChildren;
}

/** For up to a few hundred rows; lists without a bound use DataGrid. */
export function Table<Row>({ label, columns, rows, rowKey, rowHref, empty }: TableProps<Row>) {
  const linked = columns.findIndex(({ control }) => !control);
  return (
    <div class="ui-table-box" role="group" aria-label={label} tabIndex={0}>
      <table class="ui-table">
        <caption class="visually-hidden">{label}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" class={classes(column.number && "number", column.wide && "ui-wide", column.spare && "ui-spare")}>
                <span class={column.hideTitle ? "visually-hidden" : undefined}>{column.title}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => {
            const href = rowHref?.(row);
            return (
              <tr key={rowKey(row, index)} class={href === undefined ? undefined : "ui-row-link"}>
                {columns.map((column, at) => (
                  <td key={column.key} class={classes(column.number && "number", column.wide && "ui-wide", column.spare && "ui-spare")}>
                    {at === linked && href !== undefined ? <a class="ui-cover" href={href}>{column.cell(row, index)}</a> : column.cell(row, index)}
                  </td>
                ))}
              </tr>
            );
          })}
          {rows.length === 0 && <tr><td colSpan={columns.length} class="ui-table-empty">{empty ?? "Nothing here"}</td></tr>}
        </tbody>
      </table>
    </div>
  );
}

/** Names and values below each other. */
export function Definitions({ items }: { items: [name: string, value: ComponentChildren][] }) {
  return (
    <dl class="ui-definitions">
      {items.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}
    </dl>
  );
}

export interface PagerProps {
  /** The number of the first row on the page, starting at 1. */
  from: number;
  to: number;
  /** The number of all rows, when it is known. */
  total?: number | null;
  onPrevious?: (() => void) | undefined;
  onNext?: (() => void) | undefined;
}

export function Pager({ from, to, total, onPrevious, onNext }: PagerProps) {
  const range = to < from ? "0" : `${formatCount(from)}–${formatCount(to)}`;
  return (
    <nav class="ui-pager" aria-label="Pages">
      <span role="status">{range}{total !== undefined && total !== null ? ` of ${formatCount(total)}` : ""}</span>
      <Button icon="chevronLeft" label="Previous page" disabled={!onPrevious} onClick={onPrevious} />
      <Button icon="chevronRight" label="Next page" disabled={!onNext} onClick={onNext} />
    </nav>
  );
}

export interface BreadcrumbsProps {
  items: { text: string; href?: string }[];
}

export function Breadcrumbs({ items }: BreadcrumbsProps) {
  return (
    <nav aria-label="Breadcrumbs">
      <ol class="ui-breadcrumbs">
        {items.map((item, index) => {
          const last = index === items.length - 1;
          return (
            <li key={index}>
              {item.href !== undefined && !last
                ? <a href={item.href}><SafeText text={item.text} line /></a>
                : <span aria-current={last ? "page" : undefined}><SafeText text={item.text} line /></span>}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
