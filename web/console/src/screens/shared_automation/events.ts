// Events, conditions and states of automations, in words.

import type { Automation, AutomationEvent, AutomationScope, Delivery, MetricCondition } from "../../api/automation";

/** The kinds of events in the order of the menu, with what they mean. */
export const EVENT_TEXTS: Record<string, string> = {
  TRAINING_JOB_FINISHED: "Training job finished",
  TRAINING_JOB_FAILED: "Training job failed",
  TRAINING_JOB_CANCELLED: "Training job cancelled",
  EVALUATION_FINISHED: "Evaluation finished",
  TRACE_METRIC_THRESHOLD: "Traces cross a threshold",
  RUN_STATE: "Run changed its state",
  RUN_METRIC_THRESHOLD: "Metric of a run crosses a threshold",
  RUN_METRIC_CHANGE: "Metric of a run changes",
  RUN_METRIC_ZSCORE: "Metric of a run is unusual",
  ADD_ARTIFACT_ALIAS: "Version got an alias",
  ADD_ARTIFACT_TAG: "Version got a tag",
  REMOVE_ARTIFACT_TAG: "Version lost a tag",
  CREATE_ARTIFACT: "Version was created",
  LINK_ARTIFACT: "Version was linked",
  UNLINK_ARTIFACT: "Version was unlinked",
  ADD_COLLECTION_TAG: "Collection got a tag",
  REMOVE_COLLECTION_TAG: "Collection lost a tag",
  AGENT_TURN_ENDED: "Turn of an agent ended",
};

/** Returns the words for a kind of event. A kind without a text of its own is shown by its name: `RUN_STATE` as "Run state". */
export function eventText(type: string): string {
  return EVENT_TEXTS[type] ?? type.charAt(0) + type.slice(1).toLowerCase().replaceAll("_", " ");
}

export const COMPARISONS: Record<string, string> = { gt: ">", gte: "≥", lt: "<", lte: "≤", eq: "=", ne: "≠" };

export const AGGREGATIONS: Record<string, string> = { AVERAGE: "average", MIN: "least", MAX: "greatest" };

function metricText(type: string, metric: MetricCondition): string {
  const of = metric.aggregation ? `${AGGREGATIONS[metric.aggregation] ?? metric.aggregation} ` : "";
  if (type === "RUN_METRIC_CHANGE") {
    const amount = metric.change_type === "RELATIVE" ? `${(metric.amount ?? 0) * 100} %` : String(metric.amount ?? 0);
    const words: Record<string, string> = { INCREASE: "rises", DECREASE: "falls" };
    return `${of}${metric.name} ${words[metric.direction ?? ""] ?? "changes"} by ${amount}`;
  }
  if (type === "RUN_METRIC_ZSCORE") return `${metric.name} is ${metric.threshold ?? 3} deviations away from its mean`;
  const during = type === "TRACE_METRIC_THRESHOLD" ? ` over ${metric.window ?? 5} min` : (metric.window ?? 1) > 1 ? ` over ${metric.window} values` : "";
  return `${of}${metric.name} ${COMPARISONS[metric.comparison ?? ""] ?? "?"} ${metric.threshold ?? "?"}${during}`;
}

/** Says what an automation waits for beyond the kind of event, or "". */
export function conditionText(event: AutomationEvent): string {
  const parts: string[] = [];
  if (event.alias_regex) parts.push(`alias ~ ${event.alias_regex}`);
  if (event.tag_regex) parts.push(`tag ~ ${event.tag_regex}`);
  if (event.states?.length) parts.push(event.states.map((state) => state.toLowerCase()).join(" or "));
  if (event.metric) parts.push(metricText(event.type, event.metric));
  if (event.score) parts.push(`${event.score.name} ${COMPARISONS[event.score.comparison] ?? "?"} ${event.score.threshold}`);
  if (event.run_filter?.username) parts.push(`runs of ${event.run_filter.username}`);
  if (event.run_filter?.name_regex) parts.push(`run ~ ${event.run_filter.name_regex}`);
  return parts.join(", ");
}

/** Returns the place that an automation watches: `acme/support`, `registry models/prod`. */
export function scopeText(scope: AutomationScope): string {
  switch (scope.type) {
    case "organization": return "everything on this server";
    case "team": return scope.team ?? "";
    case "project": return `${scope.team}/${scope.project}`;
    case "registry": return `registry ${scope.registry}`;
    default: return scope.registry ? `registry ${scope.registry}/${scope.collection}` : `${scope.team}/${scope.project}/${scope.collection}`;
  }
}

/** Whether an automation belongs on the list of a team: its own, and those that call the team's webhooks. */
export function concernsTeam(automation: Automation, team: string, webhookIds: ReadonlySet<string>): boolean {
  return automation.scope.team === team || webhookIds.has(automation.action.webhook_id ?? "");
}

/** True while further attempts will or may happen. */
export function isOpen({ status }: Pick<Delivery, "status">): boolean {
  return status === "pending" || status === "in_flight" || status === "retrying";
}

/** Words and tones of the states of deliveries. */
export const DELIVERY_STATES: Record<string, { tone: "ok" | "error" | "running" | "warning" | "neutral"; word: string }> = {
  pending: { tone: "running", word: "waiting" },
  in_flight: { tone: "running", word: "sending" },
  retrying: { tone: "warning", word: "retrying" },
  succeeded: { tone: "ok", word: "succeeded" },
  failed: { tone: "error", word: "failed" },
  cancelled: { tone: "neutral", word: "cancelled" },
  skipped: { tone: "warning", word: "skipped" },
};
