#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::engine {

/// Converts token bytes to valid UTF-8 text. Holds back incomplete characters and possible
/// beginnings of a stop text. Not thread-safe.
class TextStream {
 public:
  /// `include_stop`: the stop text is part of the text.
  explicit TextStream(std::vector<std::string> stops, bool include_stop = false)
      : stops_(std::move(stops)), include_stop_(include_stop) {}

  /// Appends bytes and returns the new text. Do not call it after a stop text was found.
  std::string add(std::string_view bytes);
  /// Returns the stop text that was found: the earliest one; of several at that position, the
  /// longest.
  const std::optional<std::string>& stopped() const { return stopped_; }
  /// Returns the rest of the text; an incomplete character becomes U+FFFD.
  std::string finish();

 private:
  std::vector<std::string> stops_;
  bool include_stop_;
  std::string held_;
  std::optional<std::string> stopped_;
};

/// Replaces every invalid byte by U+FFFD.
std::string replaceInvalidUtf8(std::string_view bytes);

}  // namespace spindle::engine
