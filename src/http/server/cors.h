#pragma once

#include <string>
#include <string_view>

#include "http/message/message.h"
#include "http/server/server.h"

namespace spindle::http {

/// Implements CORS: tells browsers which other origins may use the API. Immutable and thread-safe.
class Cors {
 public:
  explicit Cors(CorsPolicy policy);

  bool enabled() const { return !policy_.allowed_origins.empty(); }
  /// Returns true for a preflight request of a browser.
  bool isPreflight(const Request& request) const;
  /// Returns the response to a preflight request: 204, or 403 for an origin that is not allowed.
  Response preflight(const Request& request) const;
  /// Appends the CORS fields of a response to its head, each line with CRLF.
  void appendFields(const Request& request, std::string& head) const;

 private:
  bool allows(std::string_view origin) const;
  std::string_view allowedOrigin(std::string_view origin) const;

  const CorsPolicy policy_;
  bool any_ = false;
};

}  // namespace spindle::http
