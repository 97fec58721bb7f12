// Names of people by the ids that the API gives.

import { useQuery } from "../../api/cache";
import { listMembers } from "../../api/identity";
import { allPages } from "../../api/paging";
import { useMe } from "../../app/me";

/** Returns a function from user ids to names; unknown ids stay as they are. */
export function useUserNames(team: string): (id: string | null | undefined) => string {
  const me = useMe();
  const members = useQuery({
    key: ["members", team],
    read: (signal) => allPages((cursor) => listMembers(team, { limit: 200, cursor }, signal)),
    staleTime: 300_000,
  });
  return (id) => {
    if (!id) return "–";
    const user = members.data?.find((member) => member.user.id === id)?.user;
    if (user) return user.name || user.username;
    return me.data?.id === id ? me.data.name || me.data.username : id;
  };
}
