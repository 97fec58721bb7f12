#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::http {

/// Returns the canonical text of an IPv4 or IPv6 literal, or nothing for any other host. Converts
/// an IPv4-mapped IPv6 address (::ffff:127.0.0.1) to IPv4; otherwise it would pass a filter for
/// 127.0.0.1.
std::optional<std::string> addressLiteral(const std::string& host);

/// Returns the addresses of a host name in canonical text, in the order to try them; empty if the
/// name is unknown. Blocks, possibly for many seconds.
std::vector<std::string> lookUpAddresses(const std::string& host);

}  // namespace spindle::http
