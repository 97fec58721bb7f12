#include "engine/chat/incremental_answer_parser.h"

#include <algorithm>
#include <utility>

namespace spindle::engine {
namespace {

// A text up to this size is parsed with every change; a longer one when 1/kShare of it is new.
constexpr std::size_t kAlwaysRead = 2048;
constexpr std::size_t kShare = 64;

bool isSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::size_t withoutTrailingSpace(std::string_view text) {
  std::size_t size = text.size();
  while (size > 0 && isSpace(text[size - 1])) --size;
  return size;
}

/// Returns true if no marker of a template (`<think>`, `[TOOL_CALLS]`, `{"name"`, …) can start in
/// the text.
bool isPlain(std::string_view text) {
  return text.find_first_of("<>[]{}|`") == std::string_view::npos;
}

/// Appends the part of `now` after `shown` to `shown` and returns it. While more text may follow,
/// trailing white space is held back, because the parser drops it before a marker. If the new
/// result does not start with the text already sent, adds nothing: sent text cannot be changed.
std::string grow(std::string& shown, const std::string& now, bool partial) {
  if (!now.starts_with(shown)) return {};
  const std::size_t end = partial ? withoutTrailingSpace(now) : now.size();
  if (end <= shown.size()) return {};
  std::string more = now.substr(shown.size(), end - shown.size());
  shown += more;
  return more;
}

/// Returns true if the part grew by exactly this text.
bool grewBy(const std::string& before, const std::string& now, std::string_view text) {
  return now.size() == before.size() + text.size() && now.starts_with(before) &&
         now.ends_with(text);
}

}  // namespace

ParsedAnswerDelta IncrementalAnswerParser::add(std::string_view text) {
  text_ += text;
  if (parser_ == nullptr) {
    shown_.content += text;
    ParsedAnswerDelta change;
    change.content = text;
    return change;
  }
  if (canPass()) return pass();
  const std::size_t fresh = text_.size() - read_at_;
  if (text_.size() > kAlwaysRead && fresh * kShare < text_.size()) return {};
  return read(true);
}

ParsedAnswerDelta IncrementalAnswerParser::finish() {
  return parser_ == nullptr ? ParsedAnswerDelta{} : read(false);
}

bool IncrementalAnswerParser::canPass() const {
  return part_ != Part::kUnknown && isPlain(std::string_view(text_).substr(passed_));
}

ParsedAnswerDelta IncrementalAnswerParser::pass() {
  const std::string_view text = std::string_view(text_).substr(passed_);
  const std::string more(text.substr(0, withoutTrailingSpace(text)));
  passed_ += more.size();
  ParsedAnswerDelta change;
  (part_ == Part::kContent ? shown_.content : shown_.reasoning) += more;
  (part_ == Part::kContent ? change.content : change.reasoning) = more;
  return change;
}

ParsedAnswerDelta IncrementalAnswerParser::read(bool partial) {
  ParsedAnswer reply = parser_->read(text_, partial);
  ParsedAnswerDelta change = changeTo(reply, partial);
  findPart(reply);
  read_ = std::move(reply);
  read_at_ = text_.size();
  return change;
}

ParsedAnswerDelta IncrementalAnswerParser::changeTo(const ParsedAnswer& reply, bool partial) {
  ParsedAnswerDelta change;
  // Reasoning precedes content: with the first content it is complete.
  const bool thinks = partial && reply.content.empty() && reply.tool_calls.empty();
  change.reasoning = grow(shown_.reasoning, reply.reasoning, thinks);
  change.content = grow(shown_.content, reply.content, partial && reply.tool_calls.empty());
  for (std::size_t i = 0; i < reply.tool_calls.size(); ++i) {
    ParsedAnswerDelta::Call call;
    call.index = i;
    call.fresh = i >= shown_.tool_calls.size();
    if (call.fresh) {
      call.name = reply.tool_calls[i].name;
      shown_.tool_calls.push_back({call.name, {}});
    }
    const bool last = i + 1 == reply.tool_calls.size();
    call.arguments =
        grow(shown_.tool_calls[i].arguments, reply.tool_calls[i].arguments, partial && last);
    if (call.fresh || !call.arguments.empty()) change.calls.push_back(std::move(call));
  }
  return change;
}

/// Compares two parse results to find the part that the text between them belongs to.
void IncrementalAnswerParser::findPart(const ParsedAnswer& reply) {
  const std::string_view fresh = std::string_view(text_).substr(read_at_);
  part_ = Part::kUnknown;
  if (!reply.tool_calls.empty() || fresh.empty()) return;
  if (!reply.content.starts_with(shown_.content) || !reply.reasoning.starts_with(shown_.reasoning))
    return;
  if (reply.reasoning == read_.reasoning && grewBy(read_.content, reply.content, fresh)) {
    part_ = Part::kContent;
    passed_ = text_.size() - (reply.content.size() - shown_.content.size());
  } else if (reply.content == read_.content && grewBy(read_.reasoning, reply.reasoning, fresh)) {
    part_ = Part::kReasoning;
    passed_ = text_.size() - (reply.reasoning.size() - shown_.reasoning.size());
  }
}

}  // namespace spindle::engine
