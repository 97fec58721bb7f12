// Roles, in words.

import type { Role } from "../../api/identity";

export const ROLE_TEXTS: Record<Role, string> = { ADMIN: "Admin", MEMBER: "Member", VIEWER: "Viewer" };

export const ROLE_OPTIONS: { value: Role; text: string }[] = [
  { value: "ADMIN", text: "Admin" },
  { value: "MEMBER", text: "Member" },
  { value: "VIEWER", text: "Viewer" },
];

export const ROLE_HINTS: Record<Role, string> = {
  ADMIN: "Members, secrets, webhooks, deleting projects, and all below.",
  MEMBER: "Records, annotates, evaluates, trains.",
  VIEWER: "Reads only.",
};
