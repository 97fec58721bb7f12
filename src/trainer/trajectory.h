#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace spindle::trainer {

/// A token that a policy chose, as it was told.
struct SampledToken {
  std::string text;  ///< may be `token_id:17`
  double logprob = 0;
};

/// One thing in a conversation: what somebody said, or what the policy did.
struct HistoryItem {
  bool is_choice = false;  ///< the policy's: it may learn from it
  std::string message;     ///< JSON, in the terms of the OpenAI API
  std::string role;
  std::string content = {};  ///< empty where it is no text
  bool has_tool_calls = false;
  /// Of a choice; empty when it came without.
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

/// Reads a group from a line of a job's data. @return kInvalidArgument that says where it is wrong
Result<TrajectoryGroup> trajectoryGroupOf(const std::string& json);

}  // namespace spindle::trainer
