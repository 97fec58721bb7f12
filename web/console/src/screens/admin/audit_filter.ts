// The filter of the audit log.

import type { AuditQuery } from "../../api/people";
import { type TimeRange, boundsOf } from "../../format/time_range";

/** Kinds of targets, as the server names them before the dot. */
export const AUDIT_KINDS = [
  "user", "session", "password", "api_key", "team", "team_member", "invitation", "service_account", "secret", "project", "project_member",
  "completion_tracing", "retention", "price", "webhook", "automation", "model", "upstream", "limit", "registry", "calls", "object", "run", "feedback",
];

export interface AuditFilter {
  team: string;
  actor: string;
  action: string;
  range: TimeRange;
}

export function auditQuery({ team, actor, action, range }: AuditFilter, now: number): AuditQuery {
  const { from, to } = boundsOf(range, now);
  return {
    ...(team.trim() === "" ? {} : { team: team.trim() }),
    ...(actor.trim() === "" ? {} : { actor: actor.trim() }),
    ...(action.trim() === "" ? {} : { action: action.trim() }),
    ...(from === null ? {} : { since: new Date(from).toISOString() }),
    ...(to === null ? {} : { until: new Date(to).toISOString() }),
  };
}

/** `api_key.create` as words: `api key create`. */
export function actionText(action: string): string {
  return action.replaceAll("_", " ").replace(".", ": ");
}

/** A name for the exported file. */
export function exportName(format: "csv" | "jsonl", now: number): string {
  return `spindle-audit-${new Date(now).toISOString().slice(0, 19).replaceAll(":", "")}Z.${format}`;
}
