#pragma once

#include <string>
#include <string_view>

#include "http/message.h"

namespace spindle::http {

/// What stood before the paths of a request and was taken away, by a proxy or by this server.
inline constexpr std::string_view kForwardedPrefix = "X-Forwarded-Prefix";

/// That prefix, `/spindle`; empty when there is none, or what is told is no path.
std::string_view prefixOf(const Request& request);

/// Where the client of a request has reached this server, for URLs that it will follow:
/// `https://host:port`, and the prefix that its paths have.
std::string originOf(const Request& request);

}  // namespace spindle::http
