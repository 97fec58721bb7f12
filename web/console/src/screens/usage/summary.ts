// Sums and series of usage.

import type { UsageRow } from "../../api/usage";
import { printValue } from "../../query/print";

export type Dimension = "model" | "project" | "user" | "key";
export type Measure = "cost" | "tokens" | "requests" | "errors";

export const DIMENSIONS: Record<Dimension, string> = { model: "Model", project: "Project", user: "User", key: "Key" };
export const MEASURES: Record<Measure, string> = { cost: "Cost", tokens: "Tokens", requests: "Requests", errors: "Errors" };

export function measureOf(row: UsageRow, measure: Measure): number {
  switch (measure) {
    case "cost": return row.cost_usd;
    case "tokens": return row.prompt_tokens + row.completion_tokens;
    case "requests": return row.requests;
    case "errors": return row.errors;
  }
}

const DAY_MS = 86_400_000;

/** The days from the first to the last moment, as midnight UTC in milliseconds. */
export function daysBetween(from: number, to: number): number[] {
  const days: number[] = [];
  for (let day = Math.floor(from / DAY_MS) * DAY_MS; day < to; day += DAY_MS) days.push(day);
  return days;
}

export interface DaySeries {
  name: string;
  values: number[];
}

/** Series by day: the largest groups, and the sum of the others as "other". Days without usage are 0. */
export function seriesByDay(rows: readonly UsageRow[], days: readonly number[], by: Dimension, measure: Measure, most = 5): DaySeries[] {
  const index = new Map(days.map((day, at) => [day, at]));
  const groups = new Map<string, number[]>();
  for (const row of rows) {
    const at = index.get(Date.parse(`${row.day}T00:00:00Z`));
    if (at === undefined) continue;
    const name = row[by] ?? "none";
    const values = groups.get(name) ?? days.map(() => 0);
    values[at] = (values[at] ?? 0) + measureOf(row, measure);
    groups.set(name, values);
  }
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const sorted = [...groups].map(([name, values]) => ({ name, values })).sort((a, b) => sum(b.values) - sum(a.values));
  if (sorted.length <= most) return sorted;
  const rest = sorted.slice(most - 1);
  const other = days.map((_, at) => sum(rest.map(({ values }) => values[at] ?? 0)));
  return [...sorted.slice(0, most - 1), { name: `${rest.length} others`, values: other }];
}

/** Rows by a measure, the largest first, each with its share of the sum. */
export function ranked(rows: readonly UsageRow[], measure: Measure): { row: UsageRow; share: number }[] {
  const total = rows.reduce((sum, row) => sum + measureOf(row, measure), 0);
  return [...rows]
    .sort((a, b) => measureOf(b, measure) - measureOf(a, measure))
    .map((row) => ({ row, share: total === 0 ? 0 : measureOf(row, measure) / total }));
}

/** The filter text for the explorer that finds the calls of a model. */
export function modelFilter(model: string): string {
  return `model:${printValue(model)}`;
}
