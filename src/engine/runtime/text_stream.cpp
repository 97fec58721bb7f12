#include "engine/runtime/text_stream.h"

#include <algorithm>

namespace spindle::engine {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Returns the length of a UTF-8 character from its first byte; 0 when the byte is invalid.
std::size_t lengthOf(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  if (first >= 0xf0 && first <= 0xf4) return 4;
  return 0;
}

/// Returns true if the byte is valid at index `place` of a character with this first byte.
bool fits(unsigned char first, std::size_t place, unsigned char byte) {
  if (place == 1) {
    if (first == 0xe0) return byte >= 0xa0 && byte <= 0xbf;
    if (first == 0xed) return byte >= 0x80 && byte <= 0x9f;
    if (first == 0xf0) return byte >= 0x90 && byte <= 0xbf;
    if (first == 0xf4) return byte >= 0x80 && byte <= 0x8f;
  }
  return byte >= 0x80 && byte <= 0xbf;
}

/// Returns the length of the character at the beginning of the text; 0 when it is invalid. Sets
/// `cut` if the character is incomplete.
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

/// Returns the length of the incomplete character at the end.
std::size_t incompleteAt(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    bool cut = false;
    characterAt(text.substr(text.size() - back), cut);
    if (cut) return back;
  }
  return 0;
}

/// Returns the length of the longest suffix that is a prefix of a stop text.
std::size_t stopPrefixAt(std::string_view text, const std::vector<std::string>& stops) {
  std::size_t longest = 0;
  for (const std::string& stop : stops) {
    for (std::size_t size = std::min(stop.size() - 1, text.size()); size > longest; --size) {
      if (text.ends_with(std::string_view(stop).substr(0, size))) longest = size;
    }
  }
  return longest;
}

}  // namespace

std::string replaceInvalidUtf8(std::string_view bytes) {
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
    std::string text = replaceInvalidUtf8(held_.substr(0, place));
    if (include_stop_) text += *stopped_;
    held_.clear();
    return text;
  }
  const std::size_t kept = std::max(incompleteAt(held_), stopPrefixAt(held_, stops_));
  const std::string shown = held_.substr(0, held_.size() - kept);
  held_.erase(0, shown.size());
  return replaceInvalidUtf8(shown);
}

std::string TextStream::finish() {
  std::string rest = replaceInvalidUtf8(held_);
  held_.clear();
  return rest;
}

}  // namespace spindle::engine
