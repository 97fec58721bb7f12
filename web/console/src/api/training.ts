// Training: jobs, trained models, checkpoints, trainers, training data from traces.

import { change, get, read } from "./client";
import type { PageQuery } from "./paging";
import type {
  CheckpointDeletion, CheckpointList, CheckpointsDeleted, ModelDeleted, SftTrainingJobCreate, SystemCheck,
  TrainedModel, TrainedModelCreate, TrainedModelDetail, TrainedModelPage, TrainerPage, TrainingJob, TrainingJobCreate,
  TrainingJobDetail, TrainingJobEventList, TrainingJobPage, TrainingJobRetry, TrainingJobStart, TrajectoryExport,
  TrajectoryExported, TrajectoryPreview,
} from "./schema";
import { path } from "./urls";

export type {
  CallsFilter, Checkpoint, CheckpointDeletion, CheckpointList, CheckpointsDeleted, ModelDeleted, Query, QueueCheck,
  RewardBucket, RewardSummary, RlConfig, SftConfig, SftMetricLogging, SftTrainingJobCreate, SystemCheck, TrainedModel,
  TrainedModelCreate, TrainedModelDetail, Trainer, TrainingJob, TrainingJobCreate, TrainingJobDetail, TrainingJobEvent,
  TrainingJobEventList, TrainingJobRetry, TrainingJobStart, Trajectory,
  TrajectoryAnswerPart, TrajectoryAssistantMessage, TrajectoryAudioInput, TrajectoryAudioPart, TrajectoryChoice,
  TrajectoryCustomCall, TrajectoryException, TrajectoryExport, TrajectoryExported, TrajectoryFileInput,
  TrajectoryFilePart, TrajectoryFunction, TrajectoryFunctionCall, TrajectoryFunctionMessage, TrajectoryGroup,
  TrajectoryHistory, TrajectoryImagePart, TrajectoryImageUrl, TrajectoryLogprobs, TrajectoryMetadata,
  TrajectoryPreview, TrajectoryReward, TrajectorySample, TrajectorySystemMessage, TrajectoryTextPart, TrajectoryTokenLogprob, TrajectoryTool,
  TrajectoryToolCall, TrajectoryToolMessage, TrajectoryTopLogprob, TrajectoryUserMessage,
} from "./schema";

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
): Promise<TrainingJobPage> {
  return get<TrainingJobPage>("api/v1/training-jobs", { ...query }, signal);
}

/** Starts a job on an artifact. */
export function startTrainingJob(body: TrainingJobStart): Promise<TrainingJobDetail> {
  return change<TrainingJobDetail>("POST", "api/v1/training-jobs", body);
}

/** Starts a job like this one. Members of `config` replace those of the earlier job. */
export function retryTrainingJob(id: string, body: TrainingJobRetry = {}): Promise<TrainingJobDetail> {
  return change<TrainingJobDetail>("POST", path`api/v1/training-jobs/${id}/retry`, body);
}

/** Counts what an export would write, without writing it. */
export function previewTrajectories(body: Omit<TrajectoryExport, "name" | "dry_run">, signal?: AbortSignal): Promise<TrajectoryPreview> {
  return read<TrajectoryPreview>("api/v1/trajectories", { ...body, dry_run: true }, signal);
}

/** Lists trained models. */
export function listTrainedModels(
  query: PageQuery & { team?: string; project?: string } = {},
  signal?: AbortSignal,
): Promise<TrainedModelPage> {
  return get<TrainedModelPage>("api/v1/trained-models", { ...query }, signal);
}

export function getTrainedModel(id: string, signal?: AbortSignal): Promise<TrainedModelDetail> {
  return get<TrainedModelDetail>(path`api/v1/trained-models/${id}`, {}, signal);
}

/** Lists the trainers that were seen. */
export function listTrainers(signal?: AbortSignal): Promise<TrainerPage> {
  return get<TrainerPage>("api/v1/trainers", {}, signal);
}
