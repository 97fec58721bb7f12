// Finds what an id or a reference names.

import { get } from "./client";

export interface Resolved {
  /** `call`, `trace`, `span`, `evaluation`, `run`, `job`, `delivery`, `object`, and so on. */
  kind: string;
  team: string;
  project: string | null;
  id: string;
  /** Relative to the console. */
  path: string;
}

/** Finds what `ref` names. In `project` (`team/project`) first, if given. */
export function resolveRef(ref: string, project: string | null, signal?: AbortSignal): Promise<Resolved> {
  return get<Resolved>("api/v1/resolve", { ref, project }, signal);
}
