// Two texts side by side or inline, with changed lines and words marked by sign and colour.

import { Fragment } from "preact";
import { useMemo, useState } from "preact/hooks";

import { plural } from "../../format/numbers.ts";
import { Button, ButtonGroup } from "../button.tsx";
import { classes } from "../class_names.ts";
import { SafeText } from "../safe_text.tsx";
import { type DiffPart, type DiffRow, diffSections, diffTexts } from "./diff.ts";

export interface DiffViewProps {
  before: string;
  after: string;
  beforeLabel?: string;
  afterLabel?: string;
  /** The layout; without it the reader chooses. */
  layout?: "side" | "inline";
}

/** More rows than this are cut, because the view is not virtual. */
const MAX_ROWS = 5000;

export function DiffView({ before, after, beforeLabel = "Before", afterLabel = "After", layout }: DiffViewProps) {
  const { rows, added, removed, coarse } = useMemo(() => diffTexts(before, after), [before, after]);
  const [chosen, setChosen] = useState<"side" | "inline">("side");
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const shown = layout ?? chosen;
  const sections = useMemo(() => diffSections(rows, open), [rows, open]);
  const same = added === 0 && removed === 0;
  let budget = MAX_ROWS;
  return (
    <div class="ui-diff">
      <div class="ui-diff-bar">
        <span role="status">
          {same ? "No differences" : <><span class="ui-diff-plus">+{plural(added, "line")}</span> <span class="ui-diff-minus">−{plural(removed, "line")}</span></>}
          {coarse && " · too different to compare line by line"}
        </span>
        <span class="ui-grow" />
        {!layout && (
          <ButtonGroup label="Layout">
            <Button small pressed={shown === "side"} onClick={() => setChosen("side")}>Side by side</Button>
            <Button small pressed={shown === "inline"} onClick={() => setChosen("inline")}>Inline</Button>
          </ButtonGroup>
        )}
      </div>
      <div class="ui-diff-box" role="group" aria-label={`${beforeLabel} and ${afterLabel}`} tabIndex={0}>
        <table class={classes("ui-diff-table", `ui-diff-${shown}`)}>
          <caption class="visually-hidden">{`Differences between ${beforeLabel} and ${afterLabel}`}</caption>
          {shown === "side" && (
            <thead><tr><th colSpan={3} scope="colgroup"><SafeText text={beforeLabel} line /></th><th colSpan={3} scope="colgroup"><SafeText text={afterLabel} line /></th></tr></thead>
          )}
          <tbody>
            {sections.map((section) => {
              if (section.kind === "gap") {
                return (
                  <tr key={section.from} class="ui-diff-gap">
                    <td colSpan={6}>
                      <Button kind="quiet" small icon="chevronDown" onClick={() => setOpen(new Set([...open, section.from]))}>
                        {plural(section.to - section.from, "equal line")}
                      </Button>
                    </td>
                  </tr>
                );
              }
              const part = rows.slice(section.from, Math.min(section.to, section.from + budget));
              budget -= part.length;
              return (
                <Fragment key={section.from}>
                  {shown === "side" ? part.map((row, index) => <SideRow key={index} row={row} />) : inlineLines(part).map((line, index) => <InlineLine key={index} {...line} />)}
                </Fragment>
              );
            })}
          </tbody>
        </table>
      </div>
      {budget <= 0 && <p class="ui-hint">Only the first {plural(MAX_ROWS, "row")} are shown.</p>}
    </div>
  );
}

function Parts({ parts, kind }: { parts: DiffPart[]; kind: "ins" | "del" }) {
  const Mark = kind;
  return <>{parts.map((part, index) => (part.changed ? <Mark key={index}><SafeText text={part.text} /></Mark> : <SafeText key={index} text={part.text} />))}</>;
}

function SideRow({ row }: { row: DiffRow }) {
  const changed = row.kind !== "same";
  return (
    <tr>
      <td class="ui-diff-number">{row.leftNumber}</td>
      <td class="ui-diff-sign">{changed && row.left ? "−" : ""}</td>
      <td class={classes("ui-diff-text", row.left === null ? "ui-diff-none" : changed && "ui-diff-removed")}>{row.left && <Parts parts={row.left} kind="del" />}</td>
      <td class="ui-diff-number">{row.rightNumber}</td>
      <td class="ui-diff-sign">{changed && row.right ? "+" : ""}</td>
      <td class={classes("ui-diff-text", row.right === null ? "ui-diff-none" : changed && "ui-diff-added")}>{row.right && <Parts parts={row.right} kind="ins" />}</td>
    </tr>
  );
}

interface Line {
  parts: DiffPart[];
  sign: "" | "−" | "+";
  left: number | null;
  right: number | null;
}

/** Puts the removed lines of each change before the added ones. */
function inlineLines(rows: readonly DiffRow[]): Line[] {
  const lines: Line[] = [];
  let added: Line[] = [];
  for (const row of rows) {
    if (row.kind === "same" && row.left) {
      lines.push(...added, { parts: row.left, sign: "", left: row.leftNumber, right: row.rightNumber });
      added = [];
      continue;
    }
    if (row.left) lines.push({ parts: row.left, sign: "−", left: row.leftNumber, right: null });
    if (row.right) added.push({ parts: row.right, sign: "+", left: null, right: row.rightNumber });
  }
  return [...lines, ...added];
}

function InlineLine({ parts, sign, left, right }: Line) {
  return (
    <tr>
      <td class="ui-diff-number">{left}</td>
      <td class="ui-diff-number">{right}</td>
      <td class="ui-diff-sign">{sign}</td>
      <td colSpan={3} class={classes("ui-diff-text", sign === "−" && "ui-diff-removed", sign === "+" && "ui-diff-added")}><Parts parts={parts} kind={sign === "−" ? "del" : "ins"} /></td>
    </tr>
  );
}
