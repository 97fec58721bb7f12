// Reads a trace and finds its neighbours.

import { useMemo } from "preact/hooks";

import { type QueryState, useQuery } from "../../api/cache";
import { listCalls } from "../../api/calls";
import { useLive } from "../../api/live";
import { compare, get } from "../../query/expression";
import { isoMicroseconds } from "../../query/compile";
import { type Neighbour, neighboursOf } from "../shared_calls/neighbours";
import { type Outline, makeOutline } from "../shared_calls/outline";
import { type ReadTrace, readTrace } from "../shared_calls/read_trace";

const RUNNING_POLL_MS = 3000;

export function useTrace(project: string, id: string): { state: QueryState<ReadTrace>; outline: Outline | null } {
  const state = useQuery<ReadTrace>({
    key: ["trace", project, id],
    keep: false,
    staleTime: 10_000,
    every: (data) => (data?.outline.columns.status.includes("running") ? RUNNING_POLL_MS : false),
    read: (signal) => readTrace(project, id, signal),
  });
  const outline = useMemo(() => (state.data ? makeOutline(state.data.outline, state.data.at) : null), [state.data]);
  // Spans show before their parents end.
  useLive("calls", outline && outline.running > 0 ? project : null, () => state.refetch());
  return { state, outline };
}

export interface Neighbours {
  before: Neighbour | null;
  after: Neighbour | null;
}

/** Reads the traces that started just after and just before, the newest first as in the list. */
async function readNeighbours(project: string, t0: number, signal: AbortSignal): Promise<Neighbours> {
  const one = async (operator: ">" | "<") => {
    const { items } = await listCalls({
      project_id: project, filter: { trace_roots_only: true }, limit: 1, columns: ["trace_id"],
      query: { $expr: compare(operator, get("started_at"), isoMicroseconds(t0)) } as never,
      sort_by: [{ field: "started_at", direction: operator === ">" ? "asc" : "desc" }],
    }, signal);
    const trace = items[0]?.trace_id;
    return trace ? { trace, span: null } : null;
  };
  const [before, after] = await Promise.all([one(">"), one("<")]);
  return { before, after };
}

/** The traces before and behind this one: in the list one came from, otherwise by time, as soon as they may be read. */
export function useNeighbours(project: string, trace: string, span: string | null, t0: number | null, mayRead: boolean): Neighbours {
  const listed = neighboursOf(project, trace, span);
  const read = useQuery({
    key: ["neighbours", project, trace, t0],
    enabled: mayRead && listed === null && t0 !== null,
    staleTime: 60_000,
    keep: false,
    read: (signal) => readNeighbours(project, t0 ?? 0, signal),
  });
  return listed ?? read.data ?? { before: null, after: null };
}
