#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agents/store/span.h"
#include "agents/store/span_query.h"
#include "base/core/time.h"

namespace spindle::agents {

/// Totals of an agent, or of one version of it.
struct AgentRollup {
  std::string agent_name;
  std::string agent_version;
  std::int64_t invocation_count = 0;
  std::int64_t span_count = 0;
  std::int64_t total_input_tokens = 0;
  std::int64_t total_output_tokens = 0;
  std::int64_t total_duration_ms = 0;
  std::int64_t error_count = 0;
  std::optional<Timestamp> first_seen = {};
  std::optional<Timestamp> last_seen = {};
  std::optional<double> total_cost_usd = {};
};

struct AgentQuery {
  std::optional<std::string> agent_name = {};
  bool versions = false;  ///< one row per version instead of one per agent
  SpanPage page = {};     ///< the sort order applies to agents only; versions have a fixed one
  bool costs = false;
};

struct AgentRollups {
  std::vector<AgentRollup> agents;
  std::int64_t total = 0;
};

/// A custom attribute and the number of spans that have it.
struct CustomAttribute {
  CustomType type = CustomType::kString;
  std::string key;
  std::int64_t span_count = 0;
};

}  // namespace spindle::agents
