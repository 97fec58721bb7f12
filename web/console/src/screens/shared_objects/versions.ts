// Lists of objects and the numbers of their versions.

import { type QueryState, useQuery } from "../../api/cache";
import { type ObjectVersion, listObjects } from "../../api/objects";
import { parseRef } from "./refs";

const MOST = 2000;
const CLASSES = ["Model", "Evaluation", "Dataset", "Scorer"];

/** Numbers of versions by name and digest. */
export type VersionNumbers = ReadonlyMap<string, number>;

/** `guide:v2`, or the name and the beginning of the digest while the number is not known. */
export function refLabel(ref: string | null | undefined, numbers: VersionNumbers | undefined): string {
  const parsed = parseRef(ref ?? "");
  if (!parsed) return ref || "–";
  const number = numbers?.get(`${parsed.name}:${parsed.version}`);
  return `${parsed.name}:${number === undefined ? parsed.version.slice(0, 6) : `v${number}`}`;
}

/** The numbers of the versions of models, evaluations, datasets and scorers of a project. */
export function useVersionNumbers(project: string): QueryState<VersionNumbers> {
  return useQuery({
    key: ["objects", project, "numbers"],
    read: async (signal) => {
      const { objs } = await listObjects(
        { project_id: project, filter: { base_object_classes: CLASSES }, metadata_only: true, limit: MOST, sort_by: [{ field: "created_at", direction: "desc" }] },
        signal,
      );
      return new Map(objs.map(({ object_id, digest, version_index }) => [`${object_id}:${digest}`, version_index]));
    },
    staleTime: 30_000,
  });
}

/** The newest versions of the objects of some classes, the newest first. */
export function useLatestObjects(project: string, classes: string[], options: { values?: boolean; enabled?: boolean } = {}): QueryState<ObjectVersion[]> {
  const { values = false, enabled = true } = options;
  return useQuery({
    key: ["objects", project, "latest", classes.join(","), values],
    read: async (signal) => {
      const { objs } = await listObjects(
        {
          project_id: project,
          filter: { latest_only: true, base_object_classes: classes },
          metadata_only: !values,
          include_tags_and_aliases: true,
          sort_by: [{ field: "created_at", direction: "desc" }],
          limit: 500,
        },
        signal,
      );
      return objs;
    },
    enabled,
  });
}
