#include "http/message/uri.h"

#include <charconv>

#include <arpa/inet.h>
#include <sys/un.h>

#include "base/core/ascii.h"
#include "http/message/message.h"

namespace spindle::http {
namespace {

std::optional<std::string> decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '%') {
      if (text.size() - at < 3) return std::nullopt;
      const int high = hexValue(text[at + 1]);
      const int low = hexValue(text[at + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      at += 2;
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    }
    if (c == '\0') return std::nullopt;
    out.push_back(c);
  }
  if (!isUtf8(out)) return std::nullopt;
  return out;
}

bool isIpv6(const std::string& host) {
  in6_addr address{};
  return host.find('\0') == std::string::npos && inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

std::string bracketed(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

Result<void> readHost(std::string_view text, Url& url) {
  if (text.empty()) return Error::invalidArgument("The URL has no host.");
  if (text.front() == '[') {
    url.host = text.substr(1, text.size() - 2);
    if (text.back() != ']' || !isIpv6(url.host)) {
      return Error::invalidArgument("The URL has a bad IPv6 address.");
    }
  } else {
    url.host = text;
    if (text.size() > 253) return Error::invalidArgument("The URL has a host that is too long.");
    for (const char c : text) {
      if (!isLetterOrDigit(c) && c != '-' && c != '.' && c != '_') {
        return Error::invalidArgument("The URL has a bad host.");
      }
    }
  }
  url.host = lowerCase(url.host);
  return {};
}

Result<void> readAuthority(std::string_view text, Url& url) {
  if (text.find('@') != std::string_view::npos) {
    return Error::invalidArgument("The URL must not contain a user name or password.");
  }
  const std::size_t bracket = text.rfind(']');
  const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  TRY(readHost(text.substr(0, colon), url));
  url.port = url.scheme == Url::Scheme::kHttps ? 443 : 80;
  if (colon == std::string_view::npos) return {};
  const std::string_view digits = text.substr(colon + 1);
  if (digits.empty()) return {};
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), url.port);
  if (fault != std::errc() || end != digits.data() + digits.size() || url.port == 0) {
    return Error::invalidArgument("The URL has a bad port.");
  }
  return {};
}

Result<void> readTarget(std::string_view text, Url& url) {
  text = text.substr(0, text.find('#'));
  for (const char c : text) {
    if (static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) >= 0x7f) {
      return Error::invalidArgument("The URL has characters that must be percent-encoded.");
    }
  }
  if (text.empty() || text.front() != '/') url.target = "/";
  url.target += text;
  return {};
}

Result<Url> parseUnixUrl(std::string_view rest) {
  Url url;
  url.scheme = Url::Scheme::kUnix;
  const std::size_t split = rest.find(":/");
  url.socket_path = rest.substr(0, split);
  if (url.socket_path.empty() || url.socket_path.front() != '/' ||
      url.socket_path.size() >= sizeof(sockaddr_un::sun_path) ||
      url.socket_path.find('\0') != std::string::npos) {
    return Error::invalidArgument("The URL has a bad socket path.");
  }
  TRY(readTarget(split == std::string_view::npos ? "" : rest.substr(split + 1), url));
  return url;
}

}  // namespace

std::optional<std::string> percentDecode(std::string_view text) { return decode(text, false); }

std::string percentEncode(std::string_view text, std::string_view also_keep) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::string_view kUnreserved = "-._~";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (isLetterOrDigit(c) || kUnreserved.find(c) != std::string_view::npos ||
        also_keep.find(c) != std::string_view::npos) {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.push_back('%');
    out.push_back(kHex[byte >> 4]);
    out.push_back(kHex[byte & 15]);
  }
  return out;
}

std::optional<QueryParameters> parseQuery(std::string_view query) {
  QueryParameters parameters;
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    std::optional<std::string> name = decode(pair.substr(0, equals), true);
    std::optional<std::string> value =
        decode(equals == std::string_view::npos ? "" : pair.substr(equals + 1), true);
    if (!name || !value) return std::nullopt;
    parameters.emplace_back(*std::move(name), *std::move(value));
  }
  return parameters;
}

std::string Url::origin() const {
  if (scheme == Scheme::kUnix) return "unix:" + socket_path;
  const std::string_view prefix = scheme == Scheme::kHttps ? "https://" : "http://";
  return std::string(prefix) + bracketed(host) + ":" + std::to_string(port);
}

std::string Url::authority() const {
  if (scheme == Scheme::kUnix) return "localhost";
  std::string text = bracketed(host);
  if (port != (scheme == Scheme::kHttps ? 443 : 80)) text += ":" + std::to_string(port);
  return text;
}

Result<Url> parseUrl(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view scheme = text.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (equalIgnoringCase(scheme, "unix")) return parseUnixUrl(rest);

  Url url;
  if (equalIgnoringCase(scheme, "https")) {
    url.scheme = Url::Scheme::kHttps;
  } else if (!equalIgnoringCase(scheme, "http")) {
    return Error::invalidArgument("The URL must begin with http:// or https://.");
  }
  if (rest.substr(0, 2) != "//") {
    return Error::invalidArgument("The URL must begin with http:// or https://.");
  }
  const std::string_view after = rest.substr(2);
  const std::size_t end = after.find_first_of("/?#");
  TRY(readAuthority(after.substr(0, end), url));
  TRY(readTarget(end == std::string_view::npos ? "" : after.substr(end), url));
  return url;
}

}  // namespace spindle::http
