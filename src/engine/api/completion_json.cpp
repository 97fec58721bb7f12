#include "engine/api/completion_json.h"

#include "json/writer.h"

namespace spindle::engine {
namespace {

void writeTokenLogprob(Token token,
                       const std::string& bytes,
                       double logprob,
                       const TokenView& view,
                       json::Writer& out) {
  out.key("token").string(view.nameOf(token));
  out.key("logprob").number(logprob);
  out.key("bytes").beginArray();
  for (const char byte : bytes) out.integer(static_cast<unsigned char>(byte));
  out.endArray();
}

void writeLogprobs(const std::vector<GeneratedToken>& tokens,
                   const TokenView& view,
                   json::Writer& out) {
  out.key("logprobs");
  if (!view.logprobs) {
    out.null();
    return;
  }
  out.beginObject().key("content").beginArray();
  for (const GeneratedToken& token : tokens) {
    out.beginObject();
    writeTokenLogprob(token.token, token.bytes, token.logprob, view, out);
    out.key("top_logprobs").beginArray();
    for (const TopTokenLogprob& other : token.top) {
      out.beginObject();
      writeTokenLogprob(other.token, view.bytes_of(other.token), other.logprob, view, out);
      out.endObject();
    }
    out.endArray().endObject();
  }
  out.endArray().endObject();
}

void writeMessage(const CompletionChoice& choice, json::Writer& out) {
  const ParsedAnswer& reply = choice.reply;
  out.key("message").beginObject();
  out.key("role").string("assistant");
  out.key("content");
  reply.content.empty() && !reply.tool_calls.empty() ? out.null() : out.string(reply.content);
  out.key("refusal").null();
  out.key("reasoning");
  reply.reasoning.empty() ? out.null() : out.string(reply.reasoning);
  if (!reply.tool_calls.empty()) {
    out.key("tool_calls").beginArray();
    for (std::size_t i = 0; i < reply.tool_calls.size(); ++i) {
      out.beginObject();
      out.key("id").string(choice.call_ids[i]);
      out.key("type").string("function");
      out.key("function").beginObject();
      out.key("name").string(reply.tool_calls[i].name);
      out.key("arguments").string(reply.tool_calls[i].arguments);
      out.endObject().endObject();
    }
    out.endArray();
  }
  out.endObject();
}

void writeDelta(const CompletionDelta& delta, json::Writer& out) {
  out.key("delta").beginObject();
  if (delta.role) out.key("role").string("assistant");
  if (delta.content) out.key("content").string(*delta.content);
  if (delta.reasoning) out.key("reasoning").string(*delta.reasoning);
  if (!delta.tool_calls.empty()) {
    out.key("tool_calls").beginArray();
    for (const CompletionDelta::ToolCall& call : delta.tool_calls) {
      out.beginObject();
      out.key("index").integer(static_cast<std::int64_t>(call.index));
      if (!call.id.empty()) {
        out.key("id").string(call.id);
        out.key("type").string("function");
      }
      out.key("function").beginObject();
      if (!call.id.empty()) out.key("name").string(call.name);
      out.key("arguments").string(call.arguments);
      out.endObject().endObject();
    }
    out.endArray();
  }
  out.endObject();
}

}  // namespace

std::string completionJson(const CompletionHead& head,
                           const std::vector<CompletionChoice>& choices,
                           const CompletionUsage& usage,
                           const ShownPrompt& prompt,
                           const TokenView& view) {
  std::string text;
  json::Writer out(text);
  out.beginObject();
  writeHead(head, "chat.completion", out);
  out.key("choices").beginArray();
  for (const CompletionChoice& choice : choices) {
    out.beginObject();
    out.key("index").integer(choice.index);
    writeMessage(choice, out);
    writeLogprobs(choice.tokens, view, out);
    out.key("finish_reason").string(choice.finish_reason);
    writeStop(choice.end, out);
    writeTokenIds(choice.tokens, view, out);
    out.endObject();
  }
  out.endArray();
  writeUsage(usage, out);
  out.key("system_fingerprint").null();
  out.key("service_tier").null();
  writeIds("prompt_token_ids", prompt.tokens, out);
  writePromptLogprobs(prompt.logprobs, prompt.top_count, view, out);
  out.endObject();
  return text;
}

std::string chunkJson(const CompletionHead& head,
                      const CompletionDelta& delta,
                      const std::optional<CompletionUsage>& usage,
                      const std::vector<Token>* prompt_tokens,
                      const TokenView& view) {
  std::string text;
  json::Writer out(text);
  out.beginObject();
  writeHead(head, "chat.completion.chunk", out);
  out.key("choices").beginArray().beginObject();
  out.key("index").integer(delta.index);
  writeDelta(delta, out);
  writeLogprobs(delta.tokens, view, out);
  out.key("finish_reason");
  if (delta.finish_reason) {
    out.string(*delta.finish_reason);
    writeStop(delta.end, out);
  } else {
    out.null();
  }
  if (view.ids) writeTokenIds(delta.tokens, view, out);
  out.endObject().endArray();
  if (prompt_tokens != nullptr) writeIds("prompt_token_ids", prompt_tokens, out);
  if (usage) writeUsage(*usage, out);
  out.endObject();
  return text;
}

}  // namespace spindle::engine
