// Signing in and out, sessions, passwords.

import { change, get, send } from "./client";
import type { PageQuery } from "./paging";
import type { OwnPassword, Session, SessionPage, SignInMethods } from "./schema";
import { path, url } from "./urls";

export type { ListedSession, Session, SessionPage, SignInMethods } from "./schema";

export type Credentials = { api_key: string } | { username: string; password: string } | { code: string };

async function json<T>(response: Response): Promise<T> {
  return (await response.json()) as T;
}

/** Signs in and sets the cookie. */
export async function signIn(credentials: Credentials): Promise<Session> {
  return json<Session>(await send("POST", "api/v1/session", { body: credentials, anonymous: true }));
}

/** Reads the present session. Rejects with 401 when there is none. */
export async function readSession(): Promise<Session> {
  return json<Session>(await send("GET", "api/v1/session", { anonymous: true }));
}

export async function signOut(): Promise<void> {
  await send("DELETE", "api/v1/session", { anonymous: true });
}

export async function signInMethods(signal?: AbortSignal): Promise<SignInMethods> {
  return json<SignInMethods>(await send("GET", "api/v1/session/methods", { anonymous: true, signal }));
}

/** Returns the address that starts signing in with OpenID Connect and then leads to `next`. */
export function oidcUrl(next: string): string {
  return url("api/v1/session/oidc/start", { next });
}

export function listSessions(query: PageQuery & { username?: string } = {}, signal?: AbortSignal): Promise<SessionPage> {
  return get<SessionPage>("api/v1/sessions", { ...query }, signal);
}

export function revokeSession(id: string): Promise<void> {
  return change<void>("DELETE", path`api/v1/sessions/${id}`);
}

export function changePassword(body: OwnPassword): Promise<void> {
  return change<void>("PUT", "api/v1/me/password", body);
}

/** Sets the password of another person. For organization admins. */
export function setPassword(username: string, newPassword: string): Promise<void> {
  return change<void>("PUT", path`api/v1/users/${username}/password`, { new_password: newPassword });
}
