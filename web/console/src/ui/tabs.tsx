// Tabs. A tab with an `href` is a link, because the open tab belongs to the URL.

import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";

import { formatCount } from "../format/numbers.ts";

export interface Tab<Name extends string = string> {
  name: Name;
  text: string;
  href?: string;
  /** A number behind the text. */
  count?: number | null;
}

export interface TabsProps<Name extends string> {
  label: string;
  tabs: Tab<Name>[];
  open: Name;
  /** Called for tabs without `href`, and by the arrow keys. */
  onOpen: (name: Name) => void;
  /** The content of the open tab. */
  children: ComponentChildren;
  /** Further controls at the end of the row of tabs. */
  actions?: ComponentChildren;
}

export function Tabs<Name extends string>({ label, tabs, open, onOpen, children, actions }: TabsProps<Name>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const index = tabs.findIndex(({ name }) => name === open);
    const steps: Record<string, number> = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: tabs.length - 1 };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const target = (next + tabs.length) % tabs.length;
    const tab = tabs[target];
    if (!tab) return;
    onOpen(tab.name);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[target]?.focus();
  };
  return (
    <div class="ui-tabs">
      <div class="ui-tab-bar">
        <div ref={list} class="ui-tab-list" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
          {tabs.map((tab) => {
            const chosen = tab.name === open;
            const common = {
              class: "ui-tab", role: "tab" as const, id: `${id}-${tab.name}`, "aria-selected": chosen,
              "aria-controls": chosen ? `${id}-panel` : undefined, tabIndex: chosen ? 0 : -1,
            };
            const content = (
              <>
                {tab.text}
                {tab.count !== undefined && tab.count !== null && <span class="ui-tab-count">{formatCount(tab.count)}</span>}
              </>
            );
            return tab.href === undefined
              ? <button key={tab.name} {...common} type="button" onClick={() => onOpen(tab.name)}>{content}</button>
              : <a key={tab.name} {...common} href={tab.href}>{content}</a>;
          })}
        </div>
        {actions && <div class="ui-tab-actions">{actions}</div>}
      </div>
      <div class="ui-tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${open}`} tabIndex={0}>{children}</div>
    </div>
  );
}
