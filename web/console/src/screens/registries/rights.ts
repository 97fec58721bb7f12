// What a person may do in a registry.

import { type RegistryMember, listRegistryMembers } from "../../api/artifacts";
import { type QueryState, useQuery } from "../../api/cache";
import { allPages } from "../../api/paging";
import { useMe } from "../../app/me";
import { registryRole } from "./roles";

export type RegistryRights = { write: boolean; files: boolean; administer: boolean };

export function useRegistryMembers(registry: string): QueryState<RegistryMember[]> {
  return useQuery({
    key: ["registry members", registry],
    read: (signal) => allPages((cursor) => listRegistryMembers(registry, { cursor, limit: 200 }, signal)),
    enabled: registry !== "",
  });
}

export function useRegistryRights(registry: string, restricted: boolean): RegistryRights {
  const { data: me } = useMe();
  const { data: members } = useRegistryMembers(registry);
  const role = registryRole(me, members, restricted);
  return { write: role === "ADMIN" || role === "MEMBER", files: role !== "RESTRICTED_VIEWER", administer: role === "ADMIN" };
}
