#include "tracing/stats/usage_rollup.h"

#include <cstddef>

namespace spindle::tracing {
namespace {

void addTo(CostedUsage& sum, const CostedUsage& other) {
  sum.usage += other.usage;
  if (!other.cost) return;
  if (!sum.cost) sum.cost.emplace();
  sum.cost->prompt += other.cost->prompt;
  sum.cost->completion += other.cost->completion;
  sum.cost->cache_read += other.cost->cache_read;
  sum.cost->cache_creation += other.cost->cache_creation;
}

}  // namespace

std::unordered_map<std::string, UsageByModel> rollUp(std::vector<UsageNode> nodes) {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < nodes.size(); ++i) places.emplace(nodes[i].id, i);
  std::vector<std::size_t> open_children(nodes.size(), 0);
  std::vector<std::optional<std::size_t>> parents(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].parent_id) continue;
    const auto parent = places.find(*nodes[i].parent_id);
    if (parent == places.end()) continue;
    parents[i] = parent->second;
    ++open_children[parent->second];
  }
  // From the leaves upwards, each call once; calls in a cycle are never reached.
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (open_children[i] == 0) ready.push_back(i);
  }
  while (!ready.empty()) {
    const std::size_t child = ready.back();
    ready.pop_back();
    if (!parents[child]) continue;
    const std::size_t parent = *parents[child];
    for (const auto& [model, usage] : nodes[child].own) addTo(nodes[parent].own[model], usage);
    if (--open_children[parent] == 0) ready.push_back(parent);
  }
  std::unordered_map<std::string, UsageByModel> sums;
  for (UsageNode& node : nodes) {
    std::erase_if(node.own,
                  [](const auto& entry) { return entry.second.usage == pricing::Usage(); });
    sums.emplace(std::move(node.id), std::move(node.own));
  }
  return sums;
}

pricing::Usage withTotal(pricing::Usage reported) {
  if (reported.total_tokens == 0) {
    reported.total_tokens = pricing::addTokens(reported.prompt_tokens, reported.completion_tokens);
  }
  return reported;
}

}  // namespace spindle::tracing
