// The session of this page, and signing in again when it has ended.

import { computed, signal } from "@preact/signals";

import { queries } from "../api/cache";
import { setSessionAccess } from "../api/client";
import { ApiError } from "../api/errors";
import { type Credentials, type Session, readSession, signIn, signOut } from "../api/sessions";
import { href } from "./location";

/** Undefined: not read yet. Null: not signed in. */
export const session = signal<Session | null | undefined>(undefined);

export const signedIn = computed(() => Boolean(session.value));

/** True while the dialog asks to sign in again. */
export const expired = signal(false);

let waiting: { promise: Promise<boolean>; resolve: (signedIn: boolean) => void } | null = null;

function signInAgain(): Promise<boolean> {
  if (!session.peek()) return Promise.resolve(false);
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
  waiting?.resolve(signedIn);
  waiting = null;
}

async function refresh(): Promise<boolean> {
  const before = session.peek()?.csrf_token;
  try {
    const next = await readSession();
    if (next.username !== session.peek()?.username) location.reload();
    session.value = next;
    return next.csrf_token !== before;
  } catch {
    return false;
  }
}

setSessionAccess({ csrfToken: () => session.peek()?.csrf_token ?? null, refresh, signInAgain });

/** Reads the session at the start. Throws when the server fails. */
export async function loadSession(): Promise<void> {
  try {
    session.value = await readSession();
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
  const next = await signIn(credentials);
  if (expired.peek() && before && before.username !== next.username) {
    // What is on screen belongs to someone else.
    location.assign(href("/"));
    return;
  }
  if (expired.peek()) session.value = next;
  else adoptSession(next);
  finishWaiting(true);
}

/** Closes the dialog without signing in: the requests that wait fail with 401. */
export function giveUpSession(): void {
  finishWaiting(false);
}

/** Signs out and forgets everything that was read. */
export async function closeSession(): Promise<void> {
  await signOut();
  queries.clear();
  location.assign(href("/login"));
}
