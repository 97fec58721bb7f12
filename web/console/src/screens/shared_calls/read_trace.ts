// Reads the outline of a trace.

import { readCall } from "../../api/calls";
import { ApiError } from "../../api/errors";
import { type TraceOutline, traceOutline } from "../../api/traces";

export interface ReadTrace {
  outline: TraceOutline;
  /** When it was read, for the ends of running steps. */
  at: number;
}

/** Reads the outline of a trace. The id may also be that of a call in it. */
export async function readTrace(project: string, id: string, signal: AbortSignal): Promise<ReadTrace> {
  const found = await traceOutline({ project_id: project, trace_id: id }, signal).catch((error: unknown) => {
    if (error instanceof ApiError && error.missing) return null;
    throw error;
  });
  if (found && found.count > 0) return { outline: found, at: Date.now() };
  const { call } = await readCall({ project_id: project, id }, signal);
  if (!call) throw new ApiError(404, "There is no such trace.");
  return { outline: await traceOutline({ project_id: project, trace_id: call.trace_id }, signal), at: Date.now() };
}
