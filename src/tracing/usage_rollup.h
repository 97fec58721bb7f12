#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pricing/cost_arithmetic.h"

namespace spindle::tracing {

/// What was used of one model, and what that cost where costs are asked for.
struct CostedUsage {
  pricing::Usage usage;
  std::optional<pricing::Cost> cost = {};
};

using UsageByModel = std::map<std::string, CostedUsage>;

/// A call and what it reports itself.
struct UsageNode {
  std::string id;
  std::optional<std::string> parent_id = {};
  bool ended = false;
  UsageByModel own = {};
};

/// What each call used together with the calls below it, by id. Only parents among the nodes count;
/// a usage that a client has already added up into a parent is added again. Models of which nothing
/// was used are left out. Calls that are their own ancestors keep what is theirs.
std::unordered_map<std::string, UsageByModel> rollUp(std::vector<UsageNode> nodes);

/// A report completed: the total, when it is not given, is the sum of its parts.
pricing::Usage completed(pricing::Usage reported);

}  // namespace spindle::tracing
