#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/api/answer.h"
#include "engine/api/chat_plan.h"

namespace spindle::engine {

/// The parameters with which chat completion responses are formatted.
struct ChatResponseFormat {
  CompletionHead head;
  ChatPlan plan;
  TokenView view;
  bool shows_prompt_ids = false;
  bool shows_reasoning = true;
  std::function<std::string()> new_call_id;
  std::function<std::int64_t(const std::string&)> tokens_in;
};

/// Returns the `chat.completion` object of all answers.
std::string chatCompletion(const ChatResponseFormat& format, const std::vector<RawAnswer>& answers);

/// Formats the `chat.completion.chunk` events of a stream.
std::unique_ptr<StreamFormatter> chatStreamFormatter(ChatResponseFormat format);

/// Returns the finish_reason: `stop`, `length` or `tool_calls`.
std::string finishReasonText(FinishReason reason, bool called, bool names_tool);

}  // namespace spindle::engine
