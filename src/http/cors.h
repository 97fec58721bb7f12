#pragma once

#include <string>
#include <string_view>

#include "http/message.h"
#include "http/server.h"

namespace spindle::http {

/// Tells browsers which other origins may use the API. Immutable: any thread.
class Cors {
 public:
  explicit Cors(CorsPolicy policy);

  bool enabled() const { return !policy_.allowed_origins.empty(); }
  /// True for the question a browser asks before the real request.
  bool isPreflight(const Request& request) const;
  /// The answer to it: 204, or 403 for an origin that is not allowed.
  Response preflight(const Request& request) const;
  /// Adds the header fields of an actual answer, each line with its end.
  void appendFields(const Request& request, std::string& head) const;

 private:
  bool allows(std::string_view origin) const;
  std::string_view allowedOrigin(std::string_view origin) const;

  const CorsPolicy policy_;
  bool any_ = false;
};

}  // namespace spindle::http
