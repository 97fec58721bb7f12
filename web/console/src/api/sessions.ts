// Signing in and out, sessions, passwords.

import { change, get, send } from "./client";
import type { Page, PageQuery } from "./paging";
import { path, url } from "./urls";

/** The session of this browser. `csrf_token` is null for a caller with an API key. */
export interface Session {
  username: string;
  name: string | null;
  organization_admin: boolean;
  csrf_token: string | null;
  /** The session ends then at the latest. */
  expires_at: string | null;
  /** The session ends then if it is not used. */
  idle_expires_at: string | null;
}

export type Credentials = { api_key: string } | { username: string; password: string } | { code: string };

export interface SignInMethods {
  api_key: boolean;
  password: boolean;
  oidc: { name: string } | null;
}

export interface SessionEntry {
  id: string;
  created_at: string;
  last_used_at: string;
  expires_at: string;
  /** The browser, as its User-Agent says. */
  client: string;
  address: string;
  /** The session of this request. */
  current: boolean;
}

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

export function listSessions(query: PageQuery & { username?: string } = {}, signal?: AbortSignal): Promise<Page<SessionEntry>> {
  return get<Page<SessionEntry>>("api/v1/sessions", { ...query }, signal);
}

export function revokeSession(id: string): Promise<void> {
  return change<void>("DELETE", path`api/v1/sessions/${id}`);
}

export function changePassword(body: { current_password?: string; new_password: string }): Promise<void> {
  return change<void>("PUT", "api/v1/me/password", body);
}

/** Sets the password of another person. For organization admins. */
export function setPassword(username: string, newPassword: string): Promise<void> {
  return change<void>("PUT", path`api/v1/users/${username}/password`, { new_password: newPassword });
}
