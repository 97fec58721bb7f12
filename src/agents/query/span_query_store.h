#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agents/query/span_query.h"
#include "agents/query/span_view.h"
#include "agents/store/columnar_span_store.h"
#include "agents/store/span_column.h"
#include "base/core/result.h"
#include "pricing/cost_arithmetic.h"
#include "pricing/project_prices.h"

namespace spindle::feedback {
class ColumnarFeedbackStore;
}

namespace spindle::agents {

/// A span of a list.
struct ListedSpan {
  AgentSpan span;
  std::optional<pricing::Cost> cost = {};
  /// The maps of custom attributes as JSON objects; empty if none was requested or exists.
  std::array<std::string, kCustomTypes.size()> custom = {};
};

struct SpanList {
  std::vector<ListedSpan> spans;
  std::int64_t total = 0;
};

/// The first or the last message of a conversation, shortened.
struct MessagePreview {
  std::string role;
  std::string text;
};

struct DistributionBin {
  std::int64_t index = 0;
  double min = 0;
  double max = 0;
  std::int64_t count = 0;
};
struct DistributionValue {
  std::string value;
  std::int64_t count = 0;
};
struct DistributionItem {
  std::int64_t total = 0;
  std::int64_t present = 0;
  std::int64_t other = 0;
  std::vector<DistributionBin> bins = {};
  std::vector<DistributionValue> values = {};
};

struct SpanGroup {
  std::vector<Cell> keys;                            ///< in the order of the query
  std::vector<std::int64_t> counts;                  ///< in the order of kGroupCounts
  std::vector<std::optional<double>> costs;          ///< in the order of kGroupCosts
  std::vector<std::vector<std::string>> names = {};  ///< in the order of kGroupNames
  std::optional<Timestamp> first_seen = {};
  std::optional<Timestamp> last_seen = {};
  std::vector<Cell> metrics = {};                    ///< in the order of the measures
  std::vector<DistributionItem> distributions = {};  ///< in the order of the query
  std::optional<MessagePreview> first_message = {};
  std::optional<MessagePreview> last_message = {};
};

// The members of every group, by their names in responses.
inline constexpr auto kGroupCounts = std::to_array<std::string_view>(
    {"span_count", "invocation_count", "conversation_count", "total_input_tokens",
     "total_cache_creation_input_tokens", "total_cache_read_input_tokens", "total_output_tokens",
     "total_reasoning_tokens", "total_duration_ms", "error_count"});
inline constexpr auto kGroupCosts = std::to_array<std::string_view>(
    {"total_cost_usd", "total_input_cost_usd", "total_output_cost_usd"});
inline constexpr auto kGroupNames = std::to_array<std::string_view>(
    {"agent_names", "agent_versions", "provider_names", "request_models", "conversation_names"});

struct SpanGroups {
  std::vector<SpanGroup> groups;
  std::int64_t total = 0;
};

/// Dependencies of the queries of spans.
struct SpanQueryPorts {
  const ColumnarSpanStore& spans;
  const feedback::ColumnarFeedbackStore& feedback;
  const pricing::ProjectPrices& prices;
};

/// Returns a page of spans. The query has no group_by. @return kInvalidArgument for an invalid
/// query.
Result<SpanList> listSpans(const SpanQueryPorts& ports,
                           std::string_view project_id,
                           const SpanQuery& span_query);

/// Returns a page of groups of spans. @return kInvalidArgument for an invalid query.
Result<SpanGroups> groupSpans(const SpanQueryPorts& ports,
                              std::string_view project_id,
                              const SpanQuery& span_query);

/// Returns ` AND …`: spans of groups that match all filters. A filter without group_by applies to
/// conversations. `view` is a sub-query of spans, `condition` the filter of its rows.
Result<query::Sql> groupFilterCondition(const std::vector<GroupFilter>& filters,
                                        const query::Sql& view,
                                        const query::Sql& condition);

}  // namespace spindle::agents
