// The signed-in person, their teams, roles and projects.

import { type QueryState, useQuery } from "../api/cache";
import { type Me, type Project, type Role, getMe, listProjects } from "../api/identity";
import { allPages } from "../api/paging";
import { signedIn } from "./session";

export function useMe(): QueryState<Me> {
  return useQuery({ key: ["me"], read: (signal) => getMe(signal), staleTime: 60_000, enabled: signedIn.value });
}

/** Compares by code units: localeCompare() would load the collation tables of the browser before the first page is shown. */
function inOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The projects that the person sees, by team and name. While there are none, the list is read every `waitMs`. */
export function useProjects(waitMs: number | false = false): QueryState<Project[]> {
  return useQuery({
    key: ["projects"],
    read: async (signal) => {
      const projects = await allPages((cursor) => listProjects({ limit: 200, cursor }, signal));
      return projects.sort((a, b) => inOrder(a.team, b.team) || inOrder(a.name, b.name));
    },
    staleTime: 60_000,
    every: (found) => (found?.length === 0 ? waitMs : false),
    enabled: signedIn.value,
  });
}

/** Returns the role in a team. Organization admins are admins everywhere; null: not a member, or not known yet. */
export function roleIn(me: Me | undefined, team: string | null | undefined): Role | null {
  if (!me || !team) return null;
  if (me.organization_admin) return "ADMIN";
  return me.memberships.find((membership) => membership.team === team && !membership.pending)?.role ?? null;
}

/** Rights in a team: actions that one may not do are not shown. */
export interface Rights {
  role: Role | null;
  /** Record, annotate, evaluate, train. */
  write: boolean;
  /** Members, secrets, webhooks, deleting projects. */
  administer: boolean;
  organizationAdmin: boolean;
}

export function useRights(team: string | null | undefined): Rights {
  const { data: me } = useMe();
  const role = roleIn(me, team);
  return {
    role,
    write: role === "ADMIN" || role === "MEMBER",
    administer: role === "ADMIN",
    organizationAdmin: me?.organization_admin ?? false,
  };
}
