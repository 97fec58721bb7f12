// What the form of an automation holds, and what is sent for it.

import type { Automation, AutomationEvent, AutomationScope, EventType, NewAutomation, NewAutomationAction } from "../../api/automation";

export type RunState = "RUNNING" | "FINISHED" | "FAILED";
export type Comparison = "gt" | "gte" | "lt" | "lte" | "eq" | "ne";

export interface AutomationDraft {
  name: string;
  description: string;
  /** "team", "organization", or the name of a project. A scope that the form does not offer is kept as `scope`. */
  place: string;
  collection: string;
  scope: AutomationScope | null;
  type: string;
  aliasRegex: string;
  tagRegex: string;
  states: RunState[];
  metricName: string;
  aggregation: string;
  window: number | null;
  comparison: Comparison;
  threshold: number | null;
  changeType: "ABSOLUTE" | "RELATIVE";
  direction: "INCREASE" | "DECREASE" | "ANY";
  amount: number | null;
  scoreName: string;
  runUser: string;
  runRegex: string;
  /** Id of a webhook, or "" to send nothing. */
  webhook: string;
  /** Name of a preset, "default", or "own". */
  preset: string;
  payload: string;
}

export const TEAM = "(team)";
export const ORGANIZATION = "(organization)";
export const KEPT = "(kept)";

export const EMPTY_DRAFT: AutomationDraft = {
  name: "", description: "", place: TEAM, collection: "", scope: null, type: "TRAINING_JOB_FAILED", aliasRegex: "^production$", tagRegex: "",
  states: ["FAILED"], metricName: "", aggregation: "", window: null, comparison: "gt", threshold: null, changeType: "RELATIVE",
  direction: "ANY", amount: null, scoreName: "", runUser: "", runRegex: "", webhook: "", preset: "default", payload: "{}",
};

function placeOf(scope: AutomationScope, team: string): Pick<AutomationDraft, "place" | "collection" | "scope"> {
  const collection = scope.collection ?? "";
  if (scope.type === "organization") return { place: ORGANIZATION, collection, scope: null };
  if (scope.team === team && scope.type === "team") return { place: TEAM, collection, scope: null };
  if (scope.team === team && scope.project) return { place: scope.project, collection, scope: null };
  return { place: KEPT, collection, scope };
}

export function draftOf(automation: Automation, team: string): AutomationDraft {
  const { event, action } = automation;
  return {
    ...EMPTY_DRAFT,
    ...placeOf(automation.scope, team),
    name: automation.name,
    description: automation.description ?? "",
    type: event.type,
    aliasRegex: event.alias_regex ?? "",
    tagRegex: event.tag_regex ?? "",
    states: (event.states ?? []).map((state) => (state === "CRASHED" ? "FAILED" : state)),
    metricName: event.metric?.name ?? "",
    aggregation: event.metric?.aggregation ?? "",
    window: event.metric?.window ?? event.metric?.current_window ?? null,
    comparison: (event.score?.comparison ?? (event.metric?.comparison as Comparison | null | undefined)) ?? "gt",
    threshold: event.score?.threshold ?? event.metric?.threshold ?? null,
    changeType: event.metric?.change_type === "ABSOLUTE" ? "ABSOLUTE" : "RELATIVE",
    direction: (event.metric?.direction as AutomationDraft["direction"] | null | undefined) ?? "ANY",
    amount: event.metric?.amount ?? null,
    scoreName: event.score?.name ?? "",
    runUser: event.run_filter?.username ?? "",
    runRegex: event.run_filter?.name_regex ?? "",
    webhook: action.type === "webhook" ? (action.webhook_id ?? "") : "",
    preset: action.preset ?? (action.payload === null ? "default" : "own"),
    payload: action.payload ?? "{}",
  };
}

/** The filters that a kind of event takes: names to whether one is required. */
export function filtersOf(types: readonly EventType[], type: string): Map<string, boolean> {
  return new Map(types.find((entry) => entry.type === type)?.filters.map(({ name, required }) => [name, required]) ?? []);
}

function scopeOf(draft: AutomationDraft, team: string): AutomationScope {
  if (draft.place === KEPT && draft.scope) return draft.scope;
  if (draft.place === ORGANIZATION) return { type: "organization" };
  if (draft.place === TEAM) return { type: "team", team };
  const collection = draft.collection.trim();
  return collection === "" ? { type: "project", team, project: draft.place } : { type: "collection", team, project: draft.place, collection };
}

/** The type of the scope that the form describes. */
export function scopeType(draft: AutomationDraft, team: string): string {
  return scopeOf(draft, team).type;
}

function metricOf(draft: AutomationDraft): NonNullable<AutomationEvent["metric"]> {
  const name = draft.metricName.trim();
  const aggregation = draft.aggregation === "" ? {} : { aggregation: draft.aggregation };
  const window = draft.window === null ? {} : { window: draft.window };
  switch (draft.type) {
    case "RUN_METRIC_CHANGE":
      return {
        name, change_type: draft.changeType, direction: draft.direction, amount: draft.amount, ...aggregation,
        ...(draft.window === null ? {} : { current_window: draft.window }),
      };
    case "RUN_METRIC_ZSCORE":
      return { name, direction: draft.direction, ...window, ...(draft.threshold === null ? {} : { threshold: draft.threshold }) };
    case "TRACE_METRIC_THRESHOLD":
      return { name, comparison: draft.comparison, threshold: draft.threshold, ...window };
    default:
      return { name, comparison: draft.comparison, threshold: draft.threshold, ...aggregation, ...window };
  }
}

function eventOf(draft: AutomationDraft, filters: ReadonlyMap<string, boolean>): AutomationEvent {
  const event: AutomationEvent = { type: draft.type };
  if (filters.has("alias_regex") && draft.aliasRegex !== "") event.alias_regex = draft.aliasRegex;
  if (filters.has("tag_regex") && draft.tagRegex !== "") event.tag_regex = draft.tagRegex;
  if (filters.has("states")) event.states = draft.states;
  if (filters.has("metric")) event.metric = metricOf(draft);
  if (filters.has("score") && draft.scoreName.trim() !== "" && draft.threshold !== null) {
    event.score = { name: draft.scoreName.trim(), comparison: draft.comparison, threshold: draft.threshold };
  }
  if (filters.has("run_filter") && (draft.runUser !== "" || draft.runRegex !== "")) {
    event.run_filter = {
      ...(draft.runUser === "" ? {} : { username: draft.runUser }),
      ...(draft.runRegex === "" ? {} : { name_regex: draft.runRegex }),
    };
  }
  return event;
}

function actionOf(draft: AutomationDraft): NewAutomationAction {
  if (draft.webhook === "") return { type: "noop" };
  const action: NewAutomationAction = { type: "webhook", webhook_id: draft.webhook };
  if (draft.preset === "own") action.payload = draft.payload;
  else if (draft.preset !== "default") action.preset = draft.preset;
  return action;
}

export function bodyOf(draft: AutomationDraft, team: string, types: readonly EventType[]): NewAutomation {
  return {
    name: draft.name.trim(),
    description: draft.description.trim() === "" ? null : draft.description.trim(),
    scope: scopeOf(draft, team),
    event: eventOf(draft, filtersOf(types, draft.type)),
    action: actionOf(draft),
  };
}

/** Returns what the condition still misses, in words, or null. */
export function missingCondition(draft: AutomationDraft, types: readonly EventType[]): string | null {
  const filters = filtersOf(types, draft.type);
  if (filters.get("alias_regex") && draft.aliasRegex === "") return "Say which alias.";
  if (filters.get("tag_regex") && draft.tagRegex === "") return "Say which tag.";
  if (filters.has("states") && draft.states.length === 0) return "Choose a state.";
  if (filters.has("metric")) {
    if (draft.metricName.trim() === "") return "Name the metric.";
    if (draft.type === "RUN_METRIC_CHANGE" ? draft.amount === null : draft.type !== "RUN_METRIC_ZSCORE" && draft.threshold === null) {
      return draft.type === "RUN_METRIC_CHANGE" ? "Say how large the change is." : "Give the threshold.";
    }
  }
  if (filters.has("score") && draft.scoreName.trim() !== "" && draft.threshold === null) return "Give the threshold of the score.";
  return null;
}
