#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/writer.h"
#include "schema/compound.h"
#include "schema/type.h"
#include "training/data/group_summary.h"

namespace spindle::training {

/// The members of a trajectory's metadata that the server uses.
struct TrajectoryMetadata {
  json::Text scenario_id;
};

/// A trajectory as a client sends it. The server checks the messages but does not interpret them;
/// the trainer gets the original text.
struct TrajectoryBody {
  json::Text messages_and_choices{"[]"};
  std::optional<json::Text> tools;
  json::Text additional_histories{"[]"};
  json::Text exchanges{"{}"};
  double reward = 0;
  std::optional<std::int64_t> initial_policy_version;
  std::optional<std::int64_t> final_policy_version;
  schema::MapOf<double> metrics;
  TrajectoryMetadata metadata;
  std::vector<std::string> logs;
};

struct ExceptionBody {
  std::string type;
  std::string message;
  std::string traceback;
};

struct GroupBody {
  std::vector<TrajectoryBody> trajectories;
  std::vector<ExceptionBody> exceptions;
  json::Text metadata{"{}"};
  schema::MapOf<double> metrics;
  std::vector<std::string> logs;
};

/// The schema of a trajectory group (training_inference.md A3).
schema::Codec<GroupBody> groupCodec();

GroupStats groupStatsOf(const GroupBody& group);

}  // namespace spindle::training
