// Training: jobs, trained models, checkpoints, trainers, training data from traces.

import { change, get, read } from "./client";
import type { Page, PageQuery } from "./paging";
import type {
  Checkpoint, CheckpointDeletion, CheckpointList, CheckpointsDeleted, ModelDeleted, SftTrainingJobCreate, SystemCheck,
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

/** A job, with its place in the queue while it waits and its trainer while it runs. */
export type TrainingJobEntry = TrainingJobDetail;

/** A program that trains. `name` and `job` are null for people who cannot read the job. */
export interface Trainer {
  name: string | null;
  /** `lost`: the server has not heard from it for longer than its lease or poll. */
  state: "waiting" | "working" | "lost";
  seen_at: string;
  /** `cpu` or `cuda`. */
  device: string | null;
  job: { id: string; project: string; model: string; progress: number | null } | null;
}

/** A trained model with its newest checkpoint and its last job. */
export interface TrainedModelEntry {
  id: string;
  name: string;
  /** `team/project` */
  project: string;
  base_model: string;
  run_id: string | null;
  /** Highest step ever published. */
  step: number;
  /** Path of the adapters; use it as the `model` of a completion. */
  artifact: string;
  /** Number of checkpoints, with step 0. */
  checkpoints: number;
  newest_checkpoint: Checkpoint | null;
  last_job: Pick<TrainingJobDetail, "id" | "kind" | "status" | "progress" | "created_at"> | null;
  created_at: string;
  created_by: string;
}

export interface TrainingJobStart {
  model_id: string;
  kind?: "rl" | "sft";
  /** `svc-artifact:///team/project/name:version`; for SFT also a URL. */
  data_url: string;
  /** SftConfig or RlConfig. */
  config?: Record<string, unknown>;
}

export interface RewardBucket {
  from: number;
  to: number;
  count: number;
}

/** What an export would write: counts, some samples, and the rewards as a histogram. */
export interface TrajectoryPreview {
  dry_run: true;
  /** Calls that match, counted up to 1,000,000; null for agent traces. */
  num_matching: number | null;
  num_calls: number;
  num_trajectories: number;
  num_lines: number;
  /** Groups with different rewards; others have no training signal. Null for `sft`. */
  num_trainable_groups: number | null;
  /** Trajectories whose answer has log probabilities, which RL needs. */
  num_with_logprobs: number;
  truncated: boolean;
  excluded: { failed: number; no_answer: number; repeated_trace: number; no_reward: number; below_min_reward: number };
  rewards: { count: number; min: number; max: number; mean: number; histogram: RewardBucket[] } | null;
  /** Up to five. `data` is null above 64 KiB. */
  samples: { source: Record<string, string>; reward: number | null; bytes: number; data: Record<string, unknown> | null }[];
}

/** Show a training job with all its details. */
export function getTrainingJob(id: string, signal?: AbortSignal): Promise<TrainingJobEntry> {
  return get<TrainingJobEntry>(path`api/v1/training-jobs/${id}`, {}, signal);
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
): Promise<Page<TrainingJobEntry>> {
  return get<Page<TrainingJobEntry>>("api/v1/training-jobs", { ...query }, signal);
}

/** Starts a job on an artifact. */
export function startTrainingJob(body: TrainingJobStart): Promise<TrainingJobEntry> {
  return change<TrainingJobEntry>("POST", "api/v1/training-jobs", body);
}

/** Starts a job like this one. Members of `config` replace those of the earlier job. */
export function retryTrainingJob(
  id: string,
  body: { config?: Record<string, unknown>; data_url?: string } = {},
): Promise<TrainingJobEntry> {
  return change<TrainingJobEntry>("POST", path`api/v1/training-jobs/${id}/retry`, body);
}

/** Counts what an export would write, without writing it. */
export function previewTrajectories(body: TrajectoryExport, signal?: AbortSignal): Promise<TrajectoryPreview> {
  return read<TrajectoryPreview>("api/v1/trajectories", { ...body, dry_run: true }, signal);
}

/** Lists trained models. */
export function listTrainedModels(
  query: PageQuery & { team?: string; project?: string } = {},
  signal?: AbortSignal,
): Promise<Page<TrainedModelEntry>> {
  return get<Page<TrainedModelEntry>>("api/v1/trained-models", { ...query }, signal);
}

export function getTrainedModel(id: string, signal?: AbortSignal): Promise<TrainedModelEntry> {
  return get<TrainedModelEntry>(path`api/v1/trained-models/${id}`, {}, signal);
}

/** Lists the trainers that were seen. */
export function listTrainers(signal?: AbortSignal): Promise<Page<Trainer>> {
  return get<Page<Trainer>>("api/v1/trainers", {}, signal);
}
