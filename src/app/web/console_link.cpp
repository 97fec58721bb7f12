#include "app/web/console_link.h"

#include <array>
#include <string_view>
#include <utility>

namespace spindle::app {
namespace {

/// Returns the URL with an address that a browser can open in place of "all addresses".
std::string reachable(const std::string& url) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kAnyAddress = {
      {{"://0.0.0.0:", "://127.0.0.1:"}, {"://[::]:", "://[::1]:"}}};
  for (const auto& [any, loopback] : kAnyAddress) {
    const std::size_t at = url.find(any);
    if (at != std::string::npos) return std::string(url).replace(at, any.size(), loopback);
  }
  return url;
}

}  // namespace

std::string listenUrl(const config::ServerSettings& server) {
  return (server.tls_certificate.empty() ? "http://" : "https://") + server.listen.text();
}

std::string signInLink(const config::ServerSettings& server,
                       const std::string& url,
                       const Secret& code) {
  const std::string base =
      server.public_url.empty() ? reachable(url) + server.base_path : server.public_url;
  return base + "/console#code=" + std::string(code.reveal());
}

}  // namespace spindle::app
