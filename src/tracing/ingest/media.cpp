#include "tracing/ingest/media.h"

#include <algorithm>
#include <array>

#include "base/core/ascii.h"
#include "base/crypto/crypto.h"

namespace spindle::tracing {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::size_t offset;
  std::string_view bytes;
  std::string_view type;
};

constexpr std::array kSignatures = {
    Signature{0, "\x89PNG\r\n\x1a\n"sv, "image/png"sv},
    Signature{0, "\xff\xd8\xff"sv, "image/jpeg"sv},
    Signature{0, "GIF8"sv, "image/gif"sv},
    Signature{8, "WEBP"sv, "image/webp"sv},
    Signature{0, "BM"sv, "image/bmp"sv},
    Signature{0, "II*\0"sv, "image/tiff"sv},
    Signature{0, "MM\0*"sv, "image/tiff"sv},
    Signature{8, "WAVE"sv, "audio/wav"sv},
    Signature{0, "ID3"sv, "audio/mpeg"sv},
    Signature{0, "\xff\xfb"sv, "audio/mpeg"sv},
    Signature{0, "fLaC"sv, "audio/flac"sv},
    Signature{0, "OggS"sv, "audio/ogg"sv},
    Signature{4, "ftypM4A"sv, "audio/mp4"sv},
    Signature{4, "ftyp"sv, "video/mp4"sv},
    Signature{0, "\x1a\x45\xdf\xa3"sv, "video/webm"sv},
    Signature{0, "%PDF-"sv, "application/pdf"sv},
    Signature{0, "PK\x03\x04"sv, "application/zip"sv},
    Signature{0, "\x1f\x8b"sv, "application/gzip"sv},
};

bool isBase64(char c) { return isLetterOrDigit(c) || c == '+' || c == '/' || c == '='; }

std::optional<Media> fromDataUri(std::string_view text) {
  constexpr std::string_view kScheme = "data:";
  const std::size_t comma = text.find(',');
  if (!text.starts_with(kScheme) || comma == std::string_view::npos || comma > 256)
    return std::nullopt;
  const std::string_view head = text.substr(kScheme.size(), comma - kScheme.size());
  if (!head.ends_with(";base64")) return std::nullopt;
  std::optional<std::string> bytes = decodeBase64(text.substr(comma + 1));
  if (!bytes) return std::nullopt;
  const std::string_view type = head.substr(0, head.find(';'));
  return Media{*std::move(bytes), std::string(type.empty() ? "application/octet-stream"sv : type)};
}

std::optional<Media> fromBareBase64(std::string_view text) {
  // Decode only the head first, because most long strings are prose.
  constexpr std::size_t kHead = 64;
  if (text.size() % 4 != 0 || !std::all_of(text.begin(), text.begin() + kHead, isBase64))
    return std::nullopt;
  const std::optional<std::string> head = decodeBase64(text.substr(0, kHead));
  if (!head) return std::nullopt;
  const std::string_view type = sniffMediaType(*head);
  if (type.empty()) return std::nullopt;
  std::optional<std::string> bytes = decodeBase64(text);
  if (!bytes) return std::nullopt;
  return Media{*std::move(bytes), std::string(type)};
}

}  // namespace

std::string_view sniffMediaType(std::string_view bytes) {
  const auto* const found =
      std::find_if(kSignatures.begin(), kSignatures.end(), [bytes](const Signature& signature) {
        return bytes.size() > signature.offset &&
               bytes.substr(signature.offset).starts_with(signature.bytes);
      });
  return found == kSignatures.end() ? std::string_view() : found->type;
}

std::optional<Media> findMedia(std::string_view text) {
  if (text.size() <= kMediaThreshold) return std::nullopt;
  if (std::optional<Media> media = fromDataUri(text)) return media;
  return fromBareBase64(text);
}

}  // namespace spindle::tracing
