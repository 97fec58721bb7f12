// Metrics of runs as series: values of several runs on one axis, and what their configurations differ in.

import type { Run, RunMetricSamples } from "../../api/runs";

/** Keys that the server returns in one answer. */
const KEYS = 20;

/** Returns the names of the numbers in the summary. Runs of a project log the same names. */
export function metricKeys(runs: readonly Pick<Run, "summary">[]): string[] {
  const names = new Set<string>();
  for (const { summary } of runs) for (const [name, value] of Object.entries(summary)) if (typeof value === "number") names.add(name);
  return [...names].sort((a, b) => a.localeCompare(b));
}

/** Sorts metrics so that losses, rewards and accuracies come first, then those that more runs have. */
export function byInterest(keys: readonly string[], runs: readonly Pick<Run, "summary">[] = []): string[] {
  const count = (key: string) => runs.filter(({ summary }) => typeof summary[key] === "number").length;
  const rank = (key: string) => (/loss|reward|acc/i.test(key) ? 1000 : 0) + count(key);
  return [...keys].sort((a, b) => rank(b) - rank(a) || a.localeCompare(b));
}

export function inGroups<T>(items: readonly T[], size: number = KEYS): T[][] {
  const groups: T[][] = [];
  for (let at = 0; at < items.length; at += size) groups.push(items.slice(at, at + size));
  return groups;
}

export interface MetricPlot {
  key: string;
  x: number[];
  series: { name: string; values: (number | null)[] }[];
}

export interface RunSeries {
  name: string;
  samples: readonly RunMetricSamples[];
}

/** Puts the points of several runs on one axis per key. */
export function plotsOf(runs: readonly RunSeries[]): MetricPlot[] {
  const keys = [...new Set(runs.flatMap(({ samples }) => samples.filter(({ points }) => points.length > 0).map(({ key }) => key)))];
  return keys.map((key) => {
    const points = runs.map(({ samples }) => new Map((samples.find((entry) => entry.key === key)?.points ?? []).map(({ step, mean, last }) => [step, mean ?? last])));
    const x = [...new Set(points.flatMap((map) => [...map.keys()]))].sort((a, b) => a - b);
    return { key, x, series: runs.map(({ name }, index) => ({ name, values: x.map((step) => points[index]!.get(step) ?? null) })) };
  });
}

/** Returns the members of a value by dotted path; lists and empty objects are values. */
export function flatten(value: Record<string, unknown>, prefix = ""): Map<string, unknown> {
  const result = new Map<string, unknown>();
  for (const [name, member] of Object.entries(value)) {
    const path = prefix === "" ? name : `${prefix}.${name}`;
    if (typeof member === "object" && member !== null && !Array.isArray(member) && Object.keys(member).length > 0) {
      for (const entry of flatten(member as Record<string, unknown>, path)) result.set(...entry);
    } else result.set(path, member);
  }
  return result;
}

export interface DiffEntry {
  name: string;
  /** One per run; undefined: the run does not have it. */
  values: unknown[];
  differs: boolean;
}

/** Compares configurations or summaries of runs, differences first. */
export function compareRecords(records: readonly Record<string, unknown>[]): DiffEntry[] {
  const flat = records.map((record) => flatten(record));
  const names = [...new Set(flat.flatMap((map) => [...map.keys()]))].sort((a, b) => a.localeCompare(b));
  const entries = names.map((name) => {
    const values = flat.map((map) => map.get(name));
    return { name, values, differs: new Set(values.map((value) => JSON.stringify(value) ?? "")).size > 1 };
  });
  return [...entries.filter(({ differs }) => differs), ...entries.filter(({ differs }) => !differs)];
}

export function valueText(value: unknown): string {
  if (value === undefined) return "–";
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A tag that keeps a run at the top of the list. */
export const PINNED = "pinned";

export function pinnedFirst(runs: readonly Run[]): Run[] {
  return [...runs.filter(({ tags }) => tags.includes(PINNED)), ...runs.filter(({ tags }) => !tags.includes(PINNED))];
}

export function isLive({ state }: Pick<Run, "state">): boolean {
  return state === "running" || state === "pending";
}

/** Names runs so that equal names can be told apart. */
export function runLabels(runs: readonly Pick<Run, "name" | "run_id">[]): string[] {
  return runs.map(({ name, run_id }) => (runs.filter((other) => other.name === name).length > 1 ? `${name} (${run_id})` : name));
}
