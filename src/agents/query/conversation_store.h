#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"

namespace spindle::agents {

class ColumnarSpanStore;

/// A page of the turns of a conversation. Each turn is a trace with a span of the conversation.
struct Turns {
  std::vector<std::string> trace_ids;  ///< oldest first
  std::int64_t total = 0;
};

/// Reads a page of turns. Pages start at the newest turn.
Result<Turns> readTurns(const ColumnarSpanStore& spans,
                        std::string_view project_id,
                        const std::string& conversation_id,
                        std::int64_t limit,
                        std::int64_t offset);

/// A span of a conversation, without its messages.
struct ConversationSpan {
  std::string conversation_id;
  std::string operation_name;
  std::string trace_id;
  std::string span_id;
  std::string status;
  std::int64_t duration_ms = 0;
};

inline constexpr std::int64_t kMaxConversationSpans = 200;

/// Reads the newest spans of each conversation, at most kMaxConversationSpans, oldest first.
Result<std::vector<ConversationSpan>> readConversationSpans(
    const ColumnarSpanStore& spans,
    std::string_view project_id,
    const std::vector<std::string>& conversation_ids,
    std::optional<Timestamp> after,
    std::optional<Timestamp> before);

}  // namespace spindle::agents
