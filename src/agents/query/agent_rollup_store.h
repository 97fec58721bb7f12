#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/query/span_query.h"
#include "agents/query/span_query_store.h"
#include "agents/store/span_column.h"
#include "base/core/result.h"

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
  Timestamp first_seen;
  Timestamp last_seen;
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

/// Returns the totals of agents. Counts include only spans that name the agent; costs also include
/// spans that inherit it from their trace.
/// @return kInvalidArgument for an unknown sort field.
Result<AgentRollups> readAgents(const SpanQueryPorts& ports,
                                std::string_view project_id,
                                const AgentQuery& agent_query);

/// A custom attribute and the number of spans that have it.
struct CustomAttribute {
  CustomType type = CustomType::kString;
  std::string key;
  std::int64_t span_count = 0;
};

/// Returns custom attributes, most frequent first; `limit` + 1 of them if there are more than
/// `limit`.
Result<std::vector<CustomAttribute>> readCustomAttributes(const ColumnarSpanStore& spans,
                                                          std::string_view project_id,
                                                          const SpanFilter& filter,
                                                          std::int64_t limit,
                                                          std::int64_t offset);

}  // namespace spindle::agents
