#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::engine {

/// Makes text that can be shown of tokens' bytes: whole characters only, and nothing that may turn
/// out to be the beginning of a stop text. For one thread.
class TextStream {
 public:
  /// With `include_stop` a stop text that ends it belongs to the text.
  explicit TextStream(std::vector<std::string> stops, bool include_stop = false)
      : stops_(std::move(stops)), include_stop_(include_stop) {}

  /// @return what can be shown since the last call. Nothing may be added once it has stopped.
  std::string add(std::string_view bytes);
  /// The stop text that was found: the first, and of those that begin there the longest.
  const std::optional<std::string>& stopped() const { return stopped_; }
  /// The rest; half a character becomes U+FFFD.
  std::string finish();

 private:
  std::vector<std::string> stops_;
  bool include_stop_;
  std::string held_;
  std::optional<std::string> stopped_;
};

/// The text with every byte that belongs to no character as U+FFFD.
std::string replacedInvalid(std::string_view bytes);

}  // namespace spindle::engine
