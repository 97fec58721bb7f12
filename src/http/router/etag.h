#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/core/result.h"
#include "http/message/message.h"

namespace spindle::http {

/// Returns the ETag of a version number.
std::string etagOf(std::int64_t version);

/// Returns the version in `If-Match`; nothing if the field is absent or `*`.
/// @return kPreconditionFailed for a tag that etagOf() cannot produce.
Result<std::optional<std::int64_t>> expectedVersion(const Headers& headers);

}  // namespace spindle::http
