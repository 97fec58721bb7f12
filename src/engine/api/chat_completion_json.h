#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/token_json.h"
#include "engine/chat/chat_template.h"

namespace spindle::engine {

struct TokenLogprob {
  std::string token;
  double logprob = 0;
  std::vector<std::int64_t> bytes = {};  ///< may be part of a UTF-8 character
};
struct GeneratedTokenLogprob : TokenLogprob {
  std::vector<TokenLogprob> top_logprobs = {};
};
struct ChatLogprobs {
  std::vector<GeneratedTokenLogprob> content;
};
/// Returns nothing unless the view shows log probabilities.
std::optional<ChatLogprobs> chatLogprobsOf(const std::vector<GeneratedToken>& tokens,
                                           const TokenView& view);

/// One complete answer.
struct ChatChoice : CompletionChoice {
  struct ToolCall {
    std::string id;
    std::string type = "function";
    ChatToolCall function = {};
  };
  struct Message {
    std::string role = "assistant";
    std::optional<std::string> content = {};
    std::optional<std::string> refusal = {};  ///< always null
    std::optional<std::string> reasoning = {};
    std::optional<std::vector<ToolCall>> tool_calls = {};  ///< omitted if there are none
  };

  Message message = {};
  std::optional<ChatLogprobs> logprobs = {};
};

/// The object `chat.completion`.
struct ChatCompletion : Completion<ChatChoice> {
  std::optional<std::string> service_tier = {};  ///< always null
  std::optional<TokenIds> prompt_token_ids = {};
  std::optional<PromptLogprobs> prompt_logprobs = {};
};
const schema::Codec<ChatCompletion>& chatCompletionCodec();

/// The change of one answer in a chunk. Members that are not set are omitted.
struct ChatDelta {
  struct Function {
    std::optional<std::string> name = {};  ///< only for a new call
    std::string arguments = {};
  };
  struct ToolCall {
    std::int64_t index = 0;
    std::optional<std::string> id = {};    ///< only for a new call
    std::optional<std::string> type = {};  ///< only for a new call
    Function function = {};
  };

  std::optional<std::string> role = {};  ///< set in the first chunk
  std::optional<std::string> content = {};
  std::optional<std::string> reasoning = {};
  std::optional<std::vector<ToolCall>> tool_calls = {};

  bool empty() const { return !role && !content && !reasoning && !tool_calls; }
};

/// The choice of the object `chat.completion.chunk`.
struct ChatChunkChoice : ChunkChoice {
  ChatDelta delta = {};
  std::optional<ChatLogprobs> logprobs = {};
};
const schema::Codec<CompletionChunk<ChatChunkChoice>>& chatChunkCodec();

}  // namespace spindle::engine
