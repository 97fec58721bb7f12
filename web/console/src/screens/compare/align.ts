// Aligns the steps of traces: equal names at the same place below equal parents are the same step.

import { opName } from "../shared_calls/call_facts";
import type { Outline } from "../shared_calls/outline";

export interface AlignedStep {
  /** Names and occurrences from the root: `planner#0/search#1`. */
  key: string;
  name: string;
  depth: number;
  /** The node of each trace, or -1. */
  nodes: number[];
}

type Tree = Pick<Outline, "count" | "model" | "name">;

/** Returns the keys of all steps in the order of the listing. */
function keysOf({ count, model, name }: Tree): { keys: string[]; nodes: Map<string, number> } {
  const keys: string[] = [];
  const keyOf = new Array<string>(count).fill("");
  const seen = new Map<string, number>();
  const nodes = new Map<string, number>();
  for (const node of model.order) {
    const parent = model.parent[node] ?? -1;
    // Roots are one step even when their names differ: traces are compared from their start.
    const plain = parent < 0 ? "" : `${keyOf[parent]}/${opName(name(node)).replaceAll("/", "∕")}`;
    const nth = seen.get(plain) ?? 0;
    seen.set(plain, nth + 1);
    const key = `${plain}#${nth}`;
    keyOf[node] = key;
    keys.push(key);
    nodes.set(key, node);
  }
  return { keys, nodes };
}

/** Joins orders: a key that only a later one has follows the key that stands before it there. */
export function mergeOrders(orders: readonly (readonly string[])[]): string[] {
  const next = new Map<string | null, string | null>();
  const known = new Set<string>();
  for (const order of orders) {
    let before: string | null = null;
    for (const key of order) {
      if (!known.has(key)) {
        known.add(key);
        next.set(key, next.get(before) ?? null);
        next.set(before, key);
      }
      before = key;
    }
  }
  const merged: string[] = [];
  for (let key = next.get(null) ?? null; key !== null; key = next.get(key) ?? null) merged.push(key);
  return merged;
}

export function alignSteps(traces: readonly Tree[]): AlignedStep[] {
  const listed = traces.map(keysOf);
  return mergeOrders(listed.map(({ keys }) => keys)).map((key) => {
    const nodes = listed.map((list) => list.nodes.get(key) ?? -1);
    const first = nodes.findIndex((node) => node >= 0);
    const trace = traces[first]!;
    const node = nodes[first]!;
    return { key, name: opName(trace.name(node)), depth: trace.model.depth[node] ?? 0, nodes };
  });
}

/** How a step differs from the base: missing on one side, another state, or much slower or faster. */
export function isDifferent(step: AlignedStep, status: (trace: number, node: number) => string, duration: (trace: number, node: number) => number): boolean {
  const [base = -1] = step.nodes;
  return step.nodes.some((node, trace) => {
    if (trace === 0) return false;
    if ((node < 0) !== (base < 0)) return true;
    if (node < 0) return false;
    if (status(trace, node) !== status(0, base)) return true;
    const [a, b] = [duration(0, base), duration(trace, node)];
    return Math.abs(b - a) > 100 && (b > 2 * a || a > 2 * b);
  });
}
