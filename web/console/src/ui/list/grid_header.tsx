// The header row of a grid: sorting, resizing by drag or Shift + arrow keys, moving by drag or Alt + arrow keys.

import { useRef } from "preact/hooks";

import { classes } from "../class_names.ts";
import { Icon } from "../icons.tsx";
import { Checkbox } from "../inputs.tsx";
import { type ColumnLayout, type GridColumn, orderedColumns, widthOf, withMove, withWidth } from "./columns.ts";
import { memo } from "../memo.ts";

export interface GridSort {
  key: string;
  descending: boolean;
}

export interface GridHeaderProps<Row> {
  columns: GridColumn<Row>[];
  all: GridColumn<Row>[];
  layout: ColumnLayout;
  onLayout?: ((layout: ColumnLayout) => void) | undefined;
  sort?: GridSort | null | undefined;
  onSort?: ((sort: GridSort) => void) | undefined;
  selectable: boolean;
  selected: "none" | "some" | "all";
  onSelectAll: (selected: boolean) => void;
}

const Header = memo((props: GridHeaderProps<unknown>) => {
  const { columns, selectable, selected, onSelectAll } = props;
  return (
    <div class="ui-grid-head" role="row" aria-rowindex={1}>
      {selectable && (
        <div class="ui-grid-cell" role="columnheader">
          <Checkbox checked={selected === "all"} mixed={selected === "some"} label="Select all loaded rows" onChange={onSelectAll} />
        </div>
      )}
      {columns.map((column) => <HeaderCell key={column.key} column={column} {...props} />)}
    </div>
  );
});

export function GridHeader<Row>(props: GridHeaderProps<Row>) {
  return <Header {...(props as unknown as GridHeaderProps<unknown>)} />;
}

function HeaderCell<Row>({ column, all, layout, onLayout, sort, onSort }: GridHeaderProps<Row> & { column: GridColumn<Row> }) {
  const cell = useRef<HTMLDivElement>(null);
  const sorted = sort?.key === column.key ? (sort.descending ? "descending" : "ascending") : undefined;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    event.stopPropagation();
    if (step === 0 || !onLayout) return;
    if (event.altKey) onLayout(withMove(all, layout, column.key, step));
    else if (event.shiftKey) onLayout(withWidth(layout, column.key, widthOf(column, layout) + step * 16));
    else return;
    event.preventDefault();
  };
  const text = (
    <>
      <span class="truncate">{column.title}</span>
      {sorted && <Icon name={sorted === "descending" ? "arrowDown" : "arrowUp"} size={12} />}
    </>
  );
  return (
    <div
      ref={cell} class={classes("ui-grid-cell", column.number && "number")} role="columnheader"
      aria-sort={sorted ?? (column.sortable && onSort ? "none" : undefined)}
      draggable={Boolean(onLayout)}
      onDragStart={(event) => event.dataTransfer?.setData("text/spindle-column", column.key)}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        const key = event.dataTransfer?.getData("text/spindle-column");
        const keys = orderedColumns(all, layout).map((item) => item.key);
        if (!key || !onLayout || !keys.includes(key)) return;
        event.preventDefault();
        onLayout(withMove(all, layout, key, keys.indexOf(column.key) - keys.indexOf(key)));
      }}
    >
      {column.sortable && onSort ? (
        <button
          type="button" class="ui-grid-sort" onKeyDown={onKeyDown}
          // The first click shows the largest or newest values.
          onClick={() => onSort({ key: column.key, descending: sorted !== "descending" })}
        >
          {text}
        </button>
      ) : <span class="ui-grid-title">{text}</span>}
      {onLayout && (
        <span
          class="ui-grid-resize" aria-hidden="true"
          onPointerDown={(event) => {
            event.preventDefault();
            event.stopPropagation();
            event.currentTarget.setPointerCapture(event.pointerId);
          }}
          onPointerMove={(event) => {
            const left = cell.current?.getBoundingClientRect().left;
            if (left === undefined || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
            onLayout(withWidth(layout, column.key, event.clientX - left));
          }}
        />
      )}
    </div>
  );
}
