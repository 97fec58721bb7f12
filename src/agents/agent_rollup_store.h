#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/span_column.h"
#include "agents/span_query_store.h"
#include "agents/span_question.h"
#include "base/result.h"

namespace spindle::agents {

/// What an agent, or one version of it, did so far.
struct AgentRollup {
  std::string agent_name;
  std::string agent_version;
  std::int64_t invocation_count = 0;
  std::int64_t span_count = 0;
  std::int64_t total_input_tokens = 0;
  std::int64_t total_output_tokens = 0;
  std::int64_t total_duration_ms = 0;
  std::int64_t error_count = 0;
  Timestamp first_seen;
  Timestamp last_seen;
  std::optional<double> total_cost_usd = {};
};

struct AgentQuestion {
  std::optional<std::string> agent_name = {};
  bool versions = false;  ///< one row for each version instead of each agent
  SpanPage page = {};     ///< versions have one order only
  bool costs = false;
};

struct AgentRollups {
  std::vector<AgentRollup> agents;
  std::int64_t total = 0;
};

/// Counts are of spans that name the agent; costs are also of those that inherit it.
/// @return kInvalidArgument for what cannot be sorted by.
Result<AgentRollups> readAgents(const SpanQueryPorts& ports,
                                std::string_view project_id,
                                const AgentQuestion& question);

/// A custom attribute that spans have.
struct CustomAttribute {
  CustomType type = CustomType::kString;
  std::string key;
  std::int64_t span_count = 0;
};

/// The most frequent first; one more than `limit` when there are more.
Result<std::vector<CustomAttribute>> readCustomAttributes(const ColumnarSpanStore& spans,
                                                          std::string_view project_id,
                                                          const SpanSelection& selection,
                                                          std::int64_t limit,
                                                          std::int64_t offset);

}  // namespace spindle::agents
