#include "engine/api/text_response.h"

#include <algorithm>
#include <utility>

namespace spindle::engine {
namespace {

constexpr std::string_view kObject = "text_completion";

/// Returns the number of characters, not bytes.
std::int64_t lengthOf(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  });
}

/// Writes the most likely tokens and the actual token, by name. Of several tokens with the same
/// name, only the most likely is written.
void writeTop(const TextResponseFormat& format, const GeneratedToken& token, json::Writer& out) {
  std::vector<std::string> named;
  const auto write = [&](Token id, double logprob) {
    std::string name = format.view.nameOf(id);
    if (std::find(named.begin(), named.end(), name) != named.end()) return;
    out.key(name).number(logprob);
    named.push_back(std::move(name));
  };
  out.beginObject();
  for (std::size_t i = 0; i < std::min(*format.logprobs, token.top.size()); ++i)
    write(token.top[i].token, token.top[i].logprob);
  write(token.token, token.logprob);
  out.endObject();
}

/// Writes `logprobs`. The first `of_prompt` tokens belong to the prompt; its first token has no log
/// probability.
void writeLogprobs(const TextResponseFormat& format,
                   const std::vector<GeneratedToken>& tokens,
                   std::size_t of_prompt,
                   std::int64_t& offset,
                   json::Writer& out) {
  out.key("logprobs");
  if (!format.logprobs) {
    out.null();
    return;
  }
  out.beginObject().key("tokens").beginArray();
  for (const GeneratedToken& token : tokens) out.string(format.view.nameOf(token.token));
  out.endArray().key("token_logprobs").beginArray();
  for (std::size_t i = 0; i < tokens.size(); ++i)
    i == 0 && of_prompt > 0 ? out.null() : out.number(tokens[i].logprob);
  out.endArray().key("top_logprobs").beginArray();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i == 0 && of_prompt > 0) {
      out.null();
    } else {
      writeTop(format, tokens[i], out);
    }
  }
  out.endArray().key("text_offset").beginArray();
  for (const GeneratedToken& token : tokens) {
    out.integer(offset);
    offset += lengthOf(format.text_of(token.token));
  }
  out.endArray().endObject();
}

std::string_view finishReasonText(FinishReason reason) {
  return reason == FinishReason::kLength ? "length" : "stop";
}

void writeChoice(const TextResponseFormat& format,
                 std::size_t index,
                 const RawAnswer& answer,
                 json::Writer& out) {
  const TextPlan::Prompt& prompt = format.plan.prompts[index / format.plan.answers];
  const bool first = index % format.plan.answers == 0;
  out.beginObject();
  out.key("index").integer(static_cast<std::int64_t>(index));
  out.key("text").string(format.echo ? prompt.text + answer.text : answer.text);
  std::vector<GeneratedToken> tokens;
  if (format.echo) tokens = answer.prompt;
  const std::size_t of_prompt = tokens.size();
  tokens.insert(tokens.end(), answer.tokens.begin(), answer.tokens.end());
  std::int64_t offset = 0;
  writeLogprobs(format, tokens, of_prompt, offset, out);
  out.key("finish_reason").string(finishReasonText(answer.end.reason));
  writeStop(answer.end, out);
  writeTokenIds(answer.tokens, format.view, out);
  writeIds("prompt_token_ids", format.view.ids && first ? &prompt.generation.prompt : nullptr, out);
  const bool scored = format.prompt_logprobs && first;
  writePromptLogprobs(scored ? answer.prompt : std::vector<GeneratedToken>(),
                      format.prompt_logprobs.value_or(0), format.view, out);
  out.endObject();
}

}  // namespace

std::string textCompletion(const TextResponseFormat& format,
                           const std::vector<RawAnswer>& answers) {
  std::string text;
  json::Writer out(text);
  out.beginObject();
  writeHead(format.head, kObject, out);
  out.key("choices").beginArray();
  for (std::size_t i = 0; i < answers.size(); ++i) writeChoice(format, i, answers[i], out);
  out.endArray();
  writeUsage(usageOf(answers, format.plan.answers), out);
  out.key("system_fingerprint").null();
  out.endObject();
  return text;
}

/// The change of one answer in a stream event.
struct TextStreamFormatter::Piece {
  std::string text = {};
  std::vector<GeneratedToken> tokens = {};
  bool of_prompt = false;
  const GenerationEnd* end = nullptr;  ///< set in the last event
};

TextStreamFormatter::TextStreamFormatter(TextResponseFormat format)
    : format_(std::move(format)), offsets_(format_.plan.prompts.size() * format_.plan.answers) {}

std::string TextStreamFormatter::chunk(std::size_t index, const Piece& piece, const Usage& usage) {
  std::string text;
  json::Writer out(text);
  out.beginObject();
  writeHead(format_.head, kObject, out);
  out.key("choices").beginArray().beginObject();
  out.key("index").integer(static_cast<std::int64_t>(index));
  out.key("text").string(piece.text);
  writeLogprobs(format_, piece.tokens, piece.of_prompt ? piece.tokens.size() : 0, offsets_[index],
                out);
  out.key("finish_reason");
  if (piece.end != nullptr) {
    out.string(finishReasonText(piece.end->reason));
    writeStop(*piece.end, out);
  } else {
    out.null();
  }
  if (format_.view.ids && !piece.of_prompt) writeTokenIds(piece.tokens, format_.view, out);
  out.endObject().endArray();
  if (usage) writeUsage(*usage, out);
  out.endObject();
  return text;
}

StreamFormatter::Events TextStreamFormatter::begin(std::size_t index, const Usage& usage) {
  // With log probabilities, prompt() sends the prompt when they are known.
  if (!format_.echo || format_.logprobs) return {};
  Piece piece;
  piece.text = format_.plan.prompts[index / format_.plan.answers].text;
  return {chunk(index, piece, usage)};
}

StreamFormatter::Events TextStreamFormatter::prompt(std::size_t index,
                                                    std::vector<GeneratedToken> tokens,
                                                    const Usage& usage) {
  Piece piece;
  piece.text = format_.plan.prompts[index / format_.plan.answers].text;
  piece.tokens = std::move(tokens);
  piece.of_prompt = true;
  return {chunk(index, piece, usage)};
}

StreamFormatter::Events TextStreamFormatter::add(std::size_t index,
                                                 GenerationDelta delta,
                                                 const Usage& usage) {
  if (delta.text.empty() && !format_.logprobs && !format_.view.ids) return {};
  Piece piece;
  piece.text = std::move(delta.text);
  piece.tokens = std::move(delta.tokens);
  return {chunk(index, piece, usage)};
}

StreamFormatter::Events TextStreamFormatter::end(std::size_t index,
                                                 const GenerationEnd& end,
                                                 const Usage& usage) {
  Piece piece;
  piece.end = &end;
  return {chunk(index, piece, usage)};
}

std::string TextStreamFormatter::total(const CompletionUsage& usage) {
  return usageChunkJson(format_.head, kObject, usage);
}

}  // namespace spindle::engine
