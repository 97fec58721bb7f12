// Training: jobs, trained models, checkpoints, trainers, training data from traces.

import { change, get, read } from "./client";
import type { Page, PageQuery } from "./paging";
import type {
  CheckpointDeletion, CheckpointList, CheckpointsDeleted, ModelDeleted, SftTrainingJobCreate, SystemCheck,
  TrainedModel, TrainedModelCreate, TrainingJob, TrainingJobCreate, TrainingJobDetail, TrainingJobEventList,
  TrajectoryExport, TrajectoryExported,
} from "./schema";
import { path } from "./urls";

export type {
  CallsFilter, Checkpoint, CheckpointDeletion, CheckpointList, CheckpointsDeleted, ModelDeleted, Query, QueueCheck,
  RlConfig, SftConfig, SftMetricLogging, SftTrainingJobCreate, SystemCheck, TrainedModel, TrainedModelCreate,
  TrainingJob, TrainingJobCreate, TrainingJobDetail, TrainingJobEvent, TrainingJobEventList, Trajectory,
  TrajectoryAnswerPart, TrajectoryAssistantMessage, TrajectoryAudioInput, TrajectoryAudioPart, TrajectoryChoice,
  TrajectoryCustomCall, TrajectoryException, TrajectoryExport, TrajectoryExported, TrajectoryFileInput,
  TrajectoryFilePart, TrajectoryFunction, TrajectoryFunctionCall, TrajectoryFunctionMessage, TrajectoryGroup,
  TrajectoryHistory, TrajectoryImagePart, TrajectoryImageUrl, TrajectoryLogprobs, TrajectoryMetadata,
  TrajectoryReward, TrajectorySystemMessage, TrajectoryTextPart, TrajectoryTokenLogprob, TrajectoryTool,
  TrajectoryToolCall, TrajectoryToolMessage, TrajectoryTopLogprob, TrajectoryUserMessage,
} from "./schema";

/** A job in the list, with its place in the queue while it waits. */
export interface QueuedTrainingJob extends TrainingJobDetail {
  queue_position?: number | null;
}

/** A program that trains: when it was last seen and what it works on. */
export interface Trainer {
  name: string;
  seen_at: string;
  job: string | null;
  device: string | null;
}

/** What an export would write: counts, some samples, and the rewards as a histogram. */
export interface TrajectoryPreview {
  num_calls: number;
  num_trajectories: number;
  num_lines: number;
  /** Up to five. */
  samples: Record<string, unknown>[];
  rewards?: { buckets: { from: number; to: number; count: number }[]; missing?: number } | null;
}

/** Show a training job with all its details. */
export function getTrainingJob(id: string, signal?: AbortSignal): Promise<TrainingJobDetail> {
  return get<TrainingJobDetail>(path`api/v1/training-jobs/${id}`, {}, signal);
}

/** Cancel a training job. */
export function cancelTrainingJob(id: string): Promise<TrainingJobDetail> {
  return change<TrainingJobDetail>("POST", path`api/v1/training-jobs/${id}/cancel`);
}

/** List the events of a training job. */
export function listTrainingEvents(
  trainingJobId: string,
  query: { after?: string; limit?: number } = {},
  signal?: AbortSignal,
): Promise<TrainingJobEventList> {
  return get<TrainingJobEventList>(path`v1/preview/training-jobs/${trainingJobId}/events`, query, signal);
}

/** Train a model on examples. */
export function createSftJob(body: SftTrainingJobCreate): Promise<TrainingJob> {
  return change<TrainingJob>("POST", "v1/preview/sft-training-jobs", body);
}

/** Train a model by reinforcement learning. */
export function createRlJob(body: TrainingJobCreate): Promise<TrainingJob> {
  return change<TrainingJob>("POST", "v1/preview/training-jobs", body);
}

/** Create a model to train. */
export function createTrainedModel(body: TrainedModelCreate): Promise<TrainedModel> {
  return change<TrainedModel>("POST", "v1/preview/models", body);
}

/** Delete a model. */
export function deleteTrainedModel(modelId: string): Promise<ModelDeleted> {
  return change<ModelDeleted>("DELETE", path`v1/preview/models/${modelId}`);
}

/** List the checkpoints of a model. */
export function listCheckpoints(
  modelId: string,
  query: { after?: string; limit?: number; order?: "asc" | "desc" } = {},
  signal?: AbortSignal,
): Promise<CheckpointList> {
  return get<CheckpointList>(path`v1/preview/models/${modelId}/checkpoints`, query, signal);
}

/** Delete checkpoints of a model. */
export function deleteCheckpoints(modelId: string, body: CheckpointDeletion): Promise<CheckpointsDeleted> {
  return change<CheckpointsDeleted>("DELETE", path`v1/preview/models/${modelId}/checkpoints`, body);
}

/** Export traced calls or agent traces as training data. */
export function exportTrajectories(body: TrajectoryExport): Promise<TrajectoryExported> {
  return change<TrajectoryExported>("POST", "api/v1/trajectories", body);
}

/** Check all components of training. */
export function checkTraining(signal?: AbortSignal): Promise<SystemCheck> {
  return get<SystemCheck>("v1/system-check", {}, signal);
}

/** Lists the training jobs of a project, newest first. */
export function listTrainingJobs(
  query: PageQuery & { project: string; model_id?: string; status?: TrainingJobDetail["status"] },
  signal?: AbortSignal,
): Promise<Page<QueuedTrainingJob>> {
  return get<Page<QueuedTrainingJob>>("api/v1/training-jobs", { ...query }, signal);
}

/** Starts a job like this one, with changes to its configuration. */
export function retryTrainingJob(id: string, changes: Record<string, unknown> = {}): Promise<TrainingJobDetail> {
  return change<TrainingJobDetail>("POST", path`api/v1/training-jobs/${id}/retry`, { changes });
}

/** Counts what an export would write, without writing it. */
export function previewTrajectories(body: TrajectoryExport, signal?: AbortSignal): Promise<TrajectoryPreview> {
  return read<TrajectoryPreview>("api/v1/trajectories", { ...body, dry_run: true }, signal);
}

/** Lists trained models. */
export function listTrainedModels(
  query: PageQuery & { team?: string; project?: string } = {},
  signal?: AbortSignal,
): Promise<Page<TrainedModel>> {
  return get<Page<TrainedModel>>("api/v1/trained-models", { ...query }, signal);
}

/** Lists the trainers that were seen. */
export function listTrainers(signal?: AbortSignal): Promise<Page<Trainer>> {
  return get<Page<Trainer>>("api/v1/trainers", {}, signal);
}
