#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "http/message.h"

namespace spindle::http {

/// The ETag of a resource that counts its changes.
std::string etagOf(std::int64_t version);

/// The version that `If-Match` asks for; nothing when there is no such field or it is `*`.
/// @return kPreconditionFailed for a tag that no version of ours can have.
Result<std::optional<std::int64_t>> expectedVersion(const Headers& headers);

}  // namespace spindle::http
