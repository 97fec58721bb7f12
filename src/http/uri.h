#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace spindle::http {

bool isUtf8(std::string_view text);

/// Undoes percent-encoding. Nothing when an escape is broken, or when the result holds a NUL or is
/// not UTF-8: no name or value of ours can be either, and what lies below (file names, SQL text)
/// would read it differently from what was checked. A `+` stays a plus.
std::optional<std::string> percentDecode(std::string_view text);

/// Escapes everything but unreserved characters (RFC 3986) and those in `also_keep`.
std::string percentEncode(std::string_view text, std::string_view also_keep = {});

using QueryParameters = std::vector<std::pair<std::string, std::string>>;

/// Reads `a=1&b=two+words&c` in order, repeated names included; a name without `=` has an empty
/// value, and `+` is a space. Nothing when a name or a value cannot be decoded (percentDecode).
std::optional<QueryParameters> parseQuery(std::string_view query);

/// Where a request of the client goes.
struct Url {
  enum class Scheme { kHttp, kHttps, kUnix };

  Scheme scheme = Scheme::kHttp;
  std::string host;         ///< lower case; an IPv6 literal without its brackets; empty for kUnix
  std::uint16_t port = 0;   ///< 0 for kUnix
  std::string socket_path;  ///< kUnix only
  std::string target;       ///< path and query as they stand on the request line, never empty

  /// What makes two URLs share connections: `https://host:443`, `unix:/run/engine.sock`.
  std::string origin() const;
  /// The Host field: no port where it is the scheme's own.
  std::string authority() const;
};

/// Reads an absolute URL: `http://…`, `https://…` or `unix:/path/to.sock:/target`. A fragment is
/// dropped. @return kInvalidArgument, with a reason that names the fault but not the URL (it may
/// hold a secret): another scheme, user information, a bad host or port, characters that should
/// have been escaped.
Result<Url> parseUrl(std::string_view text);

}  // namespace spindle::http
