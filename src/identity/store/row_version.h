#pragma once

#include <cstdint>
#include <optional>

#include "base/core/result.h"

namespace spindle::identity {

/// The row version that a caller expects; none: any version.
using IfVersion = std::optional<std::int64_t>;

/// Checks the version of a row. @return kPreconditionFailed unless it is the expected one.
inline Result<void> checkVersion(const IfVersion& expected, std::int64_t version) {
  if (!expected || *expected == version) return {};
  return Error(ErrorCode::kPreconditionFailed, "The resource has changed since the given version.");
}

}  // namespace spindle::identity
