// Reads any bytes as a URL, a query string and an escaped string. Accepted values must be
// normalized, and must be equal after they are written and read again.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/message/uri.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

bool isClean(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7f) return false;
  }
  return true;
}

void checkUrl(std::string_view text) {
  const auto url = spindle::http::parseUrl(text);
  if (!url) return;
  require(!url->target.empty() && url->target.front() == '/' && isClean(url->target));
  require(isClean(url->host) && isClean(url->authority()));
  if (url->scheme == spindle::http::Url::Scheme::kUnix) {
    require(!url->socket_path.empty() && url->port == 0);
    return;
  }
  require(url->port != 0);
  const auto again = spindle::http::parseUrl(url->origin() + url->target);
  require(again.has_value());
  require(again->origin() == url->origin() && again->target == url->target);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  checkUrl(text);
  checkUrl("http://" + std::string(text));

  const auto decoded = spindle::http::percentDecode(text);
  if (decoded) {
    require(spindle::http::isUtf8(*decoded));
    require(decoded->find('\0') == std::string::npos);
    require(spindle::http::percentDecode(spindle::http::percentEncode(*decoded)) == decoded);
  }

  const auto query = spindle::http::parseQuery(text);
  if (!query) return 0;
  std::string written;
  for (const auto& [name, value] : *query) {
    written += spindle::http::percentEncode(name) + "=" + spindle::http::percentEncode(value) + "&";
  }
  require(spindle::http::parseQuery(written) == query);
  return 0;
}
