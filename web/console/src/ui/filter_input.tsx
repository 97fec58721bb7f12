// The input of a filter: suggestions at the caret, and errors with their place.

import type { RefObject } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";

import { type CompileOptions, readFilter } from "../query/compile.ts";
import { type SuggestionSources, type Suggestions, applySuggestion, suggest } from "../query/suggest.ts";
import type { Filter } from "../query/tree.ts";
import { Button } from "./button.tsx";
import { classes } from "./class_names.ts";
import { Icon } from "./icons.tsx";
import { Popover } from "./popover.tsx";
import { SafeText } from "./safe_text.tsx";

export interface FilterInputProps {
  /** The applied filter, from the URL. */
  value: string;
  /** Called by Enter with a filter that compiles. */
  onApply: (text: string, filter: Filter | null) => void;
  sources?: SuggestionSources;
  /** Called when values of a field would help; load them and pass them in `sources`. */
  onWanted?: (wanted: NonNullable<Suggestions["wants"]>) => void;
  options?: CompileOptions;
  inputRef?: RefObject<HTMLInputElement | null>;
  placeholder?: string;
}

const NONE: Suggestions = { from: 0, to: 0, items: [], wants: null };

export function FilterInput({
  value, onApply, sources = {}, onWanted, options = {}, inputRef, placeholder = 'Filter: status:error latency:>2s tenant:t7 "refund"',
}: FilterInputProps) {
  const own = useRef<HTMLInputElement>(null);
  const input = inputRef ?? own;
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  const [text, setText] = useState(value);
  const [caret, setCaret] = useState(0);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const [touched, setTouched] = useState(false);
  // The place of the caret after a suggestion was taken. It is set as soon as the element has the new text: later, it
  // would move the caret in front of letters typed meanwhile.
  const caretToSet = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (caretToSet.current === null) return;
    input.current?.setSelectionRange(caretToSet.current, caretToSet.current);
    caretToSet.current = null;
  });
  // Before a person can type: later, it would replace what was typed meanwhile.
  useLayoutEffect(() => setText(value), [value]);

  const found = open ? suggest(text, caret, sources) : NONE;
  const { error } = readFilter(text, options);
  // While a condition is being typed it is not finished, which is no error yet.
  const shownError = error && (touched || !open) ? error : null;
  const wanted = found.wants;
  useEffect(() => {
    if (wanted) onWanted?.(wanted);
  }, [wanted?.field, wanted?.prefix]);
  useEffect(() => document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: "nearest" }), [active, id]);

  const follow = () => {
    setCaret(input.current?.selectionStart ?? text.length);
    setActive(-1);
  };
  const choose = (index: number) => {
    const item = found.items[index];
    if (!item) return;
    const next = applySuggestion(text, found, item);
    setText(next.text);
    setCaret(next.caret);
    setActive(-1);
    setTouched(false);
    caretToSet.current = next.caret;
  };
  const apply = (source: string) => {
    const result = readFilter(source, options);
    setTouched(true);
    if (result.error) {
      input.current?.setSelectionRange(result.error.place.from, result.error.place.to);
      return;
    }
    setOpen(false);
    onApply(source.trim(), result.filter);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const count = found.items.length;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      setOpen(true);
      if (count > 0) setActive((active + (event.key === "ArrowDown" ? 1 : active < 0 ? 0 : -1) + count) % count);
    } else if (event.key === "Tab" && !event.shiftKey && open && active >= 0) choose(active);
    else if (event.key === "Enter" && !event.isComposing) {
      if (active >= 0) choose(active);
      else apply(text);
    } else if (event.key === "Escape" && open) setOpen(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="ui-filter">
      <div ref={box} class={classes("ui-filter-box", shownError && "ui-invalid")}>
        <Icon name="filter" />
        <input
          ref={input} class="ui-filter-text" type="text" role="combobox" aria-label="Filter" aria-autocomplete="list" aria-expanded={found.items.length > 0}
          aria-controls={found.items.length > 0 ? `${id}-list` : undefined} aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
          aria-invalid={shownError ? true : undefined} aria-describedby={shownError ? `${id}-error` : undefined} autocomplete="off" autocapitalize="off" spellcheck={false}
          placeholder={placeholder} value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setCaret(event.currentTarget.selectionStart ?? 0);
            setActive(-1);
            setOpen(true);
            setTouched(false);
          }}
          onClick={() => {
            follow();
            setOpen(true);
          }}
          onKeyUp={(event) => {
            if (["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) follow();
          }}
          onKeyDown={onKeyDown} onBlur={() => setOpen(false)}
        />
        {text !== "" && <Button kind="quiet" small icon="close" label="Clear the filter" onClick={() => { setText(""); apply(""); }} />}
      </div>
      {shownError && (
        <div id={`${id}-error`} class="ui-field-error" role="alert">
          <Icon name="alert" size={14} />
          <span><SafeText text={shownError.message} /> at character {shownError.place.from + 1}. <SafeText text={shownError.hint} /></span>
        </div>
      )}
      <Popover open={found.items.length > 0} onClose={() => setOpen(false)} anchor={box} role="presentation" class="ui-menu-box">
        <div id={`${id}-list`} class="ui-menu" role="listbox" aria-label="Suggestions">
          {found.items.map((item, index) => (
            <div
              key={item.label} id={`${id}-${index}`} role="option" aria-selected={index === active} class={classes("ui-menu-item", index === active && "ui-active")}
              onPointerDown={(event) => event.preventDefault()} onClick={() => choose(index)}
            >
              <span class="ui-menu-text mono"><SafeText text={item.label} line /></span>
              <span class="ui-menu-note">{item.about}</span>
            </div>
          ))}
        </div>
      </Popover>
    </div>
  );
}
