// How well an endpoint answers.

import type { DeliveryStatus, WebhookHealth } from "../../api/automation";

export interface Health {
  succeeded: number;
  failed: number;
  /** Waiting, being sent, or between two attempts. */
  open: number;
  /** Cancelled and skipped. */
  unsent: number;
  total: number;
}

function count(health: WebhookHealth, ...states: DeliveryStatus[]): number {
  return states.reduce((sum, state) => sum + (health.counts[state] ?? 0), 0);
}

export function healthOf(health: WebhookHealth): Health {
  const succeeded = count(health, "succeeded");
  const failed = count(health, "failed");
  const open = count(health, "pending", "in_flight", "retrying");
  const unsent = count(health, "cancelled", "skipped");
  return { succeeded, failed, open, unsent, total: succeeded + failed + open + unsent };
}

/** Says what a recovery would send again. */
export function recoverable(health: WebhookHealth): number {
  return count(health, "failed", "skipped", "cancelled");
}

export const DISABLED_REASONS: Record<string, { word: string; help: string }> = {
  manual: { word: "disabled by a person", help: "Enable it when the endpoint is ready, then send again what was missed." },
  failing: {
    word: "failed for five days",
    help: "Every request failed for five days. Mend the endpoint, test it, enable it, then send again what was missed.",
  },
  gone: { word: "answered 410 Gone", help: "The endpoint said that it no longer exists. Change its address or delete the webhook." },
};
