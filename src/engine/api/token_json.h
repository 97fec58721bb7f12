#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "engine/runtime/generation.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

// Members that the responses of chat and text completions share.
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

struct PromptTokenDetails {
  std::int64_t cached_tokens = 0;
};
struct CompletionTokenDetails {
  std::int64_t reasoning_tokens = 0;
};
/// The member `usage` of a response.
struct ShownUsage {
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  std::int64_t total_tokens = 0;
  PromptTokenDetails prompt_tokens_details = {};
  std::optional<CompletionTokenDetails> completion_tokens_details =
      {};  ///< omitted without reasoning
};
ShownUsage shownUsage(const CompletionUsage& usage);

/// The requested stop text or stop token that ended an answer, or nothing.
using StopReason = std::optional<std::variant<std::string, std::int64_t>>;
StopReason stopReasonOf(const GenerationEnd& end);
schema::Codec<StopReason> stopReasonCodec();

using TokenIds = std::vector<std::int64_t>;
TokenIds idsOf(const std::vector<Token>& tokens);
TokenIds idsOf(const std::vector<GeneratedToken>& tokens);
schema::Codec<std::optional<TokenIds>> tokenIdsCodec();

struct PromptLogprob {
  double logprob = 0;
  std::int64_t rank = 0;
  std::string decoded_token = {};
};
/// Tokens by id, per position of the prompt. The first position has no log probabilities.
using PromptLogprobs = std::vector<std::optional<schema::MapOf<PromptLogprob>>>;
/// Returns the actual token and `top_count` most likely tokens per position; nothing without
/// tokens.
std::optional<PromptLogprobs> promptLogprobsOf(const std::vector<GeneratedToken>& tokens,
                                               std::size_t top_count,
                                               const TokenView& view);
schema::Codec<std::optional<PromptLogprobs>> promptLogprobsCodec();

/// Begins the record of a response or chunk, which is a CompletionHead with an `object`.
template <class Document>
schema::Record<Document> completionRecord(std::string name) {
  schema::Record<Document> record(std::move(name));
  record.required("id", &Document::id, schema::string(), "Id of the completion.")
      .required("object", &Document::object, schema::string(), "Kind of the object.")
      .required("created", &Document::created, schema::integer(), "Unix time.")
      .required("model", &Document::model, schema::string(), "Name of the model.");
  return record;
}

schema::Codec<ShownUsage> usageCodec();

/// The members that the choices of chat and text completions share.
struct CompletionChoice {
  std::int64_t index = 0;
  std::string finish_reason = {};
  StopReason stop_reason = {};
  std::optional<TokenIds> token_ids = {};
};
/// The same in a chunk of a stream.
struct ChunkChoice {
  std::int64_t index = 0;
  std::optional<std::string> finish_reason = {};
  std::optional<StopReason> stop_reason = {};  ///< set with finish_reason, else omitted
  std::optional<TokenIds> token_ids = {};      ///< omitted if not set
};

template <class Choice>
schema::Record<Choice> choiceRecord(std::string name) {
  schema::Record<Choice> record(std::move(name));
  record.required("index", &Choice::index, schema::integer(), "Number of the answer, from 0.");
  return record;
}
/// Adds the last members of a choice: the reason of its end, and its tokens.
template <class Choice>
void addChoiceEnd(schema::Record<Choice>& record) {
  constexpr bool kInChunk = std::is_base_of_v<ChunkChoice, Choice>;
  if constexpr (kInChunk) {
    record
        .required("finish_reason", &Choice::finish_reason, schema::nullable(schema::string()),
                  "In the last chunk.")
        .required("stop_reason", &Choice::stop_reason, schema::ifPresent(stopReasonCodec()),
                  "In the last chunk.");
  } else {
    record
        .required("finish_reason", &Choice::finish_reason, schema::string(),
                  "`stop`, `length` or `tool_calls`.")
        .required("stop_reason", &Choice::stop_reason, stopReasonCodec(),
                  "The stop text or stop token that ended the answer.");
  }
  record.required("token_ids", &Choice::token_ids, tokenIdsCodec(), "If requested.");
  if (kInChunk) record.omitNull();
}

/// A response that is not streamed.
template <class Choice>
struct Completion : CompletionHead {
  std::string object = {};
  std::vector<Choice> choices = {};
  ShownUsage usage = {};
  std::optional<std::string> system_fingerprint = {};  ///< always null
};

/// Begins the record of a Completion, or of a struct that is derived from it.
template <class Document, class Choice>
schema::Record<Document> wholeRecord(std::string name, const schema::Codec<Choice>& choice) {
  auto record = completionRecord<Document>(std::move(name));
  record.required("choices", &Document::choices, schema::list(choice), "The answers.")
      .required("usage", &Document::usage, usageCodec(), "Number of tokens.")
      .required("system_fingerprint", &Document::system_fingerprint,
                schema::nullable(schema::string()), "Always null.");
  return record;
}

/// One event of a stream. Has one choice, or none in the last event, which contains only the usage.
template <class Choice>
struct CompletionChunk : CompletionHead {
  std::string object = {};
  std::vector<Choice> choices = {};
  std::optional<TokenIds> prompt_token_ids = {};
  std::optional<ShownUsage> usage = {};
};

template <class Choice>
schema::Codec<CompletionChunk<Choice>> chunkCodec(std::string name,
                                                  const schema::Codec<Choice>& choice) {
  using Chunk = CompletionChunk<Choice>;
  return completionRecord<Chunk>(std::move(name))
      .required("choices", &Chunk::choices, schema::list(choice), "The change of one answer.")
      .required("prompt_token_ids", &Chunk::prompt_token_ids, tokenIdsCodec(),
                "Tokens of the prompt, in the first chunk.")
      .omitNull()
      .required("usage", &Chunk::usage, schema::nullable(usageCodec()), "Usage so far.")
      .omitNull()
      .codec();
}

/// Writes the chunks of one stream. All chunks reuse the same object, because a chunk is written
/// per token. Not thread-safe.
template <class Choice>
class ChunkWriter {
 public:
  ChunkWriter(const CompletionHead& head,
              std::string_view object,
              schema::Codec<CompletionChunk<Choice>> codec)
      : codec_(std::move(codec)), chunk_{head, std::string(object), std::vector<Choice>(1)} {}

  std::string write(Choice choice,
                    const std::optional<CompletionUsage>& usage,
                    // NOLINTNEXTLINE(performance-unnecessary-value-param): moved below
                    std::optional<TokenIds> prompt_token_ids = {}) {
    chunk_.choices.front() = std::move(choice);
    chunk_.prompt_token_ids = std::move(prompt_token_ids);
    chunk_.usage.reset();
    if (usage) chunk_.usage = shownUsage(*usage);
    return codec_.toJson(chunk_);
  }

  /// Returns the last chunk of a stream, which contains only the usage. Nothing is written after
  /// it.
  std::string usageOnly(const CompletionUsage& usage) {
    chunk_.choices.clear();
    chunk_.prompt_token_ids.reset();
    chunk_.usage = shownUsage(usage);
    return codec_.toJson(chunk_);
  }

 private:
  const schema::Codec<CompletionChunk<Choice>> codec_;
  CompletionChunk<Choice> chunk_;
};

/// Returns the error event that ends a failed stream.
std::string streamErrorJson(const Error& error);

}  // namespace spindle::engine
