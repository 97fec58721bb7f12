// The part of an outline below one step.

import type { TraceOutline } from "../../api/traces";
import { toMilliseconds } from "../../format/time";

/** Returns the outline of a step and all below it, with times after its start; the whole outline for other ids. */
export function subtreeOf(outline: TraceOutline, id: string): TraceOutline {
  const { columns } = outline;
  const root = columns.id.indexOf(id);
  if (root < 0) return outline;
  const inside = new Map<number, boolean>([[-1, false], [root, true]]);
  const isInside = (node: number): boolean => {
    // Walks up in a loop: traces may be deeper than the stack.
    const path: number[] = [];
    let at = node;
    while (!inside.has(at)) {
      path.push(at);
      at = columns.parent[at] ?? -1;
    }
    const result = inside.get(at)!;
    for (const step of path) inside.set(step, result);
    return result;
  };
  const kept = columns.id.map((_, node) => node).filter(isInside);
  const places = new Map(kept.map((node, index) => [node, index]));
  const offset = columns.started_at[root] ?? 0;
  const pick = <T>(values: readonly T[]) => kept.map((node) => values[node]!);
  return {
    ...outline,
    count: kept.length,
    t0: outline.t0 === null ? null : new Date(toMilliseconds(outline.t0) + offset / 1000).toISOString(),
    columns: {
      id: pick(columns.id),
      parent: kept.map((node) => (node === root ? -1 : places.get(columns.parent[node]!)!)),
      name: pick(columns.name),
      kind: pick(columns.kind),
      source: pick(columns.source),
      started_at: pick(columns.started_at).map((time) => time - offset),
      ended_at: pick(columns.ended_at).map((time) => (time === null ? null : time - offset)),
      status: pick(columns.status),
      tokens: pick(columns.tokens),
      cost: pick(columns.cost),
    },
  };
}
