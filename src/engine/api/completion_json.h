#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/token_json.h"
#include "engine/chat/chat_template.h"
#include "engine/runtime/generation.h"

namespace spindle::engine {

/// One complete answer.
struct CompletionChoice {
  std::int64_t index = 0;
  ParsedAnswer reply;
  std::vector<std::string> call_ids;  ///< one per tool call
  std::vector<GeneratedToken> tokens;
  std::string finish_reason;
  GenerationEnd end;
};

/// The change of one answer in a stream chunk. Members that are not set are omitted.
struct CompletionDelta {
  std::int64_t index = 0;
  bool role = false;  ///< set in the first chunk
  std::optional<std::string> content = {};
  std::optional<std::string> reasoning = {};
  struct ToolCall {
    std::size_t index = 0;
    std::string id = {};  ///< only for a new call
    std::string name = {};
    std::string arguments = {};
  };
  std::vector<ToolCall> tool_calls = {};
  std::vector<GeneratedToken> tokens = {};
  std::optional<std::string> finish_reason = {};
  GenerationEnd end = {};  ///< valid with finish_reason
};

/// The prompt as the response shows it.
struct ShownPrompt {
  const std::vector<Token>* tokens = nullptr;
  std::vector<GeneratedToken> logprobs = {};
  std::size_t top_count = 0;  ///< number of most likely tokens per position
};

/// Returns a `chat.completion` object.
std::string completionJson(const CompletionHead& head,
                           const std::vector<CompletionChoice>& choices,
                           const CompletionUsage& usage,
                           const ShownPrompt& prompt,
                           const TokenView& view);
/// Returns a `chat.completion.chunk` for one answer; with `usage` if it is set.
std::string chunkJson(const CompletionHead& head,
                      const CompletionDelta& delta,
                      const std::optional<CompletionUsage>& usage,
                      const std::vector<Token>* prompt_tokens,
                      const TokenView& view);

}  // namespace spindle::engine
