// One row of JSON text.

import { formatBytes } from "../../format/bytes.ts";
import { plural } from "../../format/numbers.ts";
import { oneLine } from "../../format/safe_text.ts";
import { cutText } from "../../format/truncate.ts";
import { classes } from "../class_names.ts";
import { Icon } from "../icons.tsx";
import { memo } from "../memo.ts";
import { type JsonIndex, RowKind } from "./json_index.ts";

const LONGEST = 400;
const LONGEST_KEY = 120;
const INDENT = 14;
/** Deeper rows stay at this depth, so that they remain on the screen. */
const MAX_INDENT = 40;

export interface JsonRowProps {
  id: string;
  index: JsonIndex;
  row: number;
  top: number;
  closed: boolean;
  active: boolean;
  needle: string;
  /** Changes when the container's end becomes known. */
  complete: number;
  onSelect: (row: number) => void;
  onToggle: (row: number) => void;
}

function toneOf(value: string): string {
  if (value.startsWith('"')) return "ui-json-string";
  if (/^[-\d]/.test(value)) return "ui-json-number";
  return /^[tfn]/.test(value) ? "ui-json-word" : "ui-json-sign";
}

function Marked({ text, needle }: { text: string; needle: string }) {
  const shown = oneLine(text);
  const at = needle === "" ? -1 : shown.toLowerCase().indexOf(needle.toLowerCase());
  if (at < 0) return <>{shown}</>;
  return <>{shown.slice(0, at)}<mark>{shown.slice(at, at + needle.length)}</mark>{shown.slice(at + needle.length)}</>;
}

export const JsonRow = memo(({ id, index, row, top, closed, active, needle, onSelect, onToggle }: JsonRowProps) => {
  const kind = index.kind(row);
  const depth = index.depth(row);
  const key = index.key(row);
  const length = index.valueLength(row);
  const cut = kind === RowKind.Value && length > LONGEST;
  const value = cut ? cutText(index.value(row, LONGEST + 100), LONGEST) : index.value(row);
  const itemNumber = index.itemNumber(row);
  return (
    <div
      id={id} class={classes("ui-placed-row ui-json-row", active && "ui-active")} style={{ top: `${top}px` }} role="treeitem" aria-level={depth + 1} aria-selected={active}
      aria-expanded={kind === RowKind.Open ? !closed : undefined} onClick={() => onSelect(row)}
    >
      <span class="ui-json-indent" style={{ width: `${Math.min(depth, MAX_INDENT) * INDENT}px` }} />
      {kind === RowKind.Open ? (
        <span class={classes("ui-tree-toggle", !closed && "ui-open")} aria-hidden="true" onClick={(event) => {
          event.stopPropagation();
          onToggle(row);
        }}>
          <Icon name="chevronRight" size={12} />
        </span>
      ) : <span class="ui-tree-gap" />}
      <span class="ui-json-line" dir="ltr">
        {key !== null && <><span class="ui-json-key"><Marked text={cutText(key, LONGEST_KEY)} needle={needle} /></span>: </>}
        {itemNumber >= 0 && <span class="ui-json-item">{itemNumber} </span>}
        <bdi class={toneOf(value)}><Marked text={value} needle={needle} /></bdi>
        {cut && <span class="ui-json-more">… {formatBytes(length)}</span>}
        {closed && <><span class="ui-json-more"> {plural(index.count(row), "item")} </span>{index.isArray(row) ? "]" : "}"}</>}
        {index.hasComma(closed ? index.partner(row) : row) && ","}
      </span>
    </div>
  );
});
