#include "inference/event_tap.h"

#include <algorithm>

namespace spindle::inference {
namespace {

/// Behind the empty line that ends the event at `from`; npos when it has not come yet.
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

/// The event that comes last when a stream was asked for its usage: nothing to choose from.
bool tellsOnlyUsage(std::string_view event) {
  return holds(event, "\"usage\":", "{") &&
         (holds(event, "\"choices\":", "[]") || holds(event, "\"choices\":", "[ ]"));
}

}  // namespace

std::string EventTap::feed(std::string_view bytes) {
  keep(bytes);
  empty_ = empty_ && bytes.empty();
  if (!options_.hide_usage) return std::string(bytes);
  held_ += bytes;
  std::string onward;
  std::size_t at = 0;
  for (std::size_t end = endOfEvent(held_, 0); end != std::string_view::npos;
       end = endOfEvent(held_, at)) {
    const std::string_view event = std::string_view(held_).substr(at, end - at);
    if (!tellsOnlyUsage(event)) onward += event;
    at = end;
  }
  held_.erase(0, at);
  return onward;
}

std::string EventTap::finish() {
  std::string rest;
  rest.swap(held_);
  return tellsOnlyUsage(rest) ? std::string() : rest;
}

void EventTap::keep(std::string_view bytes) {
  if (options_.keep_all && kept_.size() + bytes.size() <= kMostKept) {
    kept_ += bytes;
    return;
  }
  // Of a stream too long to be kept the end counts: that is where the usage is.
  cut_ = true;
  kept_ += bytes.substr(bytes.size() - std::min(bytes.size(), kEnd));
  if (kept_.size() > 2 * kEnd) kept_.erase(0, kept_.size() - kEnd);
}

bool EventTap::isDone() const {
  constexpr std::size_t kFar = 64;
  const std::size_t from = kept_.size() - std::min(kept_.size(), kFar);
  return kept_.find("[DONE]", from) != std::string::npos;
}

}  // namespace spindle::inference
