// The checkpoints of a model with the versions that hold them.

import { type ArtifactVersion, listVersions } from "../../api/artifacts";
import { type QueryState, useQuery } from "../../api/cache";
import { allPages } from "../../api/paging";
import { type Checkpoint, listCheckpoints } from "../../api/training";
import { PRODUCTION } from "./production";

const PAGE = 100;
const MOST = 2000;

/** Reads all checkpoints by step. */
export async function readCheckpoints(modelId: string, signal?: AbortSignal): Promise<Checkpoint[]> {
  const all: Checkpoint[] = [];
  for (let after = ""; all.length < MOST; ) {
    const { data, has_more } = await listCheckpoints(modelId, { limit: PAGE, order: "asc", ...(after ? { after } : {}) }, signal);
    all.push(...data);
    const last = data.at(-1);
    if (!has_more || !last) break;
    after = last.id;
  }
  return all;
}

export function useCheckpoints(modelId: string | undefined): QueryState<Checkpoint[]> {
  return useQuery({ key: ["checkpoints", modelId ?? ""], read: (signal) => readCheckpoints(modelId ?? "", signal), enabled: modelId !== undefined, keep: false });
}

export function useVersions(project: string, collection: string | undefined): QueryState<ArtifactVersion[]> {
  return useQuery({
    key: ["versions", project, collection ?? ""],
    read: (signal) => allPages((cursor) => listVersions({ project }, collection ?? "", { cursor, limit: 200 }, signal)),
    enabled: collection !== undefined,
    keep: false,
  });
}

/** Returns the version of a step: checkpoints have the alias `stepN`. */
export function versionOfStep(versions: readonly ArtifactVersion[] | undefined, step: number): ArtifactVersion | undefined {
  return versions?.find(({ aliases }) => aliases.includes(`step${step}`));
}

/** Returns the step that has an alias, or null. */
export function stepWithAlias(versions: readonly ArtifactVersion[] | undefined, alias: string = PRODUCTION): number | null {
  const found = versions?.find(({ aliases }) => aliases.includes(alias));
  const name = found?.aliases.find((text) => /^step\d+$/.test(text));
  return name ? Number(name.slice(4)) : null;
}

/** Returns the aliases that people gave: neither `stepN` nor `latest`. */
export function ownAliases(version: Pick<ArtifactVersion, "aliases"> | undefined): string[] {
  return (version?.aliases ?? []).filter((alias) => alias !== "latest" && !/^step\d+$/.test(alias));
}
