// Whether the project of the address exists. The server creates a missing project at its first write, for programs that
// send traces. People are told instead that the project on their screen was deleted.

import { useEffect } from "preact/hooks";

import { queries, useQuery } from "../api/cache";
import { send, setChangeGuard } from "../api/client";
import { ApiError, asApiError } from "../api/errors";
import type { Project } from "../api/identity";
import { path, segments } from "../api/urls";

/** The project of the address. */
let current: string | null = null;

/** The time between looks for a project that does not exist yet. */
const WAIT_MS = 5000;

const keyOf = (project: string | null) => ["project", project];

async function readProject(project: string, signal?: AbortSignal): Promise<Project> {
  // Does not wait for a server that cannot be reached: the change that follows says so.
  const response = await send("GET", path`api/v1/projects/${segments(project)}`, { signal, read: false });
  return (await response.json()) as Project;
}

/** Returns true for requests that would create the project. */
function writesTo(project: string, requestPath: string): boolean {
  return !requestPath.startsWith("api/v1/") || requestPath.startsWith("api/v1/training-jobs") ||
    requestPath.startsWith(path`api/v1/projects/${segments(project)}/`);
}

setChangeGuard(async (requestPath) => {
  const project = current;
  if (project === null || !writesTo(project, requestPath)) return;
  try {
    await queries.fetchQuery({ queryKey: keyOf(project), queryFn: () => readProject(project), staleTime: 0 });
  } catch (thrown) {
    // Other failures meet the change, too, and are told there.
    if (!asApiError(thrown).missing) return;
    throw new ApiError(404, `The project ${project} was deleted. Nothing was stored. Copy what you typed, or create the project again and repeat this.`);
  }
});

/** Returns `missing` if there is no such project, `deleted` if there was one when the page was opened. */
export function useProjectState(project: string | null): "there" | "missing" | "deleted" {
  useEffect(() => {
    current = project;
  }, [project]);
  const { data, error } = useQuery({
    key: keyOf(project),
    read: (signal) => readProject(project ?? "", signal),
    enabled: project !== null,
    staleTime: 60_000,
    every: (found) => (found ? false : WAIT_MS),
    keep: false,
  });
  if (!error?.missing) return "there";
  return data ? "deleted" : "missing";
}
