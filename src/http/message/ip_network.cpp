#include "http/message/ip_network.h"

#include <algorithm>
#include <charconv>

#include <arpa/inet.h>

namespace spindle::http {
namespace {

constexpr int kIpv4Prefix = 96;

}  // namespace

std::optional<IpAddress> parseIpAddress(std::string_view text) {
  const std::string terminated(text);
  IpAddress address{};
  if (inet_pton(AF_INET6, terminated.c_str(), address.data()) == 1) return address;
  address[kEmbeddedIpv4At - 2] = 0xFF;
  address[kEmbeddedIpv4At - 1] = 0xFF;
  if (inet_pton(AF_INET, terminated.c_str(), address.data() + kEmbeddedIpv4At) == 1) return address;
  return std::nullopt;
}

bool isIpv4(const IpAddress& address) {
  return std::all_of(address.begin(), address.begin() + kEmbeddedIpv4At - 2,
                     [](std::uint8_t byte) { return byte == 0; }) &&
         address[kEmbeddedIpv4At - 2] == 0xFF && address[kEmbeddedIpv4At - 1] == 0xFF;
}

std::string addressBlock(std::string_view address) {
  constexpr std::size_t kNetworkBytes = 8;
  std::optional<IpAddress> parsed = parseIpAddress(address);
  if (!parsed || isIpv4(*parsed)) return std::string(address);
  std::fill(parsed->begin() + kNetworkBytes, parsed->end(), std::uint8_t{0});
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(AF_INET6, parsed->data(), text.data(), text.size());
  return text.data();
}

bool IpNetwork::contains(const IpAddress& address) const {
  const auto whole = static_cast<std::size_t>(prefix / 8);
  if (!std::equal(base.begin(), base.begin() + static_cast<std::ptrdiff_t>(whole),
                  address.begin())) {
    return false;
  }
  const int rest = prefix % 8;
  if (rest == 0) return true;
  const auto mask = static_cast<std::uint8_t>(0xFF << (8 - rest));
  return (base[whole] & mask) == (address[whole] & mask);
}

std::optional<IpNetwork> parseIpNetwork(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::optional<IpAddress> base = parseIpAddress(text.substr(0, slash));
  if (!base) return std::nullopt;
  const bool is_v6 = text.find(':') != std::string_view::npos;
  const int most = is_v6 ? 128 : 32;
  int prefix = most;
  if (slash != std::string_view::npos) {
    const std::string_view digits = text.substr(slash + 1);
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), prefix);
    if (fault != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  }
  if (prefix < 0 || prefix > most) return std::nullopt;
  return IpNetwork{*base, is_v6 ? prefix : prefix + kIpv4Prefix};
}

}  // namespace spindle::http
