#include "http/client/egress_policy.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "base/core/ascii.h"

namespace spindle::http {
namespace {

constexpr std::uint16_t kFirstFreePort = 1024;

constexpr std::array<std::string_view, 4> kLinkLocal = {"169.254.0.0/16", "fe80::/10",
                                                        "168.63.129.16/32", "100.100.100.200/32"};
constexpr std::string_view kCloudMetadataV6 = "fd00:ec2::254/128";

constexpr std::array<std::string_view, 7> kPrivate = {
    "10.0.0.0/8",     "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12",
    "192.168.0.0/16", "::1/128",       "fc00::/7"};

constexpr std::array<std::string_view, 12> kReserved = {
    "0.0.0.0/8",     "192.0.0.0/24",    "192.0.2.0/24",   "192.88.99.0/24",
    "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4",
    "240.0.0.0/4",   "2001::/23",       "2001:db8::/32",  "3fff::/20"};

/// Global unicast IPv6 addresses. All others are reserved: multicast, unspecified, IPv4-compatible
/// (::/96), IPv4-translated (::ffff:0:0:0/96), NAT64 (64:ff9b::/96, 64:ff9b:1::/48), discard-only
/// and unassigned blocks. 2001::/23 above contains Teredo (2001::/32) and ORCHID.
constexpr std::string_view kGlobalUnicast = "2000::/3";
constexpr std::string_view kIpv4Mapped = "::ffff:0:0/96";

bool endsInLocalName(std::string_view host) {
  return host == "localhost" || host.ends_with(".localhost") || host.ends_with(".internal") ||
         host.ends_with(".local");
}

}  // namespace

EgressPolicy::EgressPolicy(const EgressOptions& options)
    : allow_private_(options.allow_private),
      private_condition_(options.private_condition),
      allow_http_(options.allow_http) {
  for (const std::string& host : options.allow_hosts) allow_hosts_.push_back(lowerCase(host));
  for (const std::string& text : options.allow_cidrs) {
    const std::optional<IpNetwork> network = parseIpNetwork(text);
    if (!network) throw std::runtime_error("webhooks.allow_cidrs: '" + text + "' is not a network");
    allow_networks_.push_back(*network);
  }
}

bool EgressPolicy::isIn(const IpAddress& address, std::string_view network) {
  const std::optional<IpNetwork> parsed = parseIpNetwork(network);
  return parsed && parsed->contains(address);
}

EgressPolicy::Kind EgressPolicy::kindOf(const IpAddress& address) {
  const auto in = [&](std::string_view network) { return isIn(address, network); };
  if (in("2002::/16")) {
    IpAddress embedded{};
    embedded[kEmbeddedIpv4At - 2] = embedded[kEmbeddedIpv4At - 1] = 0xFF;
    std::copy_n(address.begin() + 2, 4, embedded.begin() + kEmbeddedIpv4At);
    return kindOf(embedded);
  }
  if (in(kCloudMetadataV6) || std::any_of(kLinkLocal.begin(), kLinkLocal.end(), in)) {
    return Kind::kLinkLocal;
  }
  if (std::any_of(kPrivate.begin(), kPrivate.end(), in)) return Kind::kPrivate;
  if (std::any_of(kReserved.begin(), kReserved.end(), in)) return Kind::kReserved;
  if (!in(kGlobalUnicast) && !in(kIpv4Mapped)) return Kind::kReserved;
  return Kind::kPublic;
}

bool EgressPolicy::isListedHost(std::string_view host) const {
  return std::any_of(allow_hosts_.begin(), allow_hosts_.end(), [host](const std::string& entry) {
    if (entry.starts_with("*.")) return host.ends_with(std::string_view(entry).substr(1));
    return host == entry;
  });
}

bool EgressPolicy::allowsPrivate() const {
  return allow_private_ && (!private_condition_ || private_condition_());
}

bool EgressPolicy::allowsAddress(std::string_view host, std::string_view address) const {
  const std::optional<IpAddress> parsed = parseIpAddress(address);
  if (!parsed) return false;
  const Kind kind = kindOf(*parsed);
  if (kind == Kind::kPublic) return true;
  for (const IpNetwork& network : allow_networks_) {
    if (network.contains(*parsed) && (kind != Kind::kLinkLocal || network.prefix == 128)) {
      return true;
    }
  }
  if (kind == Kind::kLinkLocal) return false;
  return isListedHost(host) || (kind == Kind::kPrivate && allowsPrivate());
}

std::optional<std::string> EgressPolicy::problemOf(bool secure,
                                                   std::string_view host,
                                                   const std::optional<std::string>& literal,
                                                   std::uint16_t port) const {
  if (host.ends_with('.')) host.remove_suffix(1);
  const bool is_listed = isListedHost(host);
  const bool allows_private = allowsPrivate();
  if (!secure && !allow_http_ && !allows_private && !is_listed) return "The scheme must be https.";
  if (port != 443 && port != 80 && port < kFirstFreePort) {
    return "The port must be 443, 80, or 1024 and above.";
  }
  if (literal) {
    if (!allowsAddress(host, *literal)) return "The address is not allowed.";
    return std::nullopt;
  }
  const bool is_metadata = host == "metadata" || host.starts_with("metadata.");
  if ((is_metadata && !is_listed) || (endsInLocalName(host) && !allows_private && !is_listed)) {
    return "The host is not allowed.";
  }
  return std::nullopt;
}

}  // namespace spindle::http
