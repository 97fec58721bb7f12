// Which collections match, and which files can be looked at.

import type { ArtifactCollection, ArtifactFile } from "../../api/artifacts";

/** Larger files are downloaded. */
const LOOK_BYTES = 2 * 1024 * 1024;
const TEXT = /\.(jsonl?|txt|md|csv|tsv|ya?ml|toml|log|py|js|ts|sh|html|xml|cfg|ini)$/i;

export function canLook({ path, size, ref }: Pick<ArtifactFile, "path" | "size" | "ref">): boolean {
  return ref === null && size <= LOOK_BYTES && TEXT.test(path);
}

/** Returns the rows whose name, description or tags contain the text. */
export function findCollections(rows: readonly ArtifactCollection[], text: string, type: string): ArtifactCollection[] {
  const wanted = text.trim().toLowerCase();
  return rows.filter((row) => (type === "" || row.type === type) && [row.name, row.description, ...row.tags].some((word) => word.toLowerCase().includes(wanted)));
}
