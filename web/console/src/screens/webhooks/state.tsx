// The state of a webhook and how its deliveries went.

import { useState } from "preact/hooks";

import { type Webhook, type WebhookHealth, deliveryStats } from "../../api/automation";
import { type QueryState, useQuery } from "../../api/cache";
import { Status } from "../../ui/status";
import { DISABLED_REASONS } from "../shared_automation/health";

const WEEK_MS = 7 * 86_400_000;

/** How the deliveries of the last seven days went, by webhook. */
export function useHealth(team: string): QueryState<Map<string, WebhookHealth>> {
  const [since] = useState(() => new Date(Date.now() - WEEK_MS).toISOString());
  return useQuery({
    key: ["delivery stats", team, since],
    read: async (signal) => {
      const { items } = await deliveryStats({ team, since }, signal);
      return new Map(items.map((item) => [item.webhook_id, item]));
    },
    every: 20_000,
  });
}

export function WebhookStatus({ webhook }: { webhook: Webhook }) {
  if (webhook.status === "active") return <Status state="active" />;
  const reason = DISABLED_REASONS[webhook.disabled_reason ?? ""];
  return webhook.disabled_reason === "manual" || !reason
    ? <Status state="disabled" />
    : <Status state="disabled" tone="error" word={reason.word} />;
}
