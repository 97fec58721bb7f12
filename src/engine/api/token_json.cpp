#include "engine/api/token_json.h"

#include <algorithm>

#include "engine/runtime/text_stream.h"

namespace spindle::engine {

std::string TokenView::nameOf(Token token) const {
  return as_ids ? "token_id:" + std::to_string(token) : replaceInvalidUtf8(bytes_of(token));
}

void writeHead(const CompletionHead& head, std::string_view object, json::Writer& out) {
  out.key("id").string(head.id);
  out.key("object").string(object);
  out.key("created").integer(head.created);
  out.key("model").string(head.model);
}

void writeUsage(const CompletionUsage& usage, json::Writer& out) {
  out.key("usage").beginObject();
  out.key("prompt_tokens").integer(usage.prompt);
  out.key("completion_tokens").integer(usage.completion);
  out.key("total_tokens").integer(usage.prompt + usage.completion);
  out.key("prompt_tokens_details").beginObject();
  out.key("cached_tokens").integer(usage.cached);
  out.endObject();
  if (usage.reasoning > 0) {
    out.key("completion_tokens_details").beginObject();
    out.key("reasoning_tokens").integer(usage.reasoning);
    out.endObject();
  }
  out.endObject();
}

void writeIds(std::string_view key, const std::vector<Token>* tokens, json::Writer& out) {
  out.key(key);
  if (tokens == nullptr) {
    out.null();
    return;
  }
  out.beginArray();
  for (const Token token : *tokens) out.integer(token);
  out.endArray();
}

void writeTokenIds(const std::vector<GeneratedToken>& tokens,
                   const TokenView& view,
                   json::Writer& out) {
  std::vector<Token> ids;
  for (const GeneratedToken& token : tokens) ids.push_back(token.token);
  writeIds("token_ids", view.ids ? &ids : nullptr, out);
}

void writeStop(const GenerationEnd& end, json::Writer& out) {
  out.key("stop_reason");
  if (end.stop_text) {
    out.string(*end.stop_text);
  } else if (end.stop_token) {
    out.integer(*end.stop_token);
  } else {
    out.null();
  }
}

void writePromptLogprobs(const std::vector<GeneratedToken>& tokens,
                         std::size_t top_count,
                         const TokenView& view,
                         json::Writer& out) {
  out.key("prompt_logprobs");
  if (tokens.empty()) {
    out.null();
    return;
  }
  const auto write = [&](Token token, double logprob, std::int64_t rank) {
    out.key(std::to_string(token)).beginObject();
    out.key("logprob").number(logprob);
    out.key("rank").integer(rank);
    out.key("decoded_token").string(replaceInvalidUtf8(view.bytes_of(token)));
    out.endObject();
  };
  // The first token has no log probability.
  out.beginArray().null();
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const GeneratedToken& token = tokens[i];
    out.beginObject();
    write(token.token, token.logprob, token.rank);
    for (std::size_t other = 0; other < std::min(top_count, token.top.size()); ++other) {
      if (token.top[other].token == token.token) continue;
      write(token.top[other].token, token.top[other].logprob, static_cast<std::int64_t>(other) + 1);
    }
    out.endObject();
  }
  out.endArray();
}

std::string usageChunkJson(const CompletionHead& head,
                           std::string_view object,
                           const CompletionUsage& usage) {
  std::string text;
  json::Writer out(text);
  out.beginObject();
  writeHead(head, object, out);
  out.key("choices").beginArray().endArray();
  writeUsage(usage, out);
  out.endObject();
  return text;
}

std::string streamErrorJson(const Error& error) {
  std::string text;
  json::Writer out(text);
  out.beginObject().key("error").beginObject();
  out.key("message").string(error.message());
  out.key("type").string("server_error");
  out.key("param").null();
  out.key("code").null();
  out.endObject().endObject();
  return text;
}

}  // namespace spindle::engine
