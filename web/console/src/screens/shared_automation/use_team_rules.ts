// Webhooks and automations of a team, shared by the screens of the area.

import { type Automation, type Webhook, listAutomations, listWebhooks } from "../../api/automation";
import { type QueryState, useQuery } from "../../api/cache";
import { allPages } from "../../api/paging";
import { concernsTeam } from "./events";

export function useWebhooks(team: string): QueryState<Webhook[]> {
  return useQuery({
    key: ["webhooks", team],
    read: (signal) => allPages((cursor) => listWebhooks(team, { cursor, limit: 200 }, signal)),
    enabled: team !== "",
  });
}

/** The automations that watch something of the team or call one of its webhooks. */
export function useAutomations(team: string, webhooks: readonly Webhook[] | undefined): QueryState<Automation[]> {
  const all = useQuery({
    key: ["automations"],
    read: (signal) => allPages((cursor) => listAutomations({ cursor, limit: 200 }, signal)),
  });
  const ids = new Set(webhooks?.map(({ id }) => id));
  return { ...all, data: all.data?.filter((automation) => concernsTeam(automation, team, ids)) };
}
