#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "base/check.h"
#include "base/crypto.h"

namespace spindle::storage {

/// The name of a blob as tables keep it.
inline std::string blobNameText(const Sha256& name) {
  return encodeBase64Url({reinterpret_cast<const char*>(name.data()), name.size()});
}

/// The name in a text that blobNameText() made.
inline Sha256 blobNameOf(const std::string& text) {
  const std::optional<std::string> bytes = decodeBase64Url(text);
  Sha256 name{};
  SPINDLE_ASSERT(bytes && bytes->size() == name.size(), "content is named by its SHA-256");
  std::copy(bytes->begin(), bytes->end(), name.begin());
  return name;
}

}  // namespace spindle::storage
