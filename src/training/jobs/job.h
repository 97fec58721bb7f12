#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/time.h"
#include "registry/artifacts/artifact.h"

namespace spindle::training {

/// The kind of training jobs in the job queue.
inline constexpr std::string_view kQueueKind = "training";

enum class JobKind { kRl, kSft };
/// Returns `rl` or `sft`.
std::string_view textOf(JobKind kind);
JobKind jobKindOf(std::string_view text);

enum class JobStatus { kPending, kRunning, kCompleted, kFailed, kCancelled };
/// Returns `PENDING` and so on.
std::string_view textOf(JobStatus status);
/// Returns the status of a name; empty if it is unknown.
std::optional<JobStatus> jobStatusOf(std::string_view text);
inline bool isOpen(JobStatus status) {
  return status == JobStatus::kPending || status == JobStatus::kRunning;
}

/// The requirements of a job on its trainer.
struct JobResources {
  std::int64_t gpus = 0;
  std::int64_t gpu_memory_gib = 0;  ///< of each GPU
  std::vector<std::string> labels = {};
};

/// The training data of a job: a blob of its own, or a file of an artifact.
struct JobData {
  std::string url = {};                    ///< as the client sent it; empty for uploaded groups
  std::optional<std::string> blob = {};    ///< name in the blob store
  std::string team_id = {};                ///< team that owns the artifact file
  std::string digest = {};                 ///< digest of the artifact file
  std::int64_t size = 0;                   ///< bytes
  std::optional<std::int64_t> count = {};  ///< number of lines, if counted
};

/// The saved state of a trainer, to resume after a restart.
struct SavedState {
  std::string blob;
  std::int64_t sequence = 0;  ///< last event that the state includes
  std::int64_t size = 0;
};

struct Job {
  std::string id;         ///< a UUID
  registry::Place place;  ///< the project of the model
  std::string model_id;
  std::string model;  ///< name of the model
  std::string base_model;
  std::optional<std::string> run_id;
  JobKind kind = JobKind::kRl;
  JobStatus status = JobStatus::kPending;
  std::optional<std::string> error_message;
  std::string config = "{}";  ///< JSON, with every default filled in
  JobResources resources;
  JobData data;
  std::optional<std::int64_t> steps_expected;  ///< from `training_started`
  std::optional<std::string> note;             ///< reason why there was nothing to learn
  std::int64_t last_sequence = 0;              ///< number of its last event
  std::optional<std::int64_t> step;            ///< step of the published checkpoint
  std::optional<SavedState> state;
  std::int64_t tries = 0;  ///< leases since the last progress
  std::optional<Timestamp> estimated_end;
  std::optional<Timestamp> training_start;
  std::optional<Timestamp> training_end;
  Timestamp created_at;
  Timestamp updated_at;
  registry::Actor creator;
  std::int64_t position = 0;  ///< in order of creation

  /// Returns the fraction of expected gradient steps that are done, 0 to 1. Empty before the start.
  std::optional<double> progress() const;
};

struct NewJob {
  JobKind kind = JobKind::kRl;
  std::string config = "{}";
  JobResources resources = {};
  JobData data = {};
  bool deduplicate = true;  ///< return the existing SFT job with the same data URL instead
};

enum class EventType { kTrainingStarted, kGradientStep, kTrainingEnded, kTrainingFailed };
/// Returns `training_started` and so on.
std::string_view textOf(EventType type);
EventType eventTypeOf(std::string_view text);

struct JobEvent {
  std::string id;  ///< a UUID
  std::int64_t sequence = 0;
  EventType type = EventType::kTrainingStarted;
  std::string data = "{}";  ///< a JSON object
};

/// An event as received from a trainer.
struct ReportedEvent {
  EventType type = EventType::kGradientStep;
  std::string data = "{}";
  std::int64_t num_sequences = 0;        ///< for kTrainingStarted
  std::optional<std::string> note = {};  ///< for kTrainingStarted
};

/// A result file that a trainer uploaded.
struct UploadedFile {
  std::string name;
  std::string blob;
  std::string md5;  ///< Base64
  std::int64_t size = 0;
};

}  // namespace spindle::training
