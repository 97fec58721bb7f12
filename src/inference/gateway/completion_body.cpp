#include "inference/gateway/completion_body.h"

#include <algorithm>
#include <variant>

#include "json/document.h"
#include "json/stored.h"
#include "schema/compound.h"
#include "schema/described.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::inference {
namespace {

using schema::anyJson, schema::boolean, schema::integer, schema::list, schema::nullable,
    schema::number, schema::Record, schema::string;
using B = CompletionBody;
using Message = B::Message;
using Options = B::StreamOptions;

/// JSON schema rule for `stream_options`, which the gateway rejects with 400 unless `stream` is
/// true.
constexpr std::string_view kStreamRule =
    R"({"anyOf":[{"properties":{"stream_options":{"type":"null"}}},)"
    R"({"properties":{"stream":{"const":true}},"required":["stream"]}]})";

void addGeneration(Record<B>& record) {
  const auto options = Record<Options>("StreamOptions")
                           .optional("include_usage", &Options::include_usage, nullable(boolean()),
                                     "Send the usage in the last chunk.")
                           .codec();
  record
      .optional("stream", &B::stream, nullable(boolean()),
                "Stream the completion as server-sent events.")
      .optional("stream_options", &B::stream_options, nullable(options), "Only with `stream`.")
      .optional("max_tokens", &B::max_tokens, nullable(integer({.ge = 1})),
                "Maximum number of tokens of the completion.")
      .optional("n", &B::n, nullable(integer({.ge = 1, .le = 128})), "Number of completions.")
      .optional("temperature", &B::temperature, nullable(number({.ge = 0, .le = 2})),
                "Sampling temperature; 0 always selects the most likely token.")
      .optional("top_p", &B::top_p, nullable(number({.gt = 0, .le = 1})),
                "Nucleus sampling: samples only from the most likely tokens with this total "
                "probability.");
}

schema::Codec<B> chatCodec() {
  const auto message =
      Record<Message>("CompletionMessage")
          .required("role", &Message::role, string(), "`system`, `user`, `assistant` or `tool`.")
          .optional("content", &Message::content, nullable(anyJson()),
                    "A text or a list of parts; null with tool calls.")
          .codec();
  Record<B> record("ChatCompletionRequest");
  record
      .required("model", &B::model, string(), "A model of `/v1/models` or the name of an artifact.")
      .required("messages", &B::messages, list(message, {.min_items = 1}), "The conversation.");
  addGeneration(record);
  record.optional("max_completion_tokens", &B::max_completion_tokens, nullable(integer({.ge = 1})),
                  "Maximum number of tokens of the completion; overrides `max_tokens`.");
  return schema::described(record.codec(), kStreamRule);
}

schema::Codec<B> textCodec() {
  Record<B> record("CompletionRequest");
  record
      .required("model", &B::model, string(), "A model of `/v1/models` or the name of an artifact.")
      .required("prompt", &B::prompt, anyJson(), "A text, a list of texts, or tokens.");
  addGeneration(record);
  record.optional("best_of", &B::best_of, nullable(integer({.ge = 1, .le = 128})),
                  "Number of candidates to generate; the best are returned.");
  return schema::described(record.codec(), kStreamRule);
}

schema::Codec<B> embeddingCodec() {
  return Record<B>("EmbeddingRequest")
      .required("model", &B::model, string(), "A model of `/v1/models`.")
      .required("input", &B::input, anyJson(), "A text, a list of texts, or tokens.")
      .codec();
}

/// Returns the number of prompts; a list of numbers (tokens) is one prompt.
std::int64_t promptsIn(const std::string& prompt) {
  const auto parsed = json::Document::parse(prompt, json::kStoredDepth);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr || !document->root().isArray() || document->root().size() == 0) return 1;
  const json::Node root = document->root();
  return (*root.begin()).isNumber() ? 1 : static_cast<std::int64_t>(root.size());
}

/// Returns an upper bound of the number of images. Counts every mention of the member name, which
/// only makes the estimate larger.
std::int64_t imagesIn(std::string_view text) {
  constexpr std::string_view kPart = "\"image_url\"";
  std::int64_t names = 0;
  for (std::size_t at = text.find(kPart); at != std::string_view::npos;
       at = text.find(kPart, at + kPart.size())) {
    ++names;
  }
  return names;
}

}  // namespace

schema::Codec<CompletionBody> completionCodec(Operation operation) {
  switch (operation) {
    case Operation::kChat:
      return chatCodec();
    case Operation::kCompletion:
      return textCodec();
    case Operation::kEmbedding:
      return embeddingCodec();
  }
  return chatCodec();
}

RequestSize sizeOf(Operation operation, const CompletionBody& body, std::string_view text) {
  RequestSize size;
  size.bytes = text.size();
  size.generates_tokens = operation != Operation::kEmbedding;
  if (operation == Operation::kChat) size.images = imagesIn(text);
  size.choices = std::max(body.n.value_or(1), body.best_of.value_or(1));
  if (operation == Operation::kCompletion) size.choices *= promptsIn(body.prompt.json);
  size.max_tokens = body.max_completion_tokens ? body.max_completion_tokens : body.max_tokens;
  return size;
}

}  // namespace spindle::inference
