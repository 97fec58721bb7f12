// Copies a text and says so.

import { useEffect, useRef, useState } from "preact/hooks";

import { Button, type ButtonProps } from "./button.tsx";

export interface CopyButtonProps {
  /** The text, or a function that returns it when the button is pressed. */
  text: string | (() => string | Promise<string>);
  label?: string;
  /** The text of the button; without it the button is an icon. */
  children?: string;
  kind?: ButtonProps["kind"];
}

/** Copies without the clipboard API, which is missing on plain HTTP. */
function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "visually-hidden";
  // Inside an open dialog, only its own content can have the focus.
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  const focused = document.activeElement;
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return done;
}

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

export function CopyButton({ text, label = "Copy", children, kind = "quiet" }: CopyButtonProps) {
  // The name must contain what is shown, for people who speak it.
  const name = children !== undefined && !label.toLowerCase().includes(children.toLowerCase()) ? children : label;
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready");
  const timer = useRef(0);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const copy = async () => {
    const done = await copyText(typeof text === "function" ? await text() : text);
    setState(done ? "copied" : "failed");
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setState("ready"), 1500);
  };
  const word = state === "copied" ? "Copied" : "Not copied";
  return (
    <span class="ui-copy">
      <Button kind={kind} small icon={state === "copied" ? "check" : state === "failed" ? "alert" : "copy"} label={name} onClick={() => void copy()}>
        {children}
      </Button>
      <span class="visually-hidden" role="status">{state === "ready" ? "" : word}</span>
    </span>
  );
}
