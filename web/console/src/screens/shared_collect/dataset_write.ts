// Adds rows to datasets. Large additions are sent in parts, because the size of a request is limited.

import { createDataset, createObject, readObject, updateTable } from "../../api/objects";
import { tableDigest } from "../shared_objects/refs";
import { isRecord } from "../shared_values/value_text";

export type Row = Record<string, unknown>;

const PART_ROWS = 500;
const PART_CHARACTERS = 1_000_000;

/** Divides rows into parts that fit into a request. */
export function partsOf(rows: readonly Row[], most = PART_ROWS, characters = PART_CHARACTERS): Row[][] {
  const parts: Row[][] = [];
  let part: Row[] = [];
  let size = 0;
  for (const row of rows) {
    const length = JSON.stringify(row).length;
    if (part.length > 0 && (part.length >= most || size + length > characters)) {
      parts.push(part);
      part = [];
      size = 0;
    }
    part.push(row);
    size += length;
  }
  if (part.length > 0) parts.push(part);
  return parts;
}

export interface DatasetHead {
  digest: string;
  version: number;
}

/** Publishes a version of a dataset with another table. */
export async function publishTable(project: string, id: string, value: Record<string, unknown>, table: string): Promise<DatasetHead> {
  const { digest } = await createObject({ obj: { project_id: project, object_id: id, val: { ...value, rows: `svc:///${project}/table/${table}` } } });
  const { obj } = await readObject({ project_id: project, object_id: id, digest, metadata_only: true });
  return { digest, version: obj.version_index };
}

export async function appendToTable(project: string, table: string, rows: readonly Row[], onProgress?: (done: number) => void): Promise<string> {
  let digest = table;
  let done = 0;
  for (const part of partsOf(rows)) {
    const reply = await updateTable({ project_id: project, base_digest: digest, updates: part.map((row) => ({ append: { row } })) });
    digest = reply.digest;
    done += part.length;
    onProgress?.(done);
  }
  return digest;
}

/** Appends rows to the latest version of a dataset. */
export async function appendRows(project: string, id: string, rows: readonly Row[], onProgress?: (done: number) => void): Promise<DatasetHead> {
  const { obj } = await readObject({ project_id: project, object_id: id, digest: "latest" });
  const table = isRecord(obj.val) ? tableDigest(obj.val.rows) : null;
  if (!isRecord(obj.val) || table === null) throw new Error("The dataset has no table of rows.");
  return publishTable(project, id, obj.val, await appendToTable(project, table, rows, onProgress));
}

/** Creates a dataset. Returns its id and version. */
export async function createWithRows(
  project: string, name: string, description: string, rows: readonly Row[], onProgress?: (done: number) => void,
): Promise<DatasetHead & { id: string }> {
  const [first = [], ...rest] = partsOf(rows);
  const created = await createDataset(project, { name, description: description === "" ? null : description, rows: first });
  onProgress?.(first.length);
  const remaining = rest.flat();
  if (remaining.length === 0) return { id: created.object_id, digest: created.digest, version: created.version_index };
  const head = await appendRows(project, created.object_id, remaining, (done) => onProgress?.(first.length + done));
  return { id: created.object_id, ...head };
}
