#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spindle::http {

/// An IP address; IPv4 as ::ffff:a.b.c.d.
using IpAddress = std::array<std::uint8_t, 16>;

/// The offset of an IPv4 address in an IpAddress.
inline constexpr std::size_t kEmbeddedIpv4At = 12;

/// Parses `10.1.2.3` or `fd00::1`, without brackets.
std::optional<IpAddress> parseIpAddress(std::string_view text);
bool isIpv4(const IpAddress& address);

/// Returns the smallest unit of addresses that one subscriber usually has: an IPv4 address, or the
/// /64 network of an IPv6 address. Returns a text that is not an address unchanged.
std::string addressBlock(std::string_view address);

/// A network such as `10.1.0.0/16`.
struct IpNetwork {
  IpAddress base{};
  int prefix = 0;  ///< of the IPv6 form: 96 more than that of an IPv4 network

  bool contains(const IpAddress& address) const;
};

/// Parses `10.1.0.0/16`, `fd00::/8`, or an address alone.
std::optional<IpNetwork> parseIpNetwork(std::string_view text);

}  // namespace spindle::http
