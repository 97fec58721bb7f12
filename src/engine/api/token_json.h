#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/runtime/generation.h"
#include "json/writer.h"

namespace spindle::engine {

/// The members that all chunks of one completion share.
struct CompletionHead {
  std::string id;
  std::int64_t created = 0;
  std::string model;
};

struct CompletionUsage {
  std::int64_t prompt = 0;
  std::int64_t cached = 0;
  std::int64_t completion = 0;
  std::int64_t reasoning = 0;  ///< part of `completion`
};

/// How a response represents tokens.
struct TokenView {
  bool logprobs = false;
  bool ids = false;     ///< add a list of token ids
  bool as_ids = false;  ///< in log probabilities, `token_id:7` instead of the text
  std::function<std::string(Token)> bytes_of;

  /// Returns the name of a token in log probabilities.
  std::string nameOf(Token token) const;
};

// Members of chat and text completions. Each function writes a key and its value.

void writeHead(const CompletionHead& head, std::string_view object, json::Writer& out);
void writeUsage(const CompletionUsage& usage, json::Writer& out);
/// Writes `key: [1, 2, 3]`, or null when `tokens` is null.
void writeIds(std::string_view key, const std::vector<Token>* tokens, json::Writer& out);
void writeTokenIds(const std::vector<GeneratedToken>& tokens,
                   const TokenView& view,
                   json::Writer& out);
/// Writes `stop_reason`: the requested stop text or stop token, or null.
void writeStop(const GenerationEnd& end, json::Writer& out);
/// Writes `prompt_logprobs`, with `top_count` most likely tokens per position; null without tokens.
void writePromptLogprobs(const std::vector<GeneratedToken>& tokens,
                         std::size_t top_count,
                         const TokenView& view,
                         json::Writer& out);

/// Returns the last chunk of a stream, which contains only the usage.
std::string usageChunkJson(const CompletionHead& head,
                           std::string_view object,
                           const CompletionUsage& usage);
/// Returns the error event that ends a failed stream.
std::string streamErrorJson(const Error& error);

}  // namespace spindle::engine
