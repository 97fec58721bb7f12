#include "engine/api/token_json.h"

#include <algorithm>

#include "engine/runtime/text_stream.h"
#include "json/escape.h"

namespace spindle::engine {
namespace {

using schema::integer, schema::list, schema::nullable, schema::number, schema::Record,
    schema::string;

}  // namespace

std::string TokenView::nameOf(Token token) const {
  return as_ids ? "token_id:" + std::to_string(token) : replaceInvalidUtf8(bytes_of(token));
}

ShownUsage shownUsage(const CompletionUsage& usage) {
  ShownUsage shown{.prompt_tokens = usage.prompt,
                   .completion_tokens = usage.completion,
                   .total_tokens = usage.prompt + usage.completion,
                   .prompt_tokens_details = {usage.cached}};
  if (usage.reasoning > 0) {
    shown.completion_tokens_details = CompletionTokenDetails{usage.reasoning};
  }
  return shown;
}

schema::Codec<ShownUsage> usageCodec() {
  using U = ShownUsage;
  const auto of_prompt = Record<PromptTokenDetails>("PromptTokenDetails")
                             .required("cached_tokens", &PromptTokenDetails::cached_tokens,
                                       integer(), "Tokens from the prefix cache.")
                             .codec();
  const auto of_completion =
      Record<CompletionTokenDetails>("CompletionTokenDetails")
          .required("reasoning_tokens", &CompletionTokenDetails::reasoning_tokens, integer(),
                    "Tokens of the reasoning.")
          .codec();
  return Record<U>("Usage")
      .required("prompt_tokens", &U::prompt_tokens, integer(), "Tokens of all prompts.")
      .required("completion_tokens", &U::completion_tokens, integer(), "Tokens of all answers.")
      .required("total_tokens", &U::total_tokens, integer(), "Sum of both.")
      .required("prompt_tokens_details", &U::prompt_tokens_details, of_prompt, "Parts.")
      .required("completion_tokens_details", &U::completion_tokens_details, nullable(of_completion),
                "Parts.")
      .omitNull()
      .codec();
}

StopReason stopReasonOf(const GenerationEnd& end) {
  if (end.stop_text) return *end.stop_text;
  if (end.stop_token) return std::int64_t{*end.stop_token};
  return std::nullopt;
}

schema::Codec<StopReason> stopReasonCodec() {
  return nullable(schema::anyOf(schema::Alternative<std::string>{"text", string()},
                                schema::Alternative<std::int64_t>{"token", integer()}));
}

TokenIds idsOf(const std::vector<Token>& tokens) { return {tokens.begin(), tokens.end()}; }

TokenIds idsOf(const std::vector<GeneratedToken>& tokens) {
  TokenIds ids;
  ids.reserve(tokens.size());
  for (const GeneratedToken& token : tokens) ids.push_back(token.token);
  return ids;
}

schema::Codec<std::optional<TokenIds>> tokenIdsCodec() { return nullable(list(integer())); }

std::optional<PromptLogprobs> promptLogprobsOf(const std::vector<GeneratedToken>& tokens,
                                               std::size_t top_count,
                                               const TokenView& view) {
  if (tokens.empty()) return std::nullopt;
  PromptLogprobs positions(tokens.size());
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const GeneratedToken& token = tokens[i];
    schema::MapOf<PromptLogprob>& shown = positions[i].emplace();
    const auto add = [&](Token id, double logprob, std::int64_t rank) {
      shown.emplace_back(std::to_string(id),
                         PromptLogprob{logprob, rank, replaceInvalidUtf8(view.bytes_of(id))});
    };
    add(token.token, token.logprob, token.rank);
    for (std::size_t other = 0; other < std::min(top_count, token.top.size()); ++other) {
      if (token.top[other].token == token.token) continue;
      add(token.top[other].token, token.top[other].logprob, static_cast<std::int64_t>(other) + 1);
    }
  }
  return positions;
}

schema::Codec<std::optional<PromptLogprobs>> promptLogprobsCodec() {
  using P = PromptLogprob;
  const auto token =
      Record<P>("PromptLogprob")
          .required("logprob", &P::logprob, number(), "Log probability.")
          .required("rank", &P::rank, integer(), "1 for the most likely token.")
          .required("decoded_token", &P::decoded_token, string(), "Text of the token.")
          .codec();
  return nullable(list(nullable(schema::map(token))));
}

std::string streamErrorJson(const Error& error) {
  return R"({"error":{"message":)" + json::quoted(error.message()) +
         R"(,"type":"server_error","param":null,"code":null}})";
}

}  // namespace spindle::engine
