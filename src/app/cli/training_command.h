#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/cli/server_flags.h"

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
  std::string name;     ///< name of the artifact
  std::string format = "sft";
  std::string source = "calls";
  std::optional<std::string> unit = {};
  std::optional<std::string> query = {};   ///< query, as JSON
  std::optional<std::string> op = {};      ///< name of an op, or a reference to an op version
  std::optional<std::string> reward = {};  ///< path of the reward in a call
  std::optional<std::string> feedback =
      {};                                 ///< feedback type; `reward` is then a path in its payload
  std::optional<double> min_reward = {};  ///< finite
  std::optional<std::string> group_by = {};
  std::optional<std::int64_t> limit = {};
};

/// `spindle train …` and `spindle trajectories export`.
using TrainingCommand =
    ManagementCommand<ListTrainingJobs, ShowTrainingJob, CancelTrainingJob, ExportTrajectories>;

}  // namespace spindle::app
