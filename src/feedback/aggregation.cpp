#include "feedback/aggregation.h"

#include <array>

namespace spindle::feedback {
namespace {

/// Names in the order of GroupKey.
constexpr auto kGroupNames = std::to_array<std::string_view>(
    {"scorer_id", "span_agent_name", "span_agent_version", "span_status_code"});

}  // namespace

std::string_view textOf(GroupKey key) { return kGroupNames.at(static_cast<std::size_t>(key)); }

}  // namespace spindle::feedback
