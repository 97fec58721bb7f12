#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/time.h"
#include "runs/run_state.h"

namespace spindle::runs {

/// The small columns of a run, without its config, summary and tags.
struct RunHeader {
  std::int64_t number = 0;  ///< internal key: unique in the deployment, never reused
  std::string project_id;
  std::string run_id;  ///< unique in its project
  std::string name;    ///< display name, not unique
  std::string owner_id;
  std::string owner;  ///< username
  RunState state = RunState::kRunning;
  std::optional<std::int64_t> exit_code;
  bool stop_requested = false;
  std::int64_t revision = 1;  ///< counts edits and state changes, not rows and heartbeats
  Timestamp created_at;
  Timestamp updated_at;
  Timestamp heartbeat_at;
  std::optional<Timestamp> finished_at;
};

/// The ids of a run, borrowed: for arguments only.
struct RunKey {
  std::string_view project_id;
  std::string_view run_id;
};

struct Run : RunHeader {
  std::string config = "{}";        ///< a JSON object, exactly as the client sent it
  std::string metric_rules = "{}";  ///< a JSON object: summary rules by metric key
  std::string summary = "{}";       ///< a JSON object
  std::vector<std::string> tags;    ///< in the order of the request
  std::optional<std::string> notes;
  std::optional<std::string> group;
  std::optional<std::string> job_type;
  std::int64_t history_line_count = 0;
  std::optional<std::int64_t> last_step;

  std::int64_t nextStep() const { return last_step ? *last_step + 1 : 0; }
};

/// How start() treats a run id that may exist already.
enum class Resume {
  kUnspecified,  ///< not specified: resume an existing run with the new metadata
  kMust,         ///< the run must exist
  kAllow,        ///< resume the run if it exists
  kNever,        ///< the run must not exist
};

struct NewRun {
  std::optional<std::string> run_id;  ///< random when absent
  std::optional<std::string> name;    ///< random when absent
  std::optional<std::string> config;
  std::optional<std::string> metric_rules;
  std::optional<std::vector<std::string>> tags;
  std::optional<std::string> notes;
  std::optional<std::string> group;
  std::optional<std::string> job_type;
  bool pending = false;
  Resume resume = Resume::kUnspecified;
};

/// A partial update of a run. Members without a value leave the run unchanged.
struct RunChange {
  std::optional<std::string> name;
  std::optional<std::string> config;        ///< replaces the old config
  std::optional<std::string> metric_rules;  ///< replaces the old rules
  std::optional<std::string> summary;       ///< replaces the old summary
  std::optional<std::vector<std::string>> tags;
  std::optional<std::optional<std::string>> notes;
  std::optional<std::optional<std::string>> group;
  std::optional<std::optional<std::string>> job_type;
};

/// How a run ended.
struct RunEnd {
  std::int64_t exit_code = 0;
  std::optional<std::string> summary;  ///< members to add to the summary
  bool preempting = false;             ///< the machine of the run is being preempted
};

/// A filter for the runs of a project. Members without a value match every run.
struct RunFilter {
  std::optional<std::string> state;
  std::optional<std::string> group;
  std::optional<std::string> job_type;
  std::optional<std::string> tag;
  std::optional<std::string> user;
};

/// The two logs of a run: the metrics of its program, and the metrics of its machine. Each stream
/// has its own lines and steps.
enum class Stream { kHistory, kSystem };

/// One row of a request, not yet validated.
struct NewRow {
  std::optional<std::int64_t> step;  ///< absent: the next step
  std::optional<Timestamp> time;     ///< absent: now
  std::string metrics = "{}";        ///< a JSON object
};

}  // namespace spindle::runs
