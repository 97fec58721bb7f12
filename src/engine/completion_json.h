#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "engine/chat_template.h"
#include "engine/generation.h"

namespace spindle::engine {

/// What every piece of one completion says.
struct CompletionHead {
  std::string id;
  std::int64_t created = 0;
  std::string model;
};

struct CompletionUsage {
  std::int64_t prompt = 0;
  std::int64_t cached = 0;
  std::int64_t completion = 0;
};

/// How tokens are shown.
struct TokenView {
  bool logprobs = false;
  bool ids = false;     ///< a list of ids beside the text
  bool as_ids = false;  ///< `token_id:7` instead of the text in log probabilities
  std::function<std::string(Token)> bytes_of;
};

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

/// A `chat.completion`.
std::string completionJson(const CompletionHead& head,
                           const std::vector<CompletionChoice>& choices,
                           const CompletionUsage& usage,
                           const std::vector<Token>* prompt_tokens,
                           const TokenView& view);
/// A `chat.completion.chunk` for one answer; with `usage` when that is shown with each.
std::string chunkJson(const CompletionHead& head,
                      const CompletionDelta& delta,
                      const std::optional<CompletionUsage>& usage,
                      const std::vector<Token>* prompt_tokens,
                      const TokenView& view);
/// The last chunk of all, with nothing but what was used.
std::string usageChunkJson(const CompletionHead& head, const CompletionUsage& usage);
/// What ends a stream that failed.
std::string streamErrorJson(const Error& error);

}  // namespace spindle::engine
