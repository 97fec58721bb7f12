#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "base/core/utf8.h"

namespace spindle::http {

using spindle::isUtf8;

/// Decodes percent-encoding. Returns nothing if an escape is invalid, or if the result contains NUL
/// or is not UTF-8. No valid name or value contains such bytes, and lower layers (file names, SQL
/// text) would interpret them differently than the checks. A `+` stays a plus.
std::optional<std::string> percentDecode(std::string_view text);

/// Percent-encodes all characters except unreserved ones (RFC 3986) and those in `also_keep`.
std::string percentEncode(std::string_view text, std::string_view also_keep = {});

using QueryParameters = std::vector<std::pair<std::string, std::string>>;

/// Parses `a=1&b=two+words&c` in order, with repeated names. A name without `=` has an empty value,
/// and `+` is a space. Returns nothing if percentDecode() fails for a name or a value.
std::optional<QueryParameters> parseQuery(std::string_view query);

/// A parsed absolute URL for a client request.
struct Url {
  enum class Scheme { kHttp, kHttps, kUnix };

  Scheme scheme = Scheme::kHttp;
  std::string host;         ///< lower case; an IPv6 literal without its brackets; empty for kUnix
  std::uint16_t port = 0;   ///< 0 for kUnix
  std::string socket_path;  ///< kUnix only
  std::string target;       ///< path and query for the request line, never empty

  /// Returns the key of the connection pool: `https://host:443`, `unix:/run/engine.sock`.
  std::string origin() const;
  /// Returns the Host field, without the default port of the scheme.
  std::string authority() const;
};

/// Parses an absolute URL: `http://…`, `https://…` or `unix:/path/to.sock:/target`. Removes the
/// fragment. @return kInvalidArgument for another scheme, user information, an invalid host or
/// port, or unescaped characters. The message does not contain the URL, because it may contain a
/// secret.
Result<Url> parseUrl(std::string_view text);

}  // namespace spindle::http
