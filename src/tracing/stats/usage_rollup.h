#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pricing/cost_arithmetic.h"

namespace spindle::tracing {

/// The usage of one model, and its cost if requested.
struct CostedUsage {
  pricing::Usage usage;
  std::optional<pricing::Cost> cost = {};
};

using UsageByModel = std::map<std::string, CostedUsage>;

/// A call and the usage that it reports itself.
struct UsageNode {
  std::string id;
  std::optional<std::string> parent_id = {};
  bool ended = false;
  UsageByModel own = {};
};

/// Returns the usage of each call including its descendants, by id. Only parents among the nodes
/// count. Usage that a client already added to a parent is counted again. Omits models without
/// usage. Calls in a cycle keep their own usage.
std::unordered_map<std::string, UsageByModel> rollUp(std::vector<UsageNode> nodes);

/// Fills in a missing total as the sum of its parts.
pricing::Usage withTotal(pricing::Usage reported);

}  // namespace spindle::tracing
