// Annotation queues: items, progress.

import { change, get, read } from "./client";
import { readLines } from "./lines";
import type {
  AnnotationItems, AnnotationItemsAdd, AnnotationItemsAdded, AnnotationItemsQuery, AnnotationProgress,
  AnnotationProgressReply, AnnotationQueue, AnnotationQueueCreate, AnnotationQueueCreated, AnnotationQueueItem,
  AnnotationQueueReply, AnnotationQueueUpdate, AnnotationQueuesQuery, AnnotationQueuesStats,
  AnnotationQueuesStatsRequest,
} from "./schema";
import { path } from "./urls";

export type {
  AnnotationItems, AnnotationItemsAdd, AnnotationItemsAdded, AnnotationItemsFilter, AnnotationItemsQuery,
  AnnotationProgress, AnnotationProgressReply, AnnotationQueue, AnnotationQueueCreate, AnnotationQueueCreated,
  AnnotationQueueItem, AnnotationQueueReply, AnnotationQueueStats, AnnotationQueueUpdate, AnnotationQueuesQuery,
  AnnotationQueuesStats, AnnotationQueuesStatsRequest, SortBy,
} from "./schema";

/** States of an item of a queue. */
export type AnnotationState = AnnotationQueueItem["annotation_state"];

/** List annotation queues as JSON Lines. */
export function listQueues(body: AnnotationQueuesQuery, signal?: AbortSignal): Promise<AnnotationQueue[]> {
  return readLines<AnnotationQueue>("annotation_queues/query", { body, signal });
}

/** Create an annotation queue. */
export function createQueue(body: AnnotationQueueCreate): Promise<AnnotationQueueCreated> {
  return change<AnnotationQueueCreated>("POST", "annotation_queues", body);
}

/** Get an annotation queue. */
export function getQueue(
  queueId: string,
  query: { project_id: string },
  signal?: AbortSignal,
): Promise<AnnotationQueueReply> {
  return get<AnnotationQueueReply>(path`annotation_queues/${queueId}`, query, signal);
}

/** Update an annotation queue. */
export function changeQueue(queueId: string, body: AnnotationQueueUpdate): Promise<AnnotationQueueReply> {
  return change<AnnotationQueueReply>("PUT", path`annotation_queues/${queueId}`, body);
}

/** Delete an annotation queue; its items remain. */
export function deleteQueue(queueId: string, query: { project_id: string }): Promise<AnnotationQueueReply> {
  return change<AnnotationQueueReply>("DELETE", path`annotation_queues/${queueId}`, undefined, query);
}

/** Get the progress of annotation queues. */
export function queueStats(body: AnnotationQueuesStatsRequest, signal?: AbortSignal): Promise<AnnotationQueuesStats> {
  return read<AnnotationQueuesStats>("annotation_queues/stats", body, signal);
}

/** List the items of an annotation queue. */
export function listQueueItems(
  queueId: string,
  body: AnnotationItemsQuery,
  signal?: AbortSignal,
): Promise<AnnotationItems> {
  return read<AnnotationItems>(path`annotation_queues/${queueId}/items/query`, body, signal);
}

/** Add calls to an annotation queue. */
export function addQueueItems(queueId: string, body: AnnotationItemsAdd): Promise<AnnotationItemsAdded> {
  return change<AnnotationItemsAdded>("POST", path`annotation_queues/${queueId}/items`, body);
}

/** Set your annotation state of an item. */
export function setItemProgress(
  queueId: string,
  itemId: string,
  body: AnnotationProgress,
): Promise<AnnotationProgressReply> {
  return change<AnnotationProgressReply>("POST", path`annotation_queues/${queueId}/items/${itemId}/progress`, body);
}
