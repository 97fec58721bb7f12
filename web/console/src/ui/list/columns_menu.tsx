// Chooses the columns of a grid, their order and width, without a mouse too.

import { useRef, useState } from "preact/hooks";

import { Button } from "../button.tsx";
import { Checkbox } from "../inputs.tsx";
import { Popover } from "../popover.tsx";
import { type ColumnLayout, type GridColumn, isShown, orderedColumns, widthOf, withMove, withVisibility, withWidth } from "./columns.ts";

export interface ColumnsMenuProps<Row> {
  columns: GridColumn<Row>[];
  layout: ColumnLayout;
  onLayout: (layout: ColumnLayout) => void;
}

export function ColumnsMenu<Row>({ columns, layout, onLayout }: ColumnsMenuProps<Row>) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLElement>(null);
  const ordered = orderedColumns(columns, layout);
  return (
    <>
      <Button buttonRef={button} icon="columns" onClick={() => setOpen(!open)} attributes={{ "aria-haspopup": "dialog", "aria-expanded": open }}>
        Columns
      </Button>
      <Popover open={open} onClose={() => setOpen(false)} anchor={button} align="end" label="Columns">
        <ul class="ui-columns">
          {ordered.map((column, index) => {
            const width = widthOf(column, layout);
            return (
              <li key={column.key}>
                <Checkbox
                  checked={isShown(column, layout)} disabled={Boolean(column.fixed)}
                  onChange={(visible) => onLayout(withVisibility(layout, column, visible))}
                >
                  {column.title}
                </Checkbox>
                <Button kind="quiet" small icon="minus" label={`Narrow ${column.title}`} onClick={() => onLayout(withWidth(layout, column.key, width - 24))} />
                <Button kind="quiet" small icon="add" label={`Widen ${column.title}`} onClick={() => onLayout(withWidth(layout, column.key, width + 24))} />
                <Button kind="quiet" small icon="arrowUp" label={`Move ${column.title} up`} disabled={index === 0} onClick={() => onLayout(withMove(columns, layout, column.key, -1))} />
                <Button kind="quiet" small icon="arrowDown" label={`Move ${column.title} down`} disabled={index === ordered.length - 1} onClick={() => onLayout(withMove(columns, layout, column.key, 1))} />
              </li>
            );
          })}
        </ul>
        <div class="ui-columns-foot"><Button kind="quiet" onClick={() => onLayout({})}>Reset</Button></div>
      </Popover>
    </>
  );
}
