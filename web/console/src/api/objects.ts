// Objects: prompts, models, scorers, ops, saved views; datasets and their tables; refs and files.

import { change, get, read, readBlob } from "./client";
import { readPage } from "./lines";
import type { Page } from "./paging";
import type {
  AliasesRemoveRequest, AliasesReply, AliasesSetRequest, DatasetCreate, DatasetCreated, DatasetView, DeletedCount,
  Empty, FileContentRequest, ModelView, ObjectCreateReply, ObjectCreateRequest, ObjectDeleteReply,
  ObjectDeleteRequest, ObjectQueryReply, ObjectQueryRequest, ObjectReadReply, ObjectReadRequest, OpView,
  RefsReadReply, RefsReadRequest, ScorerCreate, ScorerCreated, ScorerView, TableCreateReply, TableCreateRequest,
  TableQueryReply, TableQueryRequest, TableStatsReply, TableStatsRequest, TableUpdateReply, TableUpdateRequest,
  TagsReply, TagsRequest,
} from "./schema";
import { path, segments } from "./urls";

export type {
  AliasesRemoveRequest, AliasesReply, AliasesSetRequest, DatasetCreate, DatasetCreated, DatasetView, DeletedCount,
  DeletedObjectVersion, Empty, FileContentRequest, ListSort, ModelView, NewObject, NewTable, ObjectCreateReply,
  ObjectCreateRequest, ObjectDeleteReply, ObjectDeleteRequest, ObjectFilter, ObjectQueryReply, ObjectQueryRequest,
  ObjectReadReply, ObjectReadRequest, ObjectVersion, OpView, RefsReadReply, RefsReadRequest, ScorerCreate,
  ScorerCreated, ScorerView, TableAppend, TableAppendSpec, TableCreateReply, TableCreateRequest, TableInsert,
  TableInsertSpec, TablePop, TablePopSpec, TableQueryReply, TableQueryRequest, TableRow, TableRowFilter,
  TableStatsReply, TableStatsRequest, TableUpdateReply, TableUpdateRequest, TagsReply, TagsRequest,
} from "./schema";

/** Order and page of the lists of versions. */
export type VersionListQuery = {
  limit?: number;
  /** The oldest come first unless asked otherwise. */
  order?: "newest" | "oldest";
  cursor?: string;
  /** Only the newest version of each object. */
  latest_only?: boolean;
};

/** List versions of objects. */
export function listObjects(body: ObjectQueryRequest, signal?: AbortSignal): Promise<ObjectQueryReply> {
  return read<ObjectQueryReply>("objs/query", body, signal);
}

/** Read a version of an object. */
export function readObject(body: ObjectReadRequest, signal?: AbortSignal): Promise<ObjectReadReply> {
  return read<ObjectReadReply>("obj/read", body, signal);
}

/** Publish an object. */
export function createObject(body: ObjectCreateRequest): Promise<ObjectCreateReply> {
  return change<ObjectCreateReply>("POST", "obj/create", body);
}

/** Delete versions of an object. */
export function deleteObject(body: ObjectDeleteRequest): Promise<ObjectDeleteReply> {
  return change<ObjectDeleteReply>("POST", "obj/delete", body);
}

/** Point aliases at a version. */
export function setAliases(objectId: string, body: AliasesSetRequest): Promise<Empty> {
  return change<Empty>("PUT", path`objs/${objectId}/aliases`, body);
}

/** Remove aliases from an object. */
export function removeAliases(objectId: string, body: AliasesRemoveRequest): Promise<Empty> {
  return change<Empty>("POST", path`objs/${objectId}/aliases/remove`, body);
}

/** Add tags to a version. */
export function addTags(objectId: string, digest: string, body: TagsRequest): Promise<Empty> {
  return change<Empty>("PUT", path`objs/${objectId}/versions/${digest}/tags`, body);
}

/** Remove tags from a version. */
export function removeTags(objectId: string, digest: string, body: TagsRequest): Promise<Empty> {
  return change<Empty>("POST", path`objs/${objectId}/versions/${digest}/tags/remove`, body);
}

/** List the aliases in use. */
export function listAliases(query: { project_id: string }, signal?: AbortSignal): Promise<AliasesReply> {
  return get<AliasesReply>("aliases", query, signal);
}

/** List the tags in use. */
export function listTags(query: { project_id: string }, signal?: AbortSignal): Promise<TagsReply> {
  return get<TagsReply>("tags", query, signal);
}

/** Read the values of refs. */
export function readRefs(body: RefsReadRequest, signal?: AbortSignal): Promise<RefsReadReply> {
  return read<RefsReadReply>("refs/read_batch", body, signal);
}

/** List versions. */
export function listDatasets(
  project: string,
  query: VersionListQuery = {},
  signal?: AbortSignal,
): Promise<Page<DatasetView>> {
  return readPage<DatasetView>(path`v2/${segments(project)}/datasets`, { method: "GET", query: { ...query, include_cursor: true }, signal });
}

/** Publish a version; existing content only becomes the latest. */
export function createDataset(project: string, body: DatasetCreate): Promise<DatasetCreated> {
  return change<DatasetCreated>("POST", path`v2/${segments(project)}/datasets`, body);
}

/** Read a version. */
export function readDataset(
  project: string,
  objectId: string,
  digest: string,
  signal?: AbortSignal,
): Promise<DatasetView> {
  return get<DatasetView>(path`v2/${segments(project)}/datasets/${objectId}/versions/${digest}`, {}, signal);
}

/** Delete versions. */
export function deleteDataset(
  project: string,
  objectId: string,
  query: { digests?: string[] } = {},
): Promise<DeletedCount> {
  return change<DeletedCount>("DELETE", path`v2/${segments(project)}/datasets/${objectId}`, undefined, query);
}

/** List versions. */
export function listModelObjects(
  project: string,
  query: VersionListQuery = {},
  signal?: AbortSignal,
): Promise<Page<ModelView>> {
  return readPage<ModelView>(path`v2/${segments(project)}/models`, { method: "GET", query: { ...query, include_cursor: true }, signal });
}

/** List versions. */
export function listScorers(
  project: string,
  query: VersionListQuery = {},
  signal?: AbortSignal,
): Promise<Page<ScorerView>> {
  return readPage<ScorerView>(path`v2/${segments(project)}/scorers`, { method: "GET", query: { ...query, include_cursor: true }, signal });
}

/** Publish a version; existing content only becomes the latest. */
export function createScorer(project: string, body: ScorerCreate): Promise<ScorerCreated> {
  return change<ScorerCreated>("POST", path`v2/${segments(project)}/scorers`, body);
}

/** List versions. */
export function listOps(
  project: string,
  query: VersionListQuery = {},
  signal?: AbortSignal,
): Promise<Page<OpView>> {
  return readPage<OpView>(path`v2/${segments(project)}/ops`, { method: "GET", query: { ...query, include_cursor: true }, signal });
}

/** Read a version. */
export function readOp(
  project: string,
  objectId: string,
  digest: string,
  query: { eager?: boolean } = {},
  signal?: AbortSignal,
): Promise<OpView> {
  return get<OpView>(path`v2/${segments(project)}/ops/${objectId}/versions/${digest}`, query, signal);
}

/** Read rows of a table. */
export function queryTable(body: TableQueryRequest, signal?: AbortSignal): Promise<TableQueryReply> {
  return read<TableQueryReply>("table/query", body, signal);
}

/** Count the rows of a table. */
export function tableStats(body: TableStatsRequest, signal?: AbortSignal): Promise<TableStatsReply> {
  return read<TableStatsReply>("table/query_stats", body, signal);
}

/** Create a table. */
export function createTable(body: TableCreateRequest): Promise<TableCreateReply> {
  return change<TableCreateReply>("POST", "table/create", body);
}

/** Create a modified copy of a table. */
export function updateTable(body: TableUpdateRequest): Promise<TableUpdateReply> {
  return change<TableUpdateReply>("POST", "table/update", body);
}

/** Reads a stored file, such as an image in a call. */
export function readFile(body: FileContentRequest, signal?: AbortSignal): Promise<Blob> {
  return readBlob("file/content", { method: "POST", body, signal });
}
