// The session of this page, and signing in again when it has ended.

import { computed, signal } from "@preact/signals";

import { queries } from "../api/cache";
import { setSessionAccess } from "../api/client";
import { ApiError } from "../api/errors";
import { type Credentials, type Session, readSession, signIn, signOut } from "../api/sessions";
import { href } from "./location";
import { toastError } from "./toasts";

/** Undefined: not read yet. Null: not signed in. */
export const session = signal<Session | null | undefined>(undefined);

export const signedIn = computed(() => Boolean(session.value));

/** True while the dialog asks to sign in again. */
export const expired = signal(false);

/** True after the person has closed that dialog. Reads then fail without asking again, and a banner says why. */
export const declined = signal(false);

/** Changed in this browser's storage by each sign-in, so that the other tabs go on. */
const SIGNED_IN_KEY = "spindle.signedin";

let waiting: { promise: Promise<boolean>; resolve: (signedIn: boolean) => void } | null = null;

function signInAgain(cause: "read" | "change"): Promise<boolean> {
  if (!session.peek() || (declined.peek() && cause === "read")) return Promise.resolve(false);
  if (!waiting) {
    let resolve: (signedIn: boolean) => void = () => undefined;
    const promise = new Promise<boolean>((done) => (resolve = done));
    waiting = { promise, resolve };
    expired.value = true;
  }
  return waiting.promise;
}

function finishWaiting(signedIn: boolean): void {
  expired.value = false;
  declined.value = !signedIn;
  waiting?.resolve(signedIn);
  waiting = null;
}

async function refresh(): Promise<boolean> {
  const before = session.peek();
  try {
    const next = await readSession();
    // Someone else has signed in in another tab. What is on screen is changed in the name of its own person only.
    if (next.username !== before?.username) return await signInAgain("change");
    session.value = next;
    return next.csrf_token !== before.csrf_token;
  } catch {
    return false;
  }
}

/** Goes on when the person has signed in in another tab. */
async function continueFromOtherTab(): Promise<void> {
  const before = session.peek();
  if (!before || !(expired.peek() || declined.peek())) return;
  const next = await readSession();
  if (next.username === before.username) continueWith(next);
}

window.addEventListener("storage", ({ key }) => {
  // Without an answer the dialog stays.
  if (key === SIGNED_IN_KEY) continueFromOtherTab().catch(console.warn);
});

function continueWith(next: Session): void {
  session.value = next;
  finishWaiting(true);
  void queries.invalidateQueries({ refetchType: "active", predicate: ({ state }) => state.status === "error" });
}

function tellOtherTabs(): void {
  localStorage.setItem(SIGNED_IN_KEY, String(Date.now()));
}

setSessionAccess({ csrfToken: () => session.peek()?.csrf_token ?? null, refresh, signInAgain });

/** Reads the session at the start. Throws when the server fails. */
export async function loadSession(): Promise<void> {
  try {
    session.value = await readSession();
    tellOtherTabs();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    session.value = null;
  }
}

/** Takes over a session that a request has just opened. */
export function adoptSession(next: Session): void {
  queries.clear();
  session.value = next;
}

/** Signs in for the first time, or again from the dialog. */
export async function openSession(credentials: Credentials): Promise<void> {
  const before = session.peek();
  const again = before && (expired.peek() || declined.peek());
  const next = await signIn(credentials);
  tellOtherTabs();
  if (!again) adoptSession(next);
  else if (before.username === next.username) continueWith(next);
  // What is on screen belongs to someone else.
  else location.assign(href("/"));
}

/** Closes the dialog without signing in: the requests that wait fail with 401. */
export function giveUpSession(): void {
  finishWaiting(false);
}

/** Opens the dialog again. */
export function askForSession(): void {
  void signInAgain("change");
}

/** Signs out, forgets everything that was read, and leads to signing in, then to `next`. */
export async function closeSession(next?: string): Promise<void> {
  try {
    // Another tab may have signed in since, with another token.
    session.value = await readSession();
    await signOut();
  } catch (error) {
    // A session that has ended is what was wanted.
    if (!(error instanceof ApiError) || error.status !== 401) {
      toastError("You are still signed in", error);
      return;
    }
  }
  queries.clear();
  location.assign(href("/login", { next }));
}
