// The role of a person in a registry.

import type { RegistryMember } from "../../api/artifacts";
import type { Me } from "../../api/identity";

const ORDER: RegistryMember["role"][] = ["RESTRICTED_VIEWER", "VIEWER", "MEMBER", "ADMIN"];

/** Returns the highest of the default role, the own role and the roles of one's teams. */
export function registryRole(me: Me | undefined, members: readonly RegistryMember[] | undefined, restricted: boolean): RegistryMember["role"] {
  const teams = new Set(me?.memberships.filter(({ pending }) => !pending).map(({ team }) => team));
  const mine = (members ?? []).filter(({ kind, name }) => (kind === "users" ? name === me?.username : teams.has(name))).map(({ role }) => role);
  if (!restricted) mine.push(me?.organization_admin ? "ADMIN" : me?.kind === "service" ? "MEMBER" : "RESTRICTED_VIEWER");
  return mine.reduce((best, role) => (ORDER.indexOf(role) > ORDER.indexOf(best) ? role : best), "RESTRICTED_VIEWER");
}
