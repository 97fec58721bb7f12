#pragma once

#include <string_view>

namespace spindle::tracing {

/// What stands in the place of a credential.
inline constexpr std::string_view kRedacted = "REDACTED";

/// True when a member of this name holds a credential: `api_key`, `OPENAI-API-KEY`,
/// `authorization`.
bool namesCredential(std::string_view member);

}  // namespace spindle::tracing
