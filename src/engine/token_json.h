#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/generation.h"
#include "json/writer.h"

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
  std::int64_t reasoning = 0;  ///< of the completion
};

/// How tokens are shown.
struct TokenView {
  bool logprobs = false;
  bool ids = false;     ///< a list of ids beside the text
  bool as_ids = false;  ///< `token_id:7` instead of the text in log probabilities
  std::function<std::string(Token)> bytes_of;

  /// In log probabilities.
  std::string nameOf(Token token) const;
};

// Members that completions of every kind have. Each writes its key and its value.

void writeHead(const CompletionHead& head, std::string_view object, json::Writer& out);
void writeUsage(const CompletionUsage& usage, json::Writer& out);
/// `key: [1, 2, 3]`, or null without tokens.
void writeIds(std::string_view key, const std::vector<Token>* tokens, json::Writer& out);
void writeTokenIds(const std::vector<GeneratedToken>& tokens,
                   const TokenView& view,
                   json::Writer& out);
/// What ended an answer, where that was asked for.
void writeStop(const GenerationEnd& end, json::Writer& out);
/// How likely the tokens of a prompt were, each with the `likeliest` others; null without tokens.
void writePromptLogprobs(const std::vector<GeneratedToken>& tokens,
                         std::size_t likeliest,
                         const TokenView& view,
                         json::Writer& out);

/// The last piece of a stream of such objects, with nothing but what was used.
std::string usageChunkJson(const CompletionHead& head,
                           std::string_view object,
                           const CompletionUsage& usage);
/// What ends a stream that failed.
std::string streamErrorJson(const Error& error);

}  // namespace spindle::engine
