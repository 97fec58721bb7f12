#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spindle::tracing {

/// Strings up to this length stay in the row, whatever they contain.
inline constexpr std::size_t kMediaThreshold = 8192;

struct Media {
  std::string bytes;
  std::string type;  ///< `image/png`
};

/// Finds the file inside a long string: a data URI, or bare Base64 of a known binary format. Empty
/// if the string is only text.
std::optional<Media> findMedia(std::string_view text);

/// Returns the media type that the first bytes indicate, or an empty string.
std::string_view sniffMediaType(std::string_view bytes);

}  // namespace spindle::tracing
