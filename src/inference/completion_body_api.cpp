#include "inference/completion_body_api.h"

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

using schema::anyJson;
using schema::boolean;
using schema::integer;
using schema::list;
using schema::nullable;
using schema::number;
using schema::Record;
using schema::string;
using B = CompletionBody;
using Message = B::Message;
using Options = B::StreamOptions;

/// The gateway refuses stream_options without stream, with 400.
constexpr std::string_view kStreamRule =
    R"({"anyOf":[{"properties":{"stream_options":{"type":"null"}}},)"
    R"({"properties":{"stream":{"const":true}},"required":["stream"]}]})";

void addGeneration(Record<B>& record) {
  const auto options = Record<Options>("StreamOptions")
                           .optional("include_usage", &Options::include_usage, nullable(boolean()),
                                     "Tell the usage at the end.")
                           .codec();
  record
      .optional("stream", &B::stream, nullable(boolean()),
                "Answer with server-sent events as the text comes.")
      .optional("stream_options", &B::stream_options, nullable(options), "With `stream` only.")
      .optional("max_tokens", &B::max_tokens, nullable(integer({.ge = 1})),
                "Most tokens of the answer.")
      .optional("n", &B::n, nullable(integer({.ge = 1, .le = 128})), "So many answers.")
      .optional("temperature", &B::temperature, nullable(number({.ge = 0, .le = 2})),
                "0: the likeliest token, always.")
      .optional("top_p", &B::top_p, nullable(number({.gt = 0, .le = 1})),
                "Only the likeliest tokens that together have this probability.");
}

schema::Codec<B> chatCodec() {
  const auto message =
      Record<Message>("CompletionMessage")
          .required("role", &Message::role, string(), "`system`, `user`, `assistant` or `tool`.")
          .optional("content", &Message::content, nullable(anyJson()),
                    "A text, or a list of parts; null with tool calls.")
          .codec();
  Record<B> record("ChatCompletionRequest");
  record.required("model", &B::model, string(), "One of `/v1/models`, or the name of an artifact.")
      .required("messages", &B::messages, list(message, {.min_items = 1}), "The conversation.");
  addGeneration(record);
  record.optional("max_completion_tokens", &B::max_completion_tokens, nullable(integer({.ge = 1})),
                  "Most tokens of the answer; counts before `max_tokens`.");
  return schema::described(record.codec(), std::string(kStreamRule));
}

schema::Codec<B> textCodec() {
  Record<B> record("CompletionRequest");
  record.required("model", &B::model, string(), "One of `/v1/models`, or the name of an artifact.")
      .required("prompt", &B::prompt, anyJson(), "A text, a list of texts, or tokens.");
  addGeneration(record);
  record.optional("best_of", &B::best_of, nullable(integer({.ge = 1, .le = 128})),
                  "Make so many, give the best.");
  return schema::described(record.codec(), std::string(kStreamRule));
}

schema::Codec<B> embeddingCodec() {
  return Record<B>("EmbeddingRequest")
      .required("model", &B::model, string(), "One of `/v1/models`.")
      .required("input", &B::input, anyJson(), "A text, a list of texts, or tokens.")
      .codec();
}

/// How many prompts a list of them holds: a list of numbers is one.
std::int64_t promptsIn(const std::string& prompt) {
  const auto parsed = json::Document::parse(prompt, json::kStoredDepth);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr || !document->root().isArray() || document->root().size() == 0) return 1;
  const json::Node root = document->root();
  return (*root.begin()).isNumber() ? 1 : static_cast<std::int64_t>(root.size());
}

/// How often an image may stand in it; a text that speaks of one counts too, which does no harm.
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
  size.answers_in_tokens = operation != Operation::kEmbedding;
  if (operation == Operation::kChat) size.images = imagesIn(text);
  size.choices = std::max(body.n.value_or(1), body.best_of.value_or(1));
  if (operation == Operation::kCompletion) size.choices *= promptsIn(body.prompt.json);
  size.max_tokens = body.max_completion_tokens ? body.max_completion_tokens : body.max_tokens;
  return size;
}

}  // namespace spindle::inference
