// A button with a menu of actions or links. Arrow keys move, letters jump, Escape and Tab close.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

import { Button, type ButtonProps } from "./button.tsx";
import { classes } from "./class_names.ts";
import { Icon, type IconName } from "./icons.tsx";
import { Popover } from "./popover.tsx";

export type MenuItem =
  | {
      kind?: "item";
      text: string;
      icon?: IconName;
      /** Keys or a count at the end of the line. */
      note?: string;
      href?: string;
      onSelect?: () => void;
      danger?: boolean;
      disabled?: boolean;
      /** Shows a check mark; the item is one of a choice. */
      checked?: boolean;
    }
  | { kind: "line" }
  | { kind: "title"; text: string };

export interface MenuProps {
  items: MenuItem[];
  /** The button's text; without it the button is an icon. */
  children?: ComponentChildren;
  label: string;
  icon?: IconName;
  kind?: ButtonProps["kind"];
  small?: boolean;
  align?: "start" | "end";
  disabled?: boolean;
}

export function Menu({ items, children, label, icon, kind, small, align = "start", disabled = false }: MenuProps) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLElement>(null);
  const id = useId();
  const close = (focus: boolean) => {
    setOpen(false);
    if (focus) button.current?.focus();
  };
  return (
    <>
      <Button
        buttonRef={button} kind={kind} small={small} icon={children === undefined ? icon ?? "dots" : icon} label={label} disabled={disabled}
        onClick={() => setOpen(!open)}
        attributes={{
          "aria-haspopup": "menu", "aria-expanded": open, "aria-controls": open ? id : undefined,
          onKeyDown: (event: KeyboardEvent) => {
            if (event.key !== "ArrowDown" || open) return;
            event.preventDefault();
            setOpen(true);
          },
        }}
      >
        {children === undefined ? undefined : <>{children}<Icon name="chevronDown" size={12} /></>}
      </Button>
      <Popover open={open} onClose={() => close(false)} anchor={button} align={align} role="presentation" class="ui-menu-box">
        <MenuList id={id} label={label} items={items} onDone={close} />
      </Popover>
    </>
  );
}

function MenuList({ id, label, items, onDone }: { id: string; label: string; items: MenuItem[]; onDone: (focus: boolean) => void }) {
  const list = useRef<HTMLDivElement>(null);
  const typed = useRef({ text: "", at: 0 });
  const entries = () => [...(list.current?.querySelectorAll<HTMLElement>("[role^=menuitem]:not([aria-disabled=true])") ?? [])];
  useEffect(() => entries()[0]?.focus(), []);

  const move = (step: number) => {
    const all = entries();
    const index = all.indexOf(document.activeElement as HTMLElement);
    all[(index + step + all.length) % all.length]?.focus();
  };
  const jump = (letter: string) => {
    const now = performance.now();
    typed.current = { text: now - typed.current.at < 600 ? typed.current.text + letter : letter, at: now };
    entries().find((entry) => entry.textContent?.toLowerCase().startsWith(typed.current.text))?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Home") entries()[0]?.focus();
    else if (event.key === "End") entries().at(-1)?.focus();
    else if (event.key === "Tab") return onDone(false);
    else if (event.key === " ") (document.activeElement as HTMLElement).click();
    else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) jump(event.key.toLowerCase());
    else return undefined;
    event.preventDefault();
    return undefined;
  };
  return (
    <div ref={list} id={id} class="ui-menu" role="menu" aria-label={label} onKeyDown={onKeyDown}>
      {items.map((item, index) => {
        if (item.kind === "line") return <div key={index} class="ui-menu-line" role="separator" />;
        if (item.kind === "title") return <div key={index} class="ui-menu-title" role="presentation">{item.text}</div>;
        const content = (
          <>
            {item.checked !== undefined ? <span class="ui-menu-check">{item.checked && <Icon name="check" />}</span> : item.icon && <Icon name={item.icon} />}
            <span class="ui-menu-text">{item.text}</span>
            {item.note && <span class="ui-menu-note">{item.note}</span>}
          </>
        );
        const common = {
          class: classes("ui-menu-item", item.danger && "ui-menu-danger"), tabIndex: -1,
          role: item.checked === undefined ? "menuitem" as const : "menuitemradio" as const,
          "aria-checked": item.checked, "aria-disabled": item.disabled || undefined,
          onPointerMove: (event: PointerEvent) => (event.currentTarget as HTMLElement).focus({ preventScroll: true }),
        };
        const select = () => {
          if (item.disabled) return;
          onDone(item.href === undefined);
          item.onSelect?.();
        };
        return item.href !== undefined && !item.disabled
          ? <a key={index} {...common} href={item.href} onClick={select}>{content}</a>
          : <button key={index} {...common} type="button" onClick={select}>{content}</button>;
      })}
    </div>
  );
}
