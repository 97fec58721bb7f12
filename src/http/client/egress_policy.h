#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/ip_network.h"

namespace spindle::http {

struct EgressOptions {
  bool allow_private = false;  ///< allows loopback and private networks
  /// With allow_private: allows them only while this returns true. Called for every check, on any
  /// thread: must not block. Empty: always.
  std::function<bool()> private_condition = {};
  bool allow_http = false;  ///< allows HTTP without TLS for all hosts, not only private networks
  std::vector<std::string> allow_hosts = {};  ///< `ci.example.com`, `*.example.com`
  std::vector<std::string> allow_cidrs = {};  ///< `10.1.0.0/16`, `fd00::/8`
};

/// Decides which hosts the server may call on behalf of a user (webhook endpoints, training data
/// URLs). Protects against server-side request forgery. Check the name when the user enters it, and
/// every address immediately before connecting. Only the second check is decisive, because a name
/// can resolve to another address at any time. Thread-safe; immutable except for the result of
/// EgressOptions::private_condition.
///
/// Link-local addresses and addresses of cloud metadata services are always blocked, unless that
/// address is listed as a /32 or /128.
class EgressPolicy {
 public:
  /// @throws std::runtime_error for an invalid network in allow_cidrs.
  explicit EgressPolicy(const EgressOptions& options);

  /// Returns the reason why a host must not be called, or nothing. `host` is lower case; `literal`
  /// is its numeric form if it is an address.
  std::optional<std::string> problemOf(bool secure,
                                       std::string_view host,
                                       const std::optional<std::string>& literal,
                                       std::uint16_t port) const;

  /// Returns true if a connection to `host` may use this numeric address.
  bool allowsAddress(std::string_view host, std::string_view address) const;

 private:
  enum class Kind { kPublic, kPrivate, kReserved, kLinkLocal };

  static bool isIn(const IpAddress& address, std::string_view network);
  static Kind kindOf(const IpAddress& address);
  bool isListedHost(std::string_view host) const;
  bool allowsPrivate() const;

  bool allow_private_;
  std::function<bool()> private_condition_;
  bool allow_http_;
  std::vector<std::string> allow_hosts_;
  std::vector<IpNetwork> allow_networks_;
};

}  // namespace spindle::http
