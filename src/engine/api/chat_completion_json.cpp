#include "engine/api/chat_completion_json.h"

namespace spindle::engine {
namespace {

using schema::Codec, schema::integer, schema::list, schema::nullable, schema::number,
    schema::Record, schema::string;

TokenLogprob tokenLogprob(Token token,
                          const std::string& bytes,
                          double logprob,
                          const TokenView& view) {
  TokenLogprob shown{.token = view.nameOf(token), .logprob = logprob};
  shown.bytes.reserve(bytes.size());
  for (const char byte : bytes) shown.bytes.push_back(static_cast<unsigned char>(byte));
  return shown;
}

template <class T>
Record<T> tokenRecord(std::string name) {
  Record<T> record(std::move(name));
  record.required("token", &T::token, string(), "Text or id of the token.")
      .required("logprob", &T::logprob, number(), "Log probability.")
      .required("bytes", &T::bytes, list(integer()), "Bytes of the token.");
  return record;
}

Codec<std::optional<ChatLogprobs>> chatLogprobsCodec() {
  const auto top = list(tokenRecord<TokenLogprob>("TopTokenLogprob").codec());
  const auto token = tokenRecord<GeneratedTokenLogprob>("TokenLogprob")
                         .required("top_logprobs", &GeneratedTokenLogprob::top_logprobs, top,
                                   "The most likely tokens.")
                         .codec();
  return nullable(Record<ChatLogprobs>("ChatLogprobs")
                      .required("content", &ChatLogprobs::content, list(token), "Per token.")
                      .codec());
}

Codec<ChatChoice::Message> messageCodec() {
  using Call = ChatChoice::ToolCall;
  using M = ChatChoice::Message;
  const auto function =
      Record<ChatToolCall>("CalledFunction")
          .required("name", &ChatToolCall::name, string(), "Name of the function.")
          .required("arguments", &ChatToolCall::arguments, string(), "JSON.")
          .codec();
  const auto call = Record<Call>("ToolCall")
                        .required("id", &Call::id, string(), "Id of the call.")
                        .required("type", &Call::type, string(), "`function`")
                        .required("function", &Call::function, function, "The call.")
                        .codec();
  return Record<M>("ChatMessage")
      .required("role", &M::role, string(), "`assistant`")
      .required("content", &M::content, nullable(string()), "Text; null with tool calls.")
      .required("refusal", &M::refusal, nullable(string()), "Always null.")
      .required("reasoning", &M::reasoning, nullable(string()), "Reasoning before the text.")
      .required("tool_calls", &M::tool_calls, nullable(list(call)), "Calls of tools.")
      .omitNull()
      .codec();
}

Codec<ChatDelta> deltaCodec() {
  using Function = ChatDelta::Function;
  using Call = ChatDelta::ToolCall;
  using D = ChatDelta;
  const auto function =
      Record<Function>("CalledFunctionDelta")
          .required("name", &Function::name, nullable(string()), "Name of a new call.")
          .omitNull()
          .required("arguments", &Function::arguments, string(), "Next part of the JSON.")
          .codec();
  const auto call = Record<Call>("ToolCallDelta")
                        .required("index", &Call::index, integer(), "Number of the call, from 0.")
                        .required("id", &Call::id, nullable(string()), "Id of a new call.")
                        .omitNull()
                        .required("type", &Call::type, nullable(string()), "`function`")
                        .omitNull()
                        .required("function", &Call::function, function, "Change of the call.")
                        .codec();
  return Record<D>("ChatDelta")
      .required("role", &D::role, nullable(string()), "`assistant`, in the first chunk.")
      .omitNull()
      .required("content", &D::content, nullable(string()), "Next part of the text.")
      .omitNull()
      .required("reasoning", &D::reasoning, nullable(string()), "Next part of the reasoning.")
      .omitNull()
      .required("tool_calls", &D::tool_calls, nullable(list(call)), "Changes of tool calls.")
      .omitNull()
      .codec();
}

/// Returns the record of an answer, or of its change in a stream.
template <class Choice, class Content>
Codec<Choice> chatChoiceCodec(std::string name,
                              std::string_view member,
                              Content Choice::*content,
                              const Codec<Content>& codec) {
  auto record = choiceRecord<Choice>(std::move(name));
  record.required(member, content, codec, "The answer, or its change.")
      .required("logprobs", &Choice::logprobs, chatLogprobsCodec(), "If requested.");
  addChoiceEnd(record);
  return record.codec();
}

Codec<ChatCompletion> makeCompletionCodec() {
  using C = ChatCompletion;
  return wholeRecord<C>("ChatCompletion", chatChoiceCodec("ChatChoice", "message",
                                                          &ChatChoice::message, messageCodec()))
      .required("service_tier", &C::service_tier, nullable(string()), "Always null.")
      .required("prompt_token_ids", &C::prompt_token_ids, tokenIdsCodec(), "If requested.")
      .required("prompt_logprobs", &C::prompt_logprobs, promptLogprobsCodec(), "If requested.")
      .codec();
}

}  // namespace

std::optional<ChatLogprobs> chatLogprobsOf(const std::vector<GeneratedToken>& tokens,
                                           const TokenView& view) {
  if (!view.logprobs) return std::nullopt;
  ChatLogprobs logprobs;
  logprobs.content.reserve(tokens.size());
  for (const GeneratedToken& token : tokens) {
    GeneratedTokenLogprob& shown = logprobs.content.emplace_back();
    static_cast<TokenLogprob&>(shown) = tokenLogprob(token.token, token.bytes, token.logprob, view);
    shown.top_logprobs.reserve(token.top.size());
    for (const TopTokenLogprob& other : token.top) {
      shown.top_logprobs.push_back(
          tokenLogprob(other.token, view.bytes_of(other.token), other.logprob, view));
    }
  }
  return logprobs;
}

const Codec<ChatCompletion>& chatCompletionCodec() {
  static const Codec<ChatCompletion> codec = makeCompletionCodec();
  return codec;
}

const Codec<CompletionChunk<ChatChunkChoice>>& chatChunkCodec() {
  static const auto codec = chunkCodec(
      "ChatCompletionChunk",
      chatChoiceCodec("ChatChunkChoice", "delta", &ChatChunkChoice::delta, deltaCodec()));
  return codec;
}

}  // namespace spindle::engine
