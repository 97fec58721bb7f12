#pragma once

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/crypto.h"

namespace spindle::storage {

/// The name of a blob as tables keep it.
inline std::string blobNameText(const Sha256& name) {
  return encodeBase64Url({reinterpret_cast<const char*>(name.data()), name.size()});
}

/// The name in a text that blobNameText() made. @throws std::runtime_error for any other text.
inline Sha256 blobNameOf(const std::string& text) {
  const std::optional<std::string> bytes = decodeBase64Url(text);
  Sha256 name{};
  if (!bytes || bytes->size() != name.size())
    throw std::runtime_error("the stored name of a blob is damaged");
  std::copy(bytes->begin(), bytes->end(), name.begin());
  return name;
}

}  // namespace spindle::storage
