#pragma once

#include <string_view>

namespace spindle::tracing {

/// Replaces a credential.
inline constexpr std::string_view kRedacted = "REDACTED";

/// Returns true if a member of this name contains a credential, such as `api_key`, `OPENAI-API-KEY`
/// or `authorization`.
bool namesCredential(std::string_view member);

}  // namespace spindle::tracing
