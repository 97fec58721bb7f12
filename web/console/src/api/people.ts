// People: changes to users, invitations, preferences, audit log.

import { change, get, readBlob, send } from "./client";
import type { PageQuery } from "./paging";
import type {
  AcceptedInvitation, AuditPage, InvitationAcceptance, InvitationOffer, InvitationPage, IssuedInvitation, NewInvitation, User, UserChange,
} from "./schema";
import { path } from "./urls";

export type {
  AcceptedInvitation, AuditEntry, AuditPage, Invitation, InvitationAcceptance, InvitationOffer, InvitationPage, IssuedInvitation, NewInvitation,
  UserChange,
} from "./schema";

export function getUser(username: string, signal?: AbortSignal): Promise<User> {
  return get<User>(path`api/v1/users/${username}`, {}, signal);
}

export function changeUser(username: string, body: UserChange): Promise<User> {
  return change<User>("PATCH", path`api/v1/users/${username}`, body);
}

export function deleteUser(username: string): Promise<void> {
  return change<void>("DELETE", path`api/v1/users/${username}`);
}

export function listInvitations(team: string, query: PageQuery = {}, signal?: AbortSignal): Promise<InvitationPage> {
  return get<InvitationPage>(path`api/v1/teams/${team}/invitations`, { ...query }, signal);
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

/** Accepts an invitation: creates a user and signs in, or adds the signed-in user to the team. */
export async function acceptInvitation(body: InvitationAcceptance): Promise<AcceptedInvitation> {
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

export type AuditQuery = {
  team?: string;
  actor?: string;
  /** An action (`webhook.delete`), or all actions on a kind of target (`webhook`). */
  action?: string;
  since?: string;
  until?: string;
};

export function listAudit(query: PageQuery & AuditQuery = {}, signal?: AbortSignal): Promise<AuditPage> {
  return get<AuditPage>("api/v1/audit", { ...query }, signal);
}

export function exportAudit(query: AuditQuery & { format: "jsonl" | "csv" }): Promise<Blob> {
  return readBlob("api/v1/audit/export", { query: { ...query } });
}
