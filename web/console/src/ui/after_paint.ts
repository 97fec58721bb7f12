// Work that waits until the most important part of a screen is painted.

import { useEffect, useState } from "preact/hooks";

/** The longest wait when the browser is never idle, in milliseconds. */
const LONGEST = 300;

/** Calls the function when the browser has nothing else to do. Returns what cancels it. */
function whenIdle(work: () => void): () => void {
  if ("requestIdleCallback" in window) {
    const id = window.requestIdleCallback(work, { timeout: LONGEST });
    return () => window.cancelIdleCallback(id);
  }
  // Safari has no idle callbacks.
  const id = globalThis.setTimeout(work, 50);
  return () => globalThis.clearTimeout(id);
}

/** Returns true from the moment at which the part that `ready` speaks of was painted, and stays true. */
export function useAfterPaint(ready: boolean): boolean {
  const [painted, setPainted] = useState(false);
  useEffect(() => (ready && !painted ? whenIdle(() => setPainted(true)) : undefined), [ready]);
  return painted;
}
