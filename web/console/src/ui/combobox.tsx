// A text input with suggestions: choose one of many, or type another value where that is allowed.

import { useEffect, useId, useRef, useState } from "preact/hooks";

import { classes } from "./class_names.ts";
import { useFieldAttributes } from "./field.tsx";
import { Popover } from "./popover.tsx";
import { SafeText } from "./safe_text.tsx";

export interface ComboboxOption {
  value: string;
  /** The shown text; by default the value. */
  text?: string;
  note?: string;
}

export interface ComboboxProps {
  value: string;
  options: ComboboxOption[];
  onChange: (value: string) => void;
  /** Called while the reader types, to load options. The options then are shown as they are. */
  onSearch?: (text: string) => void;
  loading?: boolean;
  /** Accepts texts that are no option. */
  free?: boolean;
  label?: string;
  placeholder?: string;
  disabled?: boolean;
}

const SHOWN = 100;

export function Combobox({ value, options, onChange, onSearch, loading = false, free = false, label, placeholder, disabled }: ComboboxProps) {
  const attributes = useFieldAttributes(label);
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const [active, setActive] = useState(-1);
  const [open, setOpen] = useState(false);
  const textOf = (option: ComboboxOption) => option.text ?? option.value;
  const chosen = options.find((option) => option.value === value);
  const shownText = typed ?? (chosen ? textOf(chosen) : value);
  const needle = (typed ?? "").toLowerCase();
  const matching = onSearch ? options : options.filter((option) => textOf(option).toLowerCase().includes(needle));
  const shown = matching.slice(0, SHOWN);

  useEffect(() => {
    document.getElementById(`${listId}-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [active, listId]);

  const close = () => {
    setOpen(false);
    setActive(-1);
    setTyped(null);
  };
  const choose = (option: ComboboxOption) => {
    onChange(option.value);
    close();
  };
  const leave = () => {
    if (typed !== null && free && typed !== value) onChange(typed);
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!open) setOpen(true);
      else setActive(shown.length === 0 ? -1 : (active + (event.key === "ArrowDown" ? 1 : -1) + shown.length) % shown.length);
    } else if (event.key === "Enter" && open) {
      const option = shown[active] ?? (free ? undefined : shown.length === 1 ? shown[0] : undefined);
      event.preventDefault();
      if (option) choose(option);
      else leave();
    } else if (event.key === "Escape" && open) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  };
  return (
    <span class="ui-combobox">
      <input
        {...attributes} ref={input} class="ui-input" role="combobox" type="text" autocomplete="off" spellcheck={false} value={shownText}
        placeholder={placeholder} disabled={disabled} aria-expanded={open} aria-controls={open ? listId : undefined} aria-autocomplete="list"
        aria-activedescendant={active >= 0 ? `${listId}-${active}` : undefined}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setOpen(true);
          setActive(free ? -1 : 0);
          onSearch?.(event.currentTarget.value);
        }}
        onClick={() => setOpen(true)} onKeyDown={onKeyDown} onBlur={leave}
      />
      <Popover open={open} onClose={leave} anchor={input} matchWidth role="presentation" class="ui-menu-box">
        <div id={listId} class="ui-menu" role="listbox" aria-label={label ?? "Suggestions"}>
          {shown.map((option, index) => (
            <div
              key={option.value} id={`${listId}-${index}`} role="option" aria-selected={option.value === value}
              class={classes("ui-menu-item", index === active && "ui-active")}
              // Keeps the focus in the input, so that its blur does not close the list before the click.
              onPointerDown={(event) => event.preventDefault()} onClick={() => choose(option)}
            >
              <span class="ui-menu-text"><SafeText text={textOf(option)} line /></span>
              {option.note && <span class="ui-menu-note">{option.note}</span>}
            </div>
          ))}
        </div>
        {shown.length === 0 && <div class="ui-menu-title">{loading ? "Loading…" : free ? "Enter takes the text" : "Nothing matches"}</div>}
        {matching.length > SHOWN && <div class="ui-menu-title">{matching.length - SHOWN} more: type to narrow</div>}
      </Popover>
    </span>
  );
}
