// A canvas that is as sharp as the screen and is drawn again when its size, data or theme changes.

import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Returns the value of a colour token, such as `accent` or `error`. */
export type Colors = (token: string) => string;

export interface CanvasSize {
  width: number;
  height: number;
}

const ALIASES: Record<string, string> = { neutral: "faint" };

/** The colours of the theme that were asked for. Each costs a calculation of styles. */
const known = new Map<string, string>();
let forgetsOnThemeChange = false;

/** Returns a colour of the theme. A probe resolves light-dark(), which custom properties keep as text. */
export const colors: Colors = (token) => {
  if (!forgetsOnThemeChange) {
    forgetsOnThemeChange = true;
    onThemeChange(() => known.clear());
  }
  const name = ALIASES[token] ?? token;
  let color = known.get(name);
  if (color === undefined) {
    const probe = document.createElement("i");
    probe.style.color = `var(--${name})`;
    document.body.append(probe);
    color = getComputedStyle(probe).color;
    probe.remove();
    known.set(name, color);
  }
  return color;
};

/** Calls the function when the chosen or the system's theme changes. */
export function onThemeChange(changed: () => void): () => void {
  const media = window.matchMedia("(prefers-color-scheme: dark)");
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  media.addEventListener("change", changed);
  return () => {
    observer.disconnect();
    media.removeEventListener("change", changed);
  };
}

/** Draws from the moment on at which `ready` is true: the first context of a page takes the browser some milliseconds. */
export function useCanvas(
  height: number, draw: (context: CanvasRenderingContext2D, size: CanvasSize, tokens: Colors) => void, inputs: readonly unknown[],
  ready = true,
): { box: RefObject<HTMLDivElement | null>; canvas: RefObject<HTMLCanvasElement | null>; width: number } {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [theme, setTheme] = useState(0);
  const begun = useRef(ready);
  begun.current ||= ready;
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    // The observer also reports the first size. Reading it here would make the browser lay out the page once more.
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => onThemeChange(() => setTheme((value) => value + 1)), []);
  useEffect(() => {
    const element = canvas.current;
    const context = begun.current && width > 0 ? element?.getContext("2d") : null;
    if (!element || !context) return;
    const ratio = window.devicePixelRatio || 1;
    element.width = Math.round(width * ratio);
    element.height = Math.round(height * ratio);
    element.style.width = `${width}px`;
    element.style.height = `${height}px`;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    draw(context, { width, height }, colors);
  }, [begun.current, width, height, theme, ...inputs]);
  return { box, canvas, width };
}
