#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "agents/store/span.h"

namespace spindle::agents {

inline constexpr std::string_view kInvokeAgent = "invoke_agent";
inline constexpr std::string_view kExecuteTool = "execute_tool";

/// The spans of a trace as a tree of indexes into the list of spans.
struct ChatTree {
  std::vector<std::size_t> roots;                  ///< in display order
  std::vector<std::vector<std::size_t>> children;  ///< of each span, in display order
  std::vector<std::size_t> by_start;               ///< all spans
};

/// Builds the tree. A span whose parent is not in the list is a root. One span of each cycle of
/// parents becomes a root. Runs in linear time, except for sorting.
ChatTree treeOf(const std::vector<AgentSpan>& spans);

/// Returns the span that represents the trace: the only one without a parent id, otherwise the one
/// that ended last. Nothing without spans.
std::optional<std::size_t> rootOf(const std::vector<AgentSpan>& spans);

/// Returns the start of a span; nothing if it is the epoch, which means an unknown start.
std::optional<Timestamp> startOf(const AgentSpan& span);

/// Returns the duration in whole milliseconds; 0 for an open span.
std::int64_t durationMs(const AgentSpan& span);

}  // namespace spindle::agents
