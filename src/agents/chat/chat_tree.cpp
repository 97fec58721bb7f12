#include "agents/chat/chat_tree.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <tuple>
#include <unordered_map>

namespace spindle::agents {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// Sort key of siblings: the start, missing ones last; then the later end first; then the id.
struct SiblingKey {
  std::optional<Timestamp> start;
  std::optional<Timestamp> end;
  std::string_view id;

  bool operator<(const SiblingKey& other) const {
    if (start.has_value() != other.start.has_value()) return start.has_value();
    if (start != other.start) return *start < *other.start;
    if (end.has_value() != other.end.has_value()) return end.has_value();
    if (end != other.end) return *end > *other.end;
    return id < other.id;
  }
};

SiblingKey siblingKeyOf(const AgentSpan& span) {
  return {startOf(span), span.ended_at, span.span_id};
}

std::vector<std::size_t> parentsOf(const std::vector<AgentSpan>& spans) {
  std::unordered_map<std::string_view, std::size_t> by_id;
  for (std::size_t i = 0; i < spans.size(); ++i) by_id.emplace(spans[i].span_id, i);
  std::vector<std::size_t> parents(spans.size(), kNone);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (spans[i].parent_span_id.empty()) continue;
    const auto parent = by_id.find(spans[i].parent_span_id);
    if (parent != by_id.end()) parents[i] = parent->second;
  }
  return parents;
}

/// Makes one span of each cycle of parents a root.
void breakCycles(std::vector<std::size_t>& parents) {
  enum class State : unsigned char { kNew, kVisiting, kDone };
  std::vector<State> states(parents.size(), State::kNew);
  for (std::size_t i = 0; i < parents.size(); ++i) {
    std::size_t at = i;
    while (at != kNone && states[at] == State::kNew) {
      states[at] = State::kVisiting;
      at = parents[at];
    }
    if (at != kNone && states[at] == State::kVisiting) parents[at] = kNone;
    for (at = i; at != kNone && states[at] == State::kVisiting; at = parents[at])
      states[at] = State::kDone;
  }
}

}  // namespace

std::optional<Timestamp> startOf(const AgentSpan& span) {
  return span.started_at == Timestamp() ? std::nullopt : std::optional(span.started_at);
}

std::int64_t durationMs(const AgentSpan& span) {
  if (!span.ended_at || *span.ended_at <= span.started_at) return 0;
  return std::chrono::floor<std::chrono::milliseconds>(*span.ended_at - span.started_at).count();
}

ChatTree treeOf(const std::vector<AgentSpan>& spans) {
  std::vector<std::size_t> parents = parentsOf(spans);
  breakCycles(parents);
  std::vector<SiblingKey> sibling_keys;
  sibling_keys.reserve(spans.size());
  for (const AgentSpan& span : spans) sibling_keys.push_back(siblingKeyOf(span));
  ChatTree tree;
  tree.by_start.resize(spans.size());
  for (std::size_t i = 0; i < spans.size(); ++i) tree.by_start[i] = i;
  const auto before = [&sibling_keys](std::size_t a, std::size_t b) {
    return sibling_keys[a] < sibling_keys[b];
  };
  std::sort(tree.by_start.begin(), tree.by_start.end(), before);

  // An answer is shown at the time its text began, not at the time of the request.
  std::unordered_map<std::size_t, Timestamp> spoken;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const std::size_t parent = parents[i];
    if (parent == kNone || spans[i].operation_name != "assistant_text" || !sibling_keys[i].start)
      continue;
    if (spans[parent].operation_name != "chat") continue;
    const auto [entry, added] = spoken.emplace(parent, *sibling_keys[i].start);
    if (!added) entry->second = std::min(entry->second, *sibling_keys[i].start);
  }
  for (const auto& [chat, start] : spoken) sibling_keys[chat].start = start;
  tree.children.resize(spans.size());
  for (const std::size_t i : tree.by_start)
    (parents[i] == kNone ? tree.roots : tree.children[parents[i]]).push_back(i);
  if (spoken.empty()) return tree;
  std::sort(tree.roots.begin(), tree.roots.end(), before);
  for (std::vector<std::size_t>& children : tree.children)
    std::sort(children.begin(), children.end(), before);
  return tree;
}

std::optional<std::size_t> rootOf(const std::vector<AgentSpan>& spans) {
  if (spans.empty()) return std::nullopt;
  std::size_t without_parent = 0;
  std::size_t root = 0;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (!spans[i].parent_span_id.empty()) continue;
    ++without_parent;
    root = i;
  }
  if (without_parent == 1) return root;
  const auto ended = [&spans](std::size_t i) {
    return std::make_tuple(spans[i].ended_at, std::string_view(spans[i].span_id));
  };
  root = 0;
  for (std::size_t i = 1; i < spans.size(); ++i) {
    if (ended(root) < ended(i)) root = i;
  }
  return root;
}

}  // namespace spindle::agents
