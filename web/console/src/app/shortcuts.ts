// Keyboard shortcuts: registered while a component is shown, listed by the help, off while typing.

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { shortcutsOn } from "./preferences";

export interface Shortcut {
  /** A key ("j", "?", "Enter"), a sequence ("g t"), or with the command key ("mod+k"). */
  keys: string;
  /** What it does, for the help. */
  label: string;
  /** Heading in the help. */
  group?: string;
}

interface Registered extends Shortcut {
  run: (event: KeyboardEvent) => void;
}

/** All shortcuts of the page, the newest last: it wins. */
export const shortcuts = signal<readonly Registered[]>([]);

export const onMac = /Mac|iPhone|iPad/.test(navigator.platform);

const SEQUENCE_MS = 1200;

let begun: { key: string; at: number } | null = null;

function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !["checkbox", "radio", "button", "submit", "range"].includes(target.type);
}

function pressed(event: KeyboardEvent): string {
  const mod = onMac ? event.metaKey : event.ctrlKey;
  return mod ? `mod+${event.key.toLowerCase()}` : event.key;
}

function find(keys: string): Registered | undefined {
  return shortcuts.peek().findLast((shortcut) => shortcut.keys === keys);
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.altKey) return;
  const key = pressed(event);
  if (key.startsWith("mod+")) {
    run(find(key), event);
    return;
  }
  // A modal dialog has its own keys.
  if (event.metaKey || event.ctrlKey || !shortcutsOn.peek() || isTyping(event) || document.querySelector("dialog:modal")) {
    begun = null;
    return;
  }
  const recent = begun && event.timeStamp - begun.at < SEQUENCE_MS ? begun.key : null;
  begun = null;
  const sequence = recent ? find(`${recent} ${key}`) : undefined;
  if (sequence) {
    run(sequence, event);
  } else if (shortcuts.peek().some((shortcut) => shortcut.keys.startsWith(`${key} `))) {
    begun = { key, at: event.timeStamp };
  } else {
    run(find(key), event);
  }
}

function run(shortcut: Registered | undefined, event: KeyboardEvent): void {
  if (!shortcut) return;
  event.preventDefault();
  shortcut.run(event);
}

addEventListener("keydown", onKey);

/** Registers a shortcut while the component is shown. */
export function useShortcut(shortcut: Shortcut, run: (event: KeyboardEvent) => void, enabled = true): void {
  const latest = useRef(run);
  latest.current = run;
  const { keys, label, group } = shortcut;
  useEffect(() => {
    if (!enabled) return undefined;
    const entry: Registered = { keys, label, ...(group ? { group } : {}), run: (event) => latest.current(event) };
    shortcuts.value = [...shortcuts.peek(), entry];
    return () => {
      shortcuts.value = shortcuts.peek().filter((other) => other !== entry);
    };
  }, [keys, label, group, enabled]);
}

/** Returns the keys as people read them: ["Ctrl", "K"], ["g", "t"]. */
export function keyCaps(keys: string): string[] {
  if (keys.startsWith("mod+")) return [onMac ? "⌘" : "Ctrl", keys.slice(4).toUpperCase()];
  return keys.split(" ");
}
