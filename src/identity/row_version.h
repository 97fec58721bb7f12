#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"

namespace spindle::identity {

/// The version that a caller has seen of a row that counts its changes; none: any will do.
using IfVersion = std::optional<std::int64_t>;

/// @return kPreconditionFailed when the row has been changed since the caller saw it.
inline Result<void> checkVersion(const IfVersion& expected, std::int64_t version) {
  if (!expected || *expected == version) return {};
  return Error(ErrorCode::kPreconditionFailed, "It has been changed since.");
}

}  // namespace spindle::identity
