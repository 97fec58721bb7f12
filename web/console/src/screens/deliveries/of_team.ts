// Which deliveries belong to a team.

import type { Automation, Delivery, Webhook } from "../../api/automation";
import type { Me } from "../../api/identity";

/**
 * Returns the deliveries to the webhooks or by the automations of the team. A person who sees one team only sees
 * nothing else, so that deliveries of deleted rules stay in the list.
 */
export function deliveriesOfTeam(
  all: Delivery[], me: Me | undefined, team: string, webhooks: readonly Webhook[] | undefined, automations: readonly Automation[] | undefined,
): Delivery[] {
  const onlyTeam = me && !me.organization_admin && me.memberships.every((membership) => membership.team === team);
  if (onlyTeam || !webhooks || !automations) return all;
  const webhookIds = new Set(webhooks.map(({ id }) => id));
  const automationIds = new Set(automations.map(({ id }) => id));
  return all.filter(({ webhook_id, automation_id }) => automationIds.has(automation_id) || (webhook_id !== null && webhookIds.has(webhook_id)));
}
