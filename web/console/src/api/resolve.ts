// Finds what an id or a reference names.

import { get } from "./client";

export interface Resolved {
  /** `call`, `trace`, `span`, `run`, `job`, `delivery`, or the kind of an object. */
  kind: string;
  team: string | null;
  project: string | null;
  id: string;
  /** Relative to the console. */
  path: string;
}

export function resolveRef(ref: string, signal?: AbortSignal): Promise<Resolved> {
  return get<Resolved>("api/v1/resolve", { ref }, signal);
}
