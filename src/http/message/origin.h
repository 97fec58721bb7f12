#pragma once

#include <string>
#include <string_view>

#include "http/message/message.h"

namespace spindle::http {

/// The header with the path prefix that a proxy or this server removed from the request target.
inline constexpr std::string_view kForwardedPrefix = "X-Forwarded-Prefix";

/// Returns the removed path prefix, such as `/spindle`; empty if it is absent or not a valid path.
std::string_view prefixOf(const Request& request);

/// Returns the base URL at which the client reached this server, for URLs in responses:
/// `https://host:port` and the path prefix.
std::string originOf(const Request& request);

}  // namespace spindle::http
