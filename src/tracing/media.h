#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spindle::tracing {

/// Texts up to this length stay in the row, whatever they hold.
inline constexpr std::size_t kMediaThreshold = 8192;

struct Media {
  std::string bytes;
  std::string type;  ///< `image/png`
};

/// The file inside a long text: a data URI, or bare Base64 of something that is recognisably not
/// text. Empty when the text is only a text.
std::optional<Media> findMedia(std::string_view text);

/// The media type that the first bytes give away, or empty.
std::string_view sniffMediaType(std::string_view bytes);

}  // namespace spindle::tracing
