#include "engine/text_stream.h"

#include <algorithm>

namespace spindle::engine {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// The bytes of a character by its first one; 0 when it is none.
std::size_t lengthOf(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  if (first >= 0xf0 && first <= 0xf4) return 4;
  return 0;
}

/// Whether the byte can stand at this place of a character that begins so.
bool fits(unsigned char first, std::size_t place, unsigned char byte) {
  if (place == 1) {
    if (first == 0xe0) return byte >= 0xa0 && byte <= 0xbf;
    if (first == 0xed) return byte >= 0x80 && byte <= 0x9f;
    if (first == 0xf0) return byte >= 0x90 && byte <= 0xbf;
    if (first == 0xf4) return byte >= 0x80 && byte <= 0x8f;
  }
  return byte >= 0x80 && byte <= 0xbf;
}

/// How much of the text's beginning is one character; 0 when it is none. `cut` tells that it could
/// become one.
std::size_t characterAt(std::string_view text, bool& cut) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = lengthOf(first);
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= text.size()) {
      cut = true;
      return 0;
    }
    if (!fits(first, i, static_cast<unsigned char>(text[i]))) return 0;
  }
  return length;
}

/// The bytes at the end that may become a character.
std::size_t unfinishedAt(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    bool cut = false;
    characterAt(text.substr(text.size() - back), cut);
    if (cut) return back;
  }
  return 0;
}

/// The bytes at the end that one of the stops begins with.
std::size_t stopBegunAt(std::string_view text, const std::vector<std::string>& stops) {
  std::size_t longest = 0;
  for (const std::string& stop : stops) {
    for (std::size_t size = std::min(stop.size() - 1, text.size()); size > longest; --size) {
      if (text.ends_with(std::string_view(stop).substr(0, size))) longest = size;
    }
  }
  return longest;
}

}  // namespace

std::string replacedInvalid(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    bool cut = false;
    const std::size_t length = characterAt(bytes, cut);
    if (cut) return text.append(kReplacement);
    if (length == 0) {
      text += kReplacement;
      bytes.remove_prefix(1);
    } else {
      text += bytes.substr(0, length);
      bytes.remove_prefix(length);
    }
  }
  return text;
}

std::string TextStream::add(std::string_view bytes) {
  held_ += bytes;
  std::size_t place = std::string::npos;
  for (const std::string& stop : stops_) {
    const std::size_t found = held_.find(stop);
    if (found == std::string::npos) continue;
    if (found < place || (found == place && stop.size() > stopped_->size())) {
      place = found;
      stopped_ = stop;
    }
  }
  if (stopped_) {
    std::string text = replacedInvalid(held_.substr(0, place));
    if (include_stop_) text += *stopped_;
    held_.clear();
    return text;
  }
  const std::size_t kept = std::max(unfinishedAt(held_), stopBegunAt(held_, stops_));
  const std::string shown = held_.substr(0, held_.size() - kept);
  held_.erase(0, shown.size());
  return replacedInvalid(shown);
}

std::string TextStream::finish() {
  const std::string rest = replacedInvalid(held_);
  held_.clear();
  return rest;
}

}  // namespace spindle::engine
