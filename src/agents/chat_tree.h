#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "agents/span.h"

namespace spindle::agents {

inline constexpr std::string_view kInvokeAgent = "invoke_agent";
inline constexpr std::string_view kExecuteTool = "execute_tool";

/// The spans of a trace as a tree. Spans are named by their positions in the list.
struct ChatTree {
  std::vector<std::size_t> roots;                  ///< in the order they are shown
  std::vector<std::vector<std::size_t>> children;  ///< of every span, likewise
  std::vector<std::size_t> by_start;               ///< all spans
};

/// A span whose parent is not among them is a root. Parents that go round in a circle are cut open
/// somewhere. Linear but for the sorting.
ChatTree treeOf(const std::vector<AgentSpan>& spans);

/// The span that speaks for the trace: the only one without a parent's id, otherwise the one that
/// ended last. Empty without spans.
std::optional<std::size_t> rootOf(const std::vector<AgentSpan>& spans);

/// When a span began; a start at the beginning of time was not told.
std::optional<Timestamp> startOf(const AgentSpan& span);

/// How long it took, in whole milliseconds; 0 while it is open.
std::int64_t durationMs(const AgentSpan& span);

}  // namespace spindle::agents
