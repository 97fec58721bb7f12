// Stylesheets that belong to a screen. The build writes their names into the page.

import type { ScreenName } from "./screen";

function names(): Record<string, string> {
  const text = document.querySelector<HTMLMetaElement>('meta[name="screen-styles"]')?.content ?? "{}";
  return JSON.parse(text) as Record<string, string>;
}

const styles = names();
const loading = new Map<string, Promise<void>>();

/** Adds the stylesheet of a screen. Resolves when it applies, or when it cannot be loaded. */
export function loadScreenStyle(screen: ScreenName): Promise<void> {
  const file = styles[screen];
  if (!file) return Promise.resolve();
  let pending = loading.get(screen);
  if (!pending) {
    pending = new Promise((resolve) => {
      const link = document.createElement("link");
      link.rel = "stylesheet";
      link.href = file;
      link.onload = link.onerror = () => resolve();
      document.head.append(link);
    });
    loading.set(screen, pending);
  }
  return pending;
}
