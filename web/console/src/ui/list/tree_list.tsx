// A tree of any size as rows: arrow keys move, open and close. With bars it is a waterfall of spans.

import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useId, useReducer, useRef } from "preact/hooks";

import { classes } from "../class_names.ts";
import { Icon } from "../icons.tsx";
import type { Tone } from "../status.tsx";
import { memo } from "../memo.ts";
import type { TimeScale } from "./time_scale.ts";
import type { TreeModel } from "./tree_model.ts";
import { ScrollShield } from "./scroll_shield.tsx";
import { useVirtualRows } from "./virtual_rows.ts";

export interface TreeBars {
  scale: TimeScale;
  start: ArrayLike<number>;
  /** NaN for a span that still runs. */
  end: ArrayLike<number>;
  /** The end of running spans. */
  now: number;
  tone: (node: number) => Tone;
  /** The visible part of the scale, as positions between 0 and 1. */
  view: { from: number; to: number };
}

export interface TreeListProps {
  label: string;
  model: TreeModel;
  /** Increase it after a change of the model outside of this component. */
  version?: number;
  /** The content of a row, such as an icon and a name. */
  name: (node: number) => ComponentChildren;
  /** Texts at the end of a row, such as the duration. */
  end?: (node: number) => ComponentChildren;
  selected?: number | null;
  onSelect?: (node: number) => void;
  bars?: TreeBars;
  rowHeight?: number;
}

const INDENT = 16;
/** Deeper rows stay at this depth, so that their names remain on the screen. */
const MAX_INDENT = 24;

export function TreeList({ label, model, version = 0, name, end, selected = null, onSelect, bars, rowHeight = 26 }: TreeListProps) {
  const id = useId();
  const [changes, changed] = useReducer((value: number) => value + 1, 0);
  const visible = model.visible();
  const rows = useVirtualRows({ count: visible.length, rowHeight });
  const { scroller, first, last, show } = rows;
  const activeRow = selected === null ? -1 : model.rowOf(selected);
  const latest = useRef({ model, onSelect });
  latest.current = { model, onSelect };

  // A selection from outside, such as a link to a span, must be on the screen.
  useEffect(() => {
    if (selected === null) return;
    const row = model.rowOf(selected);
    if (row >= 0) show(row);
    else {
      const revealed = model.reveal(selected);
      changed(0);
      if (revealed >= 0) show(revealed, "center");
    }
  }, [selected, model]);

  const toggle = useCallback((node: number) => {
    const tree = latest.current.model;
    tree.setOpen(node, !tree.isOpen(node));
    changed(0);
  }, []);
  const select = useCallback((node: number) => latest.current.onSelect?.(node), []);

  const selectRow = (row: number) => {
    const target = Math.max(0, Math.min(visible.length - 1, row));
    const node = visible[target];
    if (node === undefined) return;
    onSelect?.(node);
    show(target);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const node = activeRow >= 0 ? visible[activeRow] : undefined;
    const steps: Record<string, number> = {
      ArrowDown: activeRow + 1, j: activeRow + 1, ArrowUp: activeRow - 1, k: activeRow - 1, Home: 0, End: visible.length - 1,
      PageDown: activeRow + rows.pageSize(), PageUp: activeRow - rows.pageSize(),
    };
    const target = steps[event.key];
    if (target !== undefined) selectRow(target);
    else if (node === undefined) return;
    else if (event.key === "ArrowRight") {
      if (model.children[node]! > 0 && !model.isOpen(node)) toggle(node);
      else if (model.children[node]! > 0) selectRow(activeRow + 1);
    } else if (event.key === "ArrowLeft") {
      if (model.children[node]! > 0 && model.isOpen(node)) toggle(node);
      else if (model.parent[node]! >= 0) selectRow(model.rowOf(model.parent[node]!));
    } else if (event.key === "*") {
      model.setAllOpen(true);
      changed(0);
    } else if (event.key === " " || event.key === "Enter") select(node);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div
      ref={scroller} class={classes("ui-scroller ui-tree", bars && "ui-waterfall")} role="tree" aria-label={label} tabIndex={0}
      onScroll={rows.onScroll} onKeyDown={onKeyDown} style={{ "--row-height": `${rowHeight}px` }} data-version={version + changes}
      aria-activedescendant={activeRow >= first && activeRow < last ? `${id}-${selected}` : undefined}
    >
      <div class="ui-sizer" role="presentation" style={{ height: `${rows.height}px` }}>
        {Array.from({ length: last - first }, (_, offset) => {
          const node = visible[first + offset];
          if (node === undefined) return null;
          const children = model.children[node]!;
          return (
            <TreeRow
              key={node} id={`${id}-${node}`} node={node} top={rows.topOf(first + offset)} depth={model.depth[node]!}
              hidden={children > 0 && !model.isOpen(node) ? model.below[node]! : 0} open={children > 0 ? model.isOpen(node) : null}
              selected={node === selected} name={name} end={end} bars={bars} onToggle={toggle} onSelect={select}
            />
          );
        })}
        <ScrollShield />
      </div>
    </div>
  );
}

interface TreeRowProps {
  id: string;
  node: number;
  top: number;
  depth: number;
  hidden: number;
  open: boolean | null;
  selected: boolean;
  name: (node: number) => ComponentChildren;
  end: ((node: number) => ComponentChildren) | undefined;
  bars: TreeBars | undefined;
  onToggle: (node: number) => void;
  onSelect: (node: number) => void;
}

const TreeRow = memo(({ id, node, top, depth, hidden, open, selected, name, end, bars, onToggle, onSelect }: TreeRowProps) => (
  <div
    id={id} class={classes("ui-placed-row ui-tree-row", selected && "ui-active")} style={{ top: `${top}px` }} role="treeitem" aria-level={depth + 1}
    aria-expanded={open ?? undefined} aria-selected={selected} onClick={() => onSelect(node)}
  >
    <div class="ui-tree-name" style={{ paddingInlineStart: `${Math.min(depth, MAX_INDENT) * INDENT + 4}px` }}>
      {open === null ? <span class="ui-tree-gap" /> : (
        <span
          class={classes("ui-tree-toggle", open && "ui-open")} aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation();
            onToggle(node);
          }}
        >
          <Icon name="chevronRight" size={12} />
        </span>
      )}
      <span class="ui-tree-text truncate">{name(node)}</span>
      {hidden > 0 && <span class="ui-tree-count">{hidden}</span>}
    </div>
    {bars && <Bar node={node} bars={bars} />}
    {end && <div class="ui-tree-end">{end(node)}</div>}
  </div>
));

function Bar({ node, bars }: { node: number; bars: TreeBars }) {
  const { scale, view } = bars;
  const width = view.to - view.from || 1;
  const place = (time: number) => (scale.position(time) - view.from) / width;
  const running = Number.isNaN(bars.end[node]!);
  const from = Math.max(0, place(bars.start[node]!));
  const to = Math.min(1, place(running ? bars.now : bars.end[node]!));
  if (to < 0 || from > 1) return <div class="ui-bar-track" />;
  return (
    <div class="ui-bar-track">
      <div
        class={classes("ui-bar", `ui-tone-${bars.tone(node)}`, running && "ui-bar-running")}
        style={{ left: `${from * 100}%`, width: `${Math.max(0, to - from) * 100}%` }}
      />
    </div>
  );
}
