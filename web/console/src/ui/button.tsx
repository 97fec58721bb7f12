// Buttons, and links that look like buttons.

import type { ComponentChildren, RefObject } from "preact";

import { classes } from "./class_names.ts";
import { Icon, type IconName } from "./icons.tsx";

export interface ButtonProps {
  children?: ComponentChildren;
  /** `primary` for the one main action of a screen, `danger` for deletions, `quiet` inside bars and rows. */
  kind?: "primary" | "normal" | "quiet" | "danger";
  icon?: IconName;
  /** The name of a button without text; also its tooltip. */
  label?: string;
  /** A link: middle-click and copying the address work. */
  href?: string;
  type?: "button" | "submit" | "reset";
  disabled?: boolean;
  /** Shows a spinner and ignores clicks; the button keeps its focus. */
  busy?: boolean;
  pressed?: boolean;
  small?: boolean;
  class?: string;
  onClick?: (event: MouseEvent) => void;
  buttonRef?: RefObject<HTMLElement | null>;
  /** Further attributes, such as aria-expanded. */
  attributes?: Record<string, unknown>;
}

export function Button({
  children, kind = "normal", icon, label, href, type = "button", disabled = false, busy = false, pressed, small = false,
  class: className, onClick, buttonRef, attributes = {},
}: ButtonProps) {
  const iconOnly = children === undefined || children === null;
  const name = classes("ui-button", `ui-button-${kind}`, iconOnly && "ui-button-icon", small && "ui-button-small", className);
  const content = (
    <>
      {busy ? <span class="ui-spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {iconOnly ? null : <span class="ui-button-text">{children}</span>}
    </>
  );
  const common: object = { ...attributes, class: name, "aria-label": label, title: iconOnly ? label : undefined, ref: buttonRef };
  if (href !== undefined && !disabled) return <a {...common} href={href} onClick={onClick}>{content}</a>;
  return (
    <button
      {...common} type={type} disabled={disabled} aria-pressed={pressed} aria-busy={busy || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {content}
    </button>
  );
}

/** Buttons side by side that choose or act together. */
export function ButtonGroup({ label, children }: { label: string; children: ComponentChildren }) {
  return <div class="ui-button-group" role="group" aria-label={label}>{children}</div>;
}
