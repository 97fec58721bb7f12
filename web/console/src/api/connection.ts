// Whether the server can be reached. Reads wait here while it cannot.

import { signal } from "@preact/signals";

import { url } from "./urls";

/** False from a request without an answer until the server answers again. */
export const connected = signal(true);

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;

let restored: Promise<void> | null = null;

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      globalThis.removeEventListener?.("online", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    globalThis.addEventListener?.("online", done);
  });
}

/** Returns true if the server answers now. */
export async function isReachable(): Promise<boolean> {
  try {
    const response = await fetch(url("health"), { cache: "no-store", credentials: "omit" });
    return response.status < 500;
  } catch {
    return false;
  }
}

async function waitForServer(): Promise<void> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    await pause(wait);
    if (await isReachable()) break;
  }
  restored = null;
  connected.value = true;
}

/** Notes that a request got no answer. Resolves when the server answers again. */
export function connectionLost(): Promise<void> {
  connected.value = false;
  restored ??= waitForServer();
  return restored;
}
