#include "http/browser/site.h"

#include <algorithm>
#include <stdexcept>

#include "base/core/ascii.h"
#include "http/message/uri.h"

namespace spindle::http {
namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";
constexpr std::size_t kLongestAddress = 45;

/// Returns the host of `host`, `host:port` or `[address]:port`, without brackets.
std::string_view nameIn(std::string_view authority) {
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    return end == std::string_view::npos ? std::string_view() : authority.substr(1, end - 1);
  }
  std::string_view name = authority.substr(0, authority.find(':'));
  if (name.ends_with('.')) name.remove_suffix(1);
  return name;
}

/// Returns the authority in lower case, without the default port of the scheme.
std::string normalized(std::string_view authority, bool secure) {
  std::string text = lowerCase(authority);
  const std::string_view port = secure ? ":443" : ":80";
  if (text.ends_with(port)) text.resize(text.size() - port.size());
  return text;
}

/// Returns the last element of a comma-separated list and removes it from `list`.
std::string_view takeLast(std::string_view& list) {
  const std::size_t comma = list.rfind(',');
  const std::size_t begin = comma == std::string_view::npos ? 0 : comma + 1;
  const std::string_view last = trimmed(list.substr(begin));
  list = list.substr(0, comma == std::string_view::npos ? 0 : comma);
  return last;
}

bool isNavigation(const Headers& headers) {
  return headers.get("Sec-Fetch-Mode") == "navigate" && headers.get("Sec-Fetch-Dest") == "document";
}

Error foreignHost() {
  return Error::denied(
             "The Host header names another host than this server: set server.public_url or "
             "server.allowed_hosts.")
      .because("foreign_host");
}

Error crossSite() {
  return Error::denied("This request does not come from a page of this server.")
      .because("cross_site");
}

}  // namespace

Site::Site(const SiteOptions& options) {
  if (!options.listen_host.empty()) hosts_.push_back(lowerCase(options.listen_host));
  for (const std::string& host : options.allowed_hosts) hosts_.push_back(lowerCase(host));
  if (!options.public_url.empty()) {
    const Result<Url> url = parseUrl(options.public_url);
    if (!url) throw std::runtime_error("server.public_url: " + url.error().message());
    hosts_.push_back(url->host);
    public_secure_ = url->scheme == Url::Scheme::kHttps;
    public_authority_ = lowerCase(url->authority());
  }
  for (const std::string& text : options.trusted_proxies) {
    const std::optional<IpNetwork> network = parseIpNetwork(text);
    if (!network) {
      throw std::runtime_error("server.trusted_proxies: '" + text + "' is not a network");
    }
    trusted_.push_back(*network);
  }
}

bool Site::isTrusted(std::string_view address) const {
  const std::optional<IpAddress> parsed = parseIpAddress(address);
  return parsed && std::any_of(trusted_.begin(), trusted_.end(),
                               [&](const IpNetwork& network) { return network.contains(*parsed); });
}

bool Site::isSecure(const Request& request) const {
  if (request.secure) return true;
  if (public_secure_ && normalized(request.headers.get("Host"), true) == public_authority_) {
    return true;
  }
  const std::string* scheme = request.headers.find("X-Forwarded-Proto");
  if (scheme == nullptr || !isTrusted(request.peer_address)) return false;
  std::string_view list = *scheme;
  return equalIgnoringCase(takeLast(list), "https");
}

std::string Site::clientAddress(const Request& request) const {
  std::string_view client = request.peer_address;
  if (!isTrusted(client)) return request.peer_address;
  std::vector<std::string_view> lists;
  for (const Headers::Field& field : request.headers) {
    if (equalIgnoringCase(field.first, "X-Forwarded-For")) lists.push_back(field.second);
  }
  while (!lists.empty()) {
    const std::string_view next = takeLast(lists.back());
    if (lists.back().empty()) lists.pop_back();
    if (next.size() > kLongestAddress || !parseIpAddress(next)) break;
    client = next;
    if (!isTrusted(client)) break;
  }
  return std::string(client);
}

bool Site::isOwnHost(std::string_view host) const {
  const std::string name = lowerCase(nameIn(host));
  if (name.empty()) return false;
  if (name == "localhost" || name.ends_with(".localhost") || parseIpAddress(name)) return true;
  return std::any_of(hosts_.begin(), hosts_.end(), [&name](const std::string& own) {
    if (own.starts_with("*.")) return name.ends_with(std::string_view(own).substr(1));
    return name == own;
  });
}

bool Site::isOwnOrigin(const Request& request) const {
  const std::string* field = request.headers.find("Origin");
  if (field == nullptr) return false;
  std::string_view origin = *field;
  const bool secure = origin.starts_with(kHttps);
  if (!secure && !origin.starts_with(kHttp)) return false;
  if (!secure && isSecure(request)) return false;
  origin.remove_prefix(secure ? kHttps.size() : kHttp.size());
  const std::string authority = normalized(origin, secure);
  if (!public_authority_.empty() && secure == public_secure_ && authority == public_authority_) {
    return true;
  }
  return authority == normalized(request.headers.get("Host"), secure);
}

std::optional<Error> Site::problemOf(const Request& request) const {
  if (!isOwnHost(request.headers.get("Host"))) return foreignHost();
  const std::string* site = request.headers.find("Sec-Fetch-Site");
  const bool reads = request.method == Method::kGet || request.method == Method::kHead;
  if (site != nullptr && *site == "same-origin") return std::nullopt;
  const bool own_origin = isOwnOrigin(request);
  // Only pages of other sites send another Origin, with reads too if CORS lets them see the
  // response.
  if (!own_origin && request.headers.find("Origin") != nullptr) return crossSite();
  if (site == nullptr) {
    if (reads || own_origin) return std::nullopt;
    return crossSite();
  }
  // `none`: the person entered the address, or followed a bookmark.
  if (reads && (*site == "none" || isNavigation(request.headers))) return std::nullopt;
  return crossSite();
}

}  // namespace spindle::http
