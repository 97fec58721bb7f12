#pragma once

#include <string>

#include "http/message.h"

namespace spindle::http {

/// Where the client of a request has reached this server, for URLs that it will follow:
/// `https://host:port`.
inline std::string originOf(const Request& request) {
  return (request.secure ? "https://" : "http://") + std::string(request.headers.get("Host"));
}

}  // namespace spindle::http
