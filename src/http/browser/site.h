#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/error.h"
#include "http/message/ip_network.h"
#include "http/message/message.h"

namespace spindle::http {

struct SiteOptions {
  std::string listen_host = {};
  std::string public_url = {};                    ///< empty: none
  std::vector<std::string> allowed_hosts = {};    ///< `spindle.example.com`, `*.example.com`
  std::vector<std::string> trusted_proxies = {};  ///< networks whose X-Forwarded-* fields count
};

/// The names and origins at which browsers reach this server. Decides which requests come from the
/// server's own pages. Immutable and thread-safe; nothing blocks.
///
/// IP addresses and localhost are always own hosts, because no DNS record of an attacker can
/// produce them. Other names must be listed: a name that an attacker rebinds to the address of this
/// server is refused.
class Site {
 public:
  /// @throws std::runtime_error for an invalid network in trusted_proxies or an invalid public_url.
  explicit Site(const SiteOptions& options);

  /// Returns true if the browser uses HTTPS: this server's own, or that of a proxy, as a trusted
  /// proxy (X-Forwarded-Proto) or public_url says.
  bool isSecure(const Request& request) const;

  /// Returns the address of the client: of the socket, or behind trusted proxies the last address
  /// of X-Forwarded-For that is not one of them.
  std::string clientAddress(const Request& request) const;

  /// Returns the kPermissionDenied error (`foreign_host`, `cross_site`) of a request that does not
  /// come from a page of this server, or nothing. Requests other than GET need `Sec-Fetch-Site:
  /// same-origin` or, from browsers that do not send it, the Origin of this server. A GET may also
  /// be a top-level navigation from another site, or have neither field; with another Origin it is
  /// refused.
  std::optional<Error> problemOf(const Request& request) const;

 private:
  bool isOwnHost(std::string_view host) const;
  bool isOwnOrigin(const Request& request) const;
  bool isTrusted(std::string_view address) const;

  std::vector<std::string> hosts_;  ///< lower case; whole, or `*.suffix`
  std::string public_authority_;    ///< host and port of public_url, without a default port
  bool public_secure_ = false;
  std::vector<IpNetwork> trusted_;
};

}  // namespace spindle::http
