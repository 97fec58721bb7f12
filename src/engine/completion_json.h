#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/chat_template.h"
#include "engine/generation.h"
#include "engine/token_json.h"

namespace spindle::engine {

/// One answer, whole.
struct CompletionChoice {
  std::int64_t index = 0;
  ChatReply reply;
  std::vector<std::string> call_ids;  ///< of the tool calls
  std::vector<GeneratedToken> tokens;
  std::string finish_reason;
  GenerationEnd end;
};

/// What a piece of a stream adds to one answer. Members that are not set are left out.
struct CompletionDelta {
  std::int64_t index = 0;
  bool role = false;  ///< the first one
  std::optional<std::string> content = {};
  std::optional<std::string> reasoning = {};
  struct ToolCall {
    std::size_t index = 0;
    std::string id = {};  ///< of a new one
    std::string name = {};
    std::string arguments = {};
  };
  std::vector<ToolCall> tool_calls = {};
  std::vector<GeneratedToken> tokens = {};
  std::optional<std::string> finish_reason = {};
  GenerationEnd end = {};  ///< with the finish reason
};

/// What is shown of the prompt.
struct ShownPrompt {
  const std::vector<Token>* tokens = nullptr;
  std::vector<GeneratedToken> chances = {};
  std::size_t likeliest = 0;  ///< others to name with each
};

/// A `chat.completion`.
std::string completionJson(const CompletionHead& head,
                           const std::vector<CompletionChoice>& choices,
                           const CompletionUsage& usage,
                           const ShownPrompt& prompt,
                           const TokenView& view);
/// A `chat.completion.chunk` for one answer; with `usage` when that is shown with each.
std::string chunkJson(const CompletionHead& head,
                      const CompletionDelta& delta,
                      const std::optional<CompletionUsage>& usage,
                      const std::vector<Token>* prompt_tokens,
                      const TokenView& view);

}  // namespace spindle::engine
