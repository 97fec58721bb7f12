// Shows JSON text: rows that open and close, search, copying of values and paths. Large texts are indexed in steps;
// above 20 MB only the start is shown.

import { useCallback, useEffect, useId, useMemo, useReducer, useState } from "preact/hooks";

import { formatBytes, utf8Bytes } from "../../format/bytes.ts";
import { formatCount } from "../../format/numbers.ts";
import { Button } from "../button.tsx";
import { CopyButton } from "../copy_button.tsx";
import { TextInput } from "../inputs.tsx";
import { ScrollShield } from "../list/scroll_shield.tsx";
import { useVirtualRows } from "../list/virtual_rows.ts";
import { SafeText } from "../safe_text.tsx";
import { JsonFolds, searchRows } from "./json_folds.ts";
import { JsonIndex, RowKind } from "./json_index.ts";
import { JsonRow } from "./json_row.tsx";

export interface JsonViewProps {
  /** The JSON as text, never a parsed value: numbers keep their spelling. */
  text: string;
  label: string;
  /** The size on the server when `text` is only its start. */
  bytes?: number;
  /** Where the whole text can be downloaded. */
  downloadHref?: string;
  /** Called with a path such as `inputs.question`, to filter by it. */
  onFilter?: (path: string, value: string) => void;
  /** The path of the shown value, put before copied paths. */
  root?: string;
}

const TREE_LIMIT = 200_000;
const HEAD_LIMIT = 20_000_000;
const HEAD = 200_000;
const ROW_HEIGHT = 20;
/** Small values open this far. */
const OPEN_DEPTH = 4;
const FEW_ROWS = 200;
const STEP_MILLISECONDS = 8;

function useIndex(text: string): { index: JsonIndex; folds: JsonFolds; changed: () => void } {
  const [, change] = useReducer((value: number) => value + 1, 0);
  const state = useMemo(() => {
    const index = new JsonIndex(text);
    const folds = new JsonFolds(index);
    const small = text.length <= TREE_LIMIT;
    index.build(small ? Infinity : STEP_MILLISECONDS);
    if (small && index.rows > FEW_ROWS) folds.closeFrom(OPEN_DEPTH);
    return { index, folds };
  }, [text]);
  useEffect(() => {
    let timer = 0;
    const step = () => {
      const done = state.index.build(STEP_MILLISECONDS);
      change(0);
      if (!done) timer = window.setTimeout(step);
    };
    if (!state.index.done) timer = window.setTimeout(step);
    return () => window.clearTimeout(timer);
  }, [state]);
  return { ...state, changed: useCallback(() => change(0), []) };
}

export function JsonView({ text, label, bytes, downloadHref, onFilter, root = "" }: JsonViewProps) {
  const cut = text.length > HEAD_LIMIT || (bytes !== undefined && bytes > HEAD_LIMIT);
  const shownText = useMemo(() => (cut ? text.slice(0, HEAD) : text), [text, cut]);
  const { index, folds, changed } = useIndex(shownText);
  const id = useId();
  const count = folds.count;
  const rows = useVirtualRows({ count, rowHeight: ROW_HEIGHT });
  const { show, first, last } = rows;
  const [active, setActive] = useState(0);
  const [needle, setNeedle] = useState("");
  const [match, setMatch] = useState(0);
  const matches = useMemo(() => searchRows(index, needle), [index, needle, index.rows]);
  const activePlace = Math.max(0, folds.placeOf(active));

  const toggle = useCallback((row: number) => {
    setActive(row);
    folds.toggle(row);
    changed();
  }, [folds, changed]);
  const goTo = (number: number) => {
    const row = matches[number];
    if (row === undefined) return;
    setMatch(number);
    folds.reveal(row);
    setActive(row);
    changed();
    show(folds.placeOf(row), "center");
  };
  useEffect(() => goTo(0), [needle, index]);

  const moveTo = (place: number) => {
    const target = Math.max(0, Math.min(count - 1, place));
    setActive(folds.at(target));
    show(target);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps: Record<string, number> = {
      ArrowDown: activePlace + 1, ArrowUp: activePlace - 1, Home: 0, End: count - 1,
      PageDown: activePlace + rows.pageSize(), PageUp: activePlace - rows.pageSize(),
    };
    const target = steps[event.key];
    const open = index.kind(active) === RowKind.Open;
    if (target !== undefined) moveTo(target);
    else if (event.key === "ArrowRight" && open && folds.isClosed(active)) toggle(active);
    else if (event.key === "ArrowLeft" && open && !folds.isClosed(active)) toggle(active);
    else if (event.key === "ArrowLeft" && index.parent(active) >= 0) moveTo(folds.placeOf(index.parent(active)));
    else if ((event.key === "Enter" || event.key === " ") && open) toggle(active);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const size = useMemo(() => bytes ?? (text.length > TREE_LIMIT ? utf8Bytes(text) : null), [text, bytes]);
  return (
    <div class="ui-json">
      <div class="ui-json-bar">
        <TextInput
          type="search" icon="search" label={`Search in ${label}`} placeholder="Search" value={needle} onInput={setNeedle}
          onEnter={() => goTo((match + 1) % Math.max(1, matches.length))}
        />
        {needle !== "" && (
          <>
            <span role="status" class="ui-json-matches">{matches.length === 0 ? "none" : `${formatCount(match + 1)} of ${formatCount(matches.length)}`}</span>
            <Button kind="quiet" small icon="chevronUp" label="Previous match" disabled={matches.length === 0} onClick={() => goTo((match - 1 + matches.length) % matches.length)} />
            <Button kind="quiet" small icon="chevronDown" label="Next match" disabled={matches.length === 0} onClick={() => goTo((match + 1) % matches.length)} />
          </>
        )}
        <span class="ui-grow" />
        {size !== null && <span class="ui-json-size">{formatBytes(size)}{index.done ? "" : ", reading…"}</span>}
        <Button kind="quiet" small onClick={() => { folds.openAll(); changed(); }}>Open all</Button>
        <Button kind="quiet" small onClick={() => { folds.closeFrom(1); changed(); }}>Close all</Button>
        <CopyButton text={text} label={`Copy ${label}`} />
      </div>
      {cut && (
        <p class="ui-json-note" role="status">
          Only the start of {formatBytes(size ?? 0)} is shown.{" "}
          {downloadHref && <a href={downloadHref} download>Download all</a>}
        </p>
      )}
      {index.error && !cut && <p class="ui-json-note" role="status">This is no JSON: {index.error.message} at character {formatCount(index.error.position + 1)}.</p>}
      <div
        ref={rows.scroller} class="ui-scroller ui-json-rows" role="tree" aria-label={label} tabIndex={0} onScroll={rows.onScroll} onKeyDown={onKeyDown}
        aria-activedescendant={activePlace >= first && activePlace < last ? `${id}-${active}` : undefined}
      >
        {count === 0 ? <PlainText text={shownText} /> : (
          <div class="ui-sizer" role="presentation" style={{ height: `${rows.height}px` }}>
            {Array.from({ length: last - first }, (_, offset) => {
              const row = folds.at(first + offset);
              return (
                <JsonRow
                  key={row} id={`${id}-${row}`} index={index} row={row} top={rows.topOf(first + offset)} closed={folds.isClosed(row)} active={row === active}
                  needle={needle} complete={index.end(row)} onSelect={setActive} onToggle={toggle}
                />
              );
            })}
            <ScrollShield />
          </div>
        )}
      </div>
      {count > 0 && <Inspector index={index} row={active} root={root} onFilter={onFilter} />}
    </div>
  );
}

function PlainText({ text }: { text: string }) {
  return <pre class="ui-json-plain"><SafeText text={text.slice(0, HEAD)} /></pre>;
}

const INSPECTED = 100_000;

interface InspectorProps {
  index: JsonIndex;
  row: number;
  root: string;
  onFilter: JsonViewProps["onFilter"];
}

/** The path and the whole text of the row with the cursor. */
function Inspector({ index, row, root, onFilter }: InspectorProps) {
  const safeRow = Math.min(row, index.rows - 1);
  const path = [root, index.path(safeRow)].filter(Boolean).join(".");
  const decoded = index.valueLength(safeRow) > INSPECTED * 6 ? null : index.decoded(safeRow);
  const long = decoded !== null && (decoded.length > 60 || decoded.includes("\n"));
  const scalar = index.kind(safeRow) === RowKind.Value;
  return (
    <div class="ui-json-inspector">
      <div class="ui-json-path">
        <code class="truncate"><SafeText text={path || "whole value"} line /></code>
        <span class="ui-grow" />
        {onFilter && scalar && path !== "" && index.valueLength(safeRow) < 500 && (
          <Button kind="quiet" small icon="filter" label="Filter by this value" onClick={() => onFilter(path, decoded ?? index.value(safeRow))} />
        )}
        <CopyButton text={path} label="Copy the path">Path</CopyButton>
        <CopyButton text={() => decoded ?? index.source(safeRow)} label="Copy the value">Value</CopyButton>
      </div>
      {long && <pre class="ui-json-text" tabIndex={0} aria-label="Text of the value"><SafeText text={decoded.slice(0, INSPECTED)} /></pre>}
    </div>
  );
}
