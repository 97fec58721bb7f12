#pragma once

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/crypto/crypto.h"

namespace spindle::storage {

/// Returns the name of a blob as tables store it.
inline std::string blobNameText(const Sha256& name) {
  return encodeBase64Url({reinterpret_cast<const char*>(name.data()), name.size()});
}

/// Parses a result of blobNameText(). Returns nothing for any other text.
inline std::optional<Sha256> parseBlobName(std::string_view text) {
  const std::optional<std::string> bytes = decodeBase64Url(std::string(text));
  Sha256 name{};
  if (!bytes || bytes->size() != name.size()) return std::nullopt;
  std::copy(bytes->begin(), bytes->end(), name.begin());
  return name;
}

}  // namespace spindle::storage
