#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::http {

struct TargetOptions {
  bool allow_private = false;  ///< loopback and private networks may be called
  /// With allow_private: they may be called only while this returns true. Called for every check,
  /// on any thread: must not block. Empty: always.
  std::function<bool()> private_condition = {};
  bool allow_http = false;  ///< without TLS everywhere, not only where the network is one's own
  std::vector<std::string> allow_hosts = {};  ///< `ci.example.com`, `*.example.com`
  std::vector<std::string> allow_cidrs = {};  ///< `10.1.0.0/16`, `fd00::/8`
};

/// Which hosts the server calls because somebody named them: endpoints of webhooks, data to train
/// on. Asked by name when it is named, and again for every address right before connecting: only
/// the second answer counts, because a name can turn to another address at any time. Thread-safe;
/// immutable but for what the options' private_condition says.
///
/// Link-local addresses and those of cloud metadata services stay closed whatever is allowed,
/// unless that very address is listed as a /32 or /128.
class TargetRules {
 public:
  /// @throws std::runtime_error for a network that cannot be read.
  explicit TargetRules(const TargetOptions& options);

  /// Why this may not be called, or nothing. `host` is lower case; `literal` is its
  /// numeric form when it is an address.
  std::optional<std::string> problemOf(bool secure,
                                       std::string_view host,
                                       const std::optional<std::string>& literal,
                                       std::uint16_t port) const;

  /// Whether a connection to `host` may go to this address, given as numeric text.
  bool allowsAddress(std::string_view host, std::string_view address) const;

 private:
  using Address = std::array<std::uint8_t, 16>;  ///< IPv4 as ::ffff:a.b.c.d
  struct Network {
    Address base{};
    int prefix = 0;
    bool contains(const Address& address) const;
  };
  enum class Kind { kPublic, kPrivate, kReserved, kLinkLocal };

  static std::optional<Address> parseAddress(std::string_view text);
  static std::optional<Network> parseNetwork(std::string_view text);
  static bool isIn(const Address& address, std::string_view network);
  static Kind kindOf(const Address& address);
  bool isListedHost(std::string_view host) const;
  bool allowsPrivate() const;

  bool allow_private_;
  std::function<bool()> private_condition_;
  bool allow_http_;
  std::vector<std::string> allow_hosts_;
  std::vector<Network> allow_networks_;
};

}  // namespace spindle::http
