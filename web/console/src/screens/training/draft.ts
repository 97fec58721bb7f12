// What the wizard holds. It is in the address, so that a link or a reload continues where one was.

import type { TrajectoryExport } from "../../api/training";
import type { Codec } from "../../app/url_state";
import { boundsOf, parseTimeRange } from "../../format/time_range";
import { callQuery, readFilter } from "../../query/compile";
import type { Zone } from "../../format/time";
import type { Config, JobKind } from "../shared_training/config";

export const STEPS = ["data", "reward", "preview", "start"] as const;
export type Step = (typeof STEPS)[number];

export interface Draft {
  step: Step;
  kind: JobKind;
  from: "calls" | "agents" | "dataset" | "artifact";
  unit: "call" | "trace";
  /** In the filter language. */
  filter: string;
  /** As printTimeRange() writes it. */
  range: string;
  reward: "none" | "feedback" | "call";
  feedbackType: string;
  path: string;
  min: number | null;
  group: "input" | "trace" | "thread";
  limit: number | null;
  /** Path of an artifact. */
  artifact: string;
  /** Object id of a dataset, and its members with the question and the answer. */
  dataset: string;
  question: string;
  answer: string;
  /** Id of a trained model; "" for a new one. */
  model: string;
  modelName: string;
  base: string;
  /** Name of the artifact to write. */
  name: string;
  config: Config;
}

export const FIRST: Draft = {
  step: "data", kind: "sft", from: "calls", unit: "call", filter: "", range: "", reward: "none", feedbackType: "", path: "", min: null, group: "input",
  limit: 10_000, artifact: "", dataset: "", question: "", answer: "", model: "", modelName: "", base: "", name: "", config: {},
};

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a draft from members of an address, leaving out those of a wrong type. */
export function readDraft(text: string): Draft {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return FIRST;
  }
  if (!isRecord(value)) return FIRST;
  const members = Object.entries(FIRST).map(([name, initial]) => {
    const given = value[name];
    const nullable = name === "min" || name === "limit";
    const fits = nullable ? given === null || typeof given === "number" : isRecord(initial) ? isRecord(given) : typeof given === typeof initial;
    return [name, fits ? given : initial];
  });
  const draft = Object.fromEntries(members) as Draft;
  return { ...draft, step: STEPS.includes(draft.step) ? draft.step : "data", kind: draft.kind === "rl" ? "rl" : "sft" };
}

/** Null: the wizard is closed. Only what differs from the first draft is written. */
export const draftCodec: Codec<Draft | null> = {
  read: (text) => (text === null ? null : readDraft(text === "1" ? "{}" : text)),
  write(draft) {
    if (!draft) return null;
    const changed = Object.entries(draft).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(FIRST[name as keyof Draft]));
    return changed.length === 0 ? "1" : JSON.stringify(Object.fromEntries(changed));
  },
};

/** True if the data are exported from traces. */
export function fromTraces({ from }: Draft): boolean {
  return from === "calls" || from === "agents";
}

/** The steps that the draft needs: artifacts and datasets have no reward and no preview. */
export function stepsOf(draft: Draft): Step[] {
  return fromTraces(draft) ? [...STEPS] : ["data", "start"];
}

/** Returns the body of the export and of its preview. */
export function exportBody(project: string, draft: Draft, now: number, zone: Zone): TrajectoryExport {
  const { filter } = readFilter(draft.filter, { zone, now });
  const range = parseTimeRange(draft.range);
  const query = draft.from === "calls" ? callQuery(filter, range ? boundsOf(range, now) : { from: null, to: null }, { zone, now }) : undefined;
  const rewarded = draft.reward !== "none" && draft.path.trim() !== "";
  return {
    project,
    name: draft.name.trim(),
    format: draft.kind,
    source: draft.from === "agents" ? "agents" : "calls",
    ...(draft.from === "calls" ? { unit: draft.unit } : {}),
    ...(query ? { query: query as NonNullable<TrajectoryExport["query"]> } : {}),
    ...(rewarded ? { reward: { path: draft.path.trim(), ...(draft.reward === "feedback" ? { feedback_type: draft.feedbackType } : {}) } } : {}),
    ...(rewarded && draft.min !== null ? { min_reward: draft.min } : {}),
    ...(draft.kind === "rl" ? { group_by: draft.group } : {}),
    limit: draft.limit ?? FIRST.limit!,
  };
}

/** Returns why a step is not complete, or null. */
export function problemOf(draft: Draft, step: Step): string | null {
  if (step === "data") {
    if (draft.from === "artifact" && draft.artifact.trim() === "") return "Choose an artifact.";
    if (draft.from === "dataset" && draft.dataset === "") return "Choose a dataset.";
    if (draft.from === "calls" && readFilter(draft.filter).error) return "Correct the filter.";
  }
  if (step === "reward") {
    if (draft.kind === "rl" && draft.reward === "none") return "Reinforcement learning needs a reward.";
    if (draft.reward === "feedback" && draft.feedbackType === "") return "Choose the feedback that holds the reward.";
    if (draft.reward !== "none" && draft.path.trim() === "") return "Write the path of the reward.";
  }
  if (step === "start") {
    if (draft.model === "" && draft.modelName.trim() === "") return "Name the new model.";
    if (fromTraces(draft) && draft.name.trim() === "") return "Name the data.";
  }
  return null;
}

/** Returns a name for the data that says what they are. */
export function suggestedName(draft: Draft): string {
  if (draft.kind === "rl") return "groups";
  return draft.reward === "none" ? "answers" : "good-answers";
}
