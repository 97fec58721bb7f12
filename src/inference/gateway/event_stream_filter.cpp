#include "inference/gateway/event_stream_filter.h"

#include <algorithm>

namespace spindle::inference {
namespace {

/// Returns the position after the empty line that ends the event at `from`; npos if the event is
/// incomplete.
std::size_t endOfEvent(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find('\n', from); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    std::size_t next = at + 1;
    if (next < text.size() && text[next] == '\r') ++next;
    if (next < text.size() && text[next] == '\n') return next + 1;
  }
  return std::string_view::npos;
}

bool holds(std::string_view text, std::string_view name, std::string_view first_of_value) {
  const std::size_t named = text.find(name);
  if (named == std::string_view::npos) return false;
  const std::size_t value = text.find_first_not_of(" \t", named + name.size());
  return value != std::string_view::npos && text.substr(value).starts_with(first_of_value);
}

/// Returns true for the last event of a stream with `include_usage`: it has a usage and no choices.
bool isUsageOnlyEvent(std::string_view event) {
  return holds(event, "\"usage\":", "{") &&
         (holds(event, "\"choices\":", "[]") || holds(event, "\"choices\":", "[ ]"));
}

enum class Match { kNone, kBegun, kWhole };

/// Returns whether a text starts with the line that ends a stream, or with a part of that line.
Match doneLine(std::string_view text) {
  constexpr std::string_view kName = "data:";
  constexpr std::string_view kValue = "[DONE]";
  const auto begins = [&text](std::string_view word) {
    const std::size_t common = std::min(text.size(), word.size());
    return text.substr(0, common) == word.substr(0, common);
  };
  if (!begins(kName)) return Match::kNone;
  if (text.size() <= kName.size()) return Match::kBegun;
  text.remove_prefix(kName.size());
  constexpr std::size_t kMostSpaces = 8;
  const std::size_t spaces = std::min(text.find_first_not_of(' '), text.size());
  if (spaces > kMostSpaces) return Match::kNone;
  text.remove_prefix(spaces);
  if (!begins(kValue)) return Match::kNone;
  return text.size() < kValue.size() ? Match::kBegun : Match::kWhole;
}

}  // namespace

std::string EventStreamFilter::feed(std::string_view bytes) {
  keep(bytes);
  empty_ = empty_ && bytes.empty();
  if (held_done_) {
    held_ += bytes.substr(0, kEnd - std::min(kEnd, held_.size()));
    return {};
  }
  held_ += bytes;
  return options_.hide_usage ? feedEvents() : feedLines();
}

/// Removes complete events from held_, up to `[DONE]`, and returns those to send.
std::string EventStreamFilter::feedEvents() {
  std::string onward;
  std::size_t at = 0;
  for (std::size_t end = endOfEvent(held_, 0); end != std::string_view::npos;
       end = endOfEvent(held_, at)) {
    const std::string_view event = std::string_view(held_).substr(at, end - at);
    held_done_ = doneLine(event) == Match::kWhole;
    if (held_done_) break;
    if (!isUsageOnlyEvent(event)) onward += event;
    at = end;
  }
  // An event that is too long to be the usage or `[DONE]` is sent in parts.
  if (!held_done_ && held_.size() - at > kMostKept) {
    onward += std::string_view(held_).substr(at);
    at = held_.size();
  }
  held_.erase(0, at);
  return onward;
}

/// Removes and returns everything in held_ up to the line `[DONE]` or a possible start of that
/// line.
std::string EventStreamFilter::feedLines() {
  std::size_t line = 0;
  if (in_line_) {
    const std::size_t end = held_.find('\n');
    line = end == std::string::npos ? held_.size() : end + 1;
    in_line_ = end == std::string::npos;
  }
  while (line < held_.size()) {
    const Match match = doneLine(std::string_view(held_).substr(line));
    held_done_ = match == Match::kWhole;
    if (match != Match::kNone) break;
    const std::size_t end = held_.find('\n', line);
    in_line_ = end == std::string::npos;
    line = in_line_ ? held_.size() : end + 1;
  }
  std::string onward = held_.substr(0, line);
  held_.erase(0, line);
  return onward;
}

std::string EventStreamFilter::finish() {
  std::string rest;
  rest.swap(held_);
  return isUsageOnlyEvent(rest) ? std::string() : rest;
}

void EventStreamFilter::keep(std::string_view bytes) {
  if (options_.keep_all && kept_.size() + bytes.size() <= kMostKept) {
    kept_ += bytes;
    return;
  }
  // The stream is too long to be kept completely. Keep its end, which contains the usage.
  cut_ = true;
  kept_ += bytes.substr(bytes.size() - std::min(bytes.size(), kEnd));
  if (kept_.size() > 2 * kEnd) kept_.erase(0, kept_.size() - kEnd);
}

bool EventStreamFilter::isDone() const {
  constexpr std::size_t kFar = 64;
  const std::size_t from = kept_.size() - std::min(kept_.size(), kFar);
  return kept_.find("[DONE]", from) != std::string::npos;
}

}  // namespace spindle::inference
