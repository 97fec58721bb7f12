// A text area for code with line numbers. JSON is checked while it is typed.

import { useMemo, useRef } from "preact/hooks";

import { checkJson } from "./content/json_check.ts";
import { useFieldAttributes } from "./field.tsx";
import { Icon } from "./icons.tsx";

export interface CodeEditorProps {
  value: string;
  onInput: (value: string) => void;
  language?: "json" | "text";
  rows?: number;
  label?: string;
  disabled?: boolean;
  /** Accepts an empty text although it is no JSON. */
  optional?: boolean;
  /** Called for Ctrl-Enter and ⌘-Enter. */
  onSubmit?: () => void;
}

const CHECK_LIMIT = 2_000_000;

export function CodeEditor({ value, onInput, language = "json", rows = 10, label, disabled, optional = true, onSubmit }: CodeEditorProps) {
  const attributes = useFieldAttributes(label);
  const gutter = useRef<HTMLPreElement>(null);
  const count = useMemo(() => value.split("\n").length, [value]);
  const numbers = useMemo(() => Array.from({ length: count }, (_, index) => index + 1).join("\n"), [count]);
  const unchecked = language !== "json" || value.length > CHECK_LIMIT || (optional && value.trim() === "");
  const error = useMemo(() => (unchecked ? null : checkJson(value)), [value, unchecked]);
  const statusId = `${attributes.id}-check`;
  const onKeyDown = (event: KeyboardEvent) => {
    const area = event.currentTarget as HTMLTextAreaElement;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && onSubmit) {
      event.preventDefault();
      onSubmit();
    } else if (event.key === "Enter" && !event.isComposing) {
      // The next line starts as deep as this one. Tab is left to move the focus.
      const before = area.value.slice(0, area.selectionStart);
      const indent = /^[ \t]*/.exec(before.slice(before.lastIndexOf("\n") + 1))?.[0] ?? "";
      if (indent === "") return;
      event.preventDefault();
      area.setRangeText(`\n${indent}`, area.selectionStart, area.selectionEnd, "end");
      onInput(area.value);
    }
  };
  return (
    <div class="ui-code">
      <div class="ui-code-box">
        <pre ref={gutter} class="ui-code-numbers" aria-hidden="true">{numbers}</pre>
        <textarea
          {...attributes} aria-describedby={[attributes["aria-describedby"], statusId].filter(Boolean).join(" ")} class="ui-code-text" rows={rows}
          value={value} disabled={disabled} spellcheck={false} autocomplete="off" wrap="off" onKeyDown={onKeyDown}
          onInput={(event) => onInput(event.currentTarget.value)}
          onScroll={(event) => {
            if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
          }}
        />
      </div>
      <div id={statusId} class={error ? "ui-field-error" : "ui-hint"} role="status">
        {error ? <><Icon name="alert" size={14} /> Line {error.line}, column {error.column}: {error.message}</> : language === "json" && !unchecked ? "Valid JSON" : ""}
      </div>
    </div>
  );
}
