#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"

namespace spindle::trainer {

/// A sampled token as received.
struct SampledToken {
  std::string text;  ///< may be `token_id:17`
  double logprob = 0;
};

/// An item of a conversation: a message, or a choice of the policy.
struct HistoryItem {
  bool is_choice = false;  ///< sampled by the policy: can be trained on
  std::string message;     ///< JSON, in the format of the OpenAI API
  std::string role;
  std::string content = {};  ///< empty if it is not a text
  bool has_tool_calls = false;
  /// For a choice; empty if not given.
  std::optional<std::vector<std::int64_t>> prompt_ids = {};
  std::optional<std::vector<std::int64_t>> token_ids = {};
  std::optional<std::vector<SampledToken>> logprobs = {};
};

struct History {
  std::vector<HistoryItem> items;
  std::string tools = {};               ///< a JSON array; empty: none
  std::string template_variables = {};  ///< a JSON object; empty: none
};

struct Trajectory {
  std::vector<History> histories;
  double reward = 0;
  std::map<std::string, double> metrics = {};
};

struct TrajectoryGroup {
  std::vector<Trajectory> trajectories;
  std::size_t exceptions = 0;
  std::map<std::string, double> metrics = {};
};

/// Parses a trajectory group from a line of a job's data. @return kInvalidArgument that says where
/// it is wrong
Result<TrajectoryGroup> trajectoryGroupOf(const std::string& json);

}  // namespace spindle::trainer
