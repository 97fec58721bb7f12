// Finds what an id or a reference names.

import { get } from "./client";
import type { ResolvedReference } from "./schema";

export type { ResolvedReference } from "./schema";

/** Finds what `ref` names. In `project` (`team/project`) first, if given. */
export function resolveRef(ref: string, project: string | null, signal?: AbortSignal): Promise<ResolvedReference> {
  return get<ResolvedReference>("api/v1/resolve", { ref, project }, signal);
}
