#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agents/store/span.h"
#include "base/core/time.h"
#include "pricing/cost_arithmetic.h"

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

/// A value of a response: null, a number, a boolean, a text or a time.
using Cell = std::variant<std::monostate, std::int64_t, double, bool, std::string, Timestamp>;

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

}  // namespace spindle::agents
