// The types of feedback that a project has.

export interface FeedbackType {
  name: string;
  count: number;
  /** Time of the newest one, in milliseconds. */
  newest: number;
}

/** Counts rows of feedback by type, most frequent first. */
export function countTypes(rows: readonly { feedback_type: string; created_at: string }[]): FeedbackType[] {
  const types = new Map<string, FeedbackType>();
  for (const { feedback_type: name, created_at } of rows) {
    const known = types.get(name) ?? { name, count: 0, newest: 0 };
    types.set(name, { name, count: known.count + 1, newest: Math.max(known.newest, Date.parse(created_at)) });
  }
  return [...types.values()].sort((a, b) => b.count - a.count || a.name.localeCompare(b.name));
}

const DAY_MS = 86_400_000;
/** The server inspects at most 31 days. */
const DAYS = 31;

/** Returns the time to inspect for the paths of a payload: up to the newest feedback of the type. */
export function inspectedTime({ newest }: Pick<FeedbackType, "newest">): { start: string; end: string } {
  const end = newest + 1000;
  return { start: new Date(end - DAYS * DAY_MS).toISOString(), end: new Date(end).toISOString() };
}
