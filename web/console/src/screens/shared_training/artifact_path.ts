// Paths of artifacts: svc-artifact:///team/project/name:version.

import { href, paths } from "../../app/location";

export interface ArtifactPath {
  /** `team/project` */
  project: string;
  name: string;
  /** A version or an alias. */
  version: string;
}

/** Reads `svc-artifact:///team/project/name:v3` or `team/project/name:v3`; null for anything else. */
export function parseArtifactPath(text: string | null | undefined): ArtifactPath | null {
  const match = /^(?:svc-artifact:\/\/\/)?([^/:\s]+\/[^/:\s]+)\/([^/:\s]+)(?::([^/:\s]+))?$/.exec(text?.trim() ?? "");
  if (!match) return null;
  const [, project = "", name = "", version = "latest"] = match;
  return { project, name, version };
}

export function artifactPath({ project, name, version }: ArtifactPath): string {
  return `svc-artifact:///${project}/${name}:${version}`;
}

/** Returns the address of the version's screen, or undefined for other data. */
export function artifactHref(text: string | null | undefined): string | undefined {
  const parsed = parseArtifactPath(text);
  return parsed ? href(paths.artifacts(parsed.project, parsed.name, parsed.version)) : undefined;
}
