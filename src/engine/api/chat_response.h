#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/api/answer.h"
#include "engine/api/chat_plan.h"
#include "engine/api/completion_json.h"
#include "engine/chat/incremental_answer_parser.h"

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
std::string chatCompletion(const ChatResponseFormat& format, std::vector<RawAnswer> answers);

/// Formats the `chat.completion.chunk` events of a stream.
class ChatStreamFormatter final : public StreamFormatter {
 public:
  explicit ChatStreamFormatter(ChatResponseFormat format);

  Events begin(std::size_t index, const Usage& usage) override;
  Events prompt(std::size_t index, std::vector<GeneratedToken> tokens, const Usage& usage) override;
  Events add(std::size_t index, GenerationDelta delta, const Usage& usage) override;
  Events end(std::size_t index, const GenerationEnd& end, const Usage& usage) override;
  std::string total(const CompletionUsage& usage) override;

 private:
  CompletionDelta deltaOf(std::size_t index, ParsedAnswerDelta change) const;
  std::string chunk(const CompletionDelta& delta, const Usage& usage, bool first = false) const;

  const ChatResponseFormat format_;
  std::vector<IncrementalAnswerParser> replies_;  ///< one per answer
};

/// Returns the finish_reason: `stop`, `length` or `tool_calls`.
std::string finishReasonText(FinishReason reason, bool called, bool names_tool);

}  // namespace spindle::engine
