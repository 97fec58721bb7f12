#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "app/server_choice.h"

namespace spindle::app {

struct ListTrainingJobs {
  std::string project;  ///< team/project
  std::optional<std::string> status = {};
};
struct ShowTrainingJob {
  std::string id;
};
struct CancelTrainingJob {
  std::string id;
};

struct ExportTrajectories {
  std::string project;  ///< team/project
  std::string name;     ///< of the artifact
  std::string format = "sft";
  std::string source = "calls";
  std::optional<std::string> unit = {};
  std::optional<std::string> query = {};     ///< JSON of the query language
  std::optional<std::string> op = {};        ///< name of an op, or a reference
  std::optional<std::string> reward = {};    ///< a path in calls
  std::optional<std::string> feedback = {};  ///< a type of feedback; the path is in its payload
  std::optional<double> min_reward = {};     ///< finite
  std::optional<std::string> group_by = {};
  std::optional<std::int64_t> limit = {};
};

/// `spindle train …` and `spindle trajectories export`.
struct TrainingCommand {
  std::variant<ListTrainingJobs, ShowTrainingJob, CancelTrainingJob, ExportTrajectories> action;
  ServerChoice server;
  bool json = false;
};

}  // namespace spindle::app
