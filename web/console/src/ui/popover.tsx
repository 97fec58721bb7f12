// Content above the page, next to the control that opened it. Uses the popover attribute, whose content is above
// everything else; where a browser lacks it, a fixed element does the same.

import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

import { classes } from "./class_names.ts";

export interface PopoverProps {
  open: boolean;
  onClose: () => void;
  anchor: RefObject<HTMLElement | null>;
  children: ComponentChildren;
  /** The edge of the anchor with which the content is aligned. */
  align?: "start" | "end";
  class?: string;
  /** Makes the content at least as wide as the anchor. */
  matchWidth?: boolean;
  role?: "dialog" | "menu" | "listbox" | "presentation";
  label?: string;
  id?: string;
}

const GAP = 4;
const MARGIN = 8;

function place(content: HTMLElement, anchor: HTMLElement, align: "start" | "end", matchWidth: boolean): void {
  const box = anchor.getBoundingClientRect();
  if (matchWidth) content.style.minWidth = `${box.width}px`;
  content.style.maxHeight = "";
  const { offsetWidth: width, offsetHeight: height } = content;
  const below = window.innerHeight - box.bottom - GAP - MARGIN;
  const above = box.top - GAP - MARGIN;
  const up = height > below && above > below;
  const left = align === "start" ? box.left : box.right - width;
  content.style.left = `${Math.max(MARGIN, Math.min(left, window.innerWidth - width - MARGIN))}px`;
  content.style.maxHeight = `${Math.max(120, up ? above : below)}px`;
  content.style.top = up ? `${Math.max(MARGIN, box.top - GAP - Math.min(height, above))}px` : `${box.bottom + GAP}px`;
}

export function Popover({ open, ...rest }: PopoverProps) {
  return open ? <OpenPopover {...rest} /> : null;
}

function OpenPopover({
  onClose, anchor, children, align = "start", class: className, matchWidth = false, role = "dialog", label, id,
}: Omit<PopoverProps, "open">) {
  const content = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;

  useLayoutEffect(() => {
    const element = content.current;
    if (!element) return undefined;
    if ("showPopover" in element) {
      element.setAttribute("popover", "manual");
      element.showPopover();
    }
    const move = () => {
      if (anchor.current) place(element, anchor.current, align, matchWidth);
    };
    move();
    const observer = new ResizeObserver(move);
    observer.observe(element);
    window.addEventListener("resize", move);
    window.addEventListener("scroll", move, true);
    return () => {
      observer.disconnect();
      window.removeEventListener("resize", move);
      window.removeEventListener("scroll", move, true);
    };
  }, [anchor, align, matchWidth]);

  useEffect(() => {
    const outside = (event: Event) => {
      const target = event.target as Node;
      if (!content.current?.contains(target) && !anchor.current?.contains(target)) close.current();
    };
    const escape = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      // A dialog below stays open.
      event.preventDefault();
      event.stopPropagation();
      close.current();
      anchor.current?.focus();
    };
    document.addEventListener("pointerdown", outside, true);
    document.addEventListener("focusin", outside);
    document.addEventListener("keydown", escape, true);
    return () => {
      document.removeEventListener("pointerdown", outside, true);
      document.removeEventListener("focusin", outside);
      document.removeEventListener("keydown", escape, true);
    };
  }, [anchor]);

  return (
    <div ref={content} id={id} class={classes("ui-popover", className)} role={role === "presentation" ? undefined : role} aria-label={label}>
      {children}
    </div>
  );
}
