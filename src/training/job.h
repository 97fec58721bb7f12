#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "registry/artifact.h"

namespace spindle::training {

/// What training jobs are called in the queue.
inline constexpr std::string_view kQueueKind = "training";

enum class JobKind { kRl, kSft };
/// `rl`, `sft`.
std::string_view textOf(JobKind kind);
JobKind jobKindOf(std::string_view text);

enum class JobStatus { kPending, kRunning, kCompleted, kFailed, kCancelled };
/// `PENDING` and so on.
std::string_view textOf(JobStatus status);
/// Empty for another word.
std::optional<JobStatus> jobStatusOf(std::string_view text);
inline bool isOpen(JobStatus status) {
  return status == JobStatus::kPending || status == JobStatus::kRunning;
}

/// What a job is trained on: a blob of our own, or a file of the registry.
struct JobData {
  std::string url = {};                    ///< as the client named it; empty for groups it sent
  std::optional<std::string> blob = {};    ///< in the blob store
  std::string team_id = {};                ///< of the registry's file
  std::string digest = {};                 ///< of the registry's file
  std::int64_t size = 0;                   ///< bytes
  std::optional<std::int64_t> count = {};  ///< lines, where they were counted
};

/// What a trainer keeps to go on with after a restart.
struct SavedState {
  std::string blob;
  std::int64_t sequence = 0;  ///< of the last event that is contained
  std::int64_t size = 0;
};

struct Job {
  std::string id;         ///< a UUID
  registry::Place place;  ///< the project of the model
  std::string model_id;
  std::string model;  ///< its name
  std::string base_model;
  std::optional<std::string> run_id;
  JobKind kind = JobKind::kRl;
  JobStatus status = JobStatus::kPending;
  std::optional<std::string> error_message;
  std::string config = "{}";  ///< JSON, with every default filled in
  JobData data;
  std::optional<std::int64_t> steps_expected;  ///< as `training_started` said
  std::optional<std::string> note;             ///< why there is nothing to learn
  std::int64_t last_sequence = 0;              ///< of its events
  std::optional<std::int64_t> step;            ///< of the checkpoint that it has made
  std::optional<SavedState> state;
  std::int64_t tries = 0;  ///< leases since it last got further
  std::optional<Timestamp> estimated_end;
  std::optional<Timestamp> training_start;
  std::optional<Timestamp> training_end;
  Timestamp created_at;
  Timestamp updated_at;
  registry::Actor creator;
  std::int64_t position = 0;  ///< in the order of creation

  /// Gradient steps done, of those expected: 0 to 1. Empty before it has begun.
  std::optional<double> progress() const;
};

struct NewJob {
  JobKind kind = JobKind::kRl;
  std::string config = "{}";
  JobData data = {};
};

enum class EventType { kTrainingStarted, kGradientStep, kTrainingEnded, kTrainingFailed };
/// `training_started` and so on.
std::string_view textOf(EventType type);
EventType eventTypeOf(std::string_view text);

struct JobEvent {
  std::string id;  ///< a UUID
  std::int64_t sequence = 0;
  EventType type = EventType::kTrainingStarted;
  std::string data = "{}";  ///< a JSON object
};

/// An event as a trainer tells it.
struct ToldEvent {
  EventType type = EventType::kGradientStep;
  std::string data = "{}";
  std::int64_t num_sequences = 0;        ///< of kTrainingStarted
  std::optional<std::string> note = {};  ///< of kTrainingStarted
};

/// A file that a trainer has brought.
struct BroughtFile {
  std::string name;
  std::string blob;
  std::string md5;  ///< Base64
  std::int64_t size = 0;
};

}  // namespace spindle::training
