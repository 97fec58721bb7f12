#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "runs/run_state.h"

namespace spindle::runs {

/// A run without what is large about it.
struct RunHead {
  std::int64_t number = 0;  ///< unique in the deployment and never given twice; internal
  std::string project_id;
  std::string run_id;  ///< unique in its project
  std::string name;    ///< shown to people, not unique
  std::string owner_id;
  std::string owner;  ///< username
  RunState state = RunState::kRunning;
  std::optional<std::int64_t> exit_code;
  bool stop_requested = false;
  std::int64_t revision = 1;  ///< counts edits and changes of state; rows and signs of life do not
  Timestamp created_at;
  Timestamp updated_at;
  Timestamp heartbeat_at;
  std::optional<Timestamp> finished_at;
};

struct Run : RunHead {
  std::string config = "{}";        ///< a JSON object, as it was given
  std::string metric_rules = "{}";  ///< a JSON object: how the summary of a metric is made
  std::string summary = "{}";       ///< a JSON object
  std::vector<std::string> tags;    ///< in the order they were given
  std::optional<std::string> notes;
  std::optional<std::string> group;
  std::optional<std::string> job_type;
  std::int64_t history_line_count = 0;
  std::optional<std::int64_t> last_step;

  std::int64_t nextStep() const { return last_step ? *last_step + 1 : 0; }
};

/// What a client does when there is, or is not, a run of that id.
enum class Resume {
  kUnsaid,  ///< new metadata replaces the old, and the run goes on
  kMust,    ///< it has to be there
  kAllow,   ///< it goes on when it is there
  kNever,   ///< it must not be there
};

struct NewRun {
  std::optional<std::string> run_id;  ///< random when absent
  std::optional<std::string> name;    ///< made up when absent
  std::optional<std::string> config;
  std::optional<std::string> metric_rules;
  std::optional<std::vector<std::string>> tags;
  std::optional<std::string> notes;
  std::optional<std::string> group;
  std::optional<std::string> job_type;
  bool pending = false;
  Resume resume = Resume::kUnsaid;
};

/// What to change; what is not set stays.
struct RunChange {
  std::optional<std::string> name;
  std::optional<std::string> config;        ///< in place of the old one
  std::optional<std::string> metric_rules;  ///< in place of the old ones
  std::optional<std::string> summary;       ///< in place of the old one
  std::optional<std::vector<std::string>> tags;
  std::optional<std::optional<std::string>> notes;
  std::optional<std::optional<std::string>> group;
  std::optional<std::optional<std::string>> job_type;
};

/// How a run ended.
struct RunEnd {
  std::int64_t exit_code = 0;
  std::optional<std::string> summary;  ///< members that are added to the summary
  bool preempting = false;             ///< its machine is being taken away
};

/// Which runs of a project are wanted; what is not set does not matter.
struct RunFilter {
  std::optional<std::string> state;
  std::optional<std::string> group;
  std::optional<std::string> job_type;
  std::optional<std::string> tag;
  std::optional<std::string> user;
};

/// What a run logs: what it measures, and what is measured of its machine. Each has lines and steps
/// of its own.
enum class Stream { kHistory, kSystem };

/// One row as it comes.
struct NewRow {
  std::optional<std::int64_t> step;  ///< absent: the next one
  std::optional<Timestamp> time;     ///< absent: now
  std::string metrics = "{}";        ///< a JSON object
};

}  // namespace spindle::runs
