#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::http {

/// The numeric text of an IPv4 or IPv6 literal in its usual form; nothing for any other host. An
/// IPv4 address in IPv6 clothes (::ffff:127.0.0.1) comes out as what it is, or a filter that looks
/// for 127.0.0.1 would let it pass.
std::optional<std::string> addressLiteral(const std::string& host);

/// The addresses of a host name, in that same form and in the order to try them. Empty when the
/// name is not known. Blocks, possibly for many seconds.
std::vector<std::string> lookUpAddresses(const std::string& host);

}  // namespace spindle::http
