// People: changes to users, invitations, preferences, audit log.

import { change, get, readBlob, send } from "./client";
import type { Role } from "./identity";
import type { Page, PageQuery } from "./paging";
import type { User } from "./schema";
import type { Session } from "./sessions";
import { path } from "./urls";

export interface UserChange {
  name?: string | null;
  email?: string;
  organization_admin?: boolean;
  suspended?: boolean;
}

export function getUser(username: string, signal?: AbortSignal): Promise<User> {
  return get<User>(path`api/v1/users/${username}`, {}, signal);
}

export function changeUser(username: string, body: UserChange): Promise<User> {
  return change<User>("PATCH", path`api/v1/users/${username}`, body);
}

export function deleteUser(username: string): Promise<void> {
  return change<void>("DELETE", path`api/v1/users/${username}`);
}

export interface NewInvitation {
  role: Role;
  email?: string;
  expires_in_days?: number;
  uses?: number;
}

export interface Invitation {
  id: string;
  team: string;
  role: Role;
  /** A note for whom it is. */
  email: string | null;
  created_by: string | null;
  /** How many people may accept it, and how many did. */
  uses: number;
  used: number;
  created_at: string;
  expires_at: string;
}

export interface IssuedInvitation extends Invitation {
  /** Shown only once. */
  link: string;
}

export interface InvitationOffer {
  team: string;
  role: Role;
  inviter: string | null;
  expires_at: string;
}

export function listInvitations(team: string, query: PageQuery = {}, signal?: AbortSignal): Promise<Page<Invitation>> {
  return get<Page<Invitation>>(path`api/v1/teams/${team}/invitations`, { ...query }, signal);
}

export function createInvitation(team: string, body: NewInvitation): Promise<IssuedInvitation> {
  return change<IssuedInvitation>("POST", path`api/v1/teams/${team}/invitations`, body);
}

export function deleteInvitation(team: string, id: string): Promise<void> {
  return change<void>("DELETE", path`api/v1/teams/${team}/invitations/${id}`);
}

/** Reads what an invitation offers. Works without a session. */
export async function showInvitation(token: string, signal?: AbortSignal): Promise<InvitationOffer> {
  const response = await send("POST", "api/v1/invitations/show", { body: { token }, anonymous: true, read: true, signal });
  return (await response.json()) as InvitationOffer;
}

export interface AcceptedInvitation {
  team: string;
  role: Role;
  /** Of a new user. */
  session: Session | null;
}

/** Accepts an invitation: creates a user and signs in, or adds the signed-in user to the team. */
export async function acceptInvitation(
  body: { token: string } | { token: string; username: string; name?: string; password: string },
): Promise<AcceptedInvitation> {
  const response = await send("POST", "api/v1/invitations/accept", { body, anonymous: true });
  return (await response.json()) as AcceptedInvitation;
}

/** Settings of a person that follow them to every browser: any JSON object. */
export type Preferences = Record<string, unknown>;

export interface StoredPreferences {
  preferences: Preferences;
  etag: string | null;
}

export async function readPreferences(signal?: AbortSignal): Promise<StoredPreferences> {
  const response = await send("GET", "api/v1/me/preferences", { signal });
  const { preferences } = (await response.json()) as { preferences: Preferences };
  return { preferences, etag: response.headers.get("ETag") };
}

/** Replaces the preferences. With `etag` the server refuses when another tab was faster (412). */
export async function writePreferences(preferences: Preferences, etag: string | null): Promise<StoredPreferences> {
  const headers: Record<string, string> = etag ? { "If-Match": etag } : {};
  const response = await send("PUT", "api/v1/me/preferences", { body: { preferences }, headers });
  return { preferences, etag: response.headers.get("ETag") };
}

export interface AuditEntry {
  id: string;
  created_at: string;
  /** All null: the server itself, or somebody who was not signed in. `credential` is the key or the session. */
  actor: { id: string | null; username: string | null; credential: string | null };
  /** Such as `api_key.create`. */
  action: string;
  target: { kind: string; id: string | null; name: string | null };
  team: string | null;
  project: string | null;
  address: string | null;
  user_agent: string | null;
  request_id: string | null;
  details: Record<string, unknown>;
}

export type AuditQuery = {
  team?: string;
  actor?: string;
  /** An action (`webhook.delete`), or all actions on a kind of target (`webhook`). */
  action?: string;
  since?: string;
  until?: string;
};

export function listAudit(query: PageQuery & AuditQuery = {}, signal?: AbortSignal): Promise<Page<AuditEntry>> {
  return get<Page<AuditEntry>>("api/v1/audit", { ...query }, signal);
}

export function exportAudit(query: AuditQuery & { format: "jsonl" | "csv" }): Promise<Blob> {
  return readBlob("api/v1/audit/export", { query: { ...query } });
}
